import { fileURLToPath } from 'node:url';
import type { PaymentSubject } from '@storeloom/commerce';
import {
  type OrderLineView,
  type OrderView,
  type Payments,
  type PaymentView,
  payments,
  type RefundView,
} from '@storeloom/commerce';
import { type Ctx, job, type MoneyValue, uuidv7 } from '@storeloom/plugin-sdk';
import { type TestShop, type TestShopOptions, type TestTenant, testShop } from '@storeloom/testing';
import { FakePaymentA } from './fake-payment-a.ts';
import { state } from './orders-double/index.ts';

export const ron = (amount: number): MoneyValue => ({ amount, currency: 'RON' });
const ordersDouble = fileURLToPath(new URL('./orders-double', import.meta.url));

export const newThing = (): PaymentSubject => ({ type: 'test.thing', id: uuidv7() });

/** A shop with a fake provider for the method `card`, and offline methods. */
export interface PayShop {
  shop: TestShop;
  fake: FakePaymentA;
  /** Calls the service without a transaction, with a new context, in one of the processes. */
  pay<T>(fn: (payments: Payments) => Promise<T>, process?: number): Promise<T>;
  /** Calls the service inside a transaction. */
  inTx<T>(fn: (payments: Payments, ctx: Ctx) => Promise<T>): Promise<T>;
  of(subject: PaymentSubject): Promise<PaymentView[]>;
  refundsOf(subject: PaymentSubject): Promise<RefundView[]>;
  /** Starts a payment of the subject. */
  started(subject: PaymentSubject, amount: number, methodCode?: string): Promise<PaymentView & { providerRef: string }>;
  /** Starts a payment that the buyer pays, and synchronises it. */
  paid(subject: PaymentSubject, amount: number, methodCode?: string): Promise<PaymentView & { providerRef: string }>;
  /** Sends an event about a payment reference. Returns the response status. */
  tell(ref: string, type?: string): Promise<number>;
  send(
    event: Record<string, unknown>,
    path?: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  heal(): Promise<void>;
  events(type: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export async function payShop(options: Partial<TestShopOptions> = {}): Promise<PayShop> {
  const fake = await new FakePaymentA().start();
  const shop = await testShop({ plugins: ['payments', ordersDouble], ...options });
  await makeMethods(shop.a, fake);
  const ref = (view: PaymentView): PaymentView & { providerRef: string } => {
    if (view.providerRef === null) throw new Error(`the payment is ${view.status}: ${view.error}`);
    return view as PaymentView & { providerRef: string };
  };
  const pay: PayShop['pay'] = (fn, process = 0) => {
    const kernel = shop.kernels[process];
    if (!kernel) throw new Error(`there is no process ${process}`);
    return kernel.inTenant(shop.a.id, 'payments', async (ctx) => fn(ctx.require(payments)), { transaction: 'none' });
  };
  const self: PayShop = {
    shop,
    fake,
    pay,
    inTx: (fn) => shop.a.run('payments', (ctx) => fn(ctx.require(payments), ctx)),
    of: (subject) => pay((service) => service.of(subject)),
    refundsOf: (subject) => pay((service) => service.refundsOf(subject)),
    async started(subject, amount, methodCode = 'card') {
      const { paymentId } = await pay((service) =>
        service.start({ for: subject, amount: ron(amount), email: 'buyer@example.org', description: 'Test', methodCode }),
      );
      return ref((await pay((service) => service.status(paymentId))) as PaymentView);
    },
    async paid(subject, amount, methodCode) {
      const view = await self.started(subject, amount, methodCode);
      fake.pay(view.providerRef);
      return ref(await pay((service) => service.sync(view.id)));
    },
    async tell(reference, type = 'payment_intent.succeeded') {
      return (await self.send(fake.eventOf(type, reference))).status;
    },
    async send(event, path = '/api/webhooks/payment-a', headers) {
      const raw = JSON.stringify(event);
      const at = Math.floor(shop.clock.ms() / 1000);
      const response = await shop.a.guest.call('POST', path, {
        raw: { content: raw, type: 'application/json' },
        headers: headers ?? fake.sign(raw, at),
      });
      return { status: response.status, body: response.body };
    },
    async heal() {
      await shop.a.run('payments', (ctx) => ctx.enqueue(job('heal'), {}));
      await shop.settled();
    },
    async events(type) {
      const rows = await shop.rows<{ data: Record<string, unknown> }>(
        'select data from core_event where type = $1 order by created_at, id',
        [type],
      );
      return rows.map(({ data }) => data);
    },
    async stop() {
      await shop.stop();
      await fake.stop();
      state.orders.clear();
      state.latePolicy = 'refund';
    },
  };
  return self;
}

async function makeMethods(tenant: TestTenant, fake: FakePaymentA): Promise<void> {
  const card = { provider: 'payment-a', enabled: true, config: fake.config() };
  for (const method of [
    { code: 'card', ...card },
    { code: 'card-later', capture: 'manual', ...card, position: 5 },
    { code: 'embedded', ...card, config: fake.config({ flow: 'embedded' }), position: 6 },
    { code: 'cod', provider: 'cod', enabled: true, position: 7 },
    { code: 'transfer', provider: 'bank_transfer', enabled: true, position: 8 },
  ]) {
    const created = await tenant.admin.post('/api/admin/payment-methods/', { name: method.code, ...method });
    if (created.status !== 201) throw new Error(created.text);
  }
}

export function orderLine(total: number, quantity = 1, more: Partial<OrderLineView> = {}): OrderLineView {
  return {
    id: uuidv7(),
    kind: 'product',
    quantity,
    total,
    ships: true,
    quantityCancelled: 0,
    quantityShipped: 0,
    title: 'Mug',
    ...more,
  } as OrderLineView;
}

/** An unpaid order of the double. */
export function newOrder(total: number, more: Partial<OrderView> = {}): OrderView & PaymentSubject {
  const id = uuidv7();
  const view = {
    id,
    number: `2026-${state.orders.size}`,
    status: 'pending',
    currency: 'RON',
    total,
    tendered: 0,
    email: 'buyer@example.org',
    locale: 'ro',
    customerId: null,
    paymentMethod: 'card',
    billingAddress: { country: 'RO' },
    shippingAddress: null,
    lines: [orderLine(total)],
    ...more,
  } as OrderView;
  state.orders.set(id, { view, calls: [] });
  return Object.assign(view, { type: 'orders.order' });
}
export const callsOf = (id: string): string[] => state.orders.get(id)?.calls ?? [];
