import {
  customers,
  type OrderView,
  orders,
  type Payments,
  type PaymentView,
  payments,
  publicOrderShape,
} from '@storeloom/commerce';
import {
  type Ctx,
  commitThen,
  domainError,
  f,
  invalid,
  type MoneyValue,
  notFound,
  type Reply,
  type Route,
  referenceNotFound,
  reply,
  route,
} from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import { lockBeforeOrder, recordAttempt } from '../flows/after-placing.ts';
import { type PlacedAnswer, paymentAnswer, placedAnswer, startPayment } from '../placing/answer.ts';
import { paymentShape, placedShape } from '../placing/body.ts';
import { paymentDueAt, paysLater } from './due.ts';
import { type OpenedOrder, openOrder } from './order-access.ts';
import { isTaken, newestFirst, orderSubject } from './waiting-order.ts';

export const orderPage: Route = route(
  'GET',
  '/checkout/orders/{id}',
  {
    summary: 'Get the order for the confirmation page',
    response: { ...publicOrderShape, payment: f.object(paymentShape).optional() },
  },
  async (ctx, req) => {
    const { order } = await openOrder(ctx, req.params.id as string);
    const [newest] = newestFirst(await ctx.require(payments).of(orderSubject(order.id)));
    return { ...(await ctx.require(orders).publicView(order.id)), payment: newest ? paymentAnswer(newest) : null };
  },
);

const ended: readonly PaymentView['status'][] = ['failed', 'expired', 'cancelled', 'voided'];

interface AttemptInput {
  paymentMethod: string | null;
  returnUrl: string | null;
  /** The total that the buyer accepted for another payment method. */
  expectedTotal: MoneyValue | null;
}

/** Amount that is neither captured nor authorised. An edit may have raised the total of a paid order. */
function unpaidAmount(order: OrderView, list: readonly PaymentView[]): number {
  const onHold = list
    .filter((payment) => isTaken(payment) && payment.status !== 'captured' && !payment.givenBack)
    // After an edit lowered the payment, no more than its remaining amount will be captured.
    .reduce(
      (sum, { authorizedAmount, amount, capturedAmount }) =>
        sum + Math.max(0, Math.min(authorizedAmount, amount.amount) - capturedAmount),
      0,
    );
  return Math.max(0, order.amountDue - onHold);
}

type Offer = Awaited<ReturnType<Payments['methods']>>[number];

/** @throws 422 `payment_method_unavailable` */
async function requireOffered(ctx: Ctx, order: OrderView, code: string, amount: number): Promise<Offer> {
  const recorded = order.channel === 'draft' || order.channel === 'b2b';
  const groups = (await ctx.use(customers)?.groupsOf(order.customerId, { recorded })) ?? [];
  const offered = await ctx.require(payments).methods({
    total: money(amount, order.currency),
    country: (order.shippingAddress ?? order.billingAddress).country,
    customerGroupIds: groups.map(({ id }) => id),
  });
  const method = offered.find((each) => each.code === code);
  if (!method) throw domainError('/paymentMethod', 'payment_method_unavailable', 'is not available for this order');
  return method;
}

/**
 * Creates the next payment in the caller's transaction, by the named method or the last one; undefined if nothing is due by that method.
 * Another method reprices the order's fees. A payment for the rest of a partly paid order doesn't change the order's method or status.
 */
async function nextAttempt(
  ctx: Ctx,
  order: OrderView,
  list: readonly PaymentView[],
  { paymentMethod, returnUrl, expectedTotal }: AttemptInput,
): Promise<void> {
  const code = paymentMethod ?? list[0]?.methodCode ?? order.paymentMethod;
  if (code === null) throw invalid('/paymentMethod', 'required', 'is required');
  const due = unpaidAmount(order, list);
  const method = await requireOffered(ctx, order, code, due);
  const service = ctx.require(payments);
  const attempt = (amount: number) =>
    service.attempt({ orderId: order.id, methodCode: code, amount: money(amount, order.currency), returnUrl });
  if (list.some(isTaken)) {
    await attempt(due);
    return;
  }
  if (expectedTotal && expectedTotal.currency !== order.currency)
    throw domainError('/expectedTotal/currency', 'currency_mismatch', `the order is in ${order.currency}`);
  await ctx.require(orders).changePaymentMethod(order.id, {
    code,
    paidLater: paysLater(method),
    expectedTotal: expectedTotal?.amount ?? null,
  });
  const changed = await ctx.require(orders).get(order.id);
  if (!changed) throw notFound();
  const newDue = unpaidAmount(changed, list);
  if (newDue === 0) {
    await settleWithoutPayment(ctx, changed);
    return;
  }
  // The fee may exceed the limits of the method.
  if (newDue !== due) await requireOffered(ctx, changed, code, newDue);
  await attempt(newDue);
  await recordAttempt(ctx, changed, { online: method.online, dueAt: paymentDueAt(ctx, method) });
}

