import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buy, type Json, makeCategory, makeProduct, makeRate, orderOf, setTaxes, taxShop } from '../../test/tax-shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await taxShop({ processes: 2 });
});
afterAll(() => shop?.stop());

const categories = '/api/admin/taxes/categories';
const rates = '/api/admin/taxes/rates';

describe('tax categories', () => {
  it('have one default, which moves and stays', async () => {
    const { admin } = shop.b;
    const first = await makeCategory(shop.b, 'first');
    expect(first).toMatchObject({ isDefault: true, kind: 'goods', uneceCode: null });
    const second = await makeCategory(shop.b, 'second', { kind: 'electronic_service', uneceCode: 'E' });
    expect(second).toMatchObject({ isDefault: false, kind: 'electronic_service', uneceCode: 'E' });
    expect((await admin.patch<Json>(`${categories}/${second.id}`, { isDefault: true })).body.isDefault).toBe(true);
    const list = async () => (await admin.get<Json>(categories)).body.data.map((row: Json) => [row.code, row.isDefault]);
    expect(await list()).toEqual([
      ['first', false],
      ['second', true],
    ]);
    expect((await admin.patch(`${categories}/${second.id}`, { isDefault: false })).status).toBe(422);
    expect((await admin.delete<Json>(`${categories}/${second.id}`)).body).toMatchObject({
      code: 'in_use',
      counts: { default: 1 },
    });
    expect((await admin.delete(`${categories}/${first.id}`)).status).toBe(204);
    // The last one may go: then there is none.
    expect((await admin.delete(`${categories}/${second.id}`)).status).toBe(204);
    expect((await admin.delete(`${categories}/${second.id}`)).status).toBe(404);
  });

  it('have one default after concurrent creation and changes', async () => {
    const { admin } = shop.b;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        admin.at(shop.bases[i % 2] as string).post<Json>(categories, { code: `c${i}`, name: 'C', isDefault: i % 3 === 0 }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201));
    const moved = await Promise.all(
      answers.map((answer, i) =>
        admin.at(shop.bases[i % 2] as string).patch(`${categories}/${answer.body.id}`, { isDefault: true }),
      ),
    );
    expect(moved.map((answer) => answer.status)).toEqual(moved.map(() => 200));
    const rows = await shop.rows<Json>('select is_default from taxes_category where tenant_id = $1', [shop.b.id]);
    expect(rows.filter((row) => row.is_default)).toHaveLength(1);
  });

  it('have unique codes and known kinds', async () => {
    await makeCategory(shop.a, 'books');
    const again = await shop.a.admin.post<Json>(categories, { code: 'BOOKS', name: 'x' });
    expect([again.status, again.body.code, again.body.field]).toEqual([409, 'duplicate', 'code']);
    for (const body of [{ code: 'x' }, { name: 'x' }, { code: 'x y', name: 'x' }, { code: 'x', name: 'x', kind: 'food' }])
      expect((await shop.a.admin.post(categories, body)).status).toBe(422);
    expect((await shop.a.admin.post(categories, { code: 'q', name: 'q', uneceCode: 'Q' })).status).toBe(422);
  });

  it("can't be removed while they are referenced", async () => {
    const category = await makeCategory(shop.a, 'kept');
    const rate = await makeRate(shop.a, category.id, 10_000);
    await makeProduct(shop.a, 100, { taxCategoryId: category.id });
    await setTaxes(shop.a, { shippingTaxCategoryId: category.id });
    const refused = async () => (await shop.a.admin.delete<Json>(`${categories}/${category.id}`)).body;
    expect(await refused()).toMatchObject({ status: 409, code: 'in_use', counts: { settings: 1 } });
    await setTaxes(shop.a, { shippingTaxCategoryId: null });
    expect((await refused()).counts).toMatchObject({ 'taxes/rates': 1 });
    expect((await shop.a.admin.delete(`${rates}/${rate.id}`)).status).toBe(204);
    // What is left is the product of the catalogue.
    expect(Object.values((await refused()).counts)).toEqual([1]);
  });
});

