import { checkAmount, roundHalfAway, toAmount } from './rounding.ts';

/**
 * R13: what each unit of a paid line was paid: the total split evenly over its units by R4, so the first units carry the remainder.
 * `unitShares(29000, 3)` → [9667, 9667, 9666]. The k-th refunded unit gets share k. Give it the line's tax for the tax of each unit.
 * `quantity` is a whole number ≥ 1, else `RangeError`.
 */
export function unitShares(total: number, quantity: number): number[] {
  return Array.from({ length: checkQuantity(quantity) }, (_, unit) => unitsTotal(total, quantity, unit, 1));
}

/**
 * Σ of the shares of `count` units after the first `from` ones, without listing them: `unitsTotal(29000, 3, 1, 2)` → 19333.
 * `0 ≤ from`, `0 ≤ count`, `from + count ≤ quantity`, else `RangeError`.
 */
export function unitsTotal(total: number, quantity: number, from: number, count: number): number {
  checkAmount(total);
  checkQuantity(quantity);
  if (!Number.isInteger(from) || !Number.isInteger(count) || from < 0 || count < 0 || from + count > quantity) {
    throw new RangeError(`no units ${from}..${from + count} in ${quantity}`);
  }
  const size = Math.abs(total);
  const rest = size % quantity;
  const base = (size - rest) / quantity;
  const larger = Math.max(0, Math.min(rest, from + count) - from);
  return (base * count + larger) * (total < 0 ? -1 : 1) + 0;
}

/** A run of units of one line that are worth the same. */
export interface UnitRun {
  amount: number;
  count: number;
}

/** The unit shares as at most two runs, dearest first: `unitRuns(29000, 3)` → [{9667, 2}, {9666, 1}]. */
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
 * The piece of an amount between two points of a whole (days of a period, shipped of ordered), by cumulative rounding: pieces that
 * touch add up exactly to the amount. `prorate(1000, 0, 10, 30)` → 333. `0 ≤ from ≤ to ≤ whole`, integers, else `RangeError`.
 */
export function prorate(amount: number, from: number, to: number, whole: number): number {
  const points = [from, to, whole];
  if (points.some((point) => !Number.isSafeInteger(point)) || from < 0 || from > to || to > whole || whole === 0) {
    throw new RangeError(`${from}..${to} is no part of ${whole}`);
  }
  const upTo = (point: number) => roundHalfAway(BigInt(checkAmount(amount)) * BigInt(point), BigInt(whole));
  return toAmount(upTo(to) - upTo(from));
}

/** Checks a quantity: a whole number ≥ 1, else `RangeError`. */
export function checkQuantity(quantity: number): number {
  if (!Number.isSafeInteger(quantity) || quantity < 1) throw new RangeError(`${quantity} is not a whole quantity of at least 1`);
  return quantity;
}
