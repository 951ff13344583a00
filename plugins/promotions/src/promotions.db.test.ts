import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaults } from '../test/cart.ts';
import { type Json, make, promote, promotionsPath, readPromotion, ron } from '../test/store.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'promotions'], now: '2026-11-27T10:00:00Z' });
});
afterAll(() => shop?.stop());

const validationOf = async (body: Record<string, unknown>): Promise<[number, string, string[]]> => {
  const response = await shop.a.admin.post<Json>(promotionsPath, body);
  return [response.status, response.body.code, (response.body.errors ?? []).map((one: Json) => one.pointer)];
};
const percentage = { name: 'P', type: 'percentage', value: { percentBp: 1000 } };

describe('promotions', () => {
  it('are created with all derived defaults', async () => {
    const created = await shop.a.admin.post<Json>(promotionsPath, { ...percentage, code: ' Spring ', metadata: { a: 1 } });
    expect(created.status).toBe(201);
    // No GET route has its path.
    expect(created.headers.location).toBeUndefined();
    expect(created.body).toEqual({
      id: created.body.id,
      createdAt: '2026-11-27T10:00:00.000Z',
      updatedAt: '2026-11-27T10:00:00.000Z',
      version: 1,
      name: 'P',
      code: 'Spring',
      codes: null,
      ...defaults,
      type: 'percentage',
      target: 'order',
      value: { percentBp: 1000, amounts: null, tiers: null },
      allocation: 'across',
      metadata: { a: 1 },
      status: 'active',
      usageCount: 0,
      spent: ron(0),
      codesTotal: 0,
      codesUsed: 0,
    });
    expect(await readPromotion(shop.a, created.body.id)).toEqual(created.body);
    expect((await promote(shop.a, { type: 'free_shipping' })).target).toBe('shipping');
    const items = await promote(shop.a, { type: 'tiered', target: 'items', value: { tiers: [{ min: 0, percentBp: 500 }] } });
    expect([items.allocation, items.basis]).toEqual(['each', 'amount']);
    const conditions = [
      { type: 'min_subtotal', value: ron(5) },
      { type: 'country', value: ['RO', 'BG'] },
      { type: 'channel', value: 'web' },
    ];
    const conditional = await promote(shop.a, { conditions });
    expect(conditional.conditions.map((one: Json) => one.op)).toEqual(['gte', 'in', 'eq']);
  });

  it('refuses invalid combinations, with pointers', async () => {
    expect(await validationOf({ ...percentage, type: 'fixed_price' })).toEqual([
      422,
      'validation_failed',
      ['/value/percentBp', '/value/amounts'],
    ]);
    expect(await validationOf({ ...percentage, value: {} })).toEqual([422, 'validation_failed', ['/value/percentBp']]);
    for (const percentBp of [0, 10_001, 12.5])
      expect(await validationOf({ ...percentage, value: { percentBp } })).toEqual([
        422,
        'validation_failed',
        ['/value/percentBp'],
      ]);
    const amounts = (...list: unknown[]) => ({ name: 'A', type: 'fixed_amount', value: { amounts: list } });
    expect(await validationOf(amounts({ amount: 1.5, currency: 'RON' }))).toEqual([
      422,
      'money_invalid',
      ['/value/amounts/0/amount'],
    ]);
    expect(await validationOf(amounts(ron(0)))).toEqual([422, 'money_invalid', ['/value/amounts/0/amount']]);
    expect(await validationOf(amounts(ron(5), ron(6)))).toEqual([422, 'validation_failed', ['/value/amounts/1/currency']]);
    expect(await validationOf({ ...percentage, target: 'items', type: 'free_shipping', value: {} })).toEqual([
      422,
      'validation_failed',
      ['/target'],
    ]);
    expect(await validationOf({ ...percentage, allocation: 'each' })).toEqual([422, 'validation_failed', ['/allocation']]);
    expect(await validationOf({ ...percentage, maxUnits: 3 })).toEqual([422, 'validation_failed', ['/maxUnits']]);
    expect(await validationOf({ ...percentage, startsAt: '2026-12-02T00:00:00Z', endsAt: '2026-12-01T00:00:00Z' })).toEqual([
      422,
      'validation_failed',
      ['/endsAt'],
    ]);
    // A time without an offset is in the shop's zone, Europe/Bucharest.
    for (const [startsAt, code] of [
      ['2027-03-28T03:30:00', 'invalid_local_time'],
      ['2027-10-31T03:30:00', 'ambiguous_local_time'],
      ['2027-03-28T05:30:00', 'offset_required'],
    ])
      expect(await validationOf({ ...percentage, startsAt })).toEqual([422, code, ['/startsAt']]);
    expect(await validationOf({ name: 'B', type: 'buy_x_get_y' })).toEqual([422, 'validation_failed', ['/buy', '/get']]);
    expect(await validationOf({ name: 'G', type: 'gift_item', get: {} })).toEqual([
      422,
      'validation_failed',
      ['/get/variantIds'],
    ]);
    const tiers = (...list: unknown[]) => ({ name: 'T', type: 'tiered', value: { tiers: list } });
    expect(await validationOf(tiers({ min: 0 }))).toEqual([422, 'validation_failed', ['/value/tiers/0']]);
    expect(await validationOf(tiers({ min: 0, percentBp: 1 }, { min: 0, percentBp: 2 }))).toEqual([
      422,
      'validation_failed',
      ['/value/tiers/1/min'],
    ]);
    expect(await validationOf({ ...percentage, usageCount: 5 })).toEqual([422, 'unknown_field', ['/usageCount']]);
    expect(await validationOf({ ...percentage, status: 'active' })).toEqual([422, 'unknown_field', ['/status']]);
    expect(await validationOf({ ...percentage, codes: ['a', ' A '] })).toEqual([422, 'validation_failed', ['/codes/1']]);
    expect(await validationOf({ ...percentage, codes: Array.from({ length: 10_001 }, (_, i) => `c${i}`) })).toEqual([
      422,
      'validation_failed',
      ['/codes'],
    ]);
  });

  it('refuses invalid conditions', async () => {
    const condition = async (one: Record<string, unknown>) => (await validationOf({ ...percentage, conditions: [one] })).slice(1);
    const at = (...pointers: string[]) => ['validation_failed', pointers];
    expect(await condition({ type: 'min_subtotal', value: 5 })).toEqual(['money_invalid', ['/conditions/0/value']]);
    expect(await condition({ type: 'min_subtotal', value: [ron(5), ron(6)] })).toEqual(at('/conditions/0/value'));
    expect(await condition({ type: 'min_subtotal', op: 'in', value: [ron(5)] })).toEqual(at('/conditions/0/op'));
    expect(await condition({ type: 'min_quantity', value: 0 })).toEqual(at('/conditions/0/value'));
    expect(await condition({ type: 'country', value: ['RO', 'ro'] })).toEqual(at('/conditions/0/value/1'));
    expect(await condition({ type: 'country', op: 'in', value: 'RO' })).toEqual(at('/conditions/0/value'));
    expect(await condition({ type: 'weekday', value: 8 })).toEqual(at('/conditions/0/value'));
    expect(await condition({ type: 'weekday', value: [] })).toEqual(at('/conditions/0/value'));
    expect(await condition({ type: 'first_order', value: 'yes' })).toEqual(at('/conditions/0/value'));
    expect(await condition({ type: 'channel', value: 'fax' })).toEqual(at('/conditions/0/value'));
    expect(await condition({ type: 'moon', value: 1 })).toEqual(at('/conditions/0/type'));
    expect(await condition({ type: 'product', value: 'x' })).toEqual(at('/conditions/0/value'));
  });

  it('responds 404 for references that don’t exist or belong to another tenant', async () => {
    const foreign = await make(shop.b.admin, '/api/admin/products/', { title: 'Theirs', price: ron(5) });
    const own = await make(shop.a.admin, '/api/admin/products/', { title: 'Ours', price: ron(5) });
    const gone = '0190a000-0000-7000-8000-000000000001';
    const product = (value: unknown) => ({ ...percentage, conditions: [{ type: 'product', value }] });
    expect(await validationOf(product([own.id, foreign.id]))).toEqual([404, 'not_found', ['/conditions/0/value/1']]);
    expect(await validationOf(product(gone))).toEqual([404, 'not_found', ['/conditions/0/value']]);
    expect(await validationOf({ ...percentage, excludedProductIds: [foreign.id] })).toEqual([
      404,
      'not_found',
      ['/excludedProductIds/0'],
    ]);
    const pair = { name: 'B', type: 'buy_x_get_y', buy: { quantity: 1, productIds: [foreign.id] }, get: {} };
    expect(await validationOf(pair)).toEqual([404, 'not_found', ['/buy/productIds/0']]);
    expect(await validationOf({ ...percentage, conditions: [{ type: 'customer_group', value: [gone] }] })).toEqual([
      404,
      'not_found',
      ['/conditions/0/value/0'],
    ]);
    const otherPromotion = await promote(shop.b);
    for (const call of [
      await shop.a.admin.patch<Json>(`${promotionsPath}${otherPromotion.id}`, { name: 'Mine' }),
      await shop.a.admin.delete<Json>(`${promotionsPath}${otherPromotion.id}`),
    ])
      expect([call.status, call.body.code]).toEqual([404, 'not_found']);
    expect((await shop.a.admin.get<Json>(`${promotionsPath}?id=${otherPromotion.id}`)).body.data).toEqual([]);
    expect((await readPromotion(shop.b, otherPromotion.id)).name).toBe('Promotion');
  });

  it('of the catalogue stage allow neither codes nor cart conditions', async () => {
    const shelf = { ...percentage, stage: 'catalog' };
    expect((await promote(shop.a, shelf)).target).toBe('items');
    expect(await validationOf({ ...shelf, code: 'X1' })).toEqual([422, 'validation_failed', ['/code']]);
    expect(await validationOf({ ...shelf, codes: ['X1'] })).toEqual([422, 'validation_failed', ['/codes']]);
    expect(await validationOf({ ...shelf, budget: ron(5), usageLimitPerCustomer: 1 })).toEqual([
      422,
      'validation_failed',
      ['/usageLimitPerCustomer', '/budget'],
    ]);
    expect(await validationOf({ ...shelf, conditions: [{ type: 'min_quantity', value: 2 }] })).toEqual([
      422,
      'validation_failed',
      ['/conditions/0/type'],
    ]);
    expect(await validationOf({ name: 'F', stage: 'catalog', type: 'free_shipping' })).toEqual([
      422,
      'validation_failed',
      ['/target', '/type'],
    ]);
  });
});

