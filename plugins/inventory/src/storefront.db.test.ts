import { stock } from '@storeloom/commerce';
import { type Person, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adjust, cancel, type Json, makeGoods, makeKit, place } from '../test/shop.ts';
import { removeBuyerRequests } from './waiting/back-in-stock.ts';
import { unsubscribePath } from './waiting/unsubscribe.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'] });
});
afterAll(() => shop?.stop());

const requestEmail = (variantId: string, email: string, more: object = {}, headers: Record<string, string> = {}) =>
  shop.a.guest.post<Json>('/api/storefront/back-in-stock/', { variantId, email, ...more }, headers);
const receive = async (variantId: string, delta: number): Promise<void> => {
  await adjust(shop.a, variantId, { delta, reason: 'received' });
  await shop.settled();
};
const notifiedAddresses = async (): Promise<string[]> =>
  (await shop.mails()).filter((mail) => mail.template === 'inventory.back-in-stock').map((mail) => mail.to);

describe('back in stock', () => {
  it('accepts an address once a variant, and refuses available variants', async () => {
    const variantId = await makeGoods(shop.a, 0);
    for (const email of ['ana@example.org', 'Ana@Example.org ', 'ana@example.org'])
      expect(await requestEmail(variantId, email)).toMatchObject({ status: 202, body: { status: 'accepted' } });
    expect(await shop.rows('select email from inventory_back_in_stock where variant_id = $1', [variantId])).toHaveLength(1);
    const there = await makeGoods(shop.a, 1);
    expect((await requestEmail(there, 'ana@example.org')).body.code).toBe('in_stock');
    expect((await requestEmail(variantId, 'nonsense')).status).toBe(422);
    expect((await requestEmail(variantId, 'ana@example.org', { locale: 'xx' })).status).toBe(422);
    const hidden = await makeGoods(shop.b, 0);
    expect((await requestEmail(hidden, 'ana@example.org')).body).toMatchObject({
      code: 'not_found',
      errors: [{ pointer: '/variantId' }],
    });
    const untracked = await makeGoods(shop.a, 0, { trackInventory: false });
    expect((await requestEmail(untracked, 'ana@example.org')).body.code).toBe('in_stock');
  });

  it('sends one e-mail a restock and address, in request order, as many as there are units', async () => {
    const variantId = await makeGoods(shop.a, 0);
    for (const name of ['one', 'two', 'three']) await requestEmail(variantId, `${name}@queue.example`);
    const queue = async () =>
      (await notifiedAddresses()).filter((to) => to.endsWith('@queue.example')).map((to) => to.split('@')[0]);
    await receive(variantId, 2);
    expect((await queue()).sort()).toEqual(['one', 'two']);
    // Further stock while available notifies the remaining addresses.
    await receive(variantId, 5);
    expect((await queue())[2]).toBe('three');
    // Selling out starts the next restock; a cancelled order counts as one.
    const order = await place(shop.a, [{ variantId, quantity: 7 }]);
    await shop.settled();
    expect(await queue()).toHaveLength(3);
    await cancel(shop.a, order);
    await shop.settled();
    expect((await queue()).slice(3).sort()).toEqual(['one', 'three', 'two']);
  });

  it('a bundle is back in stock with its last missing component, or when a warehouse is activated', async () => {
    const [a, b] = [await makeGoods(shop.a, 0), await makeGoods(shop.a, 0)];
    const kit = await makeKit(shop.a, [
      { variantId: a, quantity: 2 },
      { variantId: b, quantity: 1 },
    ]);
    expect((await requestEmail(kit.variantId, 'kit@bundle.example')).status).toBe(202);
    await requestEmail(kit.variantId, 'second@bundle.example');
    const mails = async () => (await notifiedAddresses()).filter((to) => to.endsWith('@bundle.example'));
    await receive(a, 3);
    expect(await mails()).toEqual([]);
    const { body } = await shop.a.admin.post<Json>('/api/admin/warehouses/', { name: 'Closed', code: 'CLOSED', active: false });
    await adjust(shop.a, b, { warehouseId: body.id, delta: 5, reason: 'received' });
    await shop.settled();
    expect(await mails()).toEqual([]);
    await shop.a.admin.patch(`/api/admin/warehouses/${body.id}`, { active: true });
    await shop.settled();
    expect(await mails()).toEqual(['kit@bundle.example']);
  });

  it('uses the requested language and links to the unsubscribe page, which needs a confirmation', async () => {
    const variantId = await makeGoods(shop.a, 0);
    await requestEmail(variantId, 'eva@stop.example', { locale: 'en' });
    const elsewhere = await makeGoods(shop.a, 0);
    await requestEmail(elsewhere, 'eva@stop.example');
    await receive(variantId, 1);
    const mail = (await shop.mails()).find(({ to }) => to === 'eva@stop.example');
    const [row] = await shop.rows<Json>(
      `select id, locale from inventory_back_in_stock where email = 'eva@stop.example' and variant_id = $1`,
      [variantId],
    );
    expect([row.locale, mail?.template]).toEqual(['en', 'inventory.back-in-stock']);
    const link = await shop.a.run('inventory', async (ctx) => unsubscribePath(ctx, row.id));
    const left = () => shop.rows(`select id from inventory_back_in_stock where email = 'eva@stop.example'`);
    const page = await shop.a.guest.get(link);
    expect([page.status, page.headers['content-type'], (await left()).length]).toEqual([200, 'text/html; charset=utf-8', 2]);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await shop.a.guest.get(`${link}x`)).status).toBe(404);
    expect((await shop.b.guest.get(`${link}&confirm=true`)).status).toBe(404);
    expect((await left()).length).toBe(2);
    const href = /href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') as string;
    expect((await shop.a.guest.get(href)).status).toBe(200);
    expect(await left()).toEqual([]);
    expect((await shop.a.guest.get(href)).status).toBe(200);
  });

  it('ends when the variant is bought, and with erasure', async () => {
    const variantId = await makeGoods(shop.a, 0);
    await requestEmail(variantId, 'buyer@end.example');
    await requestEmail(variantId, 'person@end.example');
    const left = () =>
      shop.rows<Json>(`select email from inventory_back_in_stock where variant_id = $1 order by email`, [variantId]);
    await shop.a.run('inventory', (ctx) =>
      removeBuyerRequests(ctx, { data: { email: 'Buyer@end.example', lines: [{ variantId }] } }),
    );
    expect(await left()).toEqual([{ email: 'person@end.example' }]);
    const person: Person = { emails: ['person@end.example'], phones: [] };
    const parts = await shop.a.run('customers', (ctx) => ctx.call(peopleExport, person));
    expect(parts.find(({ resource }) => resource === 'inventory.back-in-stock')?.rows).toMatchObject([
      { variantId, email: 'person@end.example' },
    ]);
    const reports: object[] = [];
    await shop.a.run('customers', (ctx) => ctx.call(peopleErase, { ...person, report: (entry) => void reports.push(entry) }));
    expect(reports).toContainEqual({ resource: 'inventory.back-in-stock', erased: 1 });
    expect(await left()).toEqual([]);
  });
});

