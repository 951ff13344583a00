import { createECDH } from 'node:crypto';
import type { TestShop, TestTenant } from '@storeloom/testing';
import { type Json, product, ron, visitor } from '../../plugins/checkout/test/goods.ts';
import { checkoutPath, placeBody, type Till } from '../../plugins/checkout/test/till.ts';
import { fillVerticals } from './fill-verticals.ts';

/**
 * Fills a tenant as its first weeks would: the demo of every plugin, and at least one row of what people make by hand. `name` is what
 * those who stay, dine, book and come call themselves.
 */
export async function fill(till: Till, tenant: TestTenant, name?: string): Promise<void> {
  const { shop } = till;
  for (const { manifest, plugin } of shop.kernel.registry.loaded) {
    const seed = plugin.seeds?.demo;
    if (seed) await tenant.run(manifest.name, (ctx) => seed(ctx));
  }
  const { admin } = tenant;
  const send = async (
    method: 'post' | 'put' | 'patch',
    path: string,
    body: Record<string, unknown>,
    client = admin,
  ): Promise<Json> => {
    const answer = await client[method]<Json>(path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const post = (path: string, body: Record<string, unknown>, client = admin): Promise<Json> => send('post', path, body, client);

  // Inactive, so that no job changes it later.
  await post('/api/admin/webhooks/', { url: 'http://127.0.0.1:9/hook', events: ['*'], active: false });

  // What the shop says; pages, a post and a banner are of the demo.
  await post('/api/admin/redirects/', { fromPath: '/old', to: '/pages/about' });

  // Catalogue and stock.
  const category = await post('/api/admin/categories/', { name: 'Things' });
  const brand = await post('/api/admin/brands/', { name: 'Makers' });
  const thing = await product(
    tenant,
    1000,
    { type: 'service', categoryIds: [category.id], brandId: brand.id },
    { trackInventory: true },
  );
  await post(`/api/admin/inventory/${thing.variantId}/adjust`, { delta: 50, reason: 'received' });
  await post(`/api/admin/volume-prices/${thing.productId}`, { minQuantity: 5, percentBp: 500 });
  const parcel = await product(tenant, 2000);
  const kit = await product(tenant, 1500, { type: 'bundle', status: 'draft' });
  await post(`/api/admin/bundles/${kit.productId}`, {
    components: [{ variantId: thing.variantId, quantity: 2 }],
    pricing: 'fixed',
  });

  // People.
  const customer = await tenant.customer();
  await post('/api/storefront/wishlist/items', { variantId: thing.variantId }, customer);
  await tenant.staff(['catalog.product.read']);

  // The workspace and its first page.
  const entityType = 'customers.customer';
  await post('/api/admin/metafields/definitions', { entityType, namespace: 'shop', key: 'size', type: 'string' });
  await send('put', `/api/admin/metafields/${entityType}/${customer.customerId}`, {
    metafields: [{ namespace: 'shop', key: 'size', value: tenant.slug }],
  });
  await send('put', `/api/admin/settings/views.${entityType}`, { value: [{ name: 'All' }] });
  await send('put', '/api/admin/onboarding/step', { key: 'store', done: true });
  const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: Buffer.alloc(16, 4).toString('base64url') };
  await post('/api/push/subscribe', { endpoint: `https://push.example/${tenant.slug}`, keys }, customer);
  await send('patch', '/api/admin/dashboard/layout', { items: [] });
  await post('/api/admin/dashboard/layouts', { name: 'Kept', items: [] });
  await send('put', '/api/admin/dashboard/preset', { items: [] });

  // Money.
  const promotion = await post('/api/admin/promotions/', {
    name: 'Ten',
    code: 'TEN',
    type: 'percentage',
    target: 'order',
    value: { percentBp: 1000 },
  });
  const zone = await post('/api/admin/shipping/zones', { name: 'Zone', countries: ['RO'], priority: 9 });
  const method = await post('/api/admin/shipping/methods', {
    code: 'flat-one',
    name: 'Flat',
    type: 'flat',
    zoneIds: [zone.id],
    price: ron(500),
  });

  // Orders: one paid by card and partly refunded, one that is sent, one that waits, and a draft.
  const buyer = await visitor({ ...tenant, guest: customer }, [thing.variantId, 2]);
  await post('/api/storefront/cart/promotion', { code: promotion.code }, buyer.client);
  const placed = await post(
    `${checkoutPath}/place`,
    placeBody(1800, { paymentMethod: 'card', email: customer.email, saveAddress: true }),
    buyer.client,
  );
  const [payment] = await shop.rows<Json>('select provider_ref as ref from payments_payment where id = $1', [placed.payment.id]);
  till.provider.pay(payment.ref);
  await post(
    `${checkoutPath}/orders/${placed.order.id}/confirm-payment`,
    {},
    buyer.client.with({ 'x-order-token': placed.orderToken }),
  );
  await post(`/api/admin/orders/${placed.order.id}/refund`, { reason: 'test', amount: ron(100) });
  await post(`/api/admin/orders/${placed.order.id}/internal-notes`, { text: 'Called' });
  const second = await visitor(tenant, [parcel.variantId, 1]);
  const sent = await post(`${checkoutPath}/place`, placeBody(2500, { shippingMethodId: method.id }), second.client);
  await post(`/api/admin/orders/${sent.order.id}/ship`, {});
  const third = await visitor(tenant, [thing.variantId, 1]);
  await post(`${checkoutPath}/place`, placeBody(1000, { paymentMethod: 'card' }), third.client);
  await visitor(tenant, [thing.variantId, 1]);
  await post('/api/admin/draft-orders/', { currency: 'RON', lines: [{ variantId: thing.variantId, quantity: 1 }] });
  await fillVerticals(shop, tenant, post, name);
  // The search index too, which takes up changes some seconds later.
  await shop.settled(60);
}

/** Tables of plugins in which a tenant has no row. */
export async function emptyTables(shop: TestShop, tenantId: string): Promise<string[]> {
  const tables = await shop.rows<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id' and table_name not like 'core\\_%' order by 1`,
  );
  const empty: string[] = [];
  for (const { name } of tables) {
    const [row] = await shop.rows<{ n: number }>(`select count(*)::int as n from "${name}" where tenant_id = $1`, [tenantId]);
    if (row?.n === 0) empty.push(name);
  }
  return empty;
}
