import { checkAmount, roundHalfAway, toAmount } from './rounding.ts';

/**
 * Returns what each unit of a paid line costs: the total split evenly over the units (R4), the first units carrying the
 * remainder. `unitShares(29000, 3)` → [9667, 9667, 9666]. The k-th refunded unit gets share k. Pass the tax of the line for the
 * tax of each unit. Rule R13.
 *
 * @throws RangeError unless `quantity` is an integer ≥ 1
 */
export function unitShares(total: number, quantity: number): number[] {
  return Array.from({ length: checkQuantity(quantity) }, (_, unit) => unitsTotal(total, quantity, unit, 1));
}

/**
 * Returns the sum of the shares of `count` units after the first `from` ones: `unitsTotal(29000, 3, 1, 2)` → 19333.
 *
 * @throws RangeError unless 0 ≤ `from`, 0 ≤ `count` and `from + count` ≤ `quantity`
 */
export function unitsTotal(total: number, quantity: number, from: number, count: number): number {
  checkAmount(total);
  checkQuantity(quantity);
  if (!Number.isInteger(from) || !Number.isInteger(count) || from < 0 || count < 0 || from + count > quantity) {
    throw new RangeError(`units ${from}..${from + count} are out of range: the line has ${quantity}`);
  }
  const size = Math.abs(total);
  const rest = size % quantity;
  const base = (size - rest) / quantity;
  const larger = Math.max(0, Math.min(rest, from + count) - from);
  return (base * count + larger) * (total < 0 ? -1 : 1) + 0;
}

/** Consecutive units of one line that have the same value. */
export interface UnitRun {
  /** Value of one unit in minor units. */
  amount: number;
  /** Number of units. */
  count: number;
}

/** Returns the unit shares as at most two runs, most expensive first: `unitRuns(29000, 3)` → [{9667, 2}, {9666, 1}]. */
export function unitRuns(total: number, quantity: number): UnitRun[] {
  checkAmount(total);
  checkQuantity(quantity);
  const rest = total % quantity;
  const base = (total - rest) / quantity;
  const runs = [
    { amount: base + 1, count: rest },
    { amount: base, count: quantity - rest },
  ];
  return runs.filter((run) => run.count > 0);
}

/**
 * Returns the part of an amount between two points of a whole (days of a period, shipped of ordered units) by cumulative
 * rounding, so that adjacent parts add up exactly to the amount. `prorate(1000, 0, 10, 30)` → 333.
 *
 * @throws RangeError unless 0 ≤ `from` ≤ `to` ≤ `whole` are integers and `whole` > 0
 */
export function prorate(amount: number, from: number, to: number, whole: number): number {
  const points = [from, to, whole];
  if (points.some((point) => !Number.isSafeInteger(point)) || from < 0 || from > to || to > whole || whole === 0) {
    throw new RangeError(`${from}..${to} is not within 0..${whole}`);
  }
  const upTo = (point: number) => roundHalfAway(BigInt(checkAmount(amount)) * BigInt(point), BigInt(whole));
  return toAmount(upTo(to) - upTo(from));
}

/** Returns the quantity if it is an integer ≥ 1; throws a `RangeError` otherwise. */
export function checkQuantity(quantity: number): number {
  if (!Number.isSafeInteger(quantity) || quantity < 1)
    throw new RangeError(`the quantity must be an integer ≥ 1, not ${quantity}`);
  return quantity;
}
