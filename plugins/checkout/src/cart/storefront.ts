import { promotions } from '@storeloom/commerce';
import {
  type Ctx,
  checkVersion,
  created,
  domainError,
  f,
  invalid,
  noContent,
  notFound,
  problem,
  type Route,
  type RowOf,
  route,
  uuidv7,
  type Warning,
} from '@storeloom/plugin-sdk';
import { sameCode } from '../pricing/priced.ts';
import { settings } from '../settings.ts';
import {
  cartCookie,
  findCartToFill,
  findCurrentCart,
  findEditableCart,
  newCart,
  saveCart,
  withCookie,
  withNewCart,
} from './cart.ts';
import { addLine, type LineInput, maxLines, setQuantity } from './lines.ts';
import { type CartPrice, priceCart } from './price.ts';
import { checkCodeApplies, checkCurrency, checkLine, checkLocale } from './rules.ts';
import { cartShape } from './shape.ts';
import { type CartRow, cart as cartTable } from './table.ts';
import { cartView, emptyCartView } from './view.ts';

/** Limits the stored list. The promotions plugin decides how many codes apply. */
const maxCodes = 20;

const itemBody = {
  kind: f.text({ max: 60, pattern: /^(product|[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*)$/ }).default('product'),
  variantId: f.id().optional(),
  data: f.json({ max: 4096 }).optional(),
  quantity: f.int({ min: 1, max: 1_000_000 }),
  options: f.json({ max: 2048 }).optional(),
  custom: f.json({ max: 4096 }).optional(),
  currency: f.text({ min: 3, max: 3, pattern: /^[A-Z]{3}$/ }).optional(),
  locale: f.text({ max: 20 }).optional(),
};

function lineInputOf(body: { kind: string } & LineInput): LineInput {
  const { kind, variantId, data, quantity, options, custom } = body;
  if (kind === 'product' && variantId === null) throw invalid('/variantId', 'required', 'is required');
  if (kind !== 'product' && variantId !== null) throw invalid('/variantId', 'invalid', `is required for a line of ${kind}`);
  for (const [name, value] of Object.entries(options ?? {}))
    if (typeof value !== 'string' || value.length > 200)
      throw invalid(`/options/${name}`, 'invalid', 'must be text of at most 200 characters');
  return { kind, variantId, data, quantity, options, custom };
}

/** Prices, checks and stores a changed cart. The caller holds the cart's lock. */
async function change(
  ctx: Ctx,
  next: CartRow,
  check: (price: CartPrice) => Promise<void> | void,
  warnings: readonly Warning[] = [],
): Promise<RowOf<typeof cartShape>> {
  const price = await priceCart(ctx, next);
  await check(price);
  return cartView(ctx, await saveCart(ctx, next, price), price, warnings);
}

const getCart = route('GET', '/cart/', { summary: 'Get the visitor’s cart', writes: true, response: cartShape }, async (ctx) => {
  const { cart, warnings } = await findCurrentCart(ctx, { lock: false });
  if (!cart) return emptyCartView(ctx);
  return cartView(ctx, cart, await priceCart(ctx, cart), warnings);
});

const addItem = route(
  'POST',
  '/cart/items',
  {
    summary: 'Add an item to the cart; a new cart is created if there is none, or if it was ordered',
    body: itemBody,
    response: cartShape,
    status: 201,
    otherResponses: { 200: cartShape },
    problems: ['insufficient_stock', 'invalid_interval', 'cart_converted'],
  },
  async (ctx, req) => {
    const { body } = req;
    const input = lineInputOf(body);
    const currency = body.currency === null ? undefined : await checkCurrency(ctx, body.currency);
    const locale = body.locale === null ? undefined : checkLocale(ctx, body.locale);
    return withNewCart(ctx, async () => {
      const found = await findCartToFill(ctx);
      const base = found.cart ?? newCart(ctx);
      const { lines, line, merged } = addLine(base.lines, input, uuidv7(ctx.clock.ms()));
      if (lines.length > maxLines) throw invalid('', 'too_many', `must have at most ${maxLines} lines`);
      const next = { ...base, lines, ...(locale === undefined ? {} : { locale }), ...otherCurrency(base, currency) };
      const item = input.variantId === null ? '/kind' : '/variantId';
      const check = (price: CartPrice) => checkLine(ctx, line.id, price, { item, quantity: '/quantity' });
      const view = await change(ctx, next, check, found.warnings);
      if (found.cart && !found.ordered) return merged ? view : created('/cart/', view);
      if (found.ordered && !found.cart) await ctx.rows(cartTable).update(found.ordered.id, { mergedInto: base.id });
      const cookie = cartCookie(req.host, view.cartToken as string, ctx.settings(settings).cartTtlDays);
      return withCookie(201, view, { location: '/cart/', 'set-cookie': cookie });
    });
  },
);

/** A new currency clears the rate; the next pricing run sets the current one. */
function otherCurrency(base: CartRow, currency: string | undefined): Partial<CartRow> {
  if (currency === undefined || currency === base.currency) return {};
  return { currency, fx: null, value: { amount: 0, currency } };
}

async function requireCart(ctx: Ctx): Promise<{ base: CartRow; warnings: Warning[] }> {
  const { cart, warnings } = await findEditableCart(ctx);
  if (!cart) throw notFound('The customer has no open cart.');
  return { base: cart, warnings };
}

const changeCart = route(
  'PATCH',
  '/cart/',
  {
    summary: 'Set the payment method and the country that the buyer intends, before checkout',
    additive: true,
    body: {
      paymentMethod: f.text({ max: 60 }).optional(),
      country: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }).optional(),
    },
    partial: true,
    response: cartShape,
    problems: ['cart_converted', 'version_conflict', 'payment_method_unavailable'],
  },
  async (ctx, req) => {
    const { base, warnings } = await requireCart(ctx);
    checkVersion(req.ifMatch, base);
    const { paymentMethod = base.paymentMethod, country = base.country } = req.body;
    const check = ({ offers }: CartPrice): void => {
      if (paymentMethod !== null && paymentMethod !== base.paymentMethod && !offers.some(({ code }) => code === paymentMethod))
        throw domainError('/paymentMethod', 'payment_method_unavailable', 'is not available for this cart');
    };
    return change(ctx, { ...base, paymentMethod, country }, check, warnings);
  },
);

