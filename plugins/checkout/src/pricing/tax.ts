import { type PricingContext, type PricingLine, type TaxQuote, taxQuote } from '@storeloom/commerce';
import { allocate, constantNetPrice, type TaxRate } from '@storeloom/plugin-sdk/money';
import type { PricingHost } from './host.ts';

/** The rates as the sheet takes them: each with the code of its category, an empty list as one rate of 0 that carries it. */
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
 * R9, `constant_net`: a gross price with the origin's tax in it becomes one with the destination's, the net staying what it was. Always
 * from the resolved price, so an address that comes back gives back the first totals. Locked prices are final.
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
  const origin = await host.call(taxQuote, { context: { ...home, ...withoutExemption(home) }, categoryIds });
  const destination = await host.call(taxQuote, { context, categoryIds });
  if (!origin || !destination) return lines;
  const from = sheetRates(origin);
  const to = sheetRates(destination);
  return lines.map((line) => {
    if (line.locked) return line;
    const adjust = (price: number): number => shares(line, price).reduce((sum, [id, part]) => sum + moved(part, id), 0);
    return {
      ...line,
      unitPrice: adjust(line.unitPrice),
      listPrice: adjust(line.listPrice),
      ...(line.minPrice === undefined ? {} : { minPrice: adjust(line.minPrice) }),
    };
  });

  function moved(price: number, id: string): number {
    return from[id] && to[id] ? constantNetPrice(price, from[id], to[id]) : price;
  }
}

/** A price by tax category: of a bundle, what its parts have in it. */
function shares({ children = [], taxCategoryId = '' }: PricingLine, price: number): [categoryId: string, part: number][] {
  const weights = children.map((child) => child.listPrice * child.quantity);
  if (!weights.some((weight) => weight > 0)) return [[taxCategoryId, price]];
  const parts = allocate(price, weights);
  return children.map((child, i) => [child.taxCategoryId ?? '', parts[i]!]);
}

/** The price of the shelf has the tax that everybody pays at home. */
function withoutExemption({ customer }: Pick<PricingContext, 'customer'>): Pick<PricingContext, 'customer'> {
  return customer?.taxExempt ? { customer: { ...customer, taxExempt: false } } : {};
}
