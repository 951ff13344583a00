import { customers, type OrderView, orders, type PaymentView, payments, publicOrderShape } from '@storeloom/commerce';
import {
  type Ctx,
  commitThen,
  domainError,
  f,
  invalid,
  notFound,
  type Reply,
  type Route,
  referenceNotFound,
  reply,
  route,
} from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import { attempted, lockBeforeOrder } from '../flows/after-placing.ts';
import { type PlacedAnswer, paymentAnswer, placedAnswer, started } from '../placing/answer.ts';
import { paymentShape, placedShape } from '../placing/body.ts';
import { paymentDueAt, paysLater } from './due.ts';
import { type OpenedOrder, openOrder } from './order-access.ts';
import { isTaken, newestFirst, orderThing } from './waiting-order.ts';

export const orderPage: Route = route(
  'GET',
  '/checkout/orders/{id}',
  {
    summary: 'The order as its confirmation page shows it',
    response: { ...publicOrderShape, payment: f.object(paymentShape).optional() },
  },
  async (ctx, req) => {
    const { order } = await openOrder(ctx, req.params.id as string);
    const [newest] = newestFirst(await ctx.require(payments).of(orderThing(order.id)));
    return { ...(await ctx.require(orders).publicView(order.id)), payment: newest ? paymentAnswer(newest) : null };
  },
);

const ended: readonly PaymentView['status'][] = ['failed', 'expired', 'cancelled', 'voided'];

interface Wish {
  paymentMethod: string | null;
  returnUrl: string | null;
}

/** What the order still lacks: neither taken nor on hold. An edit may have made a paid order dearer. */
function lacking(order: OrderView, list: readonly PaymentView[]): number {
  const onHold = list
    .filter((payment) => isTaken(payment) && payment.status !== 'captured' && !payment.givenBack)
    // Of a reservation that an edit cut, no more than the rest will be taken.
    .reduce(
      (sum, { authorizedAmount, amount, capturedAmount }) =>
        sum + Math.max(0, Math.min(authorizedAmount, amount.amount) - capturedAmount),
      0,
    );
  return Math.max(0, order.amountDue - onHold);
}

/**
 * A new attempt in the caller's transaction: with the method of the last one, or another. One for the rest of an order that is paid in
 * part already changes nothing about how the order stands.
 */
async function nextAttempt(ctx: Ctx, order: OrderView, list: readonly PaymentView[], wish: Wish): Promise<PaymentView> {
  const code = wish.paymentMethod ?? list[0]?.methodCode ?? order.paymentMethod;
  if (code === null) throw invalid('/paymentMethod', 'required', 'is required');
  const service = ctx.require(payments);
  const country = (order.shippingAddress ?? order.billingAddress).country;
  const total = money(lacking(order, list), order.currency);
  const groups = (await ctx.use(customers)?.groupsOf(order.customerId)) ?? [];
  const offered = await service.methods({ total, country, customerGroupIds: groups.map(({ id }) => id) });
  const method = offered.find((each) => each.code === code);
  if (!method) throw domainError('/paymentMethod', 'payment_method_unavailable', 'is not available for this order');
  const attempt = await service.attempt({ orderId: order.id, methodCode: code, amount: total, returnUrl: wish.returnUrl });
  if (list.some(isTaken)) return attempt;
  await attempted(ctx, order, { online: method.online, dueAt: paymentDueAt(ctx, method) });
  await ctx.require(orders).changePaymentMethod(order.id, { code, paidLater: paysLater(method) });
  return attempt;
}

/** Locks cart or draft, order and payments, in this order. */
async function lockFlow(ctx: Ctx, { id, cartId, draftId }: OrderView): Promise<{ order: OrderView; list: PaymentView[] }> {
  await lockBeforeOrder(ctx, { orderId: id, cartId, draftId });
  const order = await ctx.require(orders).get(id, { lock: true });
  if (!order) throw notFound();
  return { order, list: newestFirst(await ctx.require(payments).of(orderThing(id), { lock: true })) };
}

/**
 * The buyer is back from the provider, or tries again. In the transaction it is decided what to ask; the provider is asked after it. Safe
 * beside the webhook: whoever is first settles the order.
 */
async function confirm(ctx: Ctx, { order: seen, orderToken }: OpenedOrder, paymentId: string | null, wish: Wish): Promise<Reply> {
  const { order, list } = await lockFlow(ctx, seen);
  if (paymentId !== null && !list.some((each) => each.id === paymentId)) throw referenceNotFound('/paymentId');
  if (order.status === 'cancelled') throw invalidTransition('cancelled', 'confirmed', []);
  const answer = async (inner: Ctx): Promise<PlacedAnswer> => placedAnswer(inner, order.id, orderToken);
  const [last] = list;
  if (lacking(order, list) === 0) return reply(200, await answer(ctx));
  if (last && !ended.includes(last.status) && !isTaken(last)) {
    const body = await answer(ctx);
    return commitThen(200, body, async (after) => {
      const other = wish.paymentMethod !== null && wish.paymentMethod !== last.methodCode;
      if (last.status === 'created' && !other) return started(after, order.id, body);
      // It may have been paid meanwhile: what the provider says comes before another attempt.
      const now = last.status === 'created' ? last : await after.require(payments).sync(last.id);
      const again = !isTaken(now) && (other || (ended.includes(now.status) && wish.paymentMethod !== null));
      return again ? retry(after, order, wish, orderToken) : after.transaction(answer, { readOnly: true });
    });
  }
  await nextAttempt(ctx, order, list, wish);
  const body = await answer(ctx);
  return commitThen(200, body, (after) =>
    body.payment?.status === 'created' ? started(after, order.id, body) : Promise.resolve(body),
  );
}

/** The attempt failed, or waits for a buyer who has named another method: the next one takes its place. */
async function retry(ctx: Ctx, seen: OrderView, wish: Wish, orderToken: string | null): Promise<PlacedAnswer> {
  const body = await ctx.transaction(async (inner) => {
    const { order, list } = await lockFlow(inner, seen);
    if (order.status !== 'cancelled' && lacking(order, list) > 0) await nextAttempt(inner, order, list, wish);
    return placedAnswer(inner, order.id, orderToken);
  });
  return body.payment?.status === 'created' ? started(ctx, seen.id, body) : body;
}

export const confirmPayment: Route = route(
  'POST',
  '/checkout/orders/{id}/confirm-payment',
  {
    summary: 'Asks the provider how the payment stands, or starts the next attempt',
    body: {
      paymentId: f.id().optional(),
      /** What the provider gave the browser. The provider itself is asked, so nothing is believed of it. */
      providerPayload: f.json().optional(),
      paymentMethod: f.text({ max: 60 }).optional(),
      returnUrl: f.url().optional(),
    },
    response: placedShape,
    problems: ['invalid_transition', 'payment_method_unavailable'],
  },
  async (ctx, req) => {
    const { paymentId, paymentMethod, returnUrl } = req.body;
    return confirm(ctx, await openOrder(ctx, req.params.id as string), paymentId, { paymentMethod, returnUrl });
  },
);
