import type { UnitGroup } from './units.ts';

/**
 * Identifies what grants a discount, for instance `{type: 'promotions.promotion', id}`. The sheet doesn't interpret it and
 * returns it with every share.
 */
export interface DiscountSource {
  /** Entity name, `<plugin>.<resource>`. */
  type: string;
  id: string;
}

/** Properties of every discount input. */
export interface DiscountBase {
  /** What grants the discount. */
  source: DiscountSource;
  /** The code that the buyer entered, if there was one. */
  code?: string;
  /** Name as it is shown to the buyer. */
  name: string;
  /**
   * `line` discounts each of the selected lines, `order` the sum of the selected lines, `shipping` the shipping lines. Without
   * `lineIds` every line that isn't locked is selected.
   */
  target: 'line' | 'order' | 'shipping';
  /** Ids of the selected lines. An unknown id is a `RangeError`. */
  lineIds?: readonly string[];
  /** Upper limit of the whole discount in minor units (`maxDiscount` of a promotion, or what remains of its budget). */
  maxDiscount?: number;
  /**
   * Units that pay for the discount (buy X get Y, gifts), by line. They and the units that `each` discounts form sets: a unit
   * belongs to one set at most. `[]` only limits `each` to units of no set.
   */
  bought?: readonly { lineId: string; quantity: number }[];
}

/** A discount on single units (allocation `each`), capped at what the unit costs after its own earlier discounts. Rule R13. */
export interface UnitDiscount {
  /** Exactly one of: minor units off each unit, basis points off each unit, or the fixed price of a unit. */
  value: { amount: number } | { percentBp: number } | { price: number };
  /** Maximum number of discounted units in total. */
  maxUnits?: number;
  /** Maximum number of units of each line given here; other lines get none (the free units of buy X get Y). */
  units?: readonly { lineId: string; quantity: number }[];
  /** Which units are discounted first if not all are. Default `most_expensive`. */
  first?: 'most_expensive' | 'least_expensive';
}

/**
 * The value of a discount in the price mode of the sheet; exactly one of
 * - `amount`: minor units, allocated over the lines (R4);
 * - `percentBp`: basis points. With target `line` each line is rounded separately; with `order`, `shipping` or `across` the sum
 *   is rounded once and allocated (R4);
 * - `each`: by unit (R13);
 * - `shares`: fixed amounts by line, kept as they are (order edits, marketplace discounts).
 */
export type DiscountValue =
  | { amount: number }
  | { percentBp: number; across?: boolean }
  | { each: UnitDiscount }
  | { shares: readonly { lineId: string; amount: number }[] };

/** A discount to apply: who grants it, what it applies to, and its value. */
export type DiscountInput = DiscountBase & DiscountValue;

/** A line or shipping line as a discount sees it. */
export interface DiscountTarget {
  id: string;
  quantity: number;
  /** What it costs after earlier discounts. */
  running: number;
  /** How much of the earlier discounts were percentages. */
  percentOff: number;
  /** How much may still be taken off: down to 0, or to the minimum price of each unit (R17). */
  room: number;
  /** Lowest price of a unit (R17). */
  minPrice: number;
  /** The units, grouped by their discounts so far. */
  units: readonly UnitGroup[];
}

/** The effect of a discount on one line. Part of the trace (R18). */
export interface DiscountStep {
  /** Id of the line or shipping line. */
  id: string;
  /** Weight of the line in the allocation, in minor units. */
  weight: number;
  /** Largest discount that the line allowed, in minor units (R8, R17). */
  room: number;
  /** Discount of the line in minor units. */
  amount: number;
  /** What rounding added, as a reduced fraction, if the line was rounded separately. */
  rounding?: string;
}

/** How a discount was calculated. Part of the trace (R18). */
export interface DiscountResult {
  /** Rule that determined the amount; `kept` for shares that were fixed before. */
  rule: 'R4' | 'R5' | 'R13' | 'kept';
  /** Sum of the amounts that the discount was calculated on, in minor units. */
  base: number;
  /** Discount before the caps, in minor units. */
  requested: number;
  /** Discount after the caps, in minor units. */
  amount: number;
  /** What rounding added to the whole discount, as a reduced fraction. */
  rounding?: string;
  /** Effect on each line, in line order. */
  lines: DiscountStep[];
}
