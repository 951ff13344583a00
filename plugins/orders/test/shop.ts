import { fileURLToPath } from 'node:url';
import { type PlaceInput, placeCommit, pricing } from '@storeloom/commerce';
import { uuidv7 } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';
import { type TestShop, type TestShopOptions, type TestTenant, testShop } from '@storeloom/testing';
import { methodId, variantId } from './doubles/checkout/index.ts';
import { finishRefunds, pay } from './doubles/payments/index.ts';

const folder = (name: string): string => fileURLToPath(new URL(`./doubles/${name}`, import.meta.url));
/** Orders with test doubles of the plugins it integrates with. */
export const plugins = [folder('payments'), folder('inventory'), folder('checkout'), 'orders'];

export async function openShop(options: Partial<TestShopOptions> = {}): Promise<TestShop> {
  const shop = await testShop({ ...options, plugins });
  const broken = shop.kernel.registry
    .states()
    .filter(({ name, state }) => ['payments', 'inventory', 'checkout'].includes(name) && state !== 'ready');
  if (broken.length > 0) throw new Error(JSON.stringify(broken));
  return shop;
}

export const home: Address = {
  firstName: 'Ștefan',
  lastName: 'Țăranu',
  company: null,
  vatId: null,
  line1: 'Strada Lungă 1',
  line2: null,
  city: 'Cluj-Napoca',
  region: 'CJ',
  postalCode: '400001',
  country: 'RO',
  phone: null,
  email: null,
};

export interface Cart {
  lines: { price: number; quantity?: number; rate?: number; digital?: boolean; title?: string; children?: object[] }[];
  email?: string;
  phone?: string;
  customerId?: string;
  address?: Address;
  codes?: string[];
  priceMode?: 'gross' | 'net';
  currency?: string;
  fx?: { rate: string; rateId: string | null };
  noShipping?: boolean;
  paidLater?: boolean;
  /** Paid by gift cards. */
  tender?: number;
  cartId?: string | null;
  hold?: string;
  level?: 'line' | 'unit' | 'rate_group';
}

export interface Placed {
  id: string;
  number: string;
  token: string;
  total: number;
  lineIds: string[];
}

/** Places an order like checkout: pricing, then the taps of place.commit, in one transaction. */
export function place(tenant: TestTenant, cart: Cart): Promise<Placed> {
  return tenant.run('checkout', async (ctx) => {
    const address = cart.address ?? home;
    const context = await ctx.require(pricing).context({
      purpose: 'place',
      at: ctx.clock.now(),
      channel: 'web',
      currency: cart.currency ?? ctx.tenant.currency,
      priceMode: cart.priceMode ?? ctx.tenant.priceMode,
      codes: cart.codes ?? [],
      email: cart.email ?? 'ana@test.example',
      shippingAddress: address,
      billingAddress: address,
      paymentMethod: 'card',
      rules: {
        taxRoundingLevel: cart.level ?? 'line',
        crossBorderPricePolicy: 'constant_gross',
        shippingTaxMode: 'proportional',
        percentStacking: 'sequential',
      },
      ...(cart.noShipping ? {} : { shippingMethodId: methodId }),
      ...(cart.fx ? { fx: cart.fx } : {}),
    });
    const priced = await ctx.require(pricing).price({
      context,
      lines: cart.lines.map((line) => ({
        id: uuidv7(),
        kind: 'product',
        variantId: variantId(line.price, line.rate ?? 21, line.digital ? 'digital' : 'goods'),
        quantity: line.quantity ?? 1,
        title: line.title ?? '',
        listPrice: 0,
        unitPrice: 0,
        ships: false,
        weightG: 0,
        facts: {},
        ...(line.children ? { children: line.children as never } : {}),
      })),
      ...(cart.tender === undefined ? {} : { requestedTenders: [{ type: 'gift_card' as const, amount: cart.tender }] }),
    });
    const due = priced.totals.amountDue;
    const input: PlaceInput = {
      context,
      cart: cart.cartId === null ? null : { id: cart.cartId ?? uuidv7(), customerId: cart.customerId ?? null, status: 'open' },
      draftId: null,
      customerId: cart.customerId ?? null,
      orderId: uuidv7(),
      priced,
      expiresAt: null,
      consents: { terms: true },
      note: 'Sună înainte',
      poNumber: 'PO-7',
      email: cart.email ?? 'ana@test.example',
      phone: cart.phone ?? '+40 722 000 111',
      payment:
        due === 0
          ? null
          : {
              id: uuidv7(),
              methodCode: cart.paidLater ? 'cod' : 'card',
              provider: cart.paidLater ? 'cod' : 'payment-a',
              online: !cart.paidLater,
              paidLater: cart.paidLater ?? false,
              amount: due,
              returnUrl: null,
              saveInstrument: false,
              instrumentId: null,
            },
      ip: '192.0.2.7',
      userAgent: 'test',
      results: {},
      hold: cart.hold === undefined ? null : { reason: cart.hold },
    };
    await ctx.call(placeCommit, input);
    const { number, token: orderToken } = input.results.orders as { number: string; token: string };
    return {
      id: input.orderId,
      number,
      token: orderToken,
      total: priced.totals.total,
      lineIds: priced.lines.map((line) => line.id),
    };
  });
}

/** Simulates a capture at the provider, of the amount due by default. */
export function capture(tenant: TestTenant, order: Placed, amount: number = order.total): Promise<string> {
  return tenant.run('payments', (ctx) => pay(ctx, order.id, { status: 'captured', captured: amount }));
}
export function settlePayment(tenant: TestTenant, orderId: string, payment: Parameters<typeof pay>[2]): Promise<string> {
  return tenant.run('payments', (ctx) => pay(ctx, orderId, payment));
}
export function refundsEnd(tenant: TestTenant, orderId: string, status: 'succeeded' | 'failed'): Promise<void> {
  return tenant.run('payments', (ctx) => finishRefunds(ctx, orderId, status));
}
export async function paid(tenant: TestTenant, cart: Cart): Promise<Placed> {
  const order = await place(tenant, cart);
  await capture(tenant, order);
  return order;
}

export type Order = Record<string, never> & {
  id: string;
  number: string;
  status: string;
  version: number;
  paymentStatus: string;
  fulfillmentStatus: string;
  allowed: string[];
  totals: Record<'total' | 'amountDue' | 'taxTotal' | 'shipping' | 'itemsDiscount', { amount: number; currency: string }>;
  lines: ({
    id: string;
    quantity: number;
    title: string;
    sku: string;
    total: { amount: number };
    unitPrice: { amount: number };
  } & Record<string, number>)[];
  refunds: { id: string; amount: { amount: number }; status: string; method: string }[];
  fulfillments: { id: string; status: string; lines: object[] }[];
  invoices: { id: string; kind: string; number: string; total: { amount: number } }[];
  history: { from: string | null; to: string; reason: string | null }[];
  payments: { status: string; capturedAmount: { amount: number } }[] | null;
};
export async function read(tenant: TestTenant, id: string): Promise<Order> {
  const answer = await tenant.admin.get<Order>(`/api/admin/orders/${id}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}
/** The recorded inventory requests, oldest first. */
export async function seen<T = Record<string, unknown>>(shop: TestShop, hook: string, orderId: string): Promise<T[]> {
  const rows = await shop.rows<{ input: T & { order?: { id: string } } }>(
    'select input from inventory_seen where hook = $1 order by created_at, id',
    [hook],
  );
  return rows.map((row) => row.input).filter((input) => input.order === undefined || input.order.id === orderId);
}
export { variantId };