describe('status and lists', () => {
  it('follow dates and switches', async () => {
    const status = async (more: Record<string, unknown>) => (await promote(shop.a, more)).status;
    expect(await status({})).toBe('active');
    expect(await status({ enabled: false })).toBe('draft');
    expect(await status({ enabled: false, startsAt: '2026-12-01T00:00:00Z' })).toBe('draft');
    expect(await status({ enabled: false, startsAt: '2026-11-01T00:00:00Z' })).toBe('paused');
    expect(await status({ startsAt: '2026-12-01T00:00:00Z' })).toBe('scheduled');
    expect(await status({ endsAt: '2026-11-27T10:00:00Z' })).toBe('expired');
    expect(await status({ archived: true })).toBe('archived');
    const one = await promote(shop.a);
    const patched = async (body: object) => (await shop.a.admin.patch<Json>(`${promotionsPath}${one.id}`, body)).body.status;
    expect(await patched({ enabled: false })).toBe('paused');
    expect(await patched({ enabled: true, startsAt: '2026-11-28T00:00:00+02:00' })).toBe('scheduled');
    shop.clock.advance(86_400_000);
    expect((await readPromotion(shop.a, one.id)).status).toBe('active');
    shop.clock.advance(-86_400_000);
  });

  it('filter, sort and page', async () => {
    const names = async (query: string) =>
      (await shop.b.admin.get<Json>(`${promotionsPath}${query}`)).body.data.map((one: Json) => one.name);
    await promote(shop.b, { name: 'Alpha', priority: 5, type: 'free_shipping' });
    await promote(shop.b, { name: 'Beta', priority: 7, enabled: false, startsAt: '2026-12-01T00:00:00Z' });
    await promote(shop.b, { name: 'Gamma', priority: 6, code: 'GAMMA', endsAt: '2026-11-01T00:00:00Z' });
    expect(await names('?sort=-priority&priority[gte]=5')).toEqual(['Beta', 'Gamma', 'Alpha']);
    expect(await names('?status=expired')).toEqual(['Gamma']);
    expect(await names('?status=draft')).toEqual(['Beta']);
    expect(await names('?type=free_shipping&target=shipping')).toEqual(['Alpha']);
    expect(await names('?q=gamm')).toEqual(['Gamma']);
    expect(await names('?code=gamma&total=true')).toEqual(['Gamma']);
    const first = await shop.b.admin.get<Json>(`${promotionsPath}?sort=name&limit=2&priority[gte]=5&total=true`);
    expect(first.body.page.total).toBe(3);
    expect(await names(`?sort=name&limit=2&priority[gte]=5&cursor=${first.body.page.nextCursor}`)).toEqual(['Gamma']);
    for (const query of ['?sort=spent', '?limit=0', '?status=gone', '?colour=red'])
      expect((await shop.b.admin.get<Json>(`${promotionsPath}${query}`)).body.code).toBe('invalid_parameter');
  });
});

