import { type Stock, stock } from '@storeloom/commerce';
import { uuidv7 } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { adjust, figures, type Json, levelOf, make, makeGoods, makeKit, place, ship, stockFaults } from '../test/shop.ts';
import { seedStock } from './seed.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'], processes: 2 });
});
afterAll(() => shop?.stop());
afterEach(async () => {
  expect(await stockFaults(shop)).toEqual([]);
});
const get = async (path: string): Promise<Json> => (await shop.a.admin.get<Json>(path)).body;
const post = (path: string, body: object, headers: Record<string, string> = {}) => shop.a.admin.post<Json>(path, body, headers);

describe('adjust', () => {
  it('requires If-Match or expectedOnHand for a count, and refuses one that would overwrite a sale', async () => {
    const variantId = await makeGoods(shop.a, 5);
    const at = `/api/admin/inventory/${variantId}/adjust`;
    const count = { set: 9, reason: 'count' };
    expect((await post(at, count)).body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/expectedOnHand' }] });
    expect((await post(at, { ...count, expectedOnHand: 4 })).status).toBe(412);
    const { version } = await levelOf(shop.a, variantId);
    await place(shop.a, [{ variantId, quantity: 1 }]);
    expect((await post(at, count, { 'if-match': `"${version}"` })).body.code).toBe('version_conflict');
    const { version: now } = await levelOf(shop.a, variantId);
    const done = await post(at, count, { 'if-match': `"${now}"` });
    expect([done.status, done.body]).toEqual([
      200,
      expect.objectContaining({ onHand: 9, reserved: 1, available: 8, version: now + 1 }),
    ]);
    expect((await post(at, { ...count, expectedOnHand: 9 })).body.version).toBe(now + 1);
  });

  it('accepts delta, set or limits alone, and refuses invalid input', async () => {
    const variantId = await makeGoods(shop.a, 5);
    const at = `/api/admin/inventory/${variantId}/adjust`;
    for (const [body, pointer] of [
      [{ delta: 1, set: 2, reason: 'count' }, '/set'],
      [{ delta: 0, reason: 'count' }, '/delta'],
      [{ delta: 1 }, '/reason'],
      [{ reason: 'count' }, '/delta'],
      [{ delta: 1.5, reason: 'count' }, '/delta'],
      [{ set: -1, expectedOnHand: 5, reason: 'count' }, '/set'],
      [{ delta: 1, reason: 'sale' }, '/reason'],
      [{ safetyStock: -1 }, '/safetyStock'],
    ] as const)
      expect((await post(at, body)).body).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
    expect((await post(at, { delta: 1, reason: 'received', onHand: 3 })).body.code).toBe('unknown_field');
    expect((await post(at, { safetyStock: 2, reorderPoint: 4 })).body).toMatchObject({
      onHand: 5,
      safetyStock: 2,
      reorderPoint: 4,
      available: 3,
    });
    expect((await post(at, { reorderPoint: null })).body).toMatchObject({ safetyStock: 2, reorderPoint: null });
    expect((await post(at, { delta: -6, reason: 'damage' })).body).toMatchObject({
      code: 'stock_below_reserved',
      onHand: 5,
      reserved: 0,
    });
    const kit = await makeKit(shop.a, [{ variantId, quantity: 1 }]);
    expect((await post(`/api/admin/inventory/${kit.variantId}/adjust`, { delta: 1, reason: 'received' })).status).toBe(422);
    expect((await post(`/api/admin/inventory/${uuidv7()}/adjust`, { delta: 1, reason: 'received' })).status).toBe(404);
    const foreign = await make(shop.b.admin, '/api/admin/warehouses/', { name: 'B', code: 'B' });
    const elsewhere = await post(at, { warehouseId: foreign.id, delta: 1, reason: 'received' });
    expect(elsewhere.body).toMatchObject({ code: 'not_found', errors: [{ pointer: '/warehouseId' }] });
  });

  it('writes one movement a change and an audit row with the amount, and requires inventory.level.adjust', async () => {
    const variantId = await makeGoods(shop.a, 5);
    await adjust(shop.a, variantId, { delta: -2, reason: 'damage', note: 'broken', reference: 'D-1' });
    const order = await place(shop.a, [{ variantId, quantity: 1 }]);
    await ship(shop.a, order);
    const { data } = await get(`/api/admin/inventory/${variantId}/movements`);
    expect(data.map(({ delta, reason, before, after, actor }: Json) => [delta, reason, before, after, actor.type])).toEqual([
      [-1, 'sale', 3, 2, 'system'],
      [-2, 'damage', 5, 3, 'staff'],
      [5, 'received', 0, 5, 'staff'],
    ]);
    expect(data[1]).toMatchObject({ note: 'broken', reference: 'D-1' });
    const [row] = await shop.rows<Json>(
      `select action, changes from core_audit where entity = 'inventory.level' order by position desc limit 1`,
    );
    expect(row).toMatchObject({
      action: 'inventory.level.adjust',
      changes: { extra: { delta: -2, reason: 'damage', variantId } },
    });
    const reader = await shop.a.staff(['inventory.level.read']);
    const denied = await reader.post<Json>(`/api/admin/inventory/${variantId}/adjust`, { delta: 1, reason: 'received' });
    expect([denied.status, denied.body.permission]).toEqual([403, 'inventory.level.adjust']);
    expect((await reader.get('/api/admin/inventory/')).status).toBe(200);
  });

  it('is exact for parallel receipts', async () => {
    const variantId = await makeGoods(shop.a, 0);
    const responses = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const adjust = () =>
          shop.a.admin
            .at(shop.bases[i % 2] as string)
            .post(`/api/admin/inventory/${variantId}/adjust`, { delta: 2, reason: 'received' });
        // A lock timeout is 503 with Retry-After on a loaded machine: repeat the request.
        let response = await adjust();
        while (response.status === 503) response = await adjust();
        return response;
      }),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await figures(shop.a, variantId)).toEqual([80, 0, 80]);
  });
});

