import type { Warning } from '@storeloom/plugin-sdk';
import type { PricedSheet, Totals as SheetTotals, TaxSummaryRow, WireTotals } from '@storeloom/plugin-sdk/money';
import type { AppliedDiscount } from './discount.ts';
import type { PricingContext } from './pricing-context.ts';
import type { PricingLine } from './pricing-line.ts';
import type { TaxLine, TaxQuote } from './tax-quote.ts';
import type { Tender } from './tender.ts';

export interface PricedLine extends PricingLine {
  lineSubtotal: number;
  discounts: AppliedDiscount[];
  discountTotal: number;
  taxLines: TaxLine[];
  tax: number;
  total: number;
}

export interface PricedExtra {
  id: string;
  code: string;
  name: string;
  methodId: string | null;
  carrier: string | null;
  taxCategoryId: string | null;
  of: 'payment' | 'shipping';
  lineSubtotal: number;
  discounts: AppliedDiscount[];
  discountTotal: number;
  taxLines: TaxLine[];
  tax: number;
  total: number;
}

export interface Totals extends Omit<SheetTotals, 'tenders'> {
  tenders: Tender[];
}

/** What the pipeline gives: everything that a cart shows and an order stores. */
export interface Priced {
  context: PricingContext;
  lines: PricedLine[];
  shippingLines: PricedExtra[];
  surcharges: PricedExtra[];
  promotions: {
    promotionId: string;
    code: string | null;
    name: string;
    applied: boolean;
    amount: number;
    reason: string | null;
    extra?: Record<string, unknown>;
  }[];
  taxSummary: TaxSummaryRow[];
  treatment: TaxQuote['treatment'];
  taxReason: string | null;
  taxHold: boolean;
  countsForOss: boolean;
  totals: Totals;
  /** R18: rule, base, rate, rounding, share; replays byte for byte. */
  trace: unknown;
  /** The calculation as `plugin-sdk/money` gave it: stored whole with an order; refunds, invoices and edits read it. Same line ids. */
  sheet: PricedSheet;
  warnings: Warning[];
}

/** Totals as money objects, the wire form. */
export type TotalsView = WireTotals;
