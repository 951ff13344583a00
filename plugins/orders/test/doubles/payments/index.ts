import {
  type cancelCommit,
  type editCommit,
  orders,
  type Payments,
  type PaymentView,
  payments,
  type RefundView,
  type refundCommit,
} from '@storeloom/commerce';
import { type Ctx, definePlugin, entityEvents, f, migrations, problem, provide, sql, token, uuidv7 } from '@storeloom/plugin-sdk';

/** Payments without a provider: rows, and the taps of its stage. */
const named = <T extends { id: string }>(id: string): T => token<T>(`orders:${id}.commit`);

interface Row {
  id: string;
  orderId: string;
  provider: string;
  status: PaymentView['status'];
  amount: number;
  currency: string;
  authorized: number;
  captured: number;
  createdAt: string;
}
const columns = sql`id, order_id as "orderId", provider, status, amount, currency, authorized, captured, created_at as "createdAt"`;

async function refundsOf(ctx: Ctx, orderId: string): Promise<RefundView[]> {
  const rows = await ctx.db.rows<Omit<RefundView, 'amount' | 'providerRef' | 'by'> & { amount: number; currency: string }>(
    sql`select id, payment_id as "paymentId", status, amount, currency, reason, method, group_id as "groupId", created_at as "createdAt"
      from payments_refund where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} order by created_at, id`,
  );
  return rows.map(({ amount, currency, ...row }) => ({ ...row, amount: { amount, currency }, providerRef: null, by: null }));
}

async function paymentsOf(ctx: Ctx, orderId: string, lock: boolean): Promise<PaymentView[]> {
  const rows = await ctx.db.rows<Row>(
    sql`select ${columns} from payments_payment where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} order by created_at, id${lock ? sql` for update` : sql``}`,
  );
  const refunds = await refundsOf(ctx, orderId);
  return rows.map((row) => ({
    id: row.id,
    for: { type: 'orders.order', id: row.orderId },
    methodCode: row.provider,
    provider: row.provider,
    providerRef: null,
    status: row.status,
    amount: { amount: row.amount, currency: row.currency },
    authorizedAmount: row.authorized,
    capturedAmount: row.captured,
    givenBack: false,
    refundedAmount: refunds
      .filter((each) => each.paymentId === row.id && each.status === 'succeeded')
      .reduce((sum, each) => sum + each.amount.amount, 0),
    expiresAt: null,
    error: null,
    clientSecret: null,
    redirectUrl: null,
    createdAt: row.createdAt,
  }));
}

async function giveBack(
  ctx: Ctx,
  payment: PaymentView,
  amount: number,
  reason: string,
  method = 'original',
  groupId: string | null = null,
): Promise<void> {
  const live = (await refundsOf(ctx, payment.for.id)).filter(
    (each) => each.paymentId === payment.id && ['pending', 'succeeded'].includes(each.status),
  );
  const before = live.reduce((sum, each) => sum + each.amount.amount, 0);
  if (before + amount > payment.capturedAmount)
    throw problem('refund_exceeds_captured', { refundable: payment.capturedAmount - before });
  await ctx.db.run(sql`insert into payments_refund (tenant_id, id, payment_id, order_id, status, amount, currency, reason, method, group_id, created_at)
    values (${ctx.tenant.id}, ${uuidv7()}, ${payment.id}, ${payment.for.id}, ${method === 'manual' ? 'succeeded' : 'pending'}, ${amount}, ${payment.amount.currency}, ${reason}, ${method}, ${groupId}, ${ctx.clock.now()})`);
}

async function giveBackNewestFirst(ctx: Ctx, orderId: string, amount: number, reason: string): Promise<void> {
  let left = amount;
  for (const payment of (await paymentsOf(ctx, orderId, true)).reverse()) {
    const live = (await refundsOf(ctx, orderId)).filter(
      (each) => each.paymentId === payment.id && ['pending', 'succeeded'].includes(each.status),
    );
    const part = Math.min(left, payment.capturedAmount - live.reduce((sum, each) => sum + each.amount.amount, 0));
    if (part > 0) await giveBack(ctx, payment, part, reason);
    left -= Math.max(0, part);
  }
}

