import { type Ctx, type EventHandler, f, problem, route } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { apply } from '../payment/apply.ts';
import { orderType, type PaymentRow, payment, viewOf } from '../payment/payment.ts';
import type { ProviderPayment } from '../provider/adapter.ts';
import { isOnline } from '../provider/providers.ts';

/** What an offline payment's "provider" says once somebody has seen the money. */
function received(row: PaymentRow): ProviderPayment {
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

/** Books the whole amount of a payment that no provider reports. Again changes nothing. */
async function book(ctx: Ctx, row: PaymentRow, reason: string, reference: string | null): Promise<PaymentRow> {
  if (row.status === 'captured') return row;
  await ctx.audit({
    entity: 'payments.payment',
    entityId: row.id,
    action: 'payments.payment.mark-paid',
    extra: { amount: row.amount, reason, reference },
  });
  const booked = await apply(ctx, row.id, received(row), reason);
  return reference === null ? booked : ctx.rows(payment).update(booked.id, { reference });
}

const view = {
  id: f.id(),
  for: f.object({ type: f.text(), id: f.id() }),
  methodCode: f.text(),
  provider: f.text(),
  providerRef: f.text().optional(),
  status: f.text(),
  amount: f.money(),
  authorizedAmount: f.money(),
  capturedAmount: f.money(),
  refundedAmount: f.money(),
  givenBack: f.bool(),
  expiresAt: f.instant().optional(),
  error: f.text().optional(),
  clientSecret: f.text().optional(),
  redirectUrl: f.text().optional(),
  createdAt: f.instant(),
};

/** Without it nobody could say that a bank transfer has come. */
export const markPaid = route(
  'POST',
  '/payments/{id}/mark-paid',
  {
    permission: 'payments.payment.mark-paid',
    summary: 'Book that an offline payment has come',
    entity: 'payments.payment',
    additive: true,
    body: { reference: f.text({ max: 200 }).optional() },
    response: view,
    problems: ['invalid_transition'],
  },
  async (ctx, req) => {
    const row = await ctx.rows(payment).require(req.params.id as string);
    if (isOnline(row.provider))
      throw problem('invalid_transition', {
        detail: `The payment status of ${row.provider} comes from the provider and can't be set manually.`,
        from: row.status,
        to: 'captured',
        allowed: [],
      });
    const booked = await book(ctx, row, 'marked_paid', req.body.reference);
    const shown = viewOf(ctx, booked);
    const inCurrency = (amount: number) => money(amount, shown.amount.currency);
    return {
      ...shown,
      authorizedAmount: inCurrency(shown.authorizedAmount),
      capturedAmount: inCurrency(shown.capturedAmount),
      refundedAmount: inCurrency(shown.refundedAmount),
    };
  },
);

/** Cash on delivery has been collected when the order is delivered. */
export const cashCollected: EventHandler = async (ctx, event) => {
  const orderId = event.data.id;
  if (typeof orderId !== 'string') throw new Error(`${event.type} carries no order`);
  const rows = await ctx.rows(payment).find({ forType: orderType, forId: orderId, provider: 'cod', status: 'created' });
  for (const row of rows) await book(ctx, row, 'delivered', null);
};
