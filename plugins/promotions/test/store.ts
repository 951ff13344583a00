import {
  type TestClient,
  type TestResponse,
  type TestShop,
  type TestShopOptions,
  type TestTenant,
  testShop,
} from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: answers of the wire, looked at member by member
export type Json = any;
export const ron = (amount: number) => ({ amount, currency: 'RON' });
export const promotionsPath = '/api/admin/promotions/';
export const cartPath = '/api/storefront/cart';

/** A shop that sells and takes cash on delivery. */
export async function openStore(options: Partial<TestShopOptions> = {}): Promise<TestShop> {
  const { plugins = [], ...rest } = options;
  const shop = await testShop({ plugins: ['catalog', 'orders', 'payments', 'checkout', 'promotions', ...plugins], ...rest });
  for (const tenant of [shop.a, shop.b])
    await make(tenant.admin, '/api/admin/payment-methods/', { code: 'cod', name: 'cod', provider: 'cod', enabled: true });
  return shop;
}

/** POST that must make something. */
export async function make(client: TestClient, path: string, body: object, status = 201): Promise<Json> {
  const answer: TestResponse<Json> = await client.post(path, body);
  if (answer.status !== status) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A promotion: a percentage off the order unless something else is said. */
export function promote(tenant: TestTenant, more: Record<string, unknown> = {}): Promise<Json> {
  const value = more.type === undefined ? { type: 'percentage', value: { percentBp: 1000 } } : {};
  return make(tenant.admin, promotionsPath, { name: 'Promotion', ...value, ...more });
}

let count = 0;
/** A product of one variant that shoppers may have. */
export async function product(
  tenant: TestTenant,
  price: number,
  more: Record<string, unknown> = {},
  variant: Record<string, unknown> = {},
): Promise<{ productId: string; variantId: string; slug: string }> {
  count += 1;
  const made = await make(tenant.admin, '/api/admin/products/', {
    title: `Thing ${count}`,
    status: 'active',
    // A service: nothing to be sent, so that carts need no shipping.
    type: 'service',
    variants: [{ sku: `SKU-${count}`, optionValues: {}, price: ron(price), trackInventory: false, ...variant }],
    ...more,
  });
  return { productId: made.id, variantId: made.variants[0].id, slug: made.slug };
}

/** A cart of these goods and the client that holds it. */
export async function cartOf(
  client: TestClient,
  ...goods: [variantId: string, quantity: number][]
): Promise<{ client: TestClient; cart: Json }> {
  let holder = client;
  let cart: Json;
  for (const [variantId, quantity] of goods) {
    cart = await make(holder, `${cartPath}/items`, { variantId, quantity });
    holder = holder.with({ 'x-cart-token': cart.cartToken });
  }
  return { client: holder, cart };
}

/** The cart with a code, or the problem. */
export async function enter(client: TestClient, code: string): Promise<Json> {
  return (await client.post<Json>(`${cartPath}/promotion`, { code })).body;
}

export const address = {
  firstName: 'Ana',
  lastName: 'Pop',
  line1: 'Strada Lungă 1',
  city: 'Cluj-Napoca',
  postalCode: '400001',
  country: 'RO',
};
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

/** Cancels an order as staff do. */
export function cancel(tenant: TestTenant, orderId: string): Promise<TestResponse<Json>> {
  return tenant.admin.post<Json>(`/api/admin/orders/${orderId}/status`, { status: 'cancelled', reason: 'test' });
}

/** A promotion as the list gives it by id. */
export async function look(tenant: TestTenant, id: string): Promise<Json> {
  const list = await tenant.admin.get<Json>(`${promotionsPath}?id=${id}`);
  return list.body.data[0];
}

/** Visitors with a cart of one thing and a code, every other one at the next process. */
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
    const cart = await enter(client, code);
    if (cart.promotions?.[0]?.applied !== true) throw new Error(`the code ${code} was refused: ${JSON.stringify(cart)}`);
    return client;
  }
  buyers(count: number, code: string): Promise<TestClient[]> {
    return Promise.all(Array.from({ length: count }, () => this.buyer(code)));
  }
}

/** Uses of a promotion, and what its limits are compared with. */
export function usagesOf(shop: TestShop, id: string): Promise<Json[]> {
  return shop.rows(
    'select order_id, reverted_at, discount_amount::int as amount, code from promotions_usage where promotion_id = $1 order by created_at',
    [id],
  );
}
export async function counterOf(shop: TestShop, id: string): Promise<Json> {
  return (await shop.rows('select used_count, used_amount::int from promotions_promotion where id = $1', [id]))[0];
}
