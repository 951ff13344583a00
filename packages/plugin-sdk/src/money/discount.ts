import { allocate } from './allocate.ts';
import type { DiscountInput, DiscountResult, DiscountStep, DiscountTarget, UnitDiscount } from './discount-types.ts';
import { type UnitRun, unitRuns } from './parts.ts';
import { checkPositive, percentBp, roundingOf } from './rounding.ts';

/**
 * `sequential`: a percentage applies to what earlier percentages left. `parallel`: all percentages apply to the same base. Rule
 * R7.
 */
export type PercentStacking = 'sequential' | 'parallel';

/**
 * The discount of one input on its targets, capped by R8 and R17; changes nothing. The targets are the lines in question, in line order.
 */
export function computeDiscount(
  input: DiscountInput,
  targets: readonly DiscountTarget[],
  stacking: PercentStacking,
): DiscountResult {
  if ('shares' in input) return kept(targets, input.shares);
  const limit = input.maxDiscount === undefined ? undefined : checkPositive(input.maxDiscount, 'a largest discount');
  if ('each' in input) return eachUnit(targets, input.each, stacking, limit);
  if ('percentBp' in input) {
    const byLine = input.target === 'line' && !input.across;
    return byLine
      ? percentByLine(targets, input.percentBp, stacking, limit)
      : percentOfSum(targets, input.percentBp, stacking, limit);
  }
  const weights = targets.map((target) => target.running);
  return { rule: 'R4', ...spread(targets, checkPositive(input.amount, 'a discount'), weights, limit) };
}

/** The base of a percentage (R7). */
function percentBase(target: DiscountTarget, stacking: PercentStacking): number {
  return stacking === 'parallel' ? target.running + target.percentOff : target.running;
}

function percentOfSum(
  targets: readonly DiscountTarget[],
  bp: number,
  stacking: PercentStacking,
  limit: number | undefined,
): DiscountResult {
  const weights = targets.map((target) => percentBase(target, stacking));
  const base = sum(weights);
  const requested = percentBp(base, bp);
  const result = spread(targets, requested, weights, limit);
  return { rule: 'R5', ...result, rounding: percentRounding(requested, base, bp) };
}

function percentByLine(
  targets: readonly DiscountTarget[],
  bp: number,
  stacking: PercentStacking,
  limit: number | undefined,
): DiscountResult {
  const bases = targets.map((target) => percentBase(target, stacking));
  const requested = bases.map((base) => percentBp(base, bp));
  const result = fixed(targets, bases, requested, limit);
  for (const [i, line] of result.lines.entries()) line.rounding = percentRounding(requested[i]!, bases[i]!, bp);
  return { rule: 'R5', ...result };
}

function eachUnit(
  targets: readonly DiscountTarget[],
  each: UnitDiscount,
  stacking: PercentStacking,
  limit: number | undefined,
): DiscountResult {
  const { value } = each;
  const off = (unit: number): number => {
    if ('percentBp' in value) return percentBp(unit, value.percentBp);
    if ('price' in value) return Math.max(0, unit - checkPositive(value.price, 'a price'));
    return Math.min(unit, checkPositive(value.amount, 'a discount'));
  };
  const bases = targets.map((target) => ('percentBp' in value ? percentBase(target, stacking) : target.running));
  const runs = targets.flatMap((target, i) => worthRuns(bases[i]!, target.quantity).map((run) => ({ ...run, i })));
  const sign = each.first === 'least_expensive' ? -1 : 1;
  runs.sort((a, b) => sign * (b.amount - a.amount));
  const lineLeft = targets.map((target) => (each.units ? namedUnits(each.units, target.id) : target.quantity));
  let left = each.maxUnits === undefined ? Number.POSITIVE_INFINITY : checkCount(each.maxUnits);
  const requested = targets.map(() => 0);
  for (const run of runs) {
    const count = Math.min(run.count, left, lineLeft[run.i]!);
    requested[run.i] = requested[run.i]! + off(run.amount) * count;
    lineLeft[run.i] = lineLeft[run.i]! - count;
    left -= count;
  }
  return { rule: 'R13', ...fixed(targets, bases, requested, limit) };
}

/** Returns the units with a price above 0: a free gift must not use up the units of a discount (P5). */
export function worthRuns(total: number, quantity: number): UnitRun[] {
  return unitRuns(total, quantity).filter((run) => run.amount > 0);
}

function namedUnits(units: readonly { lineId: string; quantity: number }[], id: string): number {
  return sum(units.filter((unit) => unit.lineId === id).map((unit) => checkCount(unit.quantity)));
}

function checkCount(units: number): number {
  if (!Number.isSafeInteger(units) || units < 0) throw new RangeError(`a number of units must be an integer ≥ 0, not ${units}`);
  return units;
}

function kept(targets: readonly DiscountTarget[], shares: readonly { lineId: string; amount: number }[]): DiscountResult {
  const wanted = targets.map((target) =>
    sum(shares.filter((share) => share.lineId === target.id).map((share) => checkPositive(share.amount, 'a discount'))),
  );
  const lines = targets.map((target, i) => {
    // A share that was agreed earlier is limited by 0 only (R8), not by the current minimum price.
    return { id: target.id, weight: wanted[i]!, room: target.running, amount: Math.min(wanted[i]!, target.running) };
  });
  return { rule: 'kept', ...totals(lines, sum(wanted)) };
}

/** Allocates one amount over the targets (R4), capped at the sum of the weights (R8) and by the rooms (R17). */
function spread(
  targets: readonly DiscountTarget[],
  requested: number,
  weights: readonly number[],
  limit: number | undefined,
): Omit<DiscountResult, 'rule'> {
  const rooms = targets.map((target) => target.room);
  const capped = Math.min(requested, limit ?? requested, sum(weights));
  const shares = allocate(capped, weights, rooms);
  const lines = targets.map((target, i) => ({ id: target.id, weight: weights[i]!, room: rooms[i]!, amount: shares[i]! }));
  return totals(lines, requested);
}

/** Caps each line's amount at its room, and the sum at the limit (in proportion, R4). */
function fixed(
  targets: readonly DiscountTarget[],
  weights: readonly number[],
  requested: readonly number[],
  limit: number | undefined,
): Omit<DiscountResult, 'rule'> {
  let amounts = targets.map((target, i) => Math.min(requested[i]!, target.room));
  if (limit !== undefined && sum(amounts) > limit) amounts = allocate(limit, amounts);
  const lines = targets.map((target, i) => ({ id: target.id, weight: weights[i]!, room: target.room, amount: amounts[i]! }));
  return totals(lines, sum(requested));
}

function totals(lines: DiscountStep[], requested: number): Omit<DiscountResult, 'rule'> {
  return { base: sum(lines.map((line) => line.weight)), requested, amount: sum(lines.map((line) => line.amount)), lines };
}

function percentRounding(rounded: number, base: number, bp: number): string {
  return roundingOf(BigInt(rounded), BigInt(base) * BigInt(bp), 10_000n);
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
