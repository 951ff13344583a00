import { taxes } from '@storeloom/commerce';
import type { Ctx, MoneyValue } from '@storeloom/plugin-sdk';
import { allocate, mulRatio } from '@storeloom/plugin-sdk/money';
import { settings } from './settings.ts';
import { type NightlyRate, totalOf } from './stay.ts';

export interface StayPrice {
  /** What the guest pays: with VAT, also where the shop's prices are net. */
  total: MoneyValue;
  tax: MoneyValue | null;
  taxLines: { ratePpm: number; base: MoneyValue; tax: MoneyValue }[];
}

/** Prices the nights with the VAT of the setting `taxCategoryId`, as a stay in a cart. Without plugin taxes nothing is taxed. */
export async function priceOf(ctx: Ctx, rates: readonly NightlyRate[]): Promise<StayPrice> {
  const sum = totalOf(ctx, rates);
  const { taxCategoryId } = ctx.settings(settings);
  const quote = await ctx.use(taxes)?.quote({
    lines: [{ id: 'stay', amount: sum, quantity: 1, ...(taxCategoryId === null ? {} : { categoryId: taxCategoryId }) }],
  });
  const [line] = quote?.lines ?? [];
  if (!quote || !line) return { total: sum, tax: null, taxLines: [] };
  return {
    total: quote.total,
    tax: line.tax,
    taxLines: quote.taxSummary.map(({ ratePpm, base, tax }) => ({ ratePpm, base, tax })),
  };
}

/** The price with another total: nights and VAT in proportion. */
export function scalePrice<P extends StayPrice & { nightlyRates: readonly NightlyRate[] }>(
  price: P,
  amount: number,
): StayPrice & { nightlyRates: NightlyRate[] } {
  const { total, tax, taxLines } = price;
  const nightlyRates = [...price.nightlyRates];
  if (amount === total.amount) return { total, tax, taxLines, nightlyRates };
  const inTotal = { amount, currency: total.currency };
  const weights = nightlyRates.map(({ rate }) => rate.amount);
  const sum = weights.reduce((rest, each) => rest + each, 0);
  const rates = allocate(
    total.amount === 0 ? amount : mulRatio(sum, amount, total.amount),
    sum === 0 ? weights.map(() => 1) : weights,
  );
  const gross = taxLines.map((line) => line.base.amount + line.tax.amount);
  const shares = allocate(amount, gross);
  const scaled = taxLines.map((line, i) => {
    const share = shares[i] ?? 0;
    const part = gross[i] === 0 ? 0 : mulRatio(line.tax.amount, share, gross[i] as number);
    return { ...line, base: { ...line.base, amount: share - part }, tax: { ...line.tax, amount: part } };
  });
  return {
    total: inTotal,
    tax: tax && { ...tax, amount: scaled.reduce((rest, line) => rest + line.tax.amount, 0) },
    taxLines: scaled,
    nightlyRates: nightlyRates.map((night, i) => ({ ...night, rate: { ...night.rate, amount: rates[i] ?? 0 } })),
  };
}
