import type { Ctx, MoneyValue } from '@storeloom/plugin-sdk';
import { bail, collect, series, service, waterfall } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';
import type {
  DiscountedLine,
  DiscountInput,
  DiscountSink,
  Priced,
  PricedLineLike,
  PricingContext,
  PricingLine,
  Purpose,
  QuoteFailure,
  ShippingQuote,
  ShippingState,
  Surcharge,
  TaxQuote,
  Tender,
  TenderWish,
  Totals,
  TotalsView,
} from './contract/pricing-shapes.ts';

export * from './contract/place.ts';
export * from './contract/pricing-shapes.ts';
/**
 * The pricing pipeline and order placement. Taps decide, `plugin-sdk/money` calculates.
 * Amounts inside the pipeline are integers in minor units of `context.currency`.
 */
export type { Address };

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
  { context: PricingContext; lines: readonly DiscountedLine[]; shipping: ShippingState | null; running: number },
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
