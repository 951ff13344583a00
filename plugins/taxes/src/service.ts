import type { Taxes } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import {
  assertSameCurrency,
  calculateTax,
  money,
  parseMoney,
  rateSet,
  summarizeTax,
  type TaxEntry,
} from '@storeloom/plugin-sdk/money';
import { decide } from './pricing/quote.ts';
import { category } from './rate/category.ts';
import { settings } from './settings.ts';

/** Taxes for sales outside checkout, such as at a point of sale: without an address the buyer is at the shop. */
export function taxService(ctx: Ctx): Taxes {
  return {
    async categories() {
      const rows = await ctx.rows(category).find({}, { orderBy: ['code'] });
      return rows.map(({ id, code, name, isDefault, kind }) => ({ id, code, name, isDefault, kind }));
    },
    async quote({ country, at = ctx.clock.now(), lines }) {
      const { priceMode } = ctx.tenant;
      const currency = lines[0]?.amount.currency ?? ctx.tenant.currency;
      const amounts = lines.map(({ amount }, i) => parseMoney(amount, `/lines/${i}/amount`));
      assertSameCurrency(...amounts);
      const categoryIds = [...new Set(lines.map((line) => line.categoryId ?? ''))];
      const { quote } = await decide(
        ctx,
        { at, currency, ...(country === undefined ? {} : { shippingAddress: { country, region: null, postalCode: '' } }) },
        {
          categoryIds,
          lines: lines.map(({ id, categoryId }) => ({ id, ...(categoryId === undefined ? {} : { taxCategoryId: categoryId }) })),
        },
      );
      const entries = lines.map(({ id, quantity, categoryId = '' }, i): TaxEntry => {
        const set = rateSet(quote.rates[categoryId] ?? [], quote.categoryCodes[categoryId]);
        // A fractional quantity (0.5 kg) counts as one unit.
        return {
          id,
          quantity: Number.isSafeInteger(quantity) ? quantity : 1,
          amount: (amounts[i] as { amount: number }).amount,
          set,
        };
      });
      const taxes = calculateTax(entries, { priceMode, level: ctx.settings(settings).taxRoundingLevel });
      const rows = entries.map(({ set, amount }, i) => {
        const tax = taxes[i]?.tax ?? 0;
        return { ratePpm: set.ratePpm, categoryCode: set.categoryCode, base: priceMode === 'gross' ? amount - tax : amount, tax };
      });
      const m = (amount: number) => money(amount, currency);
      return {
        lines: entries.map(({ id, set }, i) => ({
          id,
          taxLines: set.rates.map(({ ratePpm }, j) => ({ ratePpm, amount: taxes[i]?.parts[j] ?? 0 })),
          tax: m(taxes[i]?.tax ?? 0),
        })),
        taxSummary: summarizeTax(rows).map((row) => ({ ...row, base: m(row.base), tax: m(row.tax) })),
        total: m(rows.reduce((sum, row) => sum + row.base + row.tax, 0)),
      };
    },
  };
}
