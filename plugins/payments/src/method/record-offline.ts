import type { Payments } from '@storeloom/commerce';
import { type Ctx, type MoneyValue, problem } from '@storeloom/plugin-sdk';
import { amountDue, coveredAmount } from '../flows/misplaced.ts';
import { cancelPending } from '../payment/attempt.ts';
import { createPayment, type NewPayment } from '../payment/create.ts';
import { isPending, lockSubject, orderType, type PaymentRow, paymentDescription } from '../payment/payment.ts';
import { isOnline } from '../provider/providers.ts';
import { paymentMethod } from './method.ts';
import { recordPaid } from './offline.ts';

type Method = Parameters<typeof createPayment>[1];

/** Implements `Payments.recordOffline`. */
export async function recordOffline(
  ctx: Ctx,
  { orderId, amount, reference, reason }: Parameters<Payments['recordOffline']>[0],
): Promise<MoneyValue> {
  const { order, payments: rows } = await lockSubject(ctx, { type: orderType, id: orderId });
  const nothing = { amount: 0, currency: amount.currency };
  if (!order || order.status === 'cancelled' || order.currency !== amount.currency) return nothing;
  const due = amountDue(order, await coveredAmount(ctx, rows));
  const taken = Math.min(amount.amount, due);
  if (taken <= 0) return nothing;
  const recorded = { amount: taken, currency: amount.currency };
  const pending = rows.find(isPending);
  if (pending && !isOnline(pending.provider) && pending.intentAmount === taken) {
    await recordPaid(ctx, pending, reason, reference);
    return recorded;
  }
  const method = await offlineMethod(ctx, pending);
  if (pending) await cancelPending(ctx, pending, reason);
  const values: Omit<NewPayment, 'amount'> = {
    subject: { type: orderType, id: orderId },
    email: order.email,
    description: paymentDescription(ctx, order.number),
    locale: order.locale,
    returnUrl: null,
    expiresAt: null,
    customerId: order.customerId,
    saveInstrument: false,
    instrumentId: null,
  };
  await recordPaid(ctx, await createPayment(ctx, method, { ...values, amount: recorded }), reason, reference);
  if (pending && !isOnline(pending.provider) && taken < due)
    await createPayment(ctx, method, { ...values, amount: { ...recorded, amount: due - taken } });
  return recorded;
}

/** The offline method of the waiting payment, else the shop's first one. */
async function offlineMethod(ctx: Ctx, pending: PaymentRow | undefined): Promise<Method> {
  if (pending && !isOnline(pending.provider))
    return { id: pending.methodId, code: pending.methodCode, provider: pending.provider, capture: pending.capture };
  const rows = await ctx.rows(paymentMethod).find({ enabled: true }, { orderBy: ['position', 'id'] });
  const found = rows.find(({ provider }) => !isOnline(provider));
  if (!found)
    throw problem('provider_not_configured', {
      provider: 'payments',
      detail: 'Enable a payment method without a provider, such as bank transfer, to record payments at the desk.',
    });
  return found;
}
