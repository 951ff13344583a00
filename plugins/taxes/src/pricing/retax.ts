import type { TaxQuote } from '@storeloom/commerce';
import { createSheet, type PricedSheet, type TaxRate } from '@storeloom/plugin-sdk/money';

type Quoted = Pick<TaxQuote, 'rates' | 'categoryCodes'>;

/** Rates as a sheet takes them, each with the code of its category. */
function sheetRates({ rates, categoryCodes }: Quoted): Record<string, TaxRate[]> {
  return Object.fromEntries(
    Object.entries(rates).map(([id, list]) => {
      const categoryCode = categoryCodes[id];
      return [id, list.map((rate) => ({ ...rate, ...(categoryCode === undefined ? {} : { categoryCode }) }))];
    }),
  );
}

/** The categories that a sheet was taxed by. */
export function taxedCategories({ trace }: PricedSheet): string[] {
  const ids = (trace?.steps ?? []).flatMap((step) => (step.op === 'taxes' ? Object.keys(step.input) : []));
  return ids.length > 0 ? [...new Set(ids)] : [''];
}

/** The same sale with other taxes, made again from the trace; undefined where a sheet has none. */
export function retaxed({ trace }: PricedSheet, quote: Quoted): PricedSheet | undefined {
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
