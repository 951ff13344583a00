import { invalid, type RateLimit, type Req, type Route, route } from '@storeloom/plugin-sdk';
import { normalizeEmail } from '@storeloom/plugin-sdk/people';
import { draftSource } from '../drafts/placing.ts';
import { placeBody, placedShape } from './body.ts';
import { placeOrder } from './place.ts';
import { cartSource, cartToPlace } from './source.ts';

const problems = [
  'cart_empty',
  'consent_required',
  'tender_unavailable',
  'cart_converted',
  'total_changed',
  'promotion_changed',
  'insufficient_stock',
  'shipping_method_required',
  'shipping_method_unavailable',
  'no_shipping_method',
  'payment_method_unavailable',
  'min_order_not_met',
  'expired',
  'rate_limited',
];

/**
 * An order sends an e-mail to any address without proof of its ownership, so the orders of an address are limited, from every network, and
 * those of a visitor. Attempts that are refused count too: a buyer needs a few to correct an order.
 */
const limits: RateLimit[] = [
  { name: 'checkout.place.network', points: 300, seconds: 600 },
  { name: 'checkout.place.address', points: 10, seconds: 600, by: addressOf },
  { name: 'checkout.place.address.day', points: 40, seconds: 86_400, by: addressOf },
  { name: 'checkout.place.visitor', points: 30, seconds: 600, by: 'visitor' },
];

/** The mailbox of the buyer: without a subaddress, because all of them are delivered to it. */
function addressOf(req: Req<unknown, unknown, unknown>): string {
  return normalizeEmail((req.body as { email: string }).email).replace(/\+[^@]*@/, '@');
}

export const place: Route = route(
  'POST',
  '/checkout/place',
  {
    summary: 'Place an order',
    body: placeBody,
    response: placedShape,
    status: 201,
    otherResponses: { 200: placedShape },
    problems,
    rateLimit: limits,
  },
  async (ctx, req) => {
    const { cartId, cartToken, draftToken, ...request } = req.body;
    if (draftToken !== null && (cartId !== null || cartToken !== null))
      throw invalid('/draftToken', 'invalid', "can't be combined with a cart");
    const source =
      draftToken === null ? cartSource(ctx, await cartToPlace(ctx, { cartId, cartToken })) : await draftSource(ctx, draftToken);
    return placeOrder(ctx, source, { ...request, instrumentId: null });
  },
);
