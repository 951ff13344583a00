import type { Ctx, LocalText, MoneyValue, Warning } from '@storeloom/plugin-sdk';
import { bail, collect, series, service, waterfall } from '@storeloom/plugin-sdk';
import type {
  EachUnit,
  PricedSheet,
  Tender as SheetTender,
  Totals as SheetTotals,
  TaxSummaryRow,
  WireTotals,
} from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';

/**
 * The pricing pipeline and order placement. Taps decide, `plugin-sdk/money` calculates.
 * Amounts inside the pipeline are integers in minor units of `context.currency`.
 */
export type { Address };

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
  each?: EachUnit;
  /** Fixed before and kept as they were (order edits, marketplaces). */
  shares?: { lineId: string; amount: number }[];
  /** Upper bound of the whole discount. */
  maxAmount?: number;
}
/** The running state: what earlier discounts left. */
export interface RunningLine extends PricingLine {
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
  lines(): readonly RunningLine[];
  /** Discounted amount of the lines named, or of all. */
  itemsTotal(lineIds?: readonly string[]): number;
  /** Units that still cost something, in runs of one line and worth. */
  units(order: 'cheapest' | 'dearest', lineIds?: readonly string[]): { lineId: string; amount: number; count: number }[];
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

// Steps 3–10: they write nothing.
export const contextResolve = waterfall<PricingContext>('checkout:context.resolve');
export const linesResolve = waterfall<{ context: PricingContext; lines: PricingLine[] }>('checkout:lines.resolve');
export const discountsCollect = series<{ context: PricingContext; phase: 'lines' | 'order' | 'shipping'; sheet: DiscountSink }>(
  'checkout:discounts.collect',
);
export const shippingQuote = collect<
  { context: PricingContext; lines: readonly PricedLineLike[]; itemsTotal: number },
  ShippingQuote | QuoteFailure
>('checkout:shipping.quote', { deadline: 8000 });
export const surchargesCollect = collect<
  { context: PricingContext; lines: readonly RunningLine[]; shipping: ShippingState | null; running: number },
  Surcharge
>('checkout:surcharges.collect');
export interface TaxQuoteInput {
  context: PricingContext;
  categoryIds: string[];
  /** What is sold. Absent where only rates are asked for. */
  lines?: readonly Pick<PricingLine, 'id' | 'taxCategoryId'>[];
  /** The sale as it would come out with these taxes; nothing of it reaches the cart. */
  preview?(quote: Pick<TaxQuote, 'rates' | 'categoryCodes'>): PricedSheet;
}
export const taxQuote = bail<TaxQuoteInput, TaxQuote>('checkout:tax.quote');
export const tendersCollect = series<{
  context: PricingContext;
  total: number;
  wanted: readonly TenderWish[];
  due(): number;
  add(tender: Tender): void;
}>('checkout:tenders.collect');

/** A line as shipping sees it: what is left of its price, its weight, whether it ships. */
export type PricedLineLike = Pick<
  RunningLine,
  'id' | 'kind' | 'variantId' | 'quantity' | 'weightG' | 'ships' | 'running' | 'children'
>;

export interface PlaceInput {
  context: PricingContext;
  /** Null for an order that has no cart (draft, B2B, subscription). */
  /** `status` before it was placed. */
  cart: { id: string; customerId: string | null; status: 'open' | 'abandoned' } | null;
  draftId: string | null;
  /** The customer's record that the order belongs to: who is signed in, or who was found or made by e-mail. */
  customerId: string | null;
  orderId: string;
  /** The ids of its lines are new for each placing: they are the ids of the order's lines. */
  priced: Priced;
  /** Until when an unpaid order holds what it took; null when it waits for nobody's payment. */
  expiresAt: string | null;
  consents: { terms: boolean; marketing?: boolean; age?: boolean } | null;
  note: string | null;
  poNumber: string | null;
  email: string;
  phone: string | null;
  /** Payment to be made; null when nothing is due. */
  payment: {
    id: string;
    methodCode: string;
    provider: string;
    /** A provider is called after the commit. */
    online: boolean;
    /** The order confirms without being paid (on delivery, on account). */
    paidLater: boolean;
    amount: number;
    returnUrl: string | null;
    saveInstrument: boolean;
    instrumentId: string | null;
  } | null;
  ip: string | null;
  userAgent: string | null;
  /** Filled by taps of place.commit for those after them, by plugin: `results.orders = {number, token}`, inventory the split. */
  results: PlaceResults;
  /** Set by a tap: the order starts on hold, with the reason. */
  hold: { reason: string } | null;
}
export interface PlaceResults {
  /** The plain order token stands in the answer of `place` and in order mails, nowhere else. */
  orders?: { number: string; token: string };
  [plugin: string]: unknown;
}
// Longer than the database's own limits (a lock is waited for 3 s, a statement runs 5 s): those end a wait with a clear answer.
/** Reads only; throws the problem that a buyer should see. */
export const placeCheck = series<PlaceInput>('checkout:place.check', { deadline: 20_000 });
/** Writes with ctx.db, in the transaction. */
export const placeCommit = series<PlaceInput>('checkout:place.commit', { deadline: 20_000 });
/** After the commit, outside any transaction. The adapter gets the payment id as its idempotency key. */
export const paymentStart = bail<
  { orderId: string; paymentId: string },
  { status: string; providerRef?: string; clientSecret?: string; redirectUrl?: string }
>('checkout:payment.start', { deadline: 20_000 });

export interface PriceRequest {
  context: PricingContext;
  lines: PricingLine[];
  /** Chosen method; priced by shipping.quote. `shippingFixed` wins (drafts, edits). */
  shippingFixed?: { name: string; code: string; amount: number; methodId: string | null; taxCategoryId?: string };
  wantedTenders?: TenderWish[];
  /** Unit prices by line id that staff or a contract set: the rest of the line is resolved. Final, unless `promoteFixed`. */
  fixedPrices?: Record<string, number>;
  promoteFixed?: boolean;
  /** Draft orders: discounts of staff instead of promotions. */
  manualDiscounts?: DiscountInput[];
  skipPromotions?: boolean;
  /** What payments have taken already (order edits). */
  captured?: number;
}
/**
 * Whoever may change a price that a guest sees in the shop's currency (a catalogue promotion, a price list of the default group) says so.
 * Asked for every page of a shop window: a tap answers from memory, and may be two seconds behind. Carts are priced anew each time.
 */
export const pricesVary = bail<{ at: string }, true>('checkout:prices.vary');

export interface Pricing {
  /** True while a guest in the shop's currency pays exactly the catalogue's general prices. No query. */
  plain(): Promise<boolean>;
  /** A context for the caller (customer's groups, currency, rules), steps 3. */
  context(base: Partial<PricingContext> & { purpose: Purpose }): Promise<PricingContext>;
  /** Steps 3–4, for lists and pages. One call a page. */
  resolve(context: PricingContext, lines: PricingLine[]): Promise<PricingLine[]>;
  /** Steps 3–10, for carts, quotes, drafts, POS, order edits. */
  price(request: PriceRequest): Promise<Priced>;
  view(totals: Totals, currency: string): TotalsView;
}
export const pricing = service<Pricing>('checkout:pricing');

/** Draft orders made by other plugins (RFQ quotes, recovery). */
export interface Drafts {
  create(draft: {
    customerId?: string;
    email?: string;
    currency: string;
    lines: { variantId?: string; title?: string; quantity: number; unitPrice?: MoneyValue }[];
    source: 'manual' | 'rfq' | 'recovery';
    expiresAt?: string;
    note?: string;
  }): Promise<{ id: string; url: string; token: string }>;
  cancel(id: string): Promise<void>;
}
export const drafts = service<Drafts>('checkout:drafts');

/** Carts, for plugins that put something of theirs on one (gift cards). */
export interface Carts {
  /** The open cart of a token: 404 unknown, 409 `cart_converted`. Locked for update. */
  byToken(token: string): Promise<{ id: string; currency: string; customerId: string | null; email: string | null }>;
  /** Remembers a tender wish, one a type and code; gives the cart as its visitor sees it. */
  wishTender(cartId: string, wish: TenderWish): Promise<Record<string, unknown>>;
  /** Whether a cart in use is in this currency. */
  usesCurrency(code: string): Promise<boolean>;
}
export const carts = service<Carts>('checkout:carts');

/** Recovery figures a civil day of the tenant's zone, for analytics. Amounts in minor units of the tenant's currency. */
export interface RecoveryFigures {
  days(period: {
    start: string;
    end: string;
  }): Promise<
    { date: string; abandoned: number; abandonedValue: number; reminded: number; recovered: number; recoveredValue: number }[]
  >;
}
export const recoveryFigures = service<RecoveryFigures>('checkout:recovery-figures');

export interface CartEvents {
  'checkout.cart.abandoned': { cartId: string; email: string | null; customerId: string | null; value: MoneyValue };
  'checkout.cart.recovered': { cartId: string; orderId: string };
  'checkout.cart.converted': { cartId: string; orderId: string };
  'checkout.draft.link_sent': { draftId: string };
  'checkout.draft.completed': { draftId: string; orderId: string };
}
export type { Ctx };
