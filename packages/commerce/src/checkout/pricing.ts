import { bail, service, waterfall } from '@storeloom/plugin-sdk';
import type { DiscountInput } from './discount.ts';
import type { Priced, Totals, TotalsView } from './priced.ts';
import type { PricingContext, Purpose } from './pricing-context.ts';
import type { PricingLine } from './pricing-line.ts';
import type { TenderRequest } from './tender.ts';

/** Step 3: taps add the customer's group, the company, the currency's rate, settings. Like all hooks of steps 3 to 10 it only reads. */
export const contextResolve = waterfall<PricingContext>('checkout:context.resolve');

/** Step 4: taps set unit prices, for all lines in one call. A tap ignores kinds of line that aren't its own. */
export const linesResolve = waterfall<{ context: PricingContext; lines: PricingLine[] }>('checkout:lines.resolve');

/** Input of `Pricing.price`. */
export interface PriceRequest {
  context: PricingContext;
  lines: PricingLine[];
  /** A shipping price that is already fixed (drafts, order edits), instead of a quote for `context.shippingMethodId`. */
  shippingFixed?: { name: string; code: string; amount: number; methodId: string | null; taxCategoryId?: string };
  requestedTenders?: TenderRequest[];
  /** Unit prices by line id, set by staff or a contract. They are final unless `promoteFixed`; the rest of the line is resolved. */
  fixedPrices?: Record<string, number>;
  promoteFixed?: boolean;
  /** Discounts that staff gave on a draft order. */
  manualDiscounts?: DiscountInput[];
  skipPromotions?: boolean;
  /** Amount that payments have already captured (order edits). */
  captured?: number;
}

/**
 * Reports that a guest's price in the shop's currency may differ from the general price (a catalogue promotion, a price list of the default
 * group). Called for every storefront page, so a tap answers from memory and may be two seconds behind; carts always calculate.
 */
export const pricesVary = bail<{ at: string }, true>('checkout:prices.vary');

/** The pricing pipeline. Taps decide; `plugin-sdk/money` calculates. Provided by plugin checkout. */
export interface Pricing {
  /** Whether a guest in the shop's currency pays the general prices. Runs no query. */
  plain(): Promise<boolean>;
  /** Step 3: a context for the caller, with the customer's groups, currency and rules. */
  context(base: Partial<PricingContext> & { purpose: Purpose }): Promise<PricingContext>;
  /** Step 4: unit prices, for lists and pages. One call a page. */
  resolve(context: PricingContext, lines: PricingLine[]): Promise<PricingLine[]>;
  /** Steps 3 to 10, for carts, quotes, drafts, POS and order edits. Writes nothing. */
  price(request: PriceRequest): Promise<Priced>;
  view(totals: Totals, currency: string): TotalsView;
}

/** Token of `Pricing`. */
export const pricing = service<Pricing>('checkout:pricing');
