import { orders, type PaymentView, type PlaceInput, type PublicOrder, paymentStart, payments } from '@storeloom/commerce';
import { type Ctx, commitThen, problem, Reply } from '@storeloom/plugin-sdk';
import { isTaken, newestFirst, orderSubject } from '../payment/waiting-order.ts';
import type { PlacedBefore } from './source.ts';

export interface PaymentAnswer {
  id: string;
  status: string;
  clientSecret: string | null;
  redirectUrl: string | null;
}
export interface PlacedAnswer {
  order: PublicOrder;
  orderToken: string | null;
  payment: PaymentAnswer | null;
  warnings: { code: string; message: string }[];
}

/** A buyer whose VAT number the register didn't confirm in time is taxed like a consumer. */
const uncheckedVat = {
  code: 'vat_check_unavailable',
  message: "The VAT number couldn't be checked, so VAT is charged.",
};

export function paymentAnswer({ id, status, clientSecret, redirectUrl }: PaymentView): PaymentAnswer {
  return { id, status, clientSecret, redirectUrl };
}

const located = (orderId: string): Record<string, string> => ({ location: `/checkout/orders/${orderId}` });

/** Steps 14 to 16 of the first request: calls the payment provider after the commit. */
export async function placedReply(ctx: Ctx, input: PlaceInput): Promise<Reply<PlacedAnswer>> {
  const { orderId, payment, priced } = input;
  const order = await ctx.require(orders).publicView(orderId);
  const orderToken = input.results.orders?.token ?? null;
  const body: PlacedAnswer = {
    order,
    orderToken,
    payment: payment && { id: payment.id, status: 'created', clientSecret: null, redirectUrl: null },
    warnings: priced.taxReason === uncheckedVat.code ? [uncheckedVat] : [],
  };
  if (!payment?.online) return new Reply(201, body, { headers: located(orderId) });
  return commitThen(201, body, (after) => startPayment(after, orderId, body), located(orderId));
}

/**
 * Responds with the order that the cart or draft has already become. Starts its payment if that hasn't happened yet.
 * @throws 409 `cart_converted` for anyone but the buyer: the token of a cart, or the link of a draft, opens no personal data
 */
export async function repeatedReply(ctx: Ctx, placed: PlacedBefore, buyer: Buyer): Promise<Reply<PlacedAnswer>> {
  const { orderId, orderToken, waits } = placed;
  if (!(await isBuyer(ctx, orderId, buyer)))
    throw problem('cart_converted', { detail: 'This cart has become an order. Create a new cart.' });
  const body = await placedAnswer(ctx, orderId, orderToken === null ? null : ctx.unseal(orderToken));
  if (body.order.status === 'cancelled')
    throw problem('cart_converted', { detail: 'The order of this cart was cancelled. Create a new cart.' });
  return waits && body.payment?.status === 'created'
    ? commitThen(200, body, (after) => startPayment(after, orderId, body))
    : new Reply(200, body);
}

interface Buyer {
  /** Customer of the cart; null for a guest's cart and for drafts. */
  customerId: string | null;
  /** E-mail address of the request. */
  email: string;
}

/** A customer's cart is repeated by the customer, another one with the e-mail address of the order. */
async function isBuyer(ctx: Ctx, orderId: string, { customerId, email }: Buyer): Promise<boolean> {
  if (customerId !== null) return ctx.actor.type === 'customer' && ctx.actor.customerId === customerId;
  const order = await ctx.require(orders).get(orderId);
  return order?.email?.toLowerCase() === email.toLowerCase();
}

export async function placedAnswer(ctx: Ctx, orderId: string, orderToken: string | null): Promise<PlacedAnswer> {
  const order = await ctx.require(orders).publicView(orderId);
  const [newest] = newestFirst(await ctx.require(payments).of(orderSubject(orderId)));
  return { order, orderToken, payment: newest ? paymentAnswer(newest) : null, warnings: [] };
}

/** Calls the provider, outside any transaction. When that fails the order stays, and confirm-payment tries again. */
export async function startPayment(ctx: Ctx, orderId: string, body: PlacedAnswer): Promise<PlacedAnswer> {
  const { payment } = body;
  if (!payment) return body;
  const now = await callProvider(ctx, orderId, payment);
  if (!isTaken(now as Pick<PaymentView, 'status'>)) return { ...body, payment: now };
  const order = await ctx.transaction((inner) => inner.require(orders).publicView(orderId), { readOnly: true });
  return { ...body, order, payment: now };
}

async function callProvider(ctx: Ctx, orderId: string, payment: PaymentAnswer): Promise<PaymentAnswer> {
  try {
    const adapter = await ctx.call(paymentStart, { orderId, paymentId: payment.id });
    if (adapter) {
      const { status, clientSecret = null, redirectUrl = null } = adapter;
      return { id: payment.id, status, clientSecret, redirectUrl };
    }
    return paymentAnswer(await ctx.require(payments).startProvider(payment.id));
  } catch (error) {
    ctx.log.error({ err: error, order_id: orderId, payment_id: payment.id }, 'a payment could not be started');
    const known = await ctx.transaction((inner) => inner.require(payments).status(payment.id), { readOnly: true });
    return known ? paymentAnswer(known) : payment;
  }
}
