import type { PercentStacking } from './discount.ts';
import type { DiscountInput, DiscountResult, DiscountSource } from './discount-types.ts';
import type { ShippingTaxMode } from './shipping-tax.ts';
import type { TaxRoundingLevel, TaxStep, TaxSummaryRow } from './tax.ts';
import type { PriceMode, TaxRate } from './tax-rate.ts';

/** Text shown to the buyer: plain, or by locale. */
export type Label = string | Readonly<Record<string, string>>;

/** Settings of a calculation. */
export interface SheetContext {
  /** ISO 4217 code of every amount in the sheet. */
  currency: string;
  /** Whether prices contain the tax. */
  priceMode: PriceMode;
  /** Default `line` (R3). */
  taxRoundingLevel?: TaxRoundingLevel;
  /** Default `proportional` (R10). */
  shippingTaxMode?: ShippingTaxMode;
  /** Tax category for the mode `fixed_category`; the default category if absent. */
  shippingTaxCategoryId?: string;
  /** Tax category of lines without one, and of shipping if R10 finds no other. */
  defaultTaxCategoryId?: string;
  /** Default `sequential` (R7). */
  percentStacking?: PercentStacking;
  /** `false` omits the trace. Default true. */
  trace?: boolean;
}

/** A line as `lines.resolve` returns it; amounts in minor units, in the price mode. Other properties are ignored. */
export interface SheetLine {
  id: string;
  /** Integer ≥ 1. */
  quantity: number;
  /** Price of a unit after catalogue promotions. */
  unitPrice: number;
  /** Price of a unit before promotions. Default: `unitPrice`. */
  listPrice?: number;
  /** Lowest price of a unit after discounts (R17). */
  minPrice?: number;
  /** Tax category. Default: that of the context. */
  taxCategoryId?: string;
  /**
   * Tax categories of a line that has several (a bundle): its amount is allocated by these weights (R4), and each share is taxed
   * separately. If no weight is above 0, the line is taxed as `taxCategoryId`.
   */
  taxShares?: readonly TaxShare[];
  /** False for a line that isn't delivered: it doesn't count for the tax of shipping. Default true. */
  ships?: boolean;
  /** True for a final price: discounts skip the line unless they select it by id. */
  locked?: boolean;
}

/** The part of a line that belongs to one tax category. */
export interface TaxShare {
  /** Default: the category of the context. */
  taxCategoryId?: string;
  /** Integer ≥ 0. */
  weight: number;
}

/** A line after the discounts so far; amounts in minor units. */
export interface DiscountedLine {
  id: string;
  quantity: number;
  /** Price of a unit before discounts. */
  unitPrice: number;
  /** `unitPrice × quantity`. */
  lineSubtotal: number;
  /** Sum of the discounts so far. */
  discountTotal: number;
  /** `lineSubtotal − discountTotal`. */
  running: number;
  /** Largest further discount (R17). */
  room: number;
}

/** A shipping line to set on a sheet. */
export interface ShippingInput {
  /** Default `shipping:<n>`. */
  id?: string;
  /** Code of the shipping method. */
  code: string;
  /** Name shown to the buyer. */
  name: Label;
  /** Id of the shipping method. */
  methodId?: string;
  /** Price in minor units, in the price mode. */
  amount: number;
  /** Tax category; overrides the mode of R10. */
  taxCategoryId?: string;
}

/** A payment or delivery fee to add to a sheet. */
export interface SurchargeInput {
  /** Default `surcharge:<n>`. */
  id?: string;
  /** Code of the fee. */
  code: string;
  /** Name shown to the buyer. */
  name: Label;
  /** Fee in minor units, in the price mode. */
  amount: number;
  /** Tax category. Default: taxed like shipping (R10). */
  taxCategoryId?: string;
  /** What the fee is charged for. */
  of: 'payment' | 'shipping';
}

/** A means of payment that isn't a payment: gift card, store credit, loyalty points. */
export interface TenderInput {
  /** Kind of the tender, `gift_card`. */
  type: string;
  /** Identifies the tender for its owner. */
  reference?: string;
  /** Largest amount it can pay, in minor units. */
  amount: number;
  /** Name shown to the buyer. */
  label?: Label;
}

/** The part of an entry that one set of tax rates applies to. */
export interface TaxGroup extends TaxSummaryRow {
  /** Rates that the tax was calculated with. */
  rates: TaxRate[];
  /** Minor units in the price mode. */
  amount: number;
}

/**
 * Amounts of a line, shipping line or surcharge in minor units. `total` = `lineSubtotal` − `discountTotal`, and in net mode +
 * `tax`.
 */
export interface PriceBreakdown {
  /** Amount before discounts, in the price mode. */
  lineSubtotal: number;
  /** Discounts by source, in the order they were applied. */
  discounts: { source: DiscountSource; code: string | null; name: string; amount: number }[];
  /** Sum of the discounts. */
  discountTotal: number;
  /** Tax by rate. */
  taxLines: { ratePpm: number; name: string | null; amount: number }[];
  /** Sum of the taxes. */
  tax: number;
  /** Amount to pay, tax included. */
  total: number;
  /** `total` without tax. */
  net: number;
  /** One group for a line; several for a bundle of mixed rates, and if shipping takes the rates of mixed goods. */
  taxGroups: TaxGroup[];
}

