import {
  type PlaceInput,
  type Priced,
  type PricingContext,
  placeCheck,
  placeCommit,
  type TenderRequest,
} from '@storeloom/commerce';
import { type Ctx, domainError, invalid, Problem, problem, type Reply, uuidv7 } from '@storeloom/plugin-sdk';
import { convert, money } from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';
import { promotionsView } from '../cart/view.ts';
import { paymentDueAt, paysLater } from '../payment/due.ts';
import { paymentOffers } from '../payment/offers.ts';
import { makePricing, priceOrder, totalsView } from '../pricing/service.ts';
import { settings } from '../settings.ts';
import { type PlacedAnswer, placedReply, repeatedReply } from './answer.ts';
import type { PlaceOrderInput } from './body.ts';
import { guestCustomer, recordConsents, saveForCustomer } from './buyer.ts';
import type { PlaceSource } from './source.ts';

/**
 * Steps 2 to 16 of placing, in the request's transaction, which the kernel repeats after a serialisation failure. The source row is locked,
 * so a cart or draft becomes one order only; a repeated request responds with that order.
 */
export async function placeOrder(ctx: Ctx, source: PlaceSource, request: PlaceOrderInput): Promise<Reply<PlacedAnswer>> {
  if (source.placed)
    return repeatedReply(ctx, source.placed, { customerId: source.cart?.customerId ?? null, email: request.email });
  if (source.lines.length === 0) throw problem('cart_empty', { detail: 'The cart is empty. Add an item first.' });
  const { guestCheckout, minOrderTotal } = ctx.settings(settings);
  if (!guestCheckout && ctx.actor.type === 'guest' && source.draftId === null)
    throw problem('unauthenticated', { detail: 'This shop accepts orders from signed-in customers only.' });

  const priced = await price(ctx, source, request);
  checkExpected(priced, request);
  checkMinimum(priced, minOrderTotal);
  const input = await placeInput(ctx, source, request, priced);
  try {
    // The record of a refused order's buyer is rolled back with it.
    const [customerId] = await together(input.customerId ?? guestCustomer(ctx, request), ctx.call(placeCheck, input));
    input.customerId = customerId;
    await together(recordConsents(ctx, request, customerId), ctx.call(placeCommit, input));
  } catch (error) {
    throw await withNewTotals(ctx, source, request, error);
  }
  await saveForCustomer(ctx, request, input);
  return placedReply(ctx, input);
}

/**
 * Runs two parts of the work at the same time, so that their statements share round trips. Waits for both even if one fails: a query that
 * still runs would outlive a transaction that is repeated.
 */
async function together<A, B>(first: A | Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (b.status === 'rejected') throw b.reason;
  if (a.status === 'rejected') throw a.reason;
  return [a.value, b.value];
}

async function price(ctx: Ctx, source: PlaceSource, request: PlaceOrderInput): Promise<Priced> {
  const { currency } = source.context;
  if (request.expectedTotal.currency !== currency)
    throw domainError('/expectedTotal/currency', 'currency_mismatch', `the cart is in ${currency}`);
  const shippingMethodId = source.context.shippingMethodId ?? request.shippingMethodId;
  const vatId = request.vatId ?? request.billingAddress.vatId;
  const context = await makePricing(ctx).context({
    ...source.context,
    purpose: 'place',
    email: request.email,
    billingAddress: request.billingAddress satisfies Address,
    paymentMethod: request.paymentMethod,
    ...(request.shippingAddress === null ? {} : { shippingAddress: request.shippingAddress }),
    // A draft's method was chosen by staff and wins.
    ...(shippingMethodId === null ? {} : { shippingMethodId }),
    ...(request.quoteToken === null ? {} : { quoteToken: request.quoteToken }),
    ...(request.pickupPointId === null ? {} : { pickupPointId: request.pickupPointId }),
    // Taxes checks the number in `contextResolve`.
    ...(vatId === null ? {} : { vat: { number: vatId, status: 'unavailable' as const } }),
  });
  const requestedTenders = request.tenders === null ? source.tenders : bodyTenders(request.tenders, currency);
  const priced = await priceOrder(ctx, { ...source.pricing, context, lines: source.lines, requestedTenders, strict: true });
  if (priced.shippingLines.length > 0) return priced;
  // Nothing was shipped by the method, so nothing has looked its id up.
  const { shippingMethodId: _, ...kept } = priced.context;
  return { ...priced, context: kept };
}

