import type { PercentStacking } from './discount.ts';
import type { DiscountInput, DiscountResult, DiscountSource } from './discount-types.ts';
import type { ShippingTaxMode } from './shipping-tax.ts';
import type { TaxRoundingLevel, TaxStep, TaxSummaryRow } from './tax.ts';
import type { PriceMode, TaxRate } from './tax-rate.ts';

/** A label as it stands in the shop: plain, or by locale. */
export type Label = string | Readonly<Record<string, string>>;

/** What a sheet calculates with: the currency of every amount in it, and the tenant's settings. */
export interface SheetContext {
  currency: string;
  priceMode: PriceMode;
  /** Default `line` (R3). */
  taxRoundingLevel?: TaxRoundingLevel;
  /** Default `proportional` (R10). */
  shippingTaxMode?: ShippingTaxMode;
  /** The category of mode `fixed_category`; the default category when absent. */
  shippingTaxCategoryId?: string;
  /** Category of lines that name none, and of shipping where R10 finds no other. */
  defaultTaxCategoryId?: string;
  /** Default `sequential` (R7). */
  percentStacking?: PercentStacking;
  /** `false` leaves the trace out. Default true. */
  trace?: boolean;
}

/** A line as it comes from `lines.resolve`; amounts in minor units, in the price mode. Members it doesn't know are ignored. */
export interface SheetLine {
  id: string;
  /** Whole, at least 1. */
  quantity: number;
  /** After catalogue promotions. */
  unitPrice: number;
  listPrice?: number;
  minPrice?: number;
  taxCategoryId?: string;
  /**
   * A line of several tax categories (a bundle): what it costs is spread over them by R4 with these weights, each share taxed as its own.
   * Without any weight above 0 it is taxed as `taxCategoryId`.
   */
  taxShares?: readonly TaxShare[];
  /** False for what isn't sent: it doesn't weigh in the tax of shipping. Default true. */
  ships?: boolean;
  /** Its price is final: discounts pass it by unless they name it. */
  locked?: boolean;
}

/** The part of a line that one tax category takes. Without a category: the default one. */
export interface TaxShare {
  taxCategoryId?: string;
  weight: number;
}

/** A line as it stands after the discounts so far. */
export interface DiscountedLine {
  id: string;
  quantity: number;
  unitPrice: number;
  lineSubtotal: number;
  discountTotal: number;
  /** `lineSubtotal − discountTotal`. */
  running: number;
  /** What may still be taken off (R17). */
  room: number;
}

export interface ShippingInput {
  /** Default `shipping:<n>`. */
  id?: string;
  code: string;
  name: Label;
  methodId?: string;
  amount: number;
  /** Taxed as this category whatever the mode of R10. */
  taxCategoryId?: string;
}

export interface SurchargeInput {
  /** Default `surcharge:<n>`. */
  id?: string;
  code: string;
  name: Label;
  amount: number;
  /** Taxed as this category; without one it follows shipping (R10). */
  taxCategoryId?: string;
  of: 'payment' | 'shipping';
}

/** What pays without being a payment: gift card, store credit, points as money. `amount` is what it could pay, at most. */
export interface TenderInput {
  type: string;
  reference?: string;
  amount: number;
  label?: Label;
}

/** Tax of a part of an entry: `amount` in the price mode, `base` net, and the rates it was made with. */
export interface TaxGroup extends TaxSummaryRow {
  rates: TaxRate[];
  amount: number;
}

/** The price members of every line, shipping line and surcharge (`total` = `lineSubtotal` − `discountTotal`, + `tax` in net mode). */
export interface PriceBreakdown {
  lineSubtotal: number;
  discounts: { source: DiscountSource; code: string | null; name: string; amount: number }[];
  discountTotal: number;
  taxLines: { ratePpm: number; name: string | null; amount: number }[];
  tax: number;
  total: number;
  /** `total` without the tax. */
  net: number;
  /** One group for a line; several for a bundle of mixed rates, and where shipping takes the rates of mixed goods. */
  taxGroups: TaxGroup[];
}

export interface PricedLine extends PriceBreakdown {
  id: string;
  quantity: number;
  unitPrice: number;
  listPrice: number;
}

export interface PricedShipping extends PriceBreakdown {
  id: string;
  code: string;
  name: Label;
  methodId: string | null;
}

export interface PricedSurcharge extends PriceBreakdown {
  id: string;
  code: string;
  name: Label;
  of: 'payment' | 'shipping';
}

/** A discount as it was applied; Σ `shares` = `amount` (P3). Lines without a share aren't listed. */
export interface AppliedDiscount {
  source: DiscountSource;
  code: string | null;
  name: string;
  target: 'line' | 'order' | 'shipping';
  amount: number;
  shares: { id: string; amount: number }[];
}

export interface Tender {
  type: string;
  reference: string | null;
  amount: number;
}

/** Totals in minor units, by the definitions of the wire. */
export interface Totals {
  itemsSubtotal: number;
  itemsDiscount: number;
  shipping: number;
  shippingDiscount: number;
  surcharges: number;
  taxTotal: number;
  total: number;
  cashRounding: number;
  tenders: Tender[];
  amountDue: number;
}

/** The finished calculation: plain JSON, integers in minor units of `currency`. */
export interface PricedSheet {
  currency: string;
  priceMode: PriceMode;
  lines: PricedLine[];
  shippingLines: PricedShipping[];
  surcharges: PricedSurcharge[];
  discounts: AppliedDiscount[];
  totals: Totals;
  taxSummary: TaxSummaryRow[];
  trace: Trace | null;
}

/** One input of the sheet, and what came of it. */
export type TraceStep =
  | ({ op: 'discount'; input: DiscountInput } & DiscountResult)
  | { op: 'shipping'; input: ShippingInput[] }
  | { op: 'surcharge'; input: SurchargeInput }
  | { op: 'taxes'; input: Record<string, TaxRate[]> }
  | { op: 'cash_rounding'; rule: 'R12'; step: number; amount: number; difference: number }
  | { op: 'tender'; rule: 'R8'; input: TenderInput; due: number; amount: number }
  | { op: 'captured'; amount: number };

/** How a shipping line or surcharge was spread over rate groups. */
export interface SplitStep {
  rule: 'R10';
  id: string;
  mode: ShippingTaxMode | 'category';
  base: number;
  groups: { ratePpm: number; categoryCode: string; weight: number; amount: number }[];
}

/**
 * R18: all that went into a sheet, in order, with the rule, base, rate, rounding and shares of each step; plain JSON. `replay` makes the
 * same sheet of it, byte for byte.
 */
export interface Trace {
  version: 1;
  context: SheetContext;
  lines: SheetLine[];
  steps: TraceStep[];
  splits: SplitStep[];
  taxes: TaxStep[];
  totals: Totals;
}