describe('availability and events', () => {
  const view = (variantId: string) =>
    shop.a.run('catalog', async (ctx) => (await ctx.require(stock).availability([variantId])).get(variantId));
  const setting = (settings: object) => shop.a.admin.put('/api/admin/plugins/inventory/settings', { settings });

  it('is low at the threshold, and shows the count only by setting', async () => {
    const variantId = await makeGoods(shop.a, 5);
    expect(await view(variantId)).toEqual({ variantId, available: 5, availability: 'low_stock', stock: null });
    expect((await setting({ lowStockThreshold: 4, showStockCount: true })).status).toBe(200);
    expect(await view(variantId)).toEqual({ variantId, available: 5, availability: 'in_stock', stock: 5 });
    await setting({ lowStockThreshold: 5, showStockCount: false });
  });

  it('without split shipments the largest warehouse limits an order', async () => {
    const variantId = await makeGoods(shop.a, 3);
    const { body } = await shop.a.admin.post<Json>('/api/admin/warehouses/', { name: 'Two', code: 'TWO' });
    await adjust(shop.a, variantId, { warehouseId: body.id, delta: 4, reason: 'received' });
    expect((await view(variantId))?.available).toBe(7);
    await setting({ allowSplitShipment: false });
    expect((await view(variantId))?.available).toBe(4);
    await expect(place(shop.a, [{ variantId, quantity: 5 }])).rejects.toMatchObject({
      code: 'insufficient_stock',
      extra: { available: 4 },
    });
    await setting({ allowSplitShipment: true });
    await place(shop.a, [{ variantId, quantity: 5 }]);
  });

  it('publishes no event for an ordinary sale, but for selling out, low stock and changes of onHand', async () => {
    const variantId = await makeGoods(shop.a, 20);
    await adjust(shop.a, variantId, { reorderPoint: 3 });
    await shop.settled();
    const events = async () =>
      (
        await shop.rows<Json>(`select type from core_event where data->>'variantId' = $1 order by created_at, id`, [variantId])
      ).map(({ type }) => type);
    const before = await events();
    const since = async () => (await events()).slice(before.length).sort();
    await place(shop.a, [{ variantId, quantity: 10 }]);
    expect(await since()).toEqual([]);
    await place(shop.a, [{ variantId, quantity: 7 }]);
    expect(await since()).toEqual(['inventory.level.low']);
    const last = await place(shop.a, [{ variantId, quantity: 3 }]);
    expect(await since()).toEqual(['inventory.level.changed', 'inventory.level.low']);
    await cancel(shop.a, last);
    expect(await since()).toEqual([
      'inventory.level.changed',
      'inventory.level.changed',
      'inventory.level.low',
      'inventory.variant.restocked',
    ]);
    await shop.settled();
    const notes = await shop.rows<Json>(
      `select title from workspace_notification where type = 'inventory.level.low' and tenant_id = $1`,
      [shop.a.id],
    );
    expect(notes.length).toBeGreaterThan(0);
  });
});
