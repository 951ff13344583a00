import { postalAddress, type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { figures, type Json, make, makeGoods, stockFaults } from '../test/shop.ts';

// Other processes of the installation start while the migration of inventory is pending, or its package can't be imported.
let shop: TestShop;
let pending: string;
let imported: string;
let variantId: string;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'payments', 'orders', 'checkout', 'inventory'], workers: false });
  for (const tenant of [shop.a, shop.b])
    await make(tenant.admin, '/api/admin/payment-methods/', { name: 'cod', code: 'cod', provider: 'cod', enabled: true });
  variantId = await makeGoods(shop.a, 10);
  const ledger = await shop.rows<Json>(`delete from core_migration where plugin = 'inventory' returning *`);
  pending = await shop.startProcess();
  for (const row of ledger)
    await shop.rows(
      `insert into core_migration (plugin, name, checksum, version, started_at, finished_at, status) values ($1, $2, $3, $4, $5, $6, 'done')`,
      [row.plugin, row.name, row.checksum, row.version, row.started_at, row.finished_at],
    );
  imported = await shop.startProcess({ broken: ['inventory'] });
});
afterAll(() => shop?.stop());

/** Places an order of one unit for each cart, simultaneously, at a process. */
async function placeAll(tenant: TestTenant, carts: readonly Json[], base?: string): Promise<Json[]> {
  const guest = base === undefined ? tenant.guest : tenant.guest.at(base);
  return Promise.all(
    carts.map((cart, i) =>
      guest.with({ 'x-cart-token': cart.cartToken }).post<Json>('/api/storefront/checkout/place', {
        email: `ana${i}@example.org`,
        billingAddress: postalAddress,
        shippingAddress: postalAddress,
        paymentMethod: 'cod',
        consents: { terms: true },
        expectedTotal: cart.totals.total,
      }),
    ),
  );
}
const fill = (tenant: TestTenant, variant: string, count: number): Promise<Json[]> =>
  Promise.all(
    Array.from({ length: count }, () => make(tenant.guest, '/api/storefront/cart/items', { variantId: variant, quantity: 1 })),
  );
const ordersOf = async (tenant: TestTenant): Promise<number> =>
  (await shop.rows('select from orders_order where tenant_id = $1', [tenant.id])).length;
const refusal = { status: 503, body: { code: 'plugin_unavailable', plugin: 'inventory', state: 'failed' } };

describe('a shop with inventory on, at a process where inventory is not ready', () => {
  it('sells nothing to 50 simultaneous buyers, and exactly its stock where inventory is ready', async () => {
    const carts = await fill(shop.a, variantId, 50);
    for (const base of [pending, imported]) {
      for (const answer of await placeAll(shop.a, carts, base)) {
        expect(answer).toMatchObject(refusal);
        expect(answer.headers['retry-after']).toBe('60');
      }
      expect([await ordersOf(shop.a), await figures(shop.a, variantId)]).toEqual([0, [10, 0, 10]]);
    }
    const statuses = (await placeAll(shop.a, carts)).map(({ status }) => status);
    expect([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 409).length]).toEqual([
      10, 40,
    ]);
    expect([await ordersOf(shop.a), await figures(shop.a, variantId)]).toEqual([10, [10, 10, 0]]);
    expect(await stockFaults(shop)).toEqual([]);
  });

  it('refuses changes of orders that would leave reservations behind', async () => {
    const [order] = await shop.rows<Json>(`select id from orders_order where tenant_id = $1 limit 1`, [shop.a.id]);
    const before = await figures(shop.a, variantId);
    for (const base of [pending, imported]) {
      const admin = shop.a.admin.at(base);
      const cancelled = await admin.post<Json>(`/api/admin/orders/${order.id}/status`, { status: 'cancelled', reason: 'test' });
      expect(cancelled).toMatchObject(refusal);
      expect(await admin.post<Json>(`/api/admin/orders/${order.id}/ship`, {})).toMatchObject(refusal);
    }
    expect(await figures(shop.a, variantId)).toEqual(before);
  });

  it('shows products, and names the plugin in /health and in the list of plugins', async () => {
    for (const [base, code] of [
      [pending, 'migration_pending'],
      [imported, 'import_failed'],
    ] as const) {
      expect((await shop.a.guest.at(base).get('/api/storefront/products/')).status).toBe(200);
      const health = await shop.a.guest.at(base).get<Json>('/health');
      expect([health.status, health.body.degraded]).toEqual([
        200,
        expect.arrayContaining([{ plugin: 'inventory', state: 'failed', code }]),
      ]);
      const plugins = await shop.a.admin.at(base).get<Json>('/api/admin/plugins/');
      expect(plugins.body.data.find((each: Json) => each.name === 'inventory')).toMatchObject({
        state: 'failed',
        on: false,
        why: 'failed',
        reason: { code },
      });
    }
  });
});

describe('a shop with inventory switched off', () => {
  it('sells without stock control at every process', async () => {
    const variant = await makeGoods(shop.b, 1);
    const off = await shop.b.admin.put<Json>('/api/admin/plugins/inventory/settings', { enabled: false });
    expect([off.status, off.body.on]).toEqual([200, false]);
    const carts = await fill(shop.b, variant, 6);
    for (const [i, base] of [undefined, pending, imported].entries())
      expect((await placeAll(shop.b, carts.slice(i * 2, i * 2 + 2), base)).map(({ status }) => status)).toEqual([201, 201]);
  });
});

describe('a process that does not know the hooks of inventory', () => {
  const startAfter = async (ledger: string): Promise<string> => {
    await shop.rows(`update core_plugin_state set contributions = null where name = 'inventory'`);
    await shop.rows(`${ledger} where plugin = 'inventory'`);
    return shop.startProcess();
  };

  it('sells nothing while a further migration is pending', async () => {
    const carts = await fill(shop.a, await makeGoods(shop.a, 1), 1);
    const base = await startAfter(`update core_migration set name = '0000_before.sql'`);
    expect((await placeAll(shop.a, carts, base))[0]).toMatchObject(refusal);
  });

  it('sells while its first migration is pending: the plugin is new', async () => {
    const carts = await fill(shop.a, await makeGoods(shop.a, 1), 1);
    expect((await placeAll(shop.a, carts, await startAfter('delete from core_migration')))[0]).toMatchObject({ status: 201 });
  });
});
