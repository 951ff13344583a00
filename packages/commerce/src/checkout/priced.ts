import type { Warning } from '@storeloom/plugin-sdk';
import type { PricedSheet, Totals as SheetTotals, TaxSummaryRow, WireTotals } from '@storeloom/plugin-sdk/money';
import type { AppliedDiscount } from './discount.ts';
import type { PricingContext } from './pricing-context.ts';
import type { PricingLine } from './pricing-line.ts';
import type { TaxLine, TaxQuote } from './tax-quote.ts';
import type { Tender } from './tender.ts';

/** A line with its final amounts, in minor units. */
export interface PricedLine extends PricingLine {
  lineSubtotal: number;
  discounts: AppliedDiscount[];
  discountTotal: number;
  taxLines: TaxLine[];
  tax: number;
  total: number;
}

/** Shipping or a surcharge with its final amounts, in minor units. */
export interface PricedCharge {
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

/** Totals in minor units; each tender with its label. */
export interface Totals extends Omit<SheetTotals, 'tenders'> {
  tenders: Tender[];
}

/** The result of the pricing pipeline: what a cart shows and an order stores. */
export interface Priced {
  context: PricingContext;
  lines: PricedLine[];
  shippingLines: PricedCharge[];
  surcharges: PricedCharge[];
  /** Every promotion that was tried, with the reason (`PromotionReason`) why it doesn't apply. */
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
  /** The order starts on hold until staff have checked its tax. */
  taxHold: boolean;
  countsForOss: boolean;
  totals: Totals;
  /** Rules, bases, rates, rounding and shares, from which the totals can be replayed (R18). */
  trace: unknown;
  /** The calculation of `plugin-sdk/money`, with the same line ids. An order stores it; refunds, invoices and edits read it. */
  sheet: PricedSheet;
  warnings: Warning[];
}

/** Totals in the wire form: money objects. */
export type TotalsView = WireTotals;
