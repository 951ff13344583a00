import { invalid, type Route, route } from '@storeloom/plugin-sdk';
import { draftSource } from '../drafts/placing.ts';
import { placeBody, placedShape } from './body.ts';
import { placeOrder } from './place.ts';
import { cartSource, cartToPlace } from './source.ts';

const problems = [
  'cart_empty',
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
];

export const place: Route = route(
  'POST',
  '/checkout/place',
  { summary: 'Places the order', body: placeBody, response: placedShape, status: 201, problems },
  async (ctx, req) => {
    const { cartId, cartToken, draftToken, ...request } = req.body;
    if (draftToken !== null && (cartId !== null || cartToken !== null))
      throw invalid('/draftToken', 'invalid', "can't be combined with a cart");
    const source =
      draftToken === null ? cartSource(ctx, await cartToPlace(ctx, { cartId, cartToken })) : await draftSource(ctx, draftToken);
    return placeOrder(ctx, source, { ...request, instrumentId: null });
  },
);
