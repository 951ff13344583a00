import { payments, type placeCheck, type shippingQuote, type surchargesCollect } from '@storeloom/commerce';
import { type Ctx, problem, sql, type TapFn } from '@storeloom/plugin-sdk';
import en from '../../locales/en.json' with { type: 'json' };
import ro from '../../locales/ro.json' with { type: 'json' };
import { method } from '../method/method.ts';
import { matchZone } from '../zone/match.ts';
import { zone } from '../zone/zone.ts';
import { carrierQuotes, quoteOf } from './carrier-quotes.ts';
import { exchangeFor } from './exchange.ts';
import { offersFor } from './offers.ts';
import { ratePrice, shipmentOf } from './rate-price.ts';

const texts: Record<string, Record<string, string>> = { ro, en };

/** Quotes of the shop's methods, then of carriers. One query if no carrier is called. */
export const quoteMethods: TapFn<typeof shippingQuote> = async (ctx, { context, lines, itemsSubtotal, itemsTotal }) => {
  const { shippingAddress } = context;
  if (!shippingAddress || !lines.some((line) => line.ships)) return [];
  const offers = await offersFor(ctx, shippingAddress);
  const shipment = shipmentOf(lines, { itemsSubtotal: itemsSubtotal ?? itemsTotal, itemsTotal });
  const own = offers.methods.filter(({ type }) => type !== 'carrier');
  const amounts = own.flatMap(({ price, freeOver, rates }) => [
    price,
    freeOver,
    ...rates.flatMap((rate) => [rate.price, rate.freeOver]),
  ]);
  const exchange = await exchangeFor(ctx, context, amounts);
  const quotes = own.flatMap((each) => {
    const price = ratePrice(each, shipment, context.currency, exchange);
    return price === undefined ? [] : [quoteOf(each, price)];
  });
  return [...quotes, ...(await carrierQuotes(ctx, context, offers, shipment))];
};

/** The shipping method's fee for cash on delivery. */
export const codFee: TapFn<typeof surchargesCollect> = async (ctx, { context, shipping, running }) => {
  if (!shipping?.methodId || context.paymentMethod === undefined) return [];
  const { methodId } = shipping;
  const chosen = await ctx.remember(`method ${methodId}`, () => ctx.rows(method).get(methodId));
  if (!chosen?.codFee || chosen.codFee.amount === 0) return [];
  const country = (context.shippingAddress ?? context.billingAddress)?.country;
  const known = await ctx.use(payments)?.methods({
    total: { amount: running, currency: context.currency },
    ...(country === undefined ? {} : { country }),
    ...(context.customer ? { customerGroupIds: context.customer.groupIds } : {}),
  });
  if (known?.find(({ code }) => code === context.paymentMethod)?.provider !== 'cod') return [];
  const amount = (await exchangeFor(ctx, context, [chosen.codFee]))(chosen.codFee);
  if (amount === undefined)
    throw problem('shipping_method_unavailable', { detail: `The cash-on-delivery fee has no amount in ${context.currency}.` });
  const name = (texts[context.locale] ?? texts[ctx.tenant.defaultLocale] ?? en)['surcharge.cod'] as string;
  const taxCategory = chosen.taxCategoryId === null ? {} : { taxCategoryId: chosen.taxCategoryId };
  return [{ code: `cod:${chosen.code}`, name, amount, ...taxCategory, of: 'shipping' }];
};

/** 409 `country_not_served` for an address without a zone. Methods of other plugins and manual shipping of drafts aren't checked. */
export const checkCountry: TapFn<typeof placeCheck> = async (ctx: Ctx, { context, priced }) => {
  const place = context.shippingAddress;
  if (!place || !priced.lines.some((line) => line.ships)) return;
  const methodId = priced.shippingLines[0]?.methodId ?? null;
  if (methodId === null && context.channel === 'draft') return;
  if (methodId !== null && !(await isShippingMethod(ctx, methodId))) return;
  if (!matchZone(await ctx.remember('zones', () => ctx.rows(zone).find({})), place))
    throw problem('country_not_served', { detail: `The shop doesn't ship to ${place.country}.`, country: place.country });
};
/** Whether the method is one of this plugin, also if deleted. */
function isShippingMethod(ctx: Ctx, id: string): Promise<boolean> {
  return ctx.remember(`shipping-method ${id}`, async () => {
    const row = await ctx.db.first(sql`select 1 from shipping_method where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    return row !== undefined;
  });
}
