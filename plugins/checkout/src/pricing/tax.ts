import { type PricingContext, type PricingLine, type TaxQuote, taxQuote } from '@storeloom/commerce';
import { allocate, constantNetPrice, type TaxRate } from '@storeloom/plugin-sdk/money';
import type { PricingHost } from './host.ts';

/** Converts rates for the sheet: adds each category's code. An empty list becomes one rate of 0, which carries the code. */
export function sheetRates({ rates, categoryCodes }: Pick<TaxQuote, 'rates' | 'categoryCodes'>): Record<string, TaxRate[]> {
  return Object.fromEntries(
    Object.entries(rates).map(([id, list]) => {
      const categoryCode = categoryCodes[id];
      const coded = categoryCode === undefined ? {} : { categoryCode };
      const filled = list.length === 0 ? [{ ratePpm: 0, name: '' }] : list;
      return [id, filled.map((rate) => ({ ...rate, ...coded }))];
    }),
  );
}

/**
 * R9, `constant_net`: replaces the origin's tax in a gross price by the destination's, and keeps the net price. Always starts from the
 * resolved price, so that changing the address back restores the first totals. Locked prices stay unchanged.
 */
export async function constantNet(host: PricingHost, context: PricingContext, lines: PricingLine[]): Promise<PricingLine[]> {
  const { shippingAddress, billingAddress, rules } = context;
  if (rules.crossBorderPricePolicy !== 'constant_net' || context.priceMode !== 'gross') return lines;
  if (!shippingAddress && !billingAddress) return lines;
  const open = lines.filter((line) => !line.locked);
  if (open.length === 0) return lines;
  const categoryIds = [
    ...new Set(['', ...open.flatMap((line) => [line, ...(line.children ?? [])].flatMap((each) => each.taxCategoryId ?? []))]),
  ];
  const { shippingAddress: _, billingAddress: __, vat: ___, ...home } = context;
  const origin = await host.call(taxQuote, { context: { ...home, ...withoutTaxExemption(home) }, categoryIds });
  const destination = await host.call(taxQuote, { context, categoryIds });
  if (!origin || !destination) return lines;
  const from = sheetRates(origin);
  const to = sheetRates(destination);
  return lines.map((line) => {
    if (line.locked) return line;
    const adjust = (price: number): number =>
      splitByCategory(line, price).reduce((sum, [id, part]) => sum + adjustShare(part, id), 0);
    return {
      ...line,
      unitPrice: adjust(line.unitPrice),
      listPrice: adjust(line.listPrice),
      ...(line.minPrice === undefined ? {} : { minPrice: adjust(line.minPrice) }),
    };
  });

  function adjustShare(price: number, id: string): number {
    return from[id] && to[id] ? constantNetPrice(price, from[id], to[id]) : price;
  }
}

/** Splits a price by tax category. The components of a bundle share its price by list price × quantity. */
function splitByCategory(
  { children = [], taxCategoryId = '' }: PricingLine,
  price: number,
): [categoryId: string, part: number][] {
  const weights = children.map((child) => child.listPrice * child.quantity);
  if (!weights.some((weight) => weight > 0)) return [[taxCategoryId, price]];
  const parts = allocate(price, weights);
  return children.map((child, i) => [child.taxCategoryId ?? '', parts[i]!]);
}

/** List prices include the domestic tax, also for customers who are exempt from it. */
function withoutTaxExemption({ customer }: Pick<PricingContext, 'customer'>): Pick<PricingContext, 'customer'> {
  return customer?.taxExempt ? { customer: { ...customer, taxExempt: false } } : {};
}
