/** Who gives a discount: `{type: 'promotions.promotion', id}`. Opaque here; it comes back with every share. */
export interface DiscountSource {
  type: string;
  id: string;
}

export interface DiscountBase {
  source: DiscountSource;
  /** The code the buyer entered, when there was one. */
  code?: string;
  name: string;
  /**
   * `line`: the lines named. `order`: the items altogether, or those named. `shipping`: the shipping lines.
   * Without `lineIds` it takes every line that isn't locked; an unknown id is a `RangeError`.
   */
  target: 'line' | 'order' | 'shipping';
  lineIds?: readonly string[];
  /** Never more than this altogether, minor units (`maxDiscount`, or what is left of a budget). */
  maxDiscount?: number;
}

/** A discount on single units (`allocation: each`), capped at what the unit costs after earlier discounts. */
export interface UnitDiscount {
  /** Exactly one of: minor units off each unit, basis points off each unit, or what a unit shall cost (`fixed_price`). */
  value: { amount: number } | { percentBp: number } | { price: number };
  /** At most so many units altogether. */
  maxUnits?: number;
  /** At most so many units of each line named here, none of the others (the free units of buy X get Y). */
  units?: readonly { lineId: string; quantity: number }[];
  /** Which units come first when not all are due. Default `dearest`. */
  first?: 'most_expensive' | 'least_expensive';
}

/**
 * What a discount is worth, in the price mode of the sheet; exactly one of
 * - `amount` in minor units, allocated over the lines by R4;
 * - `percentBp`: target `line` rounds each line by itself; `order`, `shipping`, or with `across`, one rounding of the sum, allocated by R4;
 * - `each`: by unit;
 * - `shares`: fixed before, kept as they are (editing an order, a marketplace's own discounts).
 */
export type DiscountValue =
  | { amount: number }
  | { percentBp: number; across?: boolean }
  | { each: UnitDiscount }
  | { shares: readonly { lineId: string; amount: number }[] };

export type DiscountInput = DiscountBase & DiscountValue;

/** A line or shipping line as a discount sees it. */
export interface DiscountTarget {
  id: string;
  quantity: number;
  /** What it costs after earlier discounts. */
  running: number;
  /** How much of the earlier discounts were percentages. */
  percentOff: number;
  /** How much may still be taken off: down to 0, or to `minPrice × quantity` (R17). */
  room: number;
}

/** What a discount did to one line; `rounding` when the line was rounded by itself. */
export interface DiscountStep {
  id: string;
  weight: number;
  room: number;
  amount: number;
  rounding?: string;
}

/** How a discount came about: the amounts it was counted on, what it asked for, what it got after the caps. */
export interface DiscountResult {
  rule: 'R4' | 'R5' | 'R13' | 'kept';
  base: number;
  requested: number;
  amount: number;
  rounding?: string;
  lines: DiscountStep[];
}
