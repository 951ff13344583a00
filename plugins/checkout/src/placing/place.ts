import {
  customers,
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
import { answerPlaced, answerPlacedBefore } from './answer.ts';
import type { PlaceWish } from './body.ts';
import type { PlaceSource } from './source.ts';

/**
 * Steps 2–16 of placing, inside the request's transaction; the kernel repeats it after a serialisation failure. The row of the source is
 * locked, so one cart or draft makes one order however often it is asked for; whoever comes second gets the first one's order.
 */
export async function placeOrder(ctx: Ctx, source: PlaceSource, wish: PlaceWish): Promise<Reply> {
  if (source.placed) return answerPlacedBefore(ctx, source.placed);
  if (source.lines.length === 0) throw problem('cart_empty', { detail: 'The cart is empty. Add an item first.' });
  const { guestCheckout, minOrderTotal } = ctx.settings(settings);
  if (!guestCheckout && ctx.actor.type === 'guest' && source.draftId === null)
    throw problem('unauthenticated', { detail: 'This shop accepts orders from signed-in customers only.' });

  const priced = await price(ctx, source, wish);
  checkExpected(priced, wish);
  checkMinimum(priced, minOrderTotal);
  const input = await placeInput(ctx, source, wish, priced);
  try {
    // One after the other: what a tap does meanwhile must never stand in the way of the rest, nor outlive a unit that is repeated.
    await ctx.call(placeCheck, input);
    input.customerId ??= await buyer(ctx, wish);
    await ctx.call(placeCommit, input);
    await recordAgreement(ctx, wish, input.customerId);
  } catch (error) {
    throw await withNewTotals(ctx, source, wish, error);
  }
  await remember(ctx, wish, input);
  return answerPlaced(ctx, input);
}

async function price(ctx: Ctx, source: PlaceSource, wish: PlaceWish): Promise<Priced> {
  const { currency } = source.context;
  if (wish.expectedTotal.currency !== currency)
    throw domainError('/expectedTotal/currency', 'currency_mismatch', `the cart is in ${currency}`);
  const shippingMethodId = source.context.shippingMethodId ?? wish.shippingMethodId;
  const vatId = wish.vatId ?? wish.billingAddress.vatId;
  const context = await makePricing(ctx).context({
    ...source.context,
    purpose: 'place',
    email: wish.email,
    billingAddress: wish.billingAddress satisfies Address,
    paymentMethod: wish.paymentMethod,
    ...(wish.shippingAddress === null ? {} : { shippingAddress: wish.shippingAddress }),
    // A method that staff chose stands.
    ...(shippingMethodId === null ? {} : { shippingMethodId }),
    ...(wish.quoteToken === null ? {} : { quoteToken: wish.quoteToken }),
    ...(wish.pickupPointId === null ? {} : { pickupPointId: wish.pickupPointId }),
    // Until taxes has looked at it, a number proves nothing.
    ...(vatId === null ? {} : { vat: { number: vatId, status: 'unavailable' as const } }),
  });
  const requestedTenders = wish.tenders === null ? source.tenders : bodyTenders(wish.tenders, currency);
  return priceOrder(ctx, { ...source.pricing, context, lines: source.lines, requestedTenders, strict: true });
}

function bodyTenders(tenders: NonNullable<PlaceWish['tenders']>, currency: string): TenderRequest[] {
  return tenders.map(({ type, code, amount }, i) => {
    if (amount && amount.currency !== currency)
      throw domainError(`/tenders/${i}/amount/currency`, 'currency_mismatch', `the cart is in ${currency}`);
    return { type, ...(code === null ? {} : { code }), ...(amount ? { amount: amount.amount } : {}) };
  });
}

/** Step 11: nobody pays another total than the one that was shown. */
function checkExpected({ context, totals, promotions, ...priced }: Priced, { expectedTotal }: PlaceWish): void {
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

/** Who lost a promotion to somebody faster sees what the order costs without it. */
async function withNewTotals(ctx: Ctx, source: PlaceSource, wish: PlaceWish, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.code !== 'promotion_changed' || error.extra.totals !== undefined) return error;
  const { totals, context } = await price(ctx, source, wish);
  return problem('promotion_changed', { ...error.extra, totals: totalsView(totals, context.currency) });
}

/** The goods after discounts must be worth so much; a cart in another currency is measured at its own rate. */
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

async function placeInput(ctx: Ctx, source: PlaceSource, wish: PlaceWish, priced: Priced): Promise<PlaceInput> {
  const { context, totals } = priced;
  const { actor } = ctx;
  const payment = totals.amountDue === 0 ? null : await chosenMethod(ctx, context, wish, totals.amountDue);
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
      terms: wish.consents.terms,
      ...(wish.consents.marketing === null ? {} : { marketing: wish.consents.marketing }),
      ...(wish.consents.age === null ? {} : { age: wish.consents.age }),
    },
    note: wish.note,
    poNumber: wish.poNumber,
    email: wish.email,
    phone: wish.billingAddress.phone ?? wish.shippingAddress?.phone ?? null,
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
  wish: PlaceWish,
  due: number,
): Promise<NonNullable<PlaceInput['payment']>> {
  const offered = await paymentOffers(ctx, context, due);
  const method = offered.find(({ code }) => code === wish.paymentMethod);
  if (!method) throw domainError('/paymentMethod', 'payment_method_unavailable', 'is not available for this order');
  if (wish.savePaymentMethod && ctx.actor.type !== 'customer')
    throw invalid('/savePaymentMethod', 'invalid', 'is for signed-in customers only');
  return {
    id: uuidv7(ctx.clock.ms()),
    methodCode: method.code,
    provider: method.provider,
    online: method.online,
    paidLater: paysLater(method),
    amount: due,
    returnUrl: wish.returnUrl,
    saveInstrument: wish.savePaymentMethod,
    instrumentId: wish.instrumentId,
  };
}

