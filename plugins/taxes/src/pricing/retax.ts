import type { TaxQuote } from '@storeloom/commerce';
import { createSheet, type PricedSheet, type TaxRate } from '@storeloom/plugin-sdk/money';

type QuotedRates = Pick<TaxQuote, 'rates' | 'categoryCodes'>;

/** Rates for a money sheet, each with the code of its category. */
function sheetRates({ rates, categoryCodes }: QuotedRates): Record<string, TaxRate[]> {
  return Object.fromEntries(
    Object.entries(rates).map(([id, list]) => {
      const categoryCode = categoryCodes[id];
      return [id, list.map((rate) => ({ ...rate, ...(categoryCode === undefined ? {} : { categoryCode }) }))];
    }),
  );
}

/** The categories of a sheet's taxes. */
export function taxedCategories({ trace }: PricedSheet): string[] {
  const ids = (trace?.steps ?? []).flatMap((step) => (step.op === 'taxes' ? Object.keys(step.input) : []));
  return ids.length > 0 ? [...new Set(ids)] : [''];
}

/** Prices the sale again with other taxes by replaying its trace; undefined without a trace. */
export function repriceWithTaxes({ trace }: PricedSheet, quote: QuotedRates): PricedSheet | undefined {
  if (!trace) return undefined;
  const sheet = createSheet(trace.context, trace.lines);
  let captured = 0;
  for (const step of trace.steps) {
    switch (step.op) {
      case 'discount':
        sheet.addDiscount(step.input);
        break;
      case 'shipping':
        sheet.setShipping(step.input);
        break;
      case 'surcharge':
        sheet.addSurcharge(step.input);
        break;
      case 'taxes':
        sheet.setTaxes(sheetRates(quote));
        break;
      case 'cash_rounding':
        sheet.roundCash(step.step);
        break;
      case 'tender':
        sheet.addTender(step.input);
        break;
      case 'captured':
        captured = step.amount;
        break;
    }
  }
  return sheet.finish({ captured });
}
