import type { LocalText, Warning } from '@storeloom/plugin-sdk';
import type {
  PricedSheet,
  Tender as SheetTender,
  Totals as SheetTotals,
  TaxSummaryRow,
  UnitDiscount,
  WireTotals,
} from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';

export type Purpose = 'browse' | 'cart' | 'place' | 'draft' | 'edit' | 'pos' | 'marketplace';

/** Who buys, from where, in what. */
export interface PricingContext {
  purpose: Purpose;
  at: string;
  channel: 'web' | 'pos' | 'marketplace' | 'draft' | 'b2b' | 'subscription';
  currency: string;
  priceMode: 'gross' | 'net';
  locale: string;
  /** Promotion codes, in the order they were entered. */
  codes: string[];
  email?: string;
  customer?: {
    /** Null: a guest, who belongs to the default group. */
    id: string | null;
    groupIds: string[];
    priceListCode?: string;
    groupDiscountBp?: number;
    taxExempt?: boolean;
    ordersCount?: number;
  };
  company?: { id: string; priceListCode?: string; termsDays?: number };
  /** Of a number that was checked: when, and the register's proof of the question. */
  vat?: {
    number: string;
    status: 'valid' | 'invalid' | 'unavailable';
    checkedAt?: string;
    consultationNumber?: string | null;
  };
  shippingAddress?: Address;
  billingAddress?: Address;
  shippingMethodId?: string;
  quoteToken?: string;
  pickupPointId?: string;
  /** Code of the payment method. */
  paymentMethod?: string;
  /** Rate from the tenant's currency to `currency`, fixed when the cart took its currency. */
  fx?: { rate: string; rateId: string | null };
  /** Settings of money arithmetic, filled by their owners (taxes, promotions) in context.resolve. */
  rules: {
    taxRoundingLevel: 'line' | 'unit' | 'rate_group';
    crossBorderPricePolicy: 'constant_gross' | 'constant_net';
    shippingTaxMode: 'proportional' | 'highest_rate' | 'fixed_category';
    shippingTaxCategoryId?: string;
    percentStacking: 'sequential' | 'parallel';
  };
  /** What plugins leave for each other, by plugin. */
  facts: Record<string, unknown>;
}

/** What catalog leaves in `facts.catalog` of a line, so that the cart checks quantities without asking again. */
export interface CatalogFacts {
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
}

export interface LineChild {
  variantId: string;
  quantity: number;
  title: string;
  sku: string;
  /** Weight for allocation: list price of one. */
  listPrice: number;
  taxCategoryId?: string;
  weightG: number;
  ships: boolean;
}

export interface PricingLine {
  id: string;
  /** `product`, or another plugin's kind (`subscriptions.plan`, `hotel.stay`, `rentals.rental`). */
  kind: string;
  variantId?: string;
  productId?: string;
  data?: Record<string, unknown>;
  options?: Record<string, string>;
  custom?: Record<string, unknown>;
  quantity: number;
  title: string;
  sku?: string;
  image?: string;
  /** Before catalogue promotions and tiers. */
  listPrice: number;
  unitPrice: number;
  minPrice?: number;
  taxCategoryId?: string;
  /** Needs shipping. */
  ships: boolean;
  weightG: number;
  /** Price is final: no level, tier or promotion touches it. */
  locked?: boolean;
  /** Parts of a bundle: it is taxed as what is in it, by their categories and list prices. */
  children?: LineChild[];
  /** Catalogue promotions that made the unit price: id and amount a unit. */
  catalogDiscounts?: { promotionId: string; name: string; amount: number }[];
  facts: Record<string, unknown>;
}

export interface ShippingState {
  methodId: string | null;
  code: string;
  name: string;
  amount: number;
  discount: number;
  taxCategoryId?: string;
  carrier: string | null;
  pickupPointId: string | null;
}

