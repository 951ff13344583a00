import { createSheet, type PricedSheet, type PriceMode, type TaxRoundingLevel } from '@storeloom/plugin-sdk/money';

export interface SheetSpec {
  currency?: string;
  priceMode?: PriceMode;
  level?: TaxRoundingLevel;
  lines: { id: string; quantity: number; price: number; rate?: number }[];
  /** Order discount in minor units, or in basis points. */
  discount?: { amount?: number; percentBp?: number };
  shipping?: number;
  freeShipping?: boolean;
  tenders?: number;
}

/** A sheet as created by checkout; tax categories are named by their rate in per cent. */
export function sheetOf(spec: SheetSpec): PricedSheet {
  const sheet = createSheet(
    {
      currency: spec.currency ?? 'RON',
      priceMode: spec.priceMode ?? 'gross',
      taxRoundingLevel: spec.level ?? 'line',
      defaultTaxCategoryId: '',
    },
    spec.lines.map(({ id, quantity, price, rate }) => ({
      id,
      quantity,
      unitPrice: price,
      listPrice: price,
      ...(rate === undefined ? {} : { taxCategoryId: String(rate) }),
    })),
  );
  const source = { type: 'promotions.promotion', id: 'promotion-1' };
  const { amount, percentBp } = spec.discount ?? {};
  if (amount !== undefined) sheet.addDiscount({ source, name: 'Discount', target: 'order', amount });
  if (percentBp !== undefined) sheet.addDiscount({ source, name: 'Discount', target: 'order', percentBp });
  if (spec.shipping !== undefined) sheet.setShipping([{ code: 'post', name: 'Post', amount: spec.shipping }]);
  if (spec.freeShipping)
    sheet.addDiscount({ source: { ...source, id: 'free' }, name: 'Free', target: 'shipping', percentBp: 10_000 });
  sheet.setTaxes(rates(19, 21, 20, 10, 7, 0));
  if (spec.tenders !== undefined) sheet.addTender({ type: 'gift_card', reference: 'card', amount: spec.tenders });
  return sheet.finish();
}

/** Rates by category; the first one is also the default. */
export function rates(...percents: number[]): Record<string, { ratePpm: number; name: string }[]> {
  const list = percents.map((percent) => [String(percent), [{ ratePpm: percent * 10_000, name: `${percent}` }]] as const);
  return { ...Object.fromEntries(list), '': [{ ratePpm: (percents[0] ?? 0) * 10_000, name: '' }] };
}