/** Stores a payment as after a provider call and reports it to orders. */
export async function pay(
  ctx: Ctx,
  orderId: string,
  payment: { id?: string; status: PaymentView['status']; captured?: number; authorized?: number },
): Promise<string> {
  const id = payment.id ?? uuidv7();
  const order = await ctx.require(orders).get(orderId, { lock: true });
  if (!order) throw new Error('no order to pay');
  const { captured = 0, authorized = 0 } = payment;
  await ctx.db.run(sql`insert into payments_payment (tenant_id, id, order_id, provider, status, amount, currency, authorized, captured, created_at)
    values (${ctx.tenant.id}, ${id}, ${orderId}, 'payment-a', ${payment.status}, ${Math.max(captured, authorized)}, ${order.currency}, ${authorized}, ${captured}, ${ctx.clock.now()})
    on conflict (tenant_id, id) do update set status = excluded.status, authorized = excluded.authorized, captured = excluded.captured`);
  await ctx
    .require(orders)
    .settle(orderId, { id, status: payment.status, capturedAmount: captured, authorizedAmount: authorized }, 'payment');
  return id;
}

const refund = { data: { id: f.id(), for: f.object({ type: f.text(), id: f.id() }) } };
const refundEvents = entityEvents('payments.refund', { succeeded: refund, failed: refund });

/** Settles pending refunds of an order and publishes each. */
export async function finishRefunds(ctx: Ctx, orderId: string, status: 'succeeded' | 'failed'): Promise<void> {
  const moved = await ctx.db.rows<{ id: string }>(
    sql`update payments_refund set status = ${status} where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and status = 'pending' returning id`,
  );
  for (const { id } of moved)
    await ctx.emit(refundEvents[status], { id: orderId, data: { id, for: { type: 'orders.order', id: orderId } } });
}

export default definePlugin({
  name: 'payments',
  migrations: migrations(`${new URL('.', import.meta.url).href}src/index.ts`, ['0001_payments.sql']),
  provides: [
    provide(payments, (ctx) => {
      const service: Partial<Payments> = {
        of: (thing, options = {}) => paymentsOf(ctx, thing.id, options.lock ?? false),
        refundsOf: (thing) => refundsOf(ctx, thing.id),
      };
      return service as Payments;
    }),
  ],
  hooks(h) {
    h.on(
      named<typeof refundCommit>('refund'),
      async (ctx, input) => {
        const all = await paymentsOf(ctx, input.order.id, true);
        for (const part of input.allocations) {
          const payment = part.type === 'payment' && all.find((each) => each.id === part.paymentId);
          if (payment) await giveBack(ctx, payment, part.amount, input.reason, input.method, input.refundId);
        }
      },
      { stage: 95 },
    );
    h.on(
      named<typeof cancelCommit>('cancel'),
      async (ctx, input) => {
        await ctx.db.run(
          sql`update payments_payment set status = 'voided' where tenant_id = ${ctx.tenant.id} and order_id = ${input.order.id} and status = 'authorized'`,
        );
        if (input.refund) await giveBackNewestFirst(ctx, input.order.id, Number.MAX_SAFE_INTEGER, input.reason);
      },
      { stage: 95 },
    );
    h.on(
      named<typeof editCommit>('edit'),
      async (ctx, input) => {
        const over = input.order.captured - input.order.refunded;
        if (input.difference < 0 && input.refund)
          await giveBackNewestFirst(ctx, input.order.id, Math.min(-input.difference, over), input.reason);
      },
      { stage: 95 },
    );
  },
  events: {
    emits: Object.values(refundEvents),
  },
  locales: { ro: { 'test.name': 'plăți' }, en: { 'test.name': 'payments' } },
});
