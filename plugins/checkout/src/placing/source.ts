import type { PriceRequest, PricingContext, PricingLine, TenderRequest } from '@storeloom/commerce';
import { type Ctx, problem, referenceNotFound, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { hashToken } from '@storeloom/plugin-sdk/public';
import { findCarts, findCurrentCart } from '../cart/cart.ts';
import { pricingLines } from '../cart/lines.ts';
import { tenderRequests } from '../cart/price.ts';
import { type CartRow, fxOf } from '../cart/table.ts';

/** What an order is placed from: a cart, a draft order, or a one-click line. Its row is locked. */
export interface PlaceSource {
  cart: CartRow | null;
  draftId: string | null;
  context: Partial<PricingContext> & Pick<PricingContext, 'channel' | 'currency' | 'codes'>;
  /** Line ids are new: they become those of the order's lines. */
  lines: PricingLine[];
  /** Fixed prices and discounts of a draft. */
  pricing: Pick<PriceRequest, 'fixedPrices' | 'promoteFixed' | 'manualDiscounts' | 'shippingFixed' | 'skipPromotions'>;
  tenders: TenderRequest[];
  placed: PlacedBefore | undefined;
}
/** The order that a cart or draft has already become, its sealed token, and whether it waits for an online payment. */
export interface PlacedBefore {
  orderId: string;
  orderToken: string | null;
  waits: boolean;
}

export function cartSource(ctx: Ctx, cart: CartRow): PlaceSource {
  const fx = fxOf(cart);
  return {
    cart,
    draftId: null,
    context: {
      channel: 'web',
      currency: cart.currency,
      locale: cart.locale,
      codes: cart.codes,
      ...(fx === undefined ? {} : { fx }),
    },
    lines: pricingLines(cart.lines, () => uuidv7(ctx.clock.ms())),
    pricing: {},
    tenders: tenderRequests(cart.tenders),
    placed:
      cart.orderId === null ? undefined : { orderId: cart.orderId, orderToken: cart.orderToken, waits: cart.status === 'locked' },
  };
}

/** How long a customer's repeated request finds the order of a converted cart. */
const repeatMinutes = 60;

/** The caller's cart, or the one whose token the request names. An id without the token gives no access. */
export async function cartToPlace(ctx: Ctx, named: { cartId: string | null; cartToken: string | null }): Promise<CartRow> {
  const token = named.cartToken ?? ctx.tokens.cart;
  let { cart } = await findCurrentCart(ctx, { lock: true, ...(token === undefined ? {} : { token }) });
  if (named.cartToken !== null && cart?.tokenHash !== hashToken(named.cartToken))
    cart = (await namedCart(ctx, cart, named.cartToken)) ?? cart;
  if (!cart && ctx.actor.type === 'customer') cart = await recentlyConverted(ctx, ctx.actor.customerId);
  if (named.cartId !== null && cart?.id !== named.cartId) throw referenceNotFound('/cartId');
  if (!cart) {
    if (named.cartToken !== null) throw referenceNotFound('/cartToken');
    throw problem('cart_empty', { detail: 'The customer has no open cart.' });
  }
  return cart;
}

/** The cart of a token in the body, which wins over a newer cart of the caller. */
async function namedCart(ctx: Ctx, present: CartRow | undefined, token: string): Promise<CartRow | undefined> {
  const [named] = await findCarts(ctx, sql`t.token_hash = ${hashToken(token)}`, true);
  if (!named || named.status === 'expired') throw referenceNotFound('/cartToken');
  // It was merged into the caller's cart.
  if (named.status === 'merged') return named.mergedInto === present?.id ? present : unknownToken();
  const own = ctx.actor.type === 'customer' && named.customerId === ctx.actor.customerId;
  return named.customerId === null || own ? named : unknownToken();
}
function unknownToken(): never {
  throw referenceNotFound('/cartToken');
}

async function recentlyConverted(ctx: Ctx, customerId: string): Promise<CartRow | undefined> {
  const since = new Date(ctx.clock.ms() - repeatMinutes * 60_000).toISOString();
  const rows = await findCarts(
    ctx,
    sql`t.kind = 'cart' and t.customer_id = ${customerId} and t.status = 'converted' and t.converted_at > ${since}`,
    true,
  );
  return rows.toSorted((a, b) => ((a.convertedAt ?? '') < (b.convertedAt ?? '') ? 1 : -1))[0];
}