/** A line of the finished calculation. */
export interface PricedLine extends PriceBreakdown {
  id: string;
  quantity: number;
  /** Price of a unit before discounts. */
  unitPrice: number;
  /** Price of a unit before promotions. */
  listPrice: number;
}

/** A shipping line of the finished calculation. */
export interface PricedShipping extends PriceBreakdown {
  id: string;
  /** Code of the shipping method. */
  code: string;
  /** Name shown to the buyer. */
  name: Label;
  /** Id of the shipping method, if it has one. */
  methodId: string | null;
}

/** A fee of the finished calculation. */
export interface PricedSurcharge extends PriceBreakdown {
  id: string;
  /** Code of the fee. */
  code: string;
  /** Name shown to the buyer. */
  name: Label;
  /** What the fee is charged for. */
  of: 'payment' | 'shipping';
}

/** A discount as it was applied; Σ `shares` = `amount` (P3). */
export interface AppliedDiscount {
  /** What grants the discount. */
  source: DiscountSource;
  /** The code that the buyer entered, or null. */
  code: string | null;
  /** Name shown to the buyer. */
  name: string;
  /** What the discount applies to. */
  target: 'line' | 'order' | 'shipping';
  /** Minor units in the price mode. */
  amount: number;
  /** Discount by line; lines without a share are left out. */
  shares: { id: string; amount: number }[];
}

/** A tender as it was used. */
export interface Tender {
  /** Kind of the tender, `gift_card`. */
  type: string;
  /** Identifies the tender for its owner. */
  reference: string | null;
  /** Amount paid with it, in minor units. */
  amount: number;
}

/** Totals in minor units. */
export interface Totals {
  /** Lines before discounts, in the price mode. */
  itemsSubtotal: number;
  /** Discounts on lines. */
  itemsDiscount: number;
  /** Shipping before discounts, in the price mode. */
  shipping: number;
  /** Discounts on shipping. */
  shippingDiscount: number;
  /** Payment and delivery fees. */
  surcharges: number;
  /** Sum of all taxes. */
  taxTotal: number;
  /** Amount of the order, tax included. */
  total: number;
  /** Difference of cash rounding (R12). */
  cashRounding: number;
  /** Gift cards, credit and points used. */
  tenders: Tender[];
  /** Amount still to pay: `total` + `cashRounding` − tenders − captured payments, at least 0. */
  amountDue: number;
}

/** The finished calculation: plain JSON, integers in minor units of `currency`. */
export interface PricedSheet {
  /** ISO 4217 code. */
  currency: string;
  /** Whether prices contain the tax. */
  priceMode: PriceMode;
  /** Lines in the given order. */
  lines: PricedLine[];
  /** Shipping lines. */
  shippingLines: PricedShipping[];
  /** Payment and delivery fees. */
  surcharges: PricedSurcharge[];
  /** Discounts in the order they were applied. */
  discounts: AppliedDiscount[];
  /** Totals of all of these. */
  totals: Totals;
  /** One row for each tax group, highest rate first. */
  taxSummary: TaxSummaryRow[];
  /** Steps of the calculation (R18); null if they weren't recorded. */
  trace: Trace | null;
}

/** One input of the sheet, and its result. */
export type TraceStep =
  | ({ op: 'discount'; input: DiscountInput } & DiscountResult)
  | { op: 'shipping'; input: ShippingInput[] }
  | { op: 'surcharge'; input: SurchargeInput }
  | { op: 'taxes'; input: Record<string, TaxRate[]> }
  | { op: 'cash_rounding'; rule: 'R12'; step: number; amount: number; difference: number }
  | { op: 'tender'; rule: 'R8'; input: TenderInput; due: number; amount: number }
  | { op: 'captured'; amount: number };

/** How a shipping line or surcharge was split over tax rates. */
export interface SplitStep {
  /** Rule that was applied. */
  rule: 'R10';
  /** Id of the shipping line or surcharge. */
  id: string;
  /** Mode of R10; `category` if it has its own tax category. */
  mode: ShippingTaxMode | 'category';
  /** Amount that was split, in minor units. */
  base: number;
  /** Weight and share of each tax rate. */
  groups: { ratePpm: number; categoryCode: string; weight: number; amount: number }[];
}

/**
 * Every input of a sheet in order, with the rule, base, rate, rounding and shares of each step; plain JSON. `replay` recalculates
 * the same sheet from it, byte for byte. Rule R18.
 */
export interface Trace {
  /** Version of the format. */
  version: 1;
  /** Settings of the calculation. */
  context: SheetContext;
  /** Lines as given. */
  lines: SheetLine[];
  /** Inputs and their results, in order. */
  steps: TraceStep[];
  /** Allocation of shipping and surcharges to tax rates. */
  splits: SplitStep[];
  /** Tax calculations. */
  taxes: TaxStep[];
  /** Totals as calculated. */
  totals: Totals;
}
