import { type PricingContext, type PricingLine, type ShippingQuote, shipping, taxQuote } from '@storeloom/commerce';
import {
  type Ctx,
  f,
  invalid,
  listOf,
  type Route,
  type RowOf,
  referenceNotFound,
  route,
  uuidv7,
  type Warning,
} from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { placeAddress, placeFields } from '../address.ts';
import type { PricingHost } from '../pricing/host.ts';
import { openSheet } from '../pricing/pipeline.ts';
import { makePricing, pricingHost } from '../pricing/service.ts';
import { checkAddress, collectQuotes, quoteHash, shippingIsOn, shippingLines } from '../pricing/shipping.ts';
import type { DiscountRun } from '../pricing/sink.ts';
import { sheetRates } from '../pricing/tax.ts';
import { endAbandonment } from '../recovery/abandoned.ts';
import { findCurrentCart } from './cart.ts';
import { recordTransition } from './history.ts';
import { type LineInput, maxLines, pricingLines } from './lines.ts';
import { cartContext } from './price.ts';
import { type CartRow, cart } from './table.ts';

const quoteShape = {
  methodId: f.id(),
  code: f.text(),
  carrier: f.text().optional(),
  name: f.text(),
  price: f.money(),
  tax: f.money(),
  etaMinDays: f.int().optional(),
  etaMaxDays: f.int().optional(),
  pickupPoints: f.list(f.object({ id: f.text(), name: f.text(), address: f.text({ max: 500 }) })).optional(),
  quoteToken: f.text({ max: 2000 }).optional(),
  expiresAt: f.instant().optional(),
};
type QuoteView = RowOf<typeof quoteShape>;

/** Tax of each quote if the buyer chose it for these items. */
async function quoteTaxes(
  host: PricingHost,
  context: PricingContext,
  run: DiscountRun,
  quotes: readonly ShippingQuote[],
): Promise<number[]> {
  const categoryIds = [...new Set([...run.sheet.taxCategoryIds(), ...quotes.flatMap((quote) => quote.taxCategoryId ?? [])])];
  const answer = await host.call(taxQuote, { context, categoryIds });
  if (!answer) return quotes.map(() => 0);
  const rates = sheetRates(answer);
  return quotes.map(({ code, methodId, price, taxCategoryId }) => {
    const sheet = run.sheet.fork();
    sheet.setShipping([{ code, name: code, methodId, amount: price, ...(taxCategoryId === undefined ? {} : { taxCategoryId }) }]);
    sheet.setTaxes(rates);
    return sheet.finish().shippingLines.reduce((sum, line) => sum + line.tax, 0);
  });
}

async function quoteViews(
  ctx: Ctx,
  context: PricingContext,
  lines: PricingLine[],
): Promise<{ data: QuoteView[]; warnings: Warning[] }> {
  const host = pricingHost(ctx, context.purpose);
  const run = await openSheet(host, { context, lines });
  if (!shippingIsOn(host) || !run.resolved.some((line) => line.ships)) return { data: [], warnings: [] };
  checkAddress(context, run);
  const { quotes, warnings } = await collectQuotes(host, context, run);
  if (quotes.length === 0)
    warnings.push({ code: 'no_shipping_method', message: 'No shipping method is available for this address' });
  const taxes = await quoteTaxes(host, context, run, quotes);
  const hash = quoteHash(context, shippingLines(run.lines()));
  const { currency } = context;
  const data = quotes.map((quote, i) => {
    const signed = ctx.use(shipping)?.signQuote({ methodId: quote.methodId, price: quote.price, currency, hash });
    return {
      methodId: quote.methodId,
      code: quote.code,
      carrier: quote.carrier,
      name: localizedText(quote.name, ctx.locale, ctx.tenant.defaultLocale) ?? quote.code,
      price: money(quote.price, currency),
      tax: money(taxes[i] ?? 0, currency),
      etaMinDays: quote.etaMinDays,
      etaMaxDays: quote.etaMaxDays,
      pickupPoints: quote.pickupPoints,
      quoteToken: signed?.quoteToken ?? null,
      expiresAt: signed?.expiresAt ?? null,
    };
  });
  return { data, warnings };
}

/** Stores the address for the cart's tax and the e-mail address for recovery. A locked or converted cart stays unchanged. */
async function saveAddress(ctx: Ctx, row: CartRow, changes: Pick<CartRow, 'shippingAddress' | 'email'>): Promise<void> {
  if (row.status === 'abandoned') await endAbandonment(ctx, row.id);
  await recordTransition(ctx, row, 'open');
  await ctx.rows(cart).update(row.id, { status: 'open', ...changes, lastActivityAt: ctx.clock.now() });
}

function linesOfBody(ctx: Ctx, lines: readonly { variantId: string; quantity: number }[]): PricingLine[] {
  const inputs = lines.map((line): LineInput => ({ ...line, kind: 'product', data: null, options: null, custom: null }));
  return pricingLines(inputs.map((input) => ({ ...input, id: uuidv7(ctx.clock.ms()), title: '' })));
}

export const shippingQuotes: Route = route(
  'POST',
  '/checkout/shipping-quotes',
  {
    summary: 'Quote shipping methods for a cart, or for variants',
    body: {
      cartToken: f.text({ max: 200 }).optional().example(null),
      lines: f
        .list(f.object({ variantId: f.id(), quantity: f.int({ min: 1, max: 1_000_000 }) }), { min: 1, max: maxLines })
        .optional(),
      address: f.object(placeFields),
      email: f.email().optional(),
    },
    response: quoteShape,
    list: true,
  },
  async (ctx, req) => {
    const { cartToken, lines, email } = req.body;
    const shippingAddress = placeAddress(req.body.address);
    if (lines !== null) {
      if (cartToken !== null) throw invalid('/lines', 'invalid', "can't be combined with a cart");
      const context = await makePricing(ctx).context({ purpose: 'cart', shippingAddress, ...(email === null ? {} : { email }) });
      const { data, warnings } = await quoteViews(ctx, context, linesOfBody(ctx, lines));
      return { ...listOf(data), warnings };
    }
    const found = await findCurrentCart(ctx, { lock: true, ...(cartToken === null ? {} : { token: cartToken }) });
    if (!found.cart) throw referenceNotFound('/cartToken');
    const { cart: row } = found;
    const isEditable = row.status === 'open' || row.status === 'abandoned';
    const changes = isEditable ? { shippingAddress: { ...shippingAddress }, email: email ?? row.email } : {};
    const quoted = async (): ReturnType<typeof quoteViews> => {
      const { shippingMethodId: _, ...base } = cartContext(ctx, { ...row, ...changes });
      const context = await makePricing(ctx).context({ ...base, shippingAddress });
      return quoteViews(ctx, context, pricingLines(row.lines));
    };
    // The quotes don't read the cart again, so they needn't wait until it is saved.
    const [{ data, warnings }] = await Promise.all([
      quoted(),
      ...(isEditable ? [saveAddress(ctx, row, { shippingAddress: { ...shippingAddress }, email: email ?? row.email })] : []),
    ]);
    return { ...listOf(data), warnings: [...warnings, ...found.warnings] };
  },
);
