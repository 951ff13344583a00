import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestClient, type TestShop, type TestShopOptions, type TestTenant, testShop } from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: answers of the API, looked at by assertions
export type Json = any;
export const ron = (amount: number) => ({ amount, currency: 'RON' });
export const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** A shop with catalogue, checkout, orders and cash on delivery. */
export async function taxShop(options: Partial<TestShopOptions> = {}): Promise<TestShop> {
  const shop = await testShop({
    plugins: ['catalog', 'currencies', 'payments', 'orders', 'checkout', 'taxes'],
    now: '2026-11-27T10:00:00.000Z',
    ...options,
  });
  for (const tenant of [shop.a, shop.b])
    await made(tenant.admin.post('/api/admin/payment-methods/', { code: 'cod', name: 'cod', provider: 'cod', enabled: true }));
  return shop;
}

async function made(call: Promise<{ status: number; text: string; body: unknown }>): Promise<Json> {
  const answer = await call;
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
}

export const makeCategory = (tenant: TestTenant, code: string, more: Record<string, unknown> = {}): Promise<Json> =>
  made(tenant.admin.post('/api/admin/taxes/categories', { code, name: code, ...more }));
export const makeRate = (
  tenant: TestTenant,
  categoryId: string,
  ratePpm: number,
  more: Record<string, unknown> = {},
): Promise<Json> =>
  made(tenant.admin.post('/api/admin/taxes/rates', { country: 'RO', categoryId, ratePpm, validFrom: '2020-01-01', ...more }));
export const setTaxes = (tenant: TestTenant, settings: Record<string, unknown>): Promise<Json> =>
  made(tenant.admin.put('/api/admin/plugins/taxes/settings', { settings }));

/** Standard 21 % and reduced 11 % at home. */
export async function romanianRates(tenant: TestTenant): Promise<{ standard: string; reduced: string }> {
  const standard = await makeCategory(tenant, 'standard');
  const reduced = await makeCategory(tenant, 'reduced');
  await makeRate(tenant, standard.id, 210_000);
  await makeRate(tenant, reduced.id, 110_000);
  return { standard: standard.id, reduced: reduced.id };
}

let count = 0;
export async function makeProduct(tenant: TestTenant, price: number, more: Record<string, unknown> = {}): Promise<string> {
  count += 1;
  const product = await made(
    tenant.admin.post('/api/admin/products/', {
      title: `Thing ${count}`,
      status: 'active',
      variants: [{ sku: `TAX-${count}`, optionValues: {}, price: ron(price), trackInventory: false }],
      ...more,
    }),
  );
  return product.variants[0].id;
}

export const addressIn = (country: string, more: Record<string, unknown> = {}) => ({
  firstName: 'Ana',
  lastName: 'Pop',
  line1: 'Strada 1',
  city: 'City',
  postalCode: '10115',
  country,
  ...more,
});

/** Places a new cart with these goods. Returns the response. */
export async function buy(
  tenant: TestTenant,
  goods: [variantId: string, quantity: number][],
  country: string,
  total: number,
  more: Record<string, unknown> = {},
  base?: string,
): Promise<{ status: number; body: Json }> {
  const guest = base === undefined ? tenant.guest : tenant.guest.at(base);
  let client: TestClient = guest;
  for (const [variantId, quantity] of goods) {
    const cart = await made(client.post('/api/storefront/cart/items', { variantId, quantity }));
    client = guest.with({ 'x-cart-token': cart.cartToken });
  }
  const billingAddress = addressIn(country);
  return client.post('/api/storefront/checkout/place', {
    email: 'buyer@example.org',
    billingAddress,
    shippingAddress: billingAddress,
    paymentMethod: 'cod',
    consents: { terms: true },
    expectedTotal: ron(total),
    ...more,
  });
}

/** Signs the owner in again: tokens expire when the clock jumps. */
export async function signedIn(tenant: TestTenant): Promise<TestTenant> {
  const login = { email: `owner@${tenant.slug}.example`, password: 'correct horse battery staple', audience: 'admin' };
  const { accessToken } = await made(tenant.guest.post('/api/auth/login', login));
  return { ...tenant, admin: tenant.guest.with({ authorization: `Bearer ${accessToken}` }) };
}

/** The order from the admin API. */
export const orderOf = (tenant: TestTenant, id: string): Promise<Json> => made(tenant.admin.get(`/api/admin/orders/${id}`));

/** A fake VAT register on loopback with the responses set by the test. */
export class FakeVies {
  readonly calls: Json[] = [];
  answer: (body: Json, res: ServerResponse) => void = (body, res) => this.say(res, { valid: true, ...body });
  private readonly server: Server = createServer((req, res) => void this.serve(req, res));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/rest-api`;
  }
  say(res: ServerResponse, body: unknown, status = 200): void {
    res.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
  }
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of req) text += chunk;
    const body = JSON.parse(text);
    this.calls.push({ path: req.url, ...body });
    this.answer(body, res);
  }
}
