import {
  cashOnDelivery,
  type FilledCart,
  filledCart,
  postalAddress,
  type TestClient,
  type TestResponse,
  type TestShop,
  type TestShopOptions,
  type TestTenant,
  testShop,
} from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape, read property by property
export type Json = any;
export const ron = (amount: number) => ({ amount, currency: 'RON' });
export const promotionsPath = '/api/admin/promotions/';
export const cartPath = '/api/storefront/cart';

/** Starts a shop with checkout and cash on delivery. */
export async function openStore(options: Partial<TestShopOptions> = {}): Promise<TestShop> {
  const { plugins = [], ...rest } = options;
  const shop = await testShop({ plugins: ['catalog', 'orders', 'payments', 'checkout', 'promotions', ...plugins], ...rest });
  for (const tenant of [shop.a, shop.b]) await cashOnDelivery(tenant);
  return shop;
}

/** POST with an expected status; throws otherwise. */
export async function make(client: TestClient, path: string, body: object, status = 201): Promise<Json> {
  const response: TestResponse<Json> = await client.post(path, body);
  if (response.status !== status) throw new Error(`POST ${path}: ${response.status} ${response.text}`);
  return response.body;
}

/** Creates a promotion, by default a percentage off the order. */
export function promote(tenant: TestTenant, more: Record<string, unknown> = {}): Promise<Json> {
  const value = more.type === undefined ? { type: 'percentage', value: { percentBp: 1000 } } : {};
  return make(tenant.admin, promotionsPath, { name: 'Promotion', ...value, ...more });
}

export { sellableProduct as product } from '@storeloom/testing';

/** Creates a cart of these goods. Returns it with its client. */
export const cartOf = (client: TestClient, ...goods: [variantId: string, quantity: number][]): Promise<FilledCart<Json>> =>
  filledCart<Json>(client, ...goods);

/** Enters a code. Returns the cart or the problem. */
export async function enterCode(client: TestClient, code: string): Promise<Json> {
  return (await client.post<Json>(`${cartPath}/promotion`, { code })).body;
}

export const address = postalAddress;
export function place(client: TestClient, total: number, more: Record<string, unknown> = {}): Promise<TestResponse<Json>> {
  return client.post<Json>('/api/storefront/checkout/place', {
    email: 'buyer@example.org',
    billingAddress: address,
    shippingAddress: address,
    paymentMethod: 'cod',
    consents: { terms: true },
    expectedTotal: ron(total),
    ...more,
  });
}

/** Cancels an order through the admin API. */
export function cancel(tenant: TestTenant, orderId: string): Promise<TestResponse<Json>> {
  return tenant.admin.post<Json>(`/api/admin/orders/${orderId}/status`, { status: 'cancelled', reason: 'test' });
}

/** Reads a promotion by the list's id filter. */
export async function readPromotion(tenant: TestTenant, id: string): Promise<Json> {
  const list = await tenant.admin.get<Json>(`${promotionsPath}?id=${id}`);
  return list.body.data[0];
}

/** Visitors with a cart of one product and a code, alternating between the processes. */
export class Crowd {
  private readonly shop: TestShop;
  private readonly thing: string;
  private count = 0;
  constructor(shop: TestShop, thing: string) {
    this.shop = shop;
    this.thing = thing;
  }
  email(): string {
    return `buyer${++this.count}@example.org`;
  }
  async buyer(code: string, quantity = 1): Promise<TestClient> {
    const { a, bases } = this.shop;
    const { client } = await cartOf(a.guest.at(bases[this.count++ % bases.length]!), [this.thing, quantity]);
    const cart = await enterCode(client, code);
    if (cart.promotions?.[0]?.applied !== true) throw new Error(`the code ${code} was refused: ${JSON.stringify(cart)}`);
    return client;
  }
  buyers(count: number, code: string): Promise<TestClient[]> {
    return Promise.all(Array.from({ length: count }, () => this.buyer(code)));
  }
}

/** Uses of a promotion. */
export function usagesOf(shop: TestShop, id: string): Promise<Json[]> {
  return shop.rows(
    'select order_id, reverted_at, discount_amount::int as amount, code from promotions_usage where promotion_id = $1 order by created_at',
    [id],
  );
}
export async function counterOf(shop: TestShop, id: string): Promise<Json> {
  return (await shop.rows('select used_count, used_amount::int from promotions_promotion where id = $1', [id]))[0];
}
