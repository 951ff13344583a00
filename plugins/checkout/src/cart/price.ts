import type { Priced, PricingContext, TenderRequest } from '@storeloom/commerce';
import { type Ctx, Problem } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';
import { type PaymentOffer, paymentOffers } from '../payment/offers.ts';
import { makePricing, priceOrder } from '../pricing/service.ts';
import { pricingLines } from './lines.ts';
import { askStock, demandOf, shortages } from './stock.ts';
import { type CartLine, type CartRow, fxOf } from './table.ts';

export interface CartPrice {
  priced: Priced;
  /** Lines whose thing can't be bought any more: not in `priced`. */
  gone: ReadonlySet<string>;
  /** Variants with too little stock, and what there is. */
  short: ReadonlyMap<string, number>;
  /** What it may be paid with. */
  offers: readonly PaymentOffer[];
}

/** Members of the pricing context that a cart brings. */
export function cartContext(ctx: Ctx, cart: CartRow): Partial<PricingContext> & { purpose: 'cart' } {
  const fx = fxOf(cart);
  return {
    purpose: 'cart',
    currency: cart.currency,
    locale: cart.locale,
    codes: cart.codes,
    ...(fx === undefined ? {} : { fx }),
    ...(cart.email === null ? {} : { email: cart.email }),
    ...(cart.shippingAddress === null ? {} : { shippingAddress: cart.shippingAddress as unknown as Address }),
    ...(cart.shippingMethodId === null ? {} : { shippingMethodId: cart.shippingMethodId }),
    ...customerOf(ctx, cart),
  };
}

/** Staff and jobs see the prices of the cart's own customer, a visitor only the own ones: never another's group price. */
function customerOf(ctx: Ctx, cart: CartRow): Pick<PricingContext, 'customer'> {
  if (ctx.actor.type === 'customer') return {};
  const trusted = ctx.actor.type === 'staff' || ctx.actor.type === 'system';
  return trusted && cart.customerId !== null ? { customer: { id: cart.customerId, groupIds: [] } } : { customer: undefined };
}

/** One pricing run of the whole cart. What is gone from the catalogue is left out, so that the rest of the cart still works. */
export async function priceCart(ctx: Ctx, cart: CartRow): Promise<CartPrice> {
  const context = await makePricing(ctx).context(cartContext(ctx, cart));
  const price = (lines: readonly CartLine[]): Promise<Priced> =>
    priceOrder(ctx, {
      context,
      lines: pricingLines(lines),
      requestedTenders: offered(ctx, cart.tenders),
    });
  // The goods of a placed order are its own: they don't count against it (nor does its reservation).
  const placed = cart.status === 'locked' || cart.status === 'converted';
  const asked = placed ? undefined : askStock(ctx, pricingLines(cart.lines));
  let gone: ReadonlySet<string> = new Set();
  let priced: Priced;
  try {
    priced = await price(cart.lines);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    gone = named(error, cart.lines) ?? (await goneLines(ctx, context, cart.lines));
    if (gone.size === 0) throw error;
    priced = await price(cart.lines.filter((line) => !gone.has(line.id)));
  }
  const offers = priced.lines.length === 0 ? [] : paymentOffers(ctx, priced.context, priced.totals.amountDue);
  return {
    priced,
    gone,
    short: placed ? new Map() : await shortages(ctx, demandOf(priced.lines), asked),
    offers: await offers,
  };
}

/** Whoever refuses lines usually names them; else each is asked about by itself. */
function named({ extra }: Problem, lines: readonly CartLine[]): ReadonlySet<string> | undefined {
  const ids: readonly unknown[] = Array.isArray(extra.lines) ? extra.lines : [];
  const gone = lines.filter((line) => ids.includes(line.id)).map((line) => line.id);
  return gone.length > 0 ? new Set(gone) : undefined;
}

async function goneLines(ctx: Ctx, context: PricingContext, lines: readonly CartLine[]): Promise<Set<string>> {
  const gone = new Set<string>();
  const pricing = makePricing(ctx);
  for (const line of lines) {
    try {
      await pricing.resolve(context, pricingLines([line]));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      gone.add(line.id);
    }
  }
  return gone;
}

/** Tenders whose plugin is on. A cart ignores the others; placing refuses them. */
function offered(ctx: Ctx, tenders: CartRow['tenders']): TenderRequest[] {
  return tenderRequests(tenders).filter(({ type }) => ctx.isOn(type === 'loyalty_points' ? 'loyalty' : 'gift-cards'));
}

export function tenderRequests(tenders: CartRow['tenders']): TenderRequest[] {
  return tenders.map(({ type, code, amount }) => ({
    type,
    ...(code === null ? {} : { code }),
    ...(amount === null ? {} : { amount }),
  }));
}
