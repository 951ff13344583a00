import { contractTest, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, methodOf, must, ron, zoneOf } from '../test/shop.ts';
import plugin from './index.ts';

contractTest(plugin, { plugins: ['catalog', 'currencies', 'payments', 'orders', 'checkout'] });

const zones = '/api/admin/shipping/zones';
const methods = '/api/admin/shipping/methods';
const zonesAlias = '/api/admin/shipping-zones/zones';
const unknownId = '01900000-0000-7000-8000-000000000001';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['shipping'], processes: 2 });
});
afterAll(() => shop?.stop());

describe('zones', () => {
  it('are served by both paths', async () => {
    const { admin } = shop.a;
    const created = await must(admin.post(zones, { name: 'Austria', countries: ['AT'] }));
    const other = await must(admin.post(zonesAlias, { name: 'Suedtirol', countries: ['IT'], postalCodePatterns: ['39*'] }));
    for (const door of [zones, zonesAlias]) {
      const { body } = await admin.get<Json>(`${door}?limit=100`);
      expect(body.data.map((row: Json) => row.id)).toEqual(expect.arrayContaining([created.id, other.id]));
    }
    const changed = await admin.patch(`${zonesAlias}/${created.id}`, { priority: 3 }, { 'if-match': '"1"' });
    expect([changed.status, changed.body.version, changed.headers.etag]).toEqual([200, 2, '"2"']);
    expect((await admin.patch(`${zones}/${created.id}`, { priority: 4 }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await admin.delete(`${zones}/${other.id}`)).status).toBe(204);
    expect((await admin.delete(`${zonesAlias}/${other.id}`)).status).toBe(404);
  });

  it('are refused if they overlap', async () => {
    const { admin } = shop.a;
    const post = (body: object) => admin.post<Json>(zones, { name: 'X', ...body });
    expect((await post({})).body.errors[0].pointer).toBe('/countries');
    expect((await post({ countries: ['Romania'] })).status).toBe(422);
    expect((await post({ countries: [], restOfWorld: true, regions: ['B'] })).status).toBe(422);
    const pattern = await post({ countries: ['SE'], postalCodePatterns: ['1*', '*'] });
    expect([pattern.status, pattern.body.errors[0].pointer]).toEqual([422, '/postalCodePatterns/1']);
    await zoneOf(shop.a, { countries: ['SE', 'NO'] });
    const clash = await post({ countries: ['NO'] });
    expect([clash.status, clash.body.code]).toEqual([409, 'zone_overlap']);
    expect((await post({ countries: ['NO'], priority: 1 })).status).toBe(201);
    // Zones of another shop don't overlap.
    await zoneOf(shop.b, { countries: ['NO'] });
  });

  it('created concurrently never overlap', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        shop.a.admin.at(shop.bases[i % 2] as string).post(i % 3 ? zones : zonesAlias, { name: `R${i}`, countries: ['PT'] }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('can’t be deleted while methods use them; their rates are deleted with them', async () => {
    const { id } = await zoneOf(shop.a, { countries: ['FI'] });
    const other = await zoneOf(shop.a, { countries: ['EE'] });
    const created = await methodOf(shop.a, [id, other.id], { type: 'weight', price: null });
    await must(shop.a.admin.post(`${zonesAlias}/${id}/rates`, { methodId: created.id, min: 0, price: ron(100) }));
    const used = await shop.a.admin.delete<Json>(`${zones}/${id}`);
    expect([used.status, used.body.counts]).toEqual([409, { 'shipping/methods': 1 }]);
    await must(shop.a.admin.patch(`${methods}/${created.id}`, { zoneIds: [other.id] }), 200);
    expect((await shop.a.admin.delete(`${zones}/${id}`)).status).toBe(204);
    expect(await shop.rows('select 1 from shipping_rate where zone_id = $1', [id])).toEqual([]);
  });

  it('deleted while a method starts using them: one of both requests succeeds', async () => {
    for (let i = 0; i < 4; i++) {
      const { id } = await zoneOf(shop.a, { countries: ['LV'] });
      const [gone, created] = await Promise.all([
        shop.a.admin.delete(`${zones}/${id}`),
        shop.a.admin
          .at(shop.bases[1] as string)
          .post<Json>(methods, { code: `race-${i}`, name: 'R', type: 'pickup', zoneIds: [id] }),
      ]);
      expect([`${gone.status} ${created.status}`]).toEqual([expect.stringMatching(/^(204 404|409 201)$/)]);
      if (created.status === 201) await shop.a.admin.delete(`${methods}/${created.body.id}`);
      await shop.a.admin.delete(`${zones}/${id}`);
    }
  });
});

describe('methods', () => {
  it('have a unique code, require the fields of their type, and are hidden when deleted', async () => {
    const { id } = await zoneOf(shop.a, { countries: ['GR'] });
    const created = await methodOf(shop.a, [id], { code: 'post', freeOver: ron(10_000) });
    expect(created).toMatchObject({ code: 'post', enabled: true, name: { ro: 'Curier', en: 'Courier' }, price: ron(1999) });
    const post = (body: object) =>
      shop.a.admin.post<Json>(methods, { code: 'new', name: 'N', type: 'flat', zoneIds: [id], price: ron(1), ...body });
    expect((await post({ code: 'POST' })).body).toMatchObject({ status: 409, code: 'duplicate', field: 'code' });
    const faults: [object, number, string][] = [
      [{ price: null }, 422, '/price'],
      [{ zoneIds: [] }, 422, '/zoneIds'],
      [{ zoneIds: [unknownId] }, 404, '/zoneIds/0'],
      [{ type: 'carrier' }, 422, '/carrier'],
      [{ carrier: 'carrier-a' }, 422, '/carrier'],
      [{ freeOver: { amount: 1, currency: 'EUR' } }, 422, '/freeOver/currency'],
      [{ price: ron(-1) }, 422, '/price/amount'],
      [{ etaMinDays: 3, etaMaxDays: 2 }, 422, '/etaMaxDays'],
    ];
    for (const [body, status, pointer] of faults) {
      const response = await post(body);
      expect([body, response.status, response.body.errors?.[0].pointer]).toEqual([body, status, pointer]);
    }
    expect((await shop.b.admin.post<Json>(methods, { code: 'x', name: 'N', type: 'pickup', zoneIds: [id] })).status).toBe(404);
    expect((await shop.b.admin.patch(`${methods}/${created.id}`, { enabled: false })).status).toBe(404);
    expect((await shop.a.admin.delete(`${methods}/${created.id}`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${methods}/${created.id}`)).status).toBe(404);
    expect((await post({ code: 'post' })).status).toBe(201);
  });
});

describe('rates', () => {
  const rates = (id: string) => `${zonesAlias}/${id}/rates`;
  it('apply to half-open ranges that never overlap; gaps are reported', async () => {
    const { admin } = shop.a;
    const { id } = await zoneOf(shop.a, { countries: ['CY'] });
    const { id: methodId } = await methodOf(shop.a, [id], { type: 'weight', price: null });
    const post = (body: object) => admin.post<Json>(rates(id), { methodId, min: 0, price: ron(500), ...body });
    const first = await post({ max: 1000 });
    expect([first.status, first.body]).toMatchObject([201, { min: 0, max: 1000, zoneId: id, warnings: [] }]);
    expect((await post({ min: 999, max: 1500 })).body).toMatchObject({ status: 409, code: 'rate_overlap' });
    expect((await post({ min: 2000 })).body.warnings).toMatchObject([{ code: 'rate_gap' }]);
    const between = await post({ min: 1000, max: 1500 });
    expect(between.status).toBe(201);
    const one = `/api/admin/shipping-zones/rates/${between.body.id}`;
    expect((await admin.patch<Json>(one, { max: 2001 })).body.code).toBe('rate_overlap');
    const filled = await admin.patch<Json>(one, { max: 2000 }, { 'if-match': '"1"' });
    expect([filled.status, filled.body.warnings]).toEqual([200, []]);
    expect((await admin.patch(one, { max: 1999 }, { 'if-match': '"1"' })).status).toBe(412);
    const listed = await admin.get<Json>(`${rates(id)}?methodId=${methodId}`);
    expect(listed.body.data.map((row: Json) => [row.min, row.max, row.price.amount])).toEqual([
      [0, 1000, 500],
      [1000, 2000, 500],
      [2000, null, 500],
    ]);
    expect((await shop.b.admin.patch(one, { max: 5 })).status).toBe(404);
    expect((await shop.b.admin.get(rates(id))).status).toBe(404);
    expect((await admin.delete(one)).status).toBe(204);
    expect((await admin.delete(one)).status).toBe(404);
    expect((await admin.get<Json>(rates(id))).body.warnings).toHaveLength(1);
    // Ranges in another currency don't overlap.
    expect((await post({ price: { amount: 100, currency: 'EUR' } })).status).toBe(201);
    for (const [body, status] of [
      [{ min: 10, max: 10 }, 422],
      [{ min: -1 }, 422],
      [{ methodId: unknownId }, 404],
      [{ freeOver: { amount: 1, currency: 'EUR' } }, 422],
    ] as const)
      expect([body, (await post(body)).status]).toEqual([body, status]);
    const foreign = await zoneOf(shop.a, { countries: ['MT'] });
    expect((await admin.post<Json>(rates(foreign.id), { methodId, min: 0, price: ron(1) })).body.errors[0].pointer).toBe(
      '/methodId',
    );
  });

  it('created concurrently: one of the overlapping ones succeeds', async () => {
    const { id } = await zoneOf(shop.a, { countries: ['IE'] });
    const { id: methodId } = await methodOf(shop.a, [id], { type: 'price', price: null });
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        shop.a.admin.at(shop.bases[i % 2] as string).post(rates(id), { methodId, min: i * 10, max: 1000, price: ron(i) }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });
});

describe('demo data', () => {
  it('is created once', async () => {
    const seed = () => shop.b.run('shipping', async (ctx) => plugin.seeds?.demo?.(ctx));
    await seed();
    const before = await shop.b.admin.get<Json>(methods);
    await seed();
    expect((await shop.b.admin.get<Json>(methods)).body).toEqual(before.body);
    expect(before.body.data.map((row: Json) => [row.code, row.type])).toEqual([
      ['courier', 'flat'],
      ['courier-eu', 'flat'],
      ['pickup', 'pickup'],
    ]);
  });
});