/** Tenders cover the whole order, because the other method has no fee. */
async function settleWithoutPayment(ctx: Ctx, order: OrderView): Promise<void> {
  await ctx.require(payments).release(orderSubject(order.id), { refund: false, reason: 'nothing_due' });
  await recordAttempt(ctx, order, { online: false, dueAt: null });
  if (order.status === 'pending') await ctx.require(orders).move(order.id, 'confirmed', { reason: 'nothing_due' });
}

/** Locks cart or draft, order and payments, in this order. */
async function lockFlow(ctx: Ctx, { id, cartId, draftId }: OrderView): Promise<{ order: OrderView; list: PaymentView[] }> {
  await lockBeforeOrder(ctx, { orderId: id, cartId, draftId });
  const order = await ctx.require(orders).get(id, { lock: true });
  if (!order) throw notFound();
  return { order, list: newestFirst(await ctx.require(payments).of(orderSubject(id), { lock: true })) };
}

/**
 * The buyer returns from the provider or tries again. The transaction decides what to do; the provider is called after the commit. Safe
 * beside the webhook: the first of the two settles the order.
 */
async function confirm(
  ctx: Ctx,
  { order: seen, orderToken }: OpenedOrder,
  paymentId: string | null,
  input: AttemptInput,
): Promise<Reply<PlacedAnswer>> {
  const { order, list } = await lockFlow(ctx, seen);
  if (paymentId !== null && !list.some((each) => each.id === paymentId)) throw referenceNotFound('/paymentId');
  if (order.status === 'cancelled') throw invalidTransition('cancelled', 'confirmed', []);
  const answer = async (inner: Ctx): Promise<PlacedAnswer> => placedAnswer(inner, order.id, orderToken);
  const [last] = list;
  if (unpaidAmount(order, list) === 0) return reply(200, await answer(ctx));
  if (last && !ended.includes(last.status) && !isTaken(last)) {
    const body = await answer(ctx);
    return commitThen(200, body, async (after) => {
      const other = input.paymentMethod !== null && input.paymentMethod !== last.methodCode;
      if (last.status === 'created' && !other) return startPayment(after, order.id, body);
      // It may have been paid in the meantime, so read the provider's status before another attempt.
      const now = last.status === 'created' ? last : await after.require(payments).sync(last.id);
      const again = !isTaken(now) && (other || (ended.includes(now.status) && input.paymentMethod !== null));
      return again ? retry(after, order, input, orderToken) : after.transaction(answer, { readOnly: true });
    });
  }
  await nextAttempt(ctx, order, list, input);
  const body = await answer(ctx);
  return commitThen(200, body, (after) =>
    body.payment?.status === 'created' ? startPayment(after, order.id, body) : Promise.resolve(body),
  );
}

/** Replaces an attempt that failed, or one that waits while the buyer has chosen another method. */
async function retry(ctx: Ctx, seen: OrderView, input: AttemptInput, orderToken: string | null): Promise<PlacedAnswer> {
  const body = await ctx.transaction(async (inner) => {
    const { order, list } = await lockFlow(inner, seen);
    if (order.status !== 'cancelled' && unpaidAmount(order, list) > 0) await nextAttempt(inner, order, list, input);
    return placedAnswer(inner, order.id, orderToken);
  });
  return body.payment?.status === 'created' ? startPayment(ctx, seen.id, body) : body;
}

export const confirmPayment: Route = route(
  'POST',
  '/checkout/orders/{id}/confirm-payment',
  {
    summary: 'Update the payment from the provider, or start the next attempt',
    body: {
      paymentId: f.id().optional(),
      /** Data that the provider gave to the browser. It isn't trusted: the status is read from the provider. */
      providerPayload: f.json().optional(),
      paymentMethod: f.text({ max: 60 }).optional(),
      returnUrl: f.url().optional(),
      expectedTotal: f
        .money({ min: 0 })
        .optional()
        .describe('The new total. Required if the other payment method changes the total of the order, for example by its fee.'),
    },
    response: placedShape,
    problems: ['invalid_transition', 'payment_method_unavailable', 'total_changed', 'invoice_issued', 'currency_mismatch'],
  },
  async (ctx, req) => {
    const { paymentId, paymentMethod, returnUrl, expectedTotal } = req.body;
    const input = { paymentMethod, returnUrl, expectedTotal };
    return confirm(ctx, await openOrder(ctx, req.params.id as string), paymentId, input);
  },
);