const changeItem = route(
  'PATCH',
  '/cart/items/{id}',
  {
    summary: 'Set the quantity of a line; 0 removes it',
    body: { quantity: f.int({ min: 0, max: 1_000_000 }) },
    partial: false,
    response: cartShape,
    problems: ['insufficient_stock', 'cart_converted', 'version_conflict'],
  },
  async (ctx, req) => {
    const { base, warnings } = await requireCart(ctx);
    checkVersion(req.ifMatch, base);
    const { id } = req.params;
    const { quantity } = req.body;
    const lines = setQuantity(base.lines, id as string, quantity);
    if (!lines) throw notFound('There is no such line on your cart.');
    const pointer = { item: '/quantity', quantity: '/quantity' };
    const check = (price: CartPrice) => (quantity === 0 ? undefined : checkLine(ctx, id as string, price, pointer));
    return change(ctx, { ...base, lines }, check, warnings);
  },
);

const removeItem = route(
  'DELETE',
  '/cart/items/{id}',
  { summary: 'Remove a line', status: 204, problems: ['cart_converted', 'version_conflict'] },
  async (ctx, req) => {
    const { base, warnings } = await requireCart(ctx);
    checkVersion(req.ifMatch, base);
    const lines = setQuantity(base.lines, req.params.id as string, 0);
    if (!lines) throw notFound('There is no such line on your cart.');
    await change(ctx, { ...base, lines }, () => undefined, warnings);
    return noContent();
  },
);

const addCode = route(
  'POST',
  '/cart/promotion',
  {
    summary: 'Enter a promotion code',
    body: { code: f.text({ max: 60 }) },
    response: cartShape,
    problems: [
      'coupon_not_found',
      'coupon_not_started',
      'coupon_expired',
      'coupon_usage_limit',
      'coupon_customer_limit',
      'coupon_min_not_met',
      'coupon_not_eligible',
      'coupon_not_combinable',
      'cart_converted',
    ],
    rateLimit: [
      { points: 20, seconds: 60, name: 'checkout.code.visitor' },
      { points: 600, seconds: 60, by: 'tenant', name: 'checkout.code.tenant' },
    ],
  },
  async (ctx, req) => {
    const { code } = req.body;
    const { base, warnings } = await requireCart(ctx);
    if (base.codes.some((each) => sameCode(each, code))) return cartView(ctx, base, await priceCart(ctx, base), warnings);
    const service = ctx.use(promotions);
    if (!service)
      throw problem('coupon_not_found', { errors: [{ pointer: '/code', code: 'coupon_not_found', message: 'is unknown' }] });
    await service.checkCode(code, {
      ...(base.email === null ? {} : { email: base.email }),
      ...(ctx.actor.type === 'customer' ? { customerId: ctx.actor.customerId } : {}),
    });
    if (base.codes.length >= maxCodes)
      throw problem('coupon_not_combinable', { detail: 'The cart has the maximum number of codes. Remove one first.' });
    const check = (price: CartPrice) => checkCodeApplies(code, price);
    return change(ctx, { ...base, codes: [...base.codes, code] }, check, warnings);
  },
);

const removeCode = route(
  'DELETE',
  '/cart/promotion/{code}',
  {
    summary: 'Remove a promotion code',
    params: { code: f.text({ max: 60 }) },
    status: 204,
    problems: ['cart_converted'],
  },
  async (ctx, req) => {
    const { base, warnings } = await requireCart(ctx);
    const codes = base.codes.filter((each) => !sameCode(each, req.params.code));
    if (codes.length === base.codes.length) throw notFound('The code is not on your cart.');
    await change(ctx, { ...base, codes }, () => undefined, warnings);
    return noContent();
  },
);

export const cartRoutes: Route[] = [getCart, changeCart, addItem, changeItem, removeItem, addCode, removeCode];
