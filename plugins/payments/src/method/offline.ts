import { paymentShape } from '@storeloom/commerce';
import { type Ctx, type EventHandler, f, problem, route } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { apply, isFinal } from '../payment/apply.ts';
import { lockPayment, orderType, type PaymentRow, payment, viewOf } from '../payment/payment.ts';
import type { ProviderPayment } from '../provider/adapter.ts';
import { isOnline } from '../provider/providers.ts';

/** The provider state of an offline payment that staff have confirmed. */
function confirmedState(row: PaymentRow): ProviderPayment {
  return {
    ref: row.id,
    paymentId: row.id,
    status: 'captured',
    amount: row.intentAmount,
    currency: row.amount.currency,
    authorized: row.intentAmount,
    captured: row.intentAmount,
    refunds: [],
    error: null,
    clientSecret: null,
    redirectUrl: null,
    instrument: null,
  };
}

/** Records the full amount of an offline payment as captured. Idempotent. */
export async function recordPaid(ctx: Ctx, row: PaymentRow, reason: string, reference: string | null): Promise<PaymentRow> {
  if (row.status === 'captured') return row;
  await ctx.audit({
    entity: 'payments.payment',
    entityId: row.id,
    action: 'payments.payment.mark-paid',
    extra: { amount: row.amount, reason, reference },
  });
  const paid = await apply(ctx, row.id, confirmedState(row), reason);
  return reference === null ? paid : ctx.rows(payment).update(paid.id, { reference });
}

const paymentResponse = {
  ...paymentShape,
  for: f.object({ type: f.text(), id: f.id() }),
  givenBack: f.bool(),
  clientSecret: f.text().optional(),
  redirectUrl: f.text().optional(),
};

/** Staff confirm bank transfers by this route, because no provider reports them. */
export const markPaid = route(
  'POST',
  '/payments/{id}/mark-paid',
  {
    permission: 'payments.payment.mark-paid',
    summary: 'Mark an offline payment as paid',
    entity: 'payments.payment',
    additive: true,
    body: { reference: f.text({ max: 200 }).optional() },
    response: paymentResponse,
    problems: ['invalid_transition'],
  },
  async (ctx, req) => {
    // Locked: a concurrent cancellation of the order cancels the payment.
    const { row } = await lockPayment(ctx, req.params.id as string);
    const refuse = (detail: string) => problem('invalid_transition', { detail, from: row.status, to: 'captured', allowed: [] });
    if (isOnline(row.provider))
      throw refuse(`The payment status of ${row.provider} comes from the provider and can't be set manually.`);
    if (isFinal(row))
      throw refuse('The payment ended with its order, and money that arrived since belongs to no order: return it to the buyer.');
    const paid = await recordPaid(ctx, row, 'marked_paid', req.body.reference);
    const view = viewOf(ctx, paid);
    const toMoney = (amount: number) => money(amount, view.amount.currency);
    return {
      ...view,
      authorizedAmount: toMoney(view.authorizedAmount),
      capturedAmount: toMoney(view.capturedAmount),
      refundedAmount: toMoney(view.refundedAmount),
    };
  },
);

/** orders.order.delivered: cash on delivery has been collected. */
export const recordCashOnDelivery: EventHandler = async (ctx, event) => {
  const orderId = event.data.id;
  if (typeof orderId !== 'string') throw new Error(`Event ${event.type} has no order id`);
  const rows = await ctx.rows(payment).find({ forType: orderType, forId: orderId, provider: 'cod', status: 'created' });
  for (const row of rows) await recordPaid(ctx, row, 'delivered', null);
};
