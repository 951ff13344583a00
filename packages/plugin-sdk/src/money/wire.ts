import { f, type Shape } from '../field.ts';
import { type Money, money } from './money.ts';
import type { PriceBreakdown, Totals } from './sheet-types.ts';
import type { TaxSummaryRow } from './tax.ts';

/** `T` with the numbers of these properties as money. */
type Moneyed<T, K extends keyof T> = { [P in keyof T]: P extends K ? Money : T[P] };

/** `totals` of a cart, draft or order in the API: every amount as money. */
export type WireTotals = Moneyed<Omit<Totals, 'tenders'>, keyof Omit<Totals, 'tenders'>> & {
  tenders: { type: string; reference: string | null; amount: Money }[];
};

/** Amounts of a line, shipping line or surcharge in the API, except `discounts`. */
export interface WirePriceBreakdown {
  /** Amount before discounts, in the price mode. */
  lineSubtotal: Money;
  /** Sum of the discounts. */
  discountTotal: Money;
  /** Tax by rate. */
  taxLines: { ratePpm: number; amount: Money }[];
  /** Sum of the taxes. */
  tax: Money;
  /** Amount to pay, tax included. */
  total: Money;
}

/** Converts totals to their representation in the API. */
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

/** Fields of `wireTotals`, for the response schema of a route. */
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

/** Converts a tax summary to its representation in the API: `[{ratePpm, categoryCode, base, tax}]`. */
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
 * Converts the amounts of a line, shipping line or surcharge to their representation in the API. `discounts` is left to the
 * caller, which knows how a discount source is represented.
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