describe('lists', () => {
  it('filters levels, and sums them by warehouse', async () => {
    const variantId = await makeGoods(shop.b, 3, { sku: 'Lamp-1' });
    const other = await makeGoods(shop.b, 50, { sku: 'Lamp-2' });
    await adjust(shop.b, variantId, { reorderPoint: 5 });
    await adjust(shop.b, other, { reorderPoint: 5 });
    const skus = async (query: string) =>
      (await shop.b.admin.get<Json>(`/api/admin/inventory/?${query}`)).body.data?.map(({ sku }: Json) => sku);
    expect(await skus('sku=lamp-1')).toEqual(['Lamp-1']);
    expect(await skus('sku=none')).toEqual([]);
    expect(await skus(`variantId[in]=${variantId},${other}&sort=available`)).toEqual(['Lamp-1', 'Lamp-2']);
    expect(await skus('belowReorderPoint=true')).toEqual(['Lamp-1']);
    expect(await skus('available[lte]=3&available[gte]=3')).toEqual(['Lamp-1']);
    for (const bad of ['limit=0', 'limit=101', 'sort=sku', 'sku[in]=a', 'nope=1'])
      expect((await shop.b.admin.get(`/api/admin/inventory/?${bad}`)).status).toBe(400);
    const report = await shop.b.admin.get<Json>('/api/admin/inventory/warehouses');
    expect(report.body.data.find(({ onHand }: Json) => onHand > 0)).toMatchObject({
      skus: 2,
      onHand: 53,
      reserved: 0,
      available: 53,
      belowReorderPoint: 1,
    });
  });
});

describe('warehouses', () => {
  it('keeps exactly one default under concurrent changes', async () => {
    const ids = await Promise.all(
      ['W1', 'W2', 'W3'].map(
        async (code) => (await make(shop.b.admin, '/api/admin/warehouses/', { name: code, code })).id as string,
      ),
    );
    const turns = await Promise.all(
      [0, 1, 2, 0, 1, 2].map((i) =>
        shop.b.admin.at(shop.bases[i % 2] as string).patch(`/api/admin/warehouses/${ids[i]}`, { isDefault: true }),
      ),
    );
    expect(new Set(turns.map(({ status }) => status))).toEqual(new Set([200]));
    const list = (await shop.b.admin.get<Json>('/api/admin/warehouses/')).body.data;
    const defaults = list.filter(({ isDefault }: Json) => isDefault);
    expect(defaults).toHaveLength(1);
    const path = `/api/admin/warehouses/${defaults[0].id}`;
    for (const response of [
      await shop.b.admin.delete(path),
      await shop.b.admin.patch(path, { isDefault: false }),
      await shop.b.admin.patch(path, { active: false }),
    ])
      expect([response.status, response.body.code]).toEqual([409, 'default_warehouse']);
    expect((await shop.b.admin.patch(path, { name: 'X' }, { 'if-match': '"99"' })).status).toBe(412);
    const renamed = await shop.b.admin.patch(path, { name: 'X' });
    expect(renamed.headers.etag).toBe(`"${renamed.body.version}"`);
  });

  it('makes exactly one of concurrently created first warehouses the default', async () => {
    const created = await Promise.all(['A1', 'A2', 'A3'].map((code) => post('/api/admin/warehouses/', { name: code, code })));
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect((await get('/api/admin/warehouses/')).data.filter(({ isDefault }: Json) => isDefault)).toHaveLength(1);
    expect((await post('/api/admin/warehouses/', { name: 'again', code: 'a1' })).body).toMatchObject({
      code: 'duplicate',
      field: 'code',
    });
  });

  it('can be removed only without stock; its code may be reused', async () => {
    const { id } = (await post('/api/admin/warehouses/', { name: 'Old', code: 'OLD', priority: 1 })).body;
    const variantId = await makeGoods(shop.a, 0);
    await adjust(shop.a, variantId, { warehouseId: id, delta: 2, reason: 'received' });
    const order = await place(shop.a, [{ variantId, quantity: 2 }]);
    const path = `/api/admin/warehouses/${id}`;
    expect((await shop.a.admin.delete(path)).body).toMatchObject({ code: 'warehouse_not_empty', onHand: 2, reserved: 2 });
    await ship(shop.a, order);
    expect((await shop.a.admin.delete(path)).status).toBe(204);
    expect((await shop.a.admin.delete(path)).status).toBe(404);
    expect((await post('/api/admin/warehouses/', { name: 'New', code: 'OLD' })).status).toBe(201);
    // Goods shipped from the removed warehouse are returned to the default one.
    const items = [{ variantId, orderLineId: order.lines[0]?.id as string, quantity: 2 }];
    const back = { reason: 'return', reference: null } as const;
    expect(await shop.a.run('orders', (ctx) => ctx.require(stock).restock(order.id, items, back))).toBe(2);
    expect(await figures(shop.a, variantId)).toEqual([2, 0, 2]);
  });

  it('sells nothing while inactive, and updates the stock flags of the catalogue', async () => {
    const { id } = (await post('/api/admin/warehouses/', { name: 'Season', code: 'SEASON' })).body;
    const variantId = await makeGoods(shop.a, 0);
    await adjust(shop.a, variantId, { warehouseId: id, delta: 2, reason: 'received' });
    const inStock = async () => {
      await shop.settled();
      const response = await shop.a.admin.get<Json>(`/api/admin/products/?inStock=true&limit=100`);
      return response.body.data.some(({ title }: Json) => title.en === `Mug ${variantNumber}`);
    };
    const [{ title }] = await shop.rows<Json>(
      'select p.title from catalog_product p join catalog_variant v on v.product_id = p.id where v.id = $1',
      [variantId],
    );
    const variantNumber = title.en.slice(4);
    expect(await inStock()).toBe(true);
    expect((await shop.a.admin.patch(`/api/admin/warehouses/${id}`, { active: false })).status).toBe(200);
    expect(await inStock()).toBe(false);
    await expect(place(shop.a, [{ variantId, quantity: 1 }])).rejects.toMatchObject({ code: 'insufficient_stock' });
    await shop.a.admin.patch(`/api/admin/warehouses/${id}`, { active: true });
    expect(await inStock()).toBe(true);
  });
});

