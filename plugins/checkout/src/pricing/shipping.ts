import { createHash } from 'node:crypto';
import {
  type DiscountedLine,
  type PricingContext,
  type ShippableLine,
  type ShippingQuote,
  type ShippingState,
  shippingQuote,
} from '@storeloom/commerce';
import { domainError, invalid, problem, type Warning } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';
import { localizedText } from '@storeloom/plugin-sdk/public';
import type { PricingHost } from './host.ts';
import type { DiscountRun } from './sink.ts';

/** Without a shipping plugin, orders need no shipping method. */
export function shippingIsOn(host: Pick<PricingHost, 'isOn'>): boolean {
  return host.isOn('shipping') || host.isOn('logistics');
}

export function shippingLines(lines: readonly DiscountedLine[]): ShippableLine[] {
  return lines.map(({ id, kind, variantId, quantity, weightG, ships, running, children }) => ({
    id,
    kind,
    quantity,
    weightG,
    ships,
    running,
    ...(variantId === undefined ? {} : { variantId }),
    ...(children === undefined ? {} : { children }),
  }));
}

/** Collects quotes for the lines of the sheet in tap order. A failed carrier gives a warning. */
export async function collectQuotes(
  host: PricingHost,
  context: PricingContext,
  run: DiscountRun,
): Promise<{ quotes: ShippingQuote[]; warnings: Warning[] }> {
  const found = await host.call(shippingQuote, {
    context,
    lines: shippingLines(run.lines()),
    itemsTotal: run.itemsTotal(),
    itemsSubtotal: run.lines().reduce((sum, { lineSubtotal }) => sum + lineSubtotal, 0),
  });
  const quotes: ShippingQuote[] = [];
  const warnings: Warning[] = [];
  for (const item of found) {
    if ('warning' in item) warnings.push(item.warning);
    else {
      quotes.push(item);
      warnings.push(...(item.warnings ?? []));
    }
  }
  return { quotes, warnings };
}

/** Hash of the currency, location and items of a quote. A different hash invalidates the quote token. */
export function quoteHash(context: PricingContext, lines: readonly ShippableLine[]): string {
  const { country, region, postalCode, city } = context.shippingAddress ?? ({} as Partial<Address>);
  const goods = lines
    .filter((line) => line.ships)
    .map((line) => JSON.stringify([line.kind, line.variantId ?? null, line.quantity, line.running, line.weightG]))
    .sort();
  const place = [country, region, postalCode, city].map((part) => part?.trim().toLowerCase() ?? '');
  return createHash('sha256')
    .update(JSON.stringify([context.currency, place, goods]))
    .digest('base64url');
}

/** @throws Problem 422 when an item ships and there is no shipping address */
export function checkAddress(context: PricingContext, run: DiscountRun): void {
  if (!context.shippingAddress && run.resolved.some((line) => line.ships))
    throw invalid('/shippingAddress', 'required', 'is required: the order has items to ship');
}

/**
 * Step 6: prices the selected method. Returns null when no item ships, shipping is off or no method is selected. A cart whose method is
 * unavailable gets a warning and no shipping.
 * @throws Problem when `strict` (placing an order) and the method is missing (422) or unavailable (409)
 */
export async function chooseShipping(
  host: PricingHost,
  context: PricingContext,
  run: DiscountRun,
  strict: boolean,
): Promise<ShippingState | null> {
  if (!run.resolved.some((line) => line.ships)) return null;
  if (!shippingIsOn(host)) return null;
  if (context.shippingMethodId === undefined) {
    if (strict) throw domainError('/shippingMethodId', 'shipping_method_required', 'is required: the order has items to ship');
    return null;
  }
  if (!context.shippingAddress) return null;
  const { quotes, warnings } = await collectQuotes(host, context, run);
  run.warnings.push(...warnings);
  const quote = quotes.find((each) => each.methodId === context.shippingMethodId);
  if (!quote) {
    if (!strict) {
      run.warnings.push({
        code: 'shipping_method_unavailable',
        message: "The selected shipping method isn't available for this cart",
      });
      return null;
    }
    throw problem(quotes.length === 0 ? 'no_shipping_method' : 'shipping_method_unavailable', {
      detail: "The shipping method isn't available for this order. Choose another one.",
      warnings,
    });
  }
  if (strict && quote.pickupPoints && quote.pickupPoints.length > 0) checkPickupPoint(quote.pickupPoints, context.pickupPointId);
  return {
    methodId: quote.methodId,
    code: quote.code,
    name: localizedText(quote.name, context.locale, context.locale) ?? quote.code,
    amount: quotedPrice(host, context, run, quote),
    discount: 0,
    ...(quote.taxCategoryId === undefined ? {} : { taxCategoryId: quote.taxCategoryId }),
    carrier: quote.carrier,
    pickupPointId: context.pickupPointId ?? null,
  };
}

function checkPickupPoint(points: readonly { id: string }[], chosen: string | undefined): void {
  if (chosen === undefined) throw invalid('/pickupPointId', 'required', 'is required: the method delivers to a pick-up point');
  if (!points.some((point) => point.id === chosen))
    throw invalid('/pickupPointId', 'invalid', 'is not a pick-up point of this method');
}

/** Price of a valid quote token for the same method, currency, location and items; else the current price. */
function quotedPrice(host: PricingHost, context: PricingContext, run: DiscountRun, quote: ShippingQuote): number {
  if (context.quoteToken === undefined) return quote.price;
  const promised = host.readQuote(context.quoteToken);
  const holds =
    promised?.methodId === quote.methodId &&
    promised.currency === context.currency &&
    promised.hash === quoteHash(context, shippingLines(run.lines()));
  return holds ? promised.price : quote.price;
}
