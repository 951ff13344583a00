import { bail, service, waterfall } from '@storeloom/plugin-sdk';
import type { DiscountInput } from './discount.ts';
import type { Priced, Totals, TotalsView } from './priced.ts';
import type { PricingContext, Purpose } from './pricing-context.ts';
import type { PricingLine } from './pricing-line.ts';
import type { TenderWish } from './tender.ts';

// Steps 3–10: they write nothing.
export const contextResolve = waterfall<PricingContext>('checkout:context.resolve');

export const linesResolve = waterfall<{ context: PricingContext; lines: PricingLine[] }>('checkout:lines.resolve');

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