/** Who isn't signed in gets a record by e-mail, so that orders, mails and erasure know whose they are. */
async function buyer(ctx: Ctx, wish: PlaceWish): Promise<string> {
  const { firstName, lastName, company, vatId, phone } = wish.billingAddress;
  const { id, created } = await ctx
    .require(customers)
    .upsert({ email: wish.email, phone, firstName, lastName, company, vatId: wish.vatId ?? vatId });
  // A stranger's tick must not subscribe somebody who has a record already.
  if (created && wish.consents.marketing) await marketingConsent(ctx, id);
  return id;
}

function marketingConsent(ctx: Ctx, customerId: string): Promise<void> {
  return ctx.require(customers).recordConsent({
    purpose: 'marketing',
    granted: true,
    source: 'checkout',
    subject: customerId,
    customerId,
    ip: ctx.ip,
  });
}

/** What the buyer ticked, once a version of the text. One click repeats what was agreed to before. */
async function recordAgreement(ctx: Ctx, { consents, instrumentId }: PlaceWish, customerId: string): Promise<void> {
  if (instrumentId !== null) return;
  for (const purpose of ['terms', 'age'] as const)
    if (consents[purpose])
      await ctx
        .require(customers)
        .recordConsent({ purpose, granted: true, source: 'checkout', subject: customerId, customerId, ip: ctx.ip, once: true });
}

/** What a signed-in customer asked to keep. */
async function remember(ctx: Ctx, wish: PlaceWish, input: PlaceInput): Promise<void> {
  if (ctx.actor.type !== 'customer' || input.customerId === null) return;
  if (wish.consents.marketing) await marketingConsent(ctx, input.customerId);
  if (wish.saveAddress)
    await ctx.require(customers).saveAddress(input.customerId, { ...(wish.shippingAddress ?? wish.billingAddress) });
}
