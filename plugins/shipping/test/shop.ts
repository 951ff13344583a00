import { type TestClient, type TestShop, type TestShopOptions, type TestTenant, testShop } from '@storeloom/testing';
import { FakeCarrier } from './fake-carrier.ts';

// biome-ignore lint/suspicious/noExplicitAny: API responses, checked by assertions
export type Json = any;
export const ron = (amount: number) => ({ amount, currency: 'RON' });
export const home = {
  firstName: 'Ana',
  lastName: 'Pop',
  line1: 'Strada Lungă 1',
  city: 'Cluj-Napoca',
  region: 'CJ',
  postalCode: '400001',
  country: 'RO',
};
export const sender = {
  ...home,
  company: 'Magazinul',
  city: 'București',
  region: 'B',
  postalCode: '010101',
  phone: '+40722000111',
};

let count = 0;
export async function must(response: Promise<{ status: number; body: Json; text: string }>, status = 201): Promise<Json> {
  const { body, status: got, text } = await response;
  if (got !== status) throw new Error(`${got} instead of ${status}: ${text}`);
  return body;
}
export const zoneOf = (tenant: TestTenant, more: object = {}): Promise<Json> =>
  must(tenant.admin.post('/api/admin/shipping/zones', { name: `Zone ${++count}`, countries: ['RO'], ...more }));
export const methodOf = (tenant: TestTenant, zoneIds: string[], more: object = {}): Promise<Json> =>
  must(
    tenant.admin.post('/api/admin/shipping/methods', {
      code: `method-${++count}`,
      name: { ro: 'Curier', en: 'Courier' },
      type: 'flat',
      zoneIds,
      price: ron(1999),
      ...more,
    }),
  );

export const account = (fake: FakeCarrier, more: object = {}) => ({
  enabled: true,
  credentials: { baseUrl: fake.baseUrl, apiKey: 'key-of-the-shop-0001' },
  sender,
  webhookSecret: 'a-webhook-secret-0001',
  verification: 'hmac',
  ...more,
});

/** A shop with cash on delivery and a fake carrier. */
export interface ShippingShop {
  shop: TestShop;
  fake: FakeCarrier;
  stop(): Promise<void>;
}
export async function openShop(options: Partial<TestShopOptions> = {}): Promise<ShippingShop> {
  const fake = await new FakeCarrier().start();
  const shop = await testShop({
    plugins: ['catalog', 'currencies', 'payments', 'orders', 'checkout', 'shipping'],
    ...options,
  });
  for (const tenant of [shop.a, shop.b])
    await must(tenant.admin.post('/api/admin/payment-methods/', { code: 'cod', name: 'Cod', provider: 'cod', enabled: true }));
  return {
    shop,
    fake,
    async stop() {
      await shop.stop();
      await fake.stop();
    },
  };
}

export async function cartOf(tenant: TestTenant, price: number, quantity = 1, weightG = 500): Promise<TestClient> {
  const product = await must(
    tenant.admin.post('/api/admin/products/', {
      title: `Thing ${++count}`,
      status: 'active',
      weightG,
      variants: [{ sku: `SHIP-${count}`, optionValues: {}, price: ron(price), trackInventory: false }],
    }),
  );
  const cart = await must(tenant.guest.post('/api/storefront/cart/items', { variantId: product.variants[0].id, quantity }));
  return tenant.guest.with({ 'x-cart-token': cart.cartToken });
}
export async function quotes(client: TestClient, address: object = home): Promise<{ data: Json[]; warnings: Json[] }> {
  return must(client.post('/api/storefront/checkout/shipping-quotes', { address }), 200);
}

export function place(client: TestClient, quote: Json, expectedTotal: number, more: object = {}) {
  return client.post<Json>('/api/storefront/checkout/place', {
    email: 'ana@test.example',
    billingAddress: home,
    shippingAddress: home,
    shippingMethodId: quote.methodId,
    paymentMethod: 'cod',
    consents: { terms: true },
    expectedTotal: ron(expectedTotal),
    ...more,
  });
}
/** An order of a product for 100.00, with shipping for 19.99 and cash on delivery. */
export async function order(tenant: TestTenant, quantity = 1): Promise<{ id: string; total: number }> {
  const client = await cartOf(tenant, 10_000, quantity);
  const [quote] = (await quotes(client)).data;
  const total = 10_000 * quantity + quote.price.amount;
  const { order: created } = await must(place(client, quote, total));
  return { id: created.id, total };
}
