import { f, type Shape } from '../field.ts';
import { type Money, money } from './money.ts';
import type { PriceBreakdown, Totals } from './sheet-types.ts';
import type { TaxSummaryRow } from './tax.ts';

/** `T` with every number of the named members as money. */
type Moneyed<T, K extends keyof T> = { [P in keyof T]: P extends K ? Money : T[P] };

export type WireTotals = Moneyed<Omit<Totals, 'tenders'>, keyof Omit<Totals, 'tenders'>> & {
  tenders: { type: string; reference: string | null; amount: Money }[];
};

export interface WirePriceBreakdown {
  lineSubtotal: Money;
  discountTotal: Money;
  taxLines: { ratePpm: number; amount: Money }[];
  tax: Money;
  total: Money;
}

/** `totals` of a cart, draft or order as they stand on the wire. */
export function wireTotals(totals: Totals, currency: string): WireTotals {
  const m = (amount: number) => money(amount, currency);
  return {
    itemsSubtotal: m(totals.itemsSubtotal),
    itemsDiscount: m(totals.itemsDiscount),
    shipping: m(totals.shipping),
    shippingDiscount: m(totals.shippingDiscount),
    surcharges: m(totals.surcharges),
    taxTotal: m(totals.taxTotal),
    total: m(totals.total),
    cashRounding: m(totals.cashRounding),
    tenders: totals.tenders.map((tender) => ({ ...tender, amount: m(tender.amount) })),
    amountDue: m(totals.amountDue),
  };
}

/** The members of `wireTotals`, as an answer describes them. */
export const totalsFields = {
  itemsSubtotal: f.money(),
  itemsDiscount: f.money(),
  shipping: f.money(),
  shippingDiscount: f.money(),
  surcharges: f.money(),
  taxTotal: f.money(),
  total: f.money(),
  cashRounding: f.money(),
  tenders: f.list(f.object({ type: f.text(), reference: f.text().optional(), amount: f.money() })),
  amountDue: f.money(),
} satisfies Record<keyof WireTotals, unknown> & Shape;

/** `taxSummary` as it stands on the wire: `[{ratePpm, categoryCode, base, tax}]`. */
export function wireTaxSummary(
  rows: readonly TaxSummaryRow[],
  currency: string,
): (Omit<TaxSummaryRow, 'base' | 'tax'> & { base: Money; tax: Money })[] {
  return rows.map(({ ratePpm, categoryCode, base, tax }) => ({
    ratePpm,
    categoryCode,
    base: money(base, currency),
    tax: money(tax, currency),
  }));
}

/**
 * The price members that item lines, shipping lines and surcharges share, all but `discounts`: how a source is named on the wire is the
 * business of who serves it.
 */
export function wirePriceBreakdown(one: PriceBreakdown, currency: string): WirePriceBreakdown {
  const m = (amount: number) => money(amount, currency);
  return {
    lineSubtotal: m(one.lineSubtotal),
    discountTotal: m(one.discountTotal),
    taxLines: one.taxLines.map(({ ratePpm, amount }) => ({ ratePpm, amount: m(amount) })),
    tax: m(one.tax),
    total: m(one.total),
  };
}
