import { series } from '@storeloom/plugin-sdk';
import type { UnitDiscount } from '@storeloom/plugin-sdk/money';
import type { PricingContext } from './pricing-context.ts';
import type { DiscountedLine } from './pricing-line.ts';
import type { ShippingState } from './shipping-quote.ts';

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

export interface AppliedDiscount {
  promotionId: string;
  source: { type: string; id: string };
  code: string | null;
  name: string;
  amount: number;
}

export const discountsCollect = series<{ context: PricingContext; phase: 'lines' | 'order' | 'shipping'; sheet: DiscountSink }>(
  'checkout:discounts.collect',
);
