import type { Priced, PricingContext, TenderRequest } from '@storeloom/commerce';
import { type Ctx, Problem } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';
import { type PaymentOffer, paymentOffers } from '../payment/offers.ts';
import { makePricing, priceOrder } from '../pricing/service.ts';
import { pricingLines } from './lines.ts';
import { demandOf, prefetchStock, shortages } from './stock.ts';
import { type CartLine, type CartRow, fxOf } from './table.ts';

export interface CartPrice {
  priced: Priced;
  /** Ids of lines whose item is no longer sold. They are missing in `priced`. */
  unavailable: ReadonlySet<string>;
  /** Available units by variant, of variants with insufficient stock. */
  short: ReadonlyMap<string, number>;
  /** Payment methods for the cart. */
  offers: readonly PaymentOffer[];
}

/** Pricing context of a cart. */
export function cartContext(ctx: Ctx, cart: CartRow): Partial<PricingContext> & { purpose: 'cart' } {
  const fx = fxOf(cart);
  return {
    purpose: 'cart',
    currency: cart.currency,
    locale: cart.locale,
    codes: cart.codes,
    ...(fx === undefined ? {} : { fx }),
    ...(cart.email === null ? {} : { email: cart.email }),
    ...(cart.shippingAddress === null ? {} : { shippingAddress: cart.shippingAddress as Address }),
    ...(cart.paymentMethod === null ? {} : { paymentMethod: cart.paymentMethod }),
    ...(cart.country === null ? {} : { country: cart.country }),
    ...(cart.shippingMethodId === null ? {} : { shippingMethodId: cart.shippingMethodId }),
    ...customerOf(ctx, cart),
  };
}

/** Staff and jobs see the cart customer's prices. A visitor must not see the group prices of another customer. */
function customerOf(ctx: Ctx, cart: CartRow): Pick<PricingContext, 'customer'> {
  if (ctx.actor.type === 'customer') return {};
  const trusted = ctx.actor.type === 'staff' || ctx.actor.type === 'system';
  return trusted && cart.customerId !== null ? { customer: { id: cart.customerId, groupIds: [] } } : { customer: undefined };
}

/** The order of a placed cart already holds its stock, so the cart itself needs none. */
export const isPlaced = ({ status }: Pick<CartRow, 'status'>): boolean => status === 'locked' || status === 'converted';

/** Prices the cart. Leaves out lines whose item is no longer sold, so that the buyer can still use the rest of the cart. */
export async function priceCart(ctx: Ctx, cart: CartRow): Promise<CartPrice> {
  const context = await makePricing(ctx).context(cartContext(ctx, cart));
  const price = (lines: readonly CartLine[]): Promise<Priced> =>
    priceOrder(ctx, {
      context,
      lines: pricingLines(lines),
      requestedTenders: enabledTenders(ctx, cart.tenders),
    });
  const placed = isPlaced(cart);
  const prefetched = placed ? undefined : prefetchStock(ctx, pricingLines(cart.lines));
  let unavailable: ReadonlySet<string> = new Set();
  let priced: Priced;
  try {
    priced = await price(cart.lines);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    unavailable = linesNamedBy(error, cart.lines) ?? (await findUnavailableLines(ctx, context, cart.lines));
    if (unavailable.size === 0) throw error;
    priced = await price(cart.lines.filter((line) => !unavailable.has(line.id)));
  }
  const offers = priced.lines.length === 0 ? [] : paymentOffers(ctx, priced.context, priced.totals.amountDue);
  return {
    priced,
    unavailable,
    short: placed ? new Map() : await shortages(ctx, demandOf(priced.lines), prefetched),
    offers: await offers,
  };
}

/** Reads the unavailable lines from a problem that names them in `lines`. Without names, `findUnavailableLines` resolves each line. */
function linesNamedBy({ extra }: Problem, lines: readonly CartLine[]): ReadonlySet<string> | undefined {
  const ids: readonly unknown[] = Array.isArray(extra.lines) ? extra.lines : [];
  const unavailable = lines.filter((line) => ids.includes(line.id)).map((line) => line.id);
  return unavailable.length > 0 ? new Set(unavailable) : undefined;
}

async function findUnavailableLines(ctx: Ctx, context: PricingContext, lines: readonly CartLine[]): Promise<Set<string>> {
  const unavailable = new Set<string>();
  const pricing = makePricing(ctx);
  for (const line of lines) {
    try {
      await pricing.resolve(context, pricingLines([line]));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      unavailable.add(line.id);
    }
  }
  return unavailable;
}

/** Tenders whose plugin is on. A cart ignores the others; placing an order rejects them. */
function enabledTenders(ctx: Ctx, tenders: CartRow['tenders']): TenderRequest[] {
  return tenderRequests(tenders).filter(({ type }) => ctx.isOn(type === 'loyalty_points' ? 'loyalty' : 'gift-cards'));
}

export function tenderRequests(tenders: CartRow['tenders']): TenderRequest[] {
  return tenders.map(({ type, code, amount }) => ({
    type,
    ...(code === null ? {} : { code }),
    ...(amount === null ? {} : { amount }),
  }));
}