/** A discount that a tap adds: exactly one of `amount` (minor units), `percentBp`, `each` and `shares`, as `plugin-sdk/money` takes them. */
export interface DiscountInput {
  source: { type: string; id: string };
  code?: string;
  name: string;
  target: 'line' | 'order' | 'shipping';
  /** Lines it falls on; all when absent. */
  lineIds?: string[];
  amount?: number;
  percentBp?: number;
  /** With `percentBp` on target `line`: one rounding of the sum, allocated by R4, instead of each line by itself. */
  across?: boolean;
  /** By unit: `allocation: each`, `fixed_price`, the free units of buy X get Y. */
  each?: UnitDiscount;
  /** Fixed before and kept as they were (order edits, marketplaces). */
  shares?: { lineId: string; amount: number }[];
  /** Upper bound of the whole discount. */
  maxAmount?: number;
}
/** The running state: what earlier discounts left. */
export interface DiscountedLine extends PricingLine {
  /** Unit price × quantity. */
  lineSubtotal: number;
  /** After the discounts so far. */
  running: number;
  /** What may still be taken off (R17). */
  room: number;
}
export interface DiscountSink {
  /** Allocated, capped (R4, R8, R17) and visible to the next tap at once; gives what was taken off. */
  add(discount: DiscountInput): number;
  /** What `add` would take off, without doing it. */
  preview(discount: DiscountInput): number;
  /** The same state to try things on (`best_deal`): nothing of it reaches the cart. */
  fork(): DiscountSink;
  /** A line at price 0 that a promotion gives. A gift that can't be had (gone, out of stock) is left out with a warning. */
  addGift(line: { promotionId: string; variantId: string; quantity: number; name: string }): Promise<void>;
  /** Why a code of the context doesn't apply. `extra` may carry `promotionId` and `name`; the rest (`missing`) is shown. */
  reject(code: string, reason: string, extra?: Record<string, unknown>): void;
  lines(): readonly DiscountedLine[];
  /** Discounted amount of the lines named, or of all. */
  itemsTotal(lineIds?: readonly string[]): number;
  /** Units that still cost something, in runs of one line and worth. */
  units(
    order: 'least_expensive' | 'most_expensive',
    lineIds?: readonly string[],
  ): { lineId: string; amount: number; count: number }[];
  shipping(): ShippingState | null;
}

export interface ShippingQuote {
  methodId: string;
  code: string;
  carrier: string | null;
  name: LocalText;
  /** Minor units of the context's currency, in the price mode. */
  price: number;
  taxCategoryId?: string;
  etaMinDays: number | null;
  etaMaxDays: number | null;
  pickupPoints: { id: string; name: string; address: string }[] | null;
  warnings?: Warning[];
}
export interface QuoteFailure {
  warning: Warning;
}

export interface Surcharge {
  code: string;
  name: string;
  amount: number;
  taxCategoryId?: string;
  of: 'payment' | 'shipping';
}

export interface TaxRate {
  ratePpm: number;
  name: string;
  compound?: boolean;
}
export interface TaxQuote {
  /** By category id; `''` is the default category. */
  rates: Record<string, TaxRate[]>;
  /** Category code of each id, for the tax summary. */
  categoryCodes: Record<string, string>;
  treatment: 'domestic' | 'origin' | 'destination' | 'reverse_charge' | 'export' | 'exempt' | 'untaxed';
  reason?: string;
  countsForOss: boolean;
  /** The order waits on hold for a person. */
  hold?: boolean;
}

export interface Tender extends SheetTender {
  label: string;
}
export interface TenderWish {
  type: 'gift_card' | 'store_credit' | 'loyalty_points';
  code?: string;
  amount?: number;
}

export interface AppliedDiscount {
  promotionId: string;
  source: { type: string; id: string };
  code: string | null;
  name: string;
  amount: number;
}
export interface TaxLine {
  ratePpm: number;
  amount: number;
  name: string;
}
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
export type { TaxSummaryRow };
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

/** A line as shipping sees it: what is left of its price, its weight, whether it ships. */
export type PricedLineLike = Pick<
  DiscountedLine,
  'id' | 'kind' | 'variantId' | 'quantity' | 'weightG' | 'ships' | 'running' | 'children'
>;
