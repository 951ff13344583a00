import { taxes } from '@storeloom/commerce';
import type { Ctx, MoneyValue } from '@storeloom/plugin-sdk';
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