describe('changes', () => {
  it('are validated as a whole, versioned, audited and published', async () => {
    const one = await promote(shop.a, { type: 'fixed_amount', value: { amounts: [ron(500)] } });
    const patch = (body: object, version?: number) =>
      shop.a.admin.patch<Json>(`${promotionsPath}${one.id}`, body, version === undefined ? {} : { 'if-match': `"${version}"` });
    expect((await patch({ type: 'percentage' })).body.errors.map((error: Json) => error.pointer)).toEqual([
      '/value/percentBp',
      '/value/amounts',
    ]);
    const changed = await patch({ type: 'tiered', value: { tiers: [{ min: 1, amount: ron(5) }] }, priority: 3 }, 1);
    expect(changed.body).toMatchObject({ type: 'tiered', basis: 'amount', priority: 3, version: 2 });
    expect(changed.headers.etag).toBe('"2"');
    expect((await patch({ priority: 4 }, 1)).body.code).toBe('version_conflict');
    expect((await patch({})).body.version).toBe(2);
    expect((await patch({ name: null })).status).toBe(422);
    await shop.settled();
    const events = await shop.rows<Json>(`select type, data from core_event where aggregate = $1 order by sequence`, [one.id]);
    expect(events.map((event) => event.type)).toEqual(['promotions.promotion.created', 'promotions.promotion.updated']);
    expect(events[1].data).toMatchObject({ id: one.id, name: 'Promotion', status: 'active' });
    const [audit] = await shop.rows<Json>(`select count(*)::int as n from core_audit where entity_id = $1`, [one.id]);
    expect(audit.n).toBe(2);
    expect((await shop.a.admin.delete(`${promotionsPath}${one.id}`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${promotionsPath}${one.id}`)).status).toBe(404);
  });

  it('need the permission', async () => {
    const reader = await shop.a.staff(['promotions.promotion.read']);
    expect((await reader.get(promotionsPath)).status).toBe(200);
    expect((await reader.post<Json>(promotionsPath, percentage)).body).toMatchObject({
      status: 403,
      permission: 'promotions.promotion.create',
    });
  });

  it('the demo seed is idempotent', async () => {
    const { default: plugin } = await import('./index.ts');
    const seed = () => shop.a.run('promotions', (ctx) => plugin.seeds!.demo!(ctx));
    const count = async () =>
      (await shop.rows<Json>('select count(*)::int as n from promotions_promotion where tenant_id = $1', [shop.a.id]))[0].n;
    const before = await count();
    await seed();
    expect(await count()).toBe(before);
  });
});