describe('rates', () => {
  it('are refused if two are valid on one day, and accepted if they are consecutive', async () => {
    const { admin } = shop.a;
    const { id: categoryId } = await makeCategory(shop.a, 'dated');
    const post = (more: object) =>
      admin.post<Json>(rates, { country: 'RO', categoryId, ratePpm: 190_000, validFrom: '2017-01-01', ...more });
    const old = await post({ validTo: '2025-07-31' });
    expect(old.body).toMatchObject({
      ratePpm: 190_000,
      name: '19 %',
      priority: 0,
      compound: false,
      validTo: '2025-07-31',
      region: null,
    });
    expect((await post({ validFrom: '2025-08-01', ratePpm: 210_000 })).status).toBe(201);
    for (const clash of [{}, { validFrom: '2025-07-31', validTo: '2025-07-31' }, { validFrom: '2030-01-01' }]) {
      const refused = await post(clash);
      expect([refused.status, refused.body.code]).toEqual([409, 'rate_overlap']);
    }
    // Another place, priority or category is another rate.
    for (const other of [{ region: 'Cluj' }, { postalCode: '40' }, { priority: 1 }, { country: 'DE' }])
      expect((await post(other)).status).toBe(201);
    expect((await admin.patch<Json>(`${rates}/${old.body.id}`, { validTo: '2025-08-01' })).body.code).toBe('rate_overlap');
    expect((await admin.patch<Json>(`${rates}/${old.body.id}`, { validTo: null })).body.code).toBe('rate_overlap');
    expect((await admin.patch<Json>(`${rates}/${old.body.id}`, { validTo: '2025-07-30' })).status).toBe(200);
  });

  it('never overlap after concurrent writes', async () => {
    const { id: categoryId } = await makeCategory(shop.a, 'raced');
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        shop.a.admin
          .at(shop.bases[i % 2] as string)
          .post<Json>(rates, { country: 'FR', categoryId, ratePpm: 1000 + i, validFrom: `20${10 + (i % 10)}-01-01` }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(new Set(answers.filter((answer) => answer.status !== 201).map((answer) => answer.body.code))).toEqual(
      new Set(['rate_overlap']),
    );
    const [row] = await shop.rows<Json>('select count(*)::int as n from taxes_rate where category_id = $1', [categoryId]);
    expect(row.n).toBe(1);
    // The constraint itself, past the check of the route.
    await expect(
      shop.rows(
        `insert into taxes_rate (tenant_id, id, country, category_id, rate_ppm, priority, compound, valid_from, created_at, updated_at)
         values ($1, gen_random_uuid(), 'FR', $2, 1, 0, false, '2020-01-01', now(), now())`,
        [shop.a.id, categoryId],
      ),
    ).rejects.toThrow(/taxes_rate_validity_excl/);
  });

  it('are checked', async () => {
    const { id: categoryId } = await makeCategory(shop.a, 'checked');
    const good = { country: 'RO', categoryId, ratePpm: 1, validFrom: '2020-01-01' };
    const refused = async (more: object) => (await shop.a.admin.post<Json>(rates, { ...good, ...more })).status;
    for (const wrong of [
      { country: 'EL' },
      { country: 'ro' },
      { country: 'ZZ' },
      { ratePpm: 1_000_001 },
      { ratePpm: -1 },
      { ratePpm: 0.5 },
      { validFrom: '2020-02-30' },
      { validTo: '2019-12-31' },
      { priority: -1 },
      { total: 1 },
    ])
      expect([wrong, await refused(wrong)]).toEqual([wrong, 422]);
    expect(await refused({ categoryId: '01900000-0000-7000-8000-000000000001' })).toBe(404);
    const [foreign] = await shop.rows<Json>('select id from taxes_category where tenant_id = $1 limit 1', [shop.b.id]);
    expect(await refused({ categoryId: foreign.id })).toBe(404);
    const list = await shop.a.admin.get<Json>(`${rates}?country=DE&limit=5&total=true`);
    expect([list.status, list.body.page.total]).toEqual([200, 1]);
    expect((await shop.a.admin.get(`${rates}?nope=1`)).status).toBe(400);
  });

  it('need their permissions', async () => {
    const staff = await shop.a.staff(['taxes.rate.read']);
    expect((await staff.get(rates)).status).toBe(200);
    expect((await staff.post<Json>(rates, {})).body).toMatchObject({ status: 403, permission: 'taxes.rate.create' });
    expect((await staff.get<Json>('/api/admin/taxes/oss/report?quarter=2026-Q3')).body).toMatchObject({
      permission: 'taxes.oss.read',
    });
    expect((await shop.a.guest.get(rates)).status).toBe(401);
  });

  it('publish a scheduled change', async () => {
    const { id: categoryId } = await makeCategory(shop.a, 'coming');
    await makeRate(shop.a, categoryId, 190_000, { validTo: '2026-12-31' });
    const next = await makeRate(shop.a, categoryId, 210_000, { validFrom: '2027-01-01' });
    await shop.settled();
    const events = await shop.rows<Json>(`select data from core_event where type = 'taxes.rate.scheduled' and tenant_id = $1`, [
      shop.a.id,
    ]);
    expect(events.map((event) => event.data).filter((data) => data.categoryId === categoryId)).toEqual([
      { id: next.id, country: 'RO', categoryId, ratePpm: 210_000, validFrom: '2027-01-01' },
    ]);
  });

  it('can only end after an order used them, and placed orders never change', async () => {
    const category = await makeCategory(shop.a, 'sold', { isDefault: true });
    const rate = await makeRate(shop.a, category.id, 210_000);
    const unused = await makeRate(shop.a, category.id, 190_000, { country: 'DE' });
    const variantId = await makeProduct(shop.a, 12_100, { taxCategoryId: category.id });
    const placed = await buy(shop.a, [[variantId, 1]], 'RO', 12_100);
    expect(placed.status).toBe(201);
    const before = await orderOf(shop.a, placed.body.order.id);
    expect(before.taxSummary).toMatchObject([
      { ratePpm: 210_000, categoryCode: 'S', base: { amount: 10_000 }, tax: { amount: 2100 } },
    ]);

    const path = `${rates}/${rate.id}`;
    for (const change of [
      { ratePpm: 200_000 },
      { name: 'x' },
      { validFrom: '2021-01-01' },
      { country: 'DE' },
      { priority: 3 },
      { region: 'x' },
    ])
      expect((await shop.a.admin.patch<Json>(path, change)).body).toMatchObject({
        status: 409,
        code: 'in_use',
        counts: { orders: 1 },
      });
    expect((await shop.a.admin.delete<Json>(path)).body.code).toBe('in_use');
    expect((await shop.a.admin.patch<Json>(path, { validTo: '2026-11-30', ratePpm: 210_000 })).body.validTo).toBe('2026-11-30');
    await makeRate(shop.a, category.id, 240_000, { validFrom: '2026-12-01' });
    expect((await shop.a.admin.patch(`${rates}/${unused.id}`, { ratePpm: 1 })).status).toBe(200);
    expect((await shop.a.admin.delete(`${rates}/${unused.id}`)).status).toBe(204);
    expect(await orderOf(shop.a, placed.body.order.id)).toEqual(before);
  });
});

describe('rates of the member states', () => {
  const ossRates = (query = '') => shop.b.admin.get<Json>(`/api/admin/taxes/oss/rates${query}`);

  it('are dated, for all 27', async () => {
    const all = await ossRates();
    expect(new Set(all.body.data.map((row: Json) => row.country)).size).toBe(27);
    expect(all.body.data.filter((row: Json) => row.kind === 'standard')).toHaveLength(27);
    const romania = async (at: string) => (await ossRates(`?country=RO&at=${at}`)).body.data;
    expect(await romania('2025-07-31')).toMatchObject([
      { kind: 'standard', ratePpm: 190_000, validTo: '2025-07-31', source: 'published' },
    ]);
    expect(await romania('2025-08-01')).toMatchObject([
      { kind: 'standard', ratePpm: 210_000, validFrom: '2025-08-01', validTo: null },
      { kind: 'reduced', ratePpm: 110_000, validFrom: '2025-08-01' },
    ]);
    // The published rates are seven months old by the frozen clock.
    expect(all.body.warnings).toMatchObject([{ code: 'rates_outdated' }]);
    for (const query of ['?country=US', '?country=x', '?at=2026-13-01', '?at=now', '?x=1'])
      expect([query, (await ossRates(query)).status]).toEqual([query, 400]);
  });

  it("are replaced by the shop's rates", async () => {
    const [fallback] = await shop.rows<Json>('select id from taxes_category where tenant_id = $1 and is_default', [shop.b.id]);
    const other = await makeCategory(shop.b, 'other');
    await makeRate(shop.b, fallback.id, 220_000, { country: 'HU', name: 'áfa' });
    await makeRate(shop.b, other.id, 50_000, { country: 'HU' });
    const rows = (await ossRates('?country=HU')).body.data;
    expect(rows.map((row: Json) => [row.kind, row.ratePpm, row.source])).toEqual([
      ['standard', 220_000, 'tenant'],
      ['reduced', 180_000, 'published'],
      ['reduced', 50_000, 'tenant'],
    ]);
  });
});
