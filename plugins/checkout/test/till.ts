import { job } from '@storeloom/plugin-sdk';
import {
  postalAddress,
  type TestClient,
  type TestResponse,
  type TestShop,
  type TestShopOptions,
  type TestTenant,
  testShop,
} from '@storeloom/testing';
import { FakePaymentA } from '../../payments/test/fake-payment-a.ts';
import type { Json } from './goods.ts';
import { ron } from './goods.ts';

export const address = postalAddress;
export const checkoutPath = '/api/storefront/checkout';

/** A valid body of `place`; `more` overrides fields. */
export function placeBody(total: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    email: 'buyer@example.org',
    billingAddress: address,
    shippingAddress: address,
    paymentMethod: 'cod',
    consents: { terms: true },
    expectedTotal: ron(total),
    ...more,
  };
}

/** A shop with a fake card provider, cash on delivery and bank transfer. */
export interface Till {
  shop: TestShop;
  provider: FakePaymentA;
  place(
    client: TestClient,
    total: number,
    more?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<TestResponse<Json>>;
  /** Runs a job of checkout now. */
  job(name: string): Promise<void>;
  /** The provider's reference of a payment. */
  refOf(paymentId: string): Promise<string>;
  /** Stored orders of a cart, oldest first. */
  ordersOf(cartId: string): Promise<Json[]>;
  /** The stored row of a cart. */
  cartRow(id: string): Promise<Json>;
  /** Sends a signed webhook of the provider. */
  tell(ref: string, type?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function openTill(plugins: readonly string[] = [], options: Partial<TestShopOptions> = {}): Promise<Till> {
  const provider = await new FakePaymentA().start();
  const shop = await testShop({ plugins: ['catalog', 'orders', 'payments', 'checkout', ...plugins], ...options });
  for (const tenant of [shop.a, shop.b]) await methods(tenant, provider);
  return {
    shop,
    provider,
    place: (client, total, more, headers) => client.post<Json>(`${checkoutPath}/place`, placeBody(total, more), headers),
    async job(name) {
      await shop.a.run('checkout', (ctx) => ctx.enqueue(job(name), {}));
      await shop.settled();
    },
    async refOf(paymentId) {
      const [row] = await shop.rows<Json>('select provider_ref as ref from payments_payment where id = $1', [paymentId]);
      return row.ref;
    },
    ordersOf: (cartId) => shop.rows('select id, status from orders_order where cart_id = $1 order by placed_at', [cartId]),
    cartRow: async (id) => (await shop.rows<Json>('select * from checkout_cart where id = $1', [id]))[0],
    async tell(ref, type = 'payment_intent.succeeded') {
      const raw = JSON.stringify(provider.eventOf(type, ref));
      const headers = provider.sign(raw, Math.floor(shop.clock.ms() / 1000));
      const response = await shop.a.guest.call('POST', '/api/webhooks/payment-a', {
        raw: { content: raw, type: 'application/json' },
        headers,
      });
      if (response.status >= 300) throw new Error(`the webhook responded with ${response.status}: ${response.text}`);
      await shop.settled();
    },
    async stop() {
      await shop.stop();
      await provider.stop();
    },
  };
}

async function methods(tenant: TestTenant, provider: FakePaymentA): Promise<void> {
  const account: Record<string, string> = tenant.slug === 'a' ? {} : { accountId: 'acct_other' };
  for (const method of [
    { code: 'card', provider: 'payment-a', config: provider.config(account) },
    { code: 'cod', provider: 'cod' },
    { code: 'transfer', provider: 'bank_transfer' },
  ]) {
    const created = await tenant.admin.post('/api/admin/payment-methods/', { name: method.code, enabled: true, ...method });
    if (created.status !== 201) throw new Error(`creating a payment method failed: ${created.text}`);
  }
}

/** The body of a response that must be a success. */
export async function done<T = Json>(call: Promise<{ status: number; text: string; body: T }>): Promise<T> {
  const { status, text, body } = await call;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}

/** Sums of a variant's levels, `[on hand, reserved]`. */
export async function levelsOf({ shop }: Till, variantId: string): Promise<number[]> {
  const [row] = await shop.rows<Json>(
    'select sum(on_hand)::int as on_hand, sum(reserved)::int as reserved from inventory_level where variant_id = $1',
    [variantId],
  );
  return [row.on_hand, row.reserved];
}