function bodyTenders(tenders: NonNullable<PlaceOrderInput['tenders']>, currency: string): TenderRequest[] {
  return tenders.map(({ type, code, amount }, i) => {
    if (amount && amount.currency !== currency)
      throw domainError(`/tenders/${i}/amount/currency`, 'currency_mismatch', `the cart is in ${currency}`);
    return { type, ...(code === null ? {} : { code }), ...(amount ? { amount: amount.amount } : {}) };
  });
}

/** Step 11: the buyer pays the total that they were shown, else 409 with the new one. */
function checkExpected({ context, totals, promotions, ...priced }: Priced, { expectedTotal }: PlaceOrderInput): void {
  if (totals.total === expectedTotal.amount) return;
  const view = totalsView(totals, context.currency);
  if (promotions.some((entry) => !entry.applied))
    throw problem('promotion_changed', {
      detail: 'A promotion code no longer applies. Review the new total.',
      totals: view,
      promotions: promotionsView({ context, totals, promotions, ...priced }, context.currency),
    });
  throw problem('total_changed', { detail: 'The total differs from expectedTotal. Review the new total.', totals: view });
}

/** Adds the new totals when a concurrent order used up a promotion. */
async function withNewTotals(ctx: Ctx, source: PlaceSource, request: PlaceOrderInput, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.code !== 'promotion_changed' || error.extra.totals !== undefined) return error;
  const { totals, context } = await price(ctx, source, request);
  return problem('promotion_changed', { ...error.extra, totals: totalsView(totals, context.currency) });
}

/** Compares the discounted items with the minimum order value, converted at the cart's rate. */
function checkMinimum({ context, totals }: Priced, minimum: { amount: number; currency: string } | null): void {
  if (minimum === null) return;
  const { currency, fx } = context;
  if (minimum.currency !== currency && fx === undefined) return;
  const least = minimum.currency === currency || fx === undefined ? minimum.amount : convert(minimum, currency, fx.rate).amount;
  const missing = least - (totals.itemsSubtotal - totals.itemsDiscount);
  if (missing > 0)
    throw problem('min_order_not_met', {
      detail: 'The order is below the minimum order value of the shop.',
      missing: money(missing, currency),
    });
}

async function placeInput(ctx: Ctx, source: PlaceSource, request: PlaceOrderInput, priced: Priced): Promise<PlaceInput> {
  const { context, totals } = priced;
  const { actor } = ctx;
  const payment = totals.amountDue === 0 ? null : await chosenMethod(ctx, context, request, totals.amountDue);
  return {
    context,
    cart: source.cart && {
      id: source.cart.id,
      customerId: source.cart.customerId,
      status: source.cart.status === 'abandoned' ? 'abandoned' : 'open',
    },
    draftId: source.draftId,
    customerId: actor.type === 'customer' ? actor.customerId : (source.context.customer?.id ?? null),
    orderId: uuidv7(ctx.clock.ms()),
    priced,
    expiresAt: payment && paymentDueAt(ctx, payment),
    consents: {
      terms: request.consents.terms,
      ...(request.consents.marketing === null ? {} : { marketing: request.consents.marketing }),
      ...(request.consents.age === null ? {} : { age: request.consents.age }),
    },
    note: request.note,
    poNumber: request.poNumber,
    email: request.email,
    phone: request.billingAddress.phone ?? request.shippingAddress?.phone ?? null,
    payment,
    ip: ctx.ip,
    userAgent: ctx.userAgent,
    results: {},
    hold: priced.taxHold ? { reason: 'tax_check' } : null,
  };
}

async function chosenMethod(
  ctx: Ctx,
  context: PricingContext,
  request: PlaceOrderInput,
  due: number,
): Promise<NonNullable<PlaceInput['payment']>> {
  const offered = await paymentOffers(ctx, context, due);
  const method = offered.find(({ code }) => code === request.paymentMethod);
  if (!method) throw domainError('/paymentMethod', 'payment_method_unavailable', 'is not available for this order');
  if (request.savePaymentMethod && ctx.actor.type !== 'customer')
    throw invalid('/savePaymentMethod', 'invalid', 'is for signed-in customers only');
  return {
    id: uuidv7(ctx.clock.ms()),
    methodCode: method.code,
    provider: method.provider,
    online: method.online,
    paidLater: paysLater(method),
    amount: due,
    returnUrl: request.returnUrl,
    saveInstrument: request.savePaymentMethod,
    instrumentId: request.instrumentId,
  };
}
