import { series } from '@storeloom/plugin-sdk';
import type { UnitDiscount } from '@storeloom/plugin-sdk/money';
import type { PricingContext } from './pricing-context.ts';
import type { DiscountedLine } from './pricing-line.ts';
import type { ShippingState } from './shipping-quote.ts';

/** A discount that a tap adds. Exactly one of `amount`, `percentBp`, `each` and `shares`. Amounts in minor units. */
export interface DiscountInput {
  source: { type: string; id: string };
  code?: string;
  name: string;
  target: 'line' | 'order' | 'shipping';
  /** Lines that it applies to. Default: all. */
  lineIds?: string[];
  amount?: number;
  percentBp?: number;
  /** With `percentBp` on target `line`: rounds the sum once and allocates it by R4, instead of rounding each line. */
  across?: boolean;
  /** Per unit: `allocation: each`, `fixed_price`, the free units of buy X get Y. */
  each?: UnitDiscount;
  /** Amounts fixed earlier (order edits, marketplaces). */
  shares?: { lineId: string; amount: number }[];
  /**
   * Units that pay for the discount (buy X get Y, gifts). They and the units that `each` discounts form sets; a unit belongs to one
   * set at most.
   */
  bought?: { lineId: string; quantity: number }[];
  /** Upper bound of the whole discount. */
  maxAmount?: number;
}

/** The prices of one calculation while discounts are collected. */
export interface DiscountSink {
  /** Applies a discount: allocated and capped (R4, R8, R17), visible to the next tap. Returns the amount taken off. */
  add(discount: DiscountInput): number;
  /** The amount that `add` would take off. */
  preview(discount: DiscountInput): number;
  /** A copy for trying combinations (`best_deal`). Changes to it don't reach the cart. */
  fork(): DiscountSink;
  /** Adds a free line. A gift that isn't available is left out with a warning. */
  addGift(line: { promotionId: string; variantId: string; quantity: number; name: string }): Promise<void>;
  /** Reports why a code doesn't apply. Properties of `extra` other than `promotionId` and `name` are shown (`missing`). */
  reject(code: string, reason: string, extra?: Record<string, unknown>): void;
  lines(): readonly DiscountedLine[];
  /** Discounted amount of the named lines. Default: all lines. */
  itemsTotal(lineIds?: readonly string[]): number;
  /** Units that can form a set: with a price above zero and in no set yet. Grouped by line and amount. */
  units(
    order: 'least_expensive' | 'most_expensive',
    lineIds?: readonly string[],
  ): { lineId: string; amount: number; count: number }[];
  shipping(): ShippingState | null;
}

/** A discount on a line or charge as it was allocated, in minor units. */
export interface AppliedDiscount {
  promotionId: string;
  source: { type: string; id: string };
  code: string | null;
  name: string;
  amount: number;
}

/** Step 5 (phases `lines`, then `order`) and step 7 (phase `shipping`): taps add discounts to the sheet. */
export const discountsCollect = series<{ context: PricingContext; phase: 'lines' | 'order' | 'shipping'; sheet: DiscountSink }>(
  'checkout:discounts.collect',
);