it('demo data: creates stock for variants without any, and is idempotent', async () => {
  const counted = await makeGoods(shop.b, 4);
  const fresh = await makeGoods(shop.b, 0);
  await shop.b.run('inventory', seedStock);
  const once = await figures(shop.b, fresh);
  expect([once[0], await figures(shop.b, counted)]).toEqual([expect.any(Number), [4, 0, 4]]);
  const movements = await shop.rows('select id from inventory_movement');
  await shop.b.run('inventory', seedStock);
  expect([await figures(shop.b, fresh), await shop.rows('select id from inventory_movement')]).toEqual([once, movements]);
});

describe('movements by other plugins', () => {
  const run = <T>(fn: (levels: Stock) => Promise<T>) => shop.a.run('catalog', (ctx) => fn(ctx.require(stock)));

  it('all or nothing: a sale takes unreserved stock, a return restores it', async () => {
    const [a, b] = [await makeGoods(shop.a, 3), await makeGoods(shop.a, 1)];
    await place(shop.a, [{ variantId: a, quantity: 1 }]);
    const sale = (units: number) =>
      run((levels) =>
        levels.move([
          { variantId: b, delta: -1, reason: 'sale', reference: 'POS-1' },
          { variantId: a, delta: -units, reason: 'sale', reference: 'POS-1' },
        ]),
      );
    await expect(sale(3)).rejects.toMatchObject({ code: 'insufficient_stock', extra: { available: 2 } });
    expect(await figures(shop.a, b)).toEqual([1, 0, 1]);
    await sale(2);
    expect([await figures(shop.a, a), await figures(shop.a, b)]).toEqual([
      [1, 1, 0],
      [0, 0, 0],
    ]);
    await run((levels) => levels.move([{ variantId: b, delta: 1, reason: 'return', reference: 'POS-1' }]));
    expect(await figures(shop.a, b)).toEqual([1, 0, 1]);
    const untracked = await makeGoods(shop.a, 0, { trackInventory: false });
    await run((levels) => levels.move([{ variantId: untracked, delta: -5, reason: 'sale', reference: 'POS-1' }]));
    expect(await run((levels) => levels.levels([untracked]))).toEqual([]);
  });

  it('sets the first stock or a count', async () => {
    const variantId = await makeGoods(shop.a, 0);
    await run((levels) => levels.set(variantId, 7, { reference: 'import', reason: 'received' }));
    await run((levels) => levels.set(variantId, 4, { reference: 'import', reason: 'count' }));
    expect(await figures(shop.a, variantId)).toEqual([4, 0, 4]);
    await place(shop.a, [{ variantId, quantity: 3 }]);
    await expect(run((levels) => levels.set(variantId, 2, { reference: 'import', reason: 'count' }))).rejects.toMatchObject({
      code: 'stock_below_reserved',
    });
  });
});
