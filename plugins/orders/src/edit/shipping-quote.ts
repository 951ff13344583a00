import { type PricingContext, type ShippingQuote, shippingQuote } from '@storeloom/commerce';
import { type Ctx, invalid, problem, type Warning } from '@storeloom/plugin-sdk';
import type { OrderData } from '../load.ts';
import { pricedLine } from '../view/view.ts';

export interface QuotedShipping {
  /** Undefined if nothing ships, or the shipping was agreed by hand. */
  quote?: ShippingQuote;
  warnings: Warning[];
}

/**
 * The shipping of an order at another address: the requested method; otherwise the present one; otherwise the first one offered there,
 * in the shop's order. Methods with pickup points are only used on request or if they are the present one, because the buyer selects
 * the point.
 *
 * @throws 409 `no_shipping_method` if no method serves the address, `shipping_method_unavailable` if the requested one doesn't
 */
export async function quoteShipping(
  ctx: Ctx,
  { row, lines, sheet }: OrderData,
  context: PricingContext,
  requested: string | null,
): Promise<QuotedShipping> {
  const present = sheet.shippingLines[0];
  const isManual = present !== undefined && present.methodId === null && requested === null;
  const { shippingAddress } = context;
  if (!shippingAddress || isManual || !lines.some((line) => line.ships) || (!present && requested === null)) {
    if (requested !== null) throw invalid('/shippingMethodId', 'invalid', 'the order has no items to ship');
    return { warnings: [] };
  }
  let itemsSubtotal = 0;
  const goods = lines.map((line) => {
    const { lineSubtotal, discountTotal } = pricedLine(sheet, line.id);
    itemsSubtotal += lineSubtotal;
    const { id, kind, variantId, quantity, weightG, ships } = line;
    const running = lineSubtotal - discountTotal;
    return { id, kind, quantity, weightG, ships, running, ...(variantId === null ? {} : { variantId }) };
  });
  const itemsTotal = goods.reduce((sum, line) => sum + line.running, 0);
  const found = await ctx.call(shippingQuote, { context, lines: goods, itemsTotal, itemsSubtotal });
  const warnings = found.flatMap((item) => ('warning' in item ? [item.warning] : (item.warnings ?? [])));
  const quotes = found.flatMap((item) => ('warning' in item ? [] : [item]));
  const byId = (id: string | null | undefined) => quotes.find(({ methodId }) => methodId === id);
  if (requested !== null) {
    const quote = byId(requested);
    if (!quote)
      throw problem('shipping_method_unavailable', {
        detail: `The shipping method doesn't serve ${shippingAddress.country}, ${shippingAddress.postalCode}.`,
        warnings,
      });
    return { quote, warnings };
  }
  const quote = byId(present?.methodId) ?? quotes.find(({ pickupPoints }) => !pickupPoints?.length);
  if (!quote)
    throw problem('no_shipping_method', {
      detail: `No shipping method serves ${shippingAddress.country}, ${shippingAddress.postalCode}.`,
      country: shippingAddress.country,
      warnings,
    });
  if (quote.methodId === present?.methodId) return { quote, warnings };
  const changed = `The shipping method of order ${row.number} doesn't serve the new address and was replaced by ${quote.code}.`;
  return { quote, warnings: [...warnings, { code: 'shipping_method_changed', message: changed }] };
}
