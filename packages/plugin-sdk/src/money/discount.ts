import { allocate } from './allocate.ts';
import type { DiscountInput, DiscountResult, DiscountStep, DiscountTarget, UnitDiscount } from './discount-types.ts';
import { checkPositive, percentBp, roundingOf } from './rounding.ts';
import { applyPicks, applyShares, type GroupRun, groupRoom, groupRuns, type UnitGroup, type UnitPick } from './units.ts';

/**
 * `sequential`: a percentage applies to what earlier percentages left. `parallel`: all percentages apply to the same base. Rule
 * R7.
 */
export type PercentStacking = 'sequential' | 'parallel';

/** A discount with the units of its targets after it, in the order of the targets. */
export interface ComputedDiscount {
  result: DiscountResult;
  units: UnitGroup[][];
}

/**
 * The discount of one input on its targets, capped by R8 and R17; changes nothing. The targets are the lines in question, in line order.
 */
export function computeDiscount(
  input: DiscountInput,
  targets: readonly DiscountTarget[],
  stacking: PercentStacking,
): ComputedDiscount {
  const limit = input.maxDiscount === undefined ? undefined : checkPositive(input.maxDiscount, 'a largest discount');
  if ('each' in input) return eachUnit(targets, input.each, { stacking, limit, inSet: input.bought !== undefined });
  if ('percentBp' in input && input.target === 'line' && !input.across)
    return percentByLine(targets, input.percentBp, stacking, limit);
  const kept = 'shares' in input;
  const result = kept ? keptShares(targets, input.shares) : lineDiscount(input, targets, stacking, limit);
  const units = targets.map(({ units: groups, minPrice }, i) => {
    const rooms = groups.map((group) => groupRoom(group, kept ? 0 : minPrice));
    const weights = groups.map(({ total }) => total);
    return applyShares(groups, allocate(result.lines[i]!.amount, weights, rooms), 'percentBp' in input);
  });
  return { result, units };
}

function lineDiscount(
  input: Exclude<DiscountInput, { each: UnitDiscount } | { shares: readonly unknown[] }>,
  targets: readonly DiscountTarget[],
  stacking: PercentStacking,
  limit: number | undefined,
): DiscountResult {
  if ('percentBp' in input) return percentOfSum(targets, input.percentBp, stacking, limit);
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

/** Rounds each line, and caps its units separately: what doesn't fit on one isn't taken off another. */
function percentByLine(
  targets: readonly DiscountTarget[],
  bp: number,
  stacking: PercentStacking,
  limit: number | undefined,
): ComputedDiscount {
  const bases = targets.map((target) => percentBase(target, stacking));
  const requested = bases.map((base) => percentBp(base, bp));
  const wanted = targets.map(({ units, minPrice }, i) => {
    const weights = units.map(({ total, percentOff }) => (stacking === 'parallel' ? total + percentOff : total));
    const shares = allocate(requested[i]!, weights);
    return units.map((group, k) => Math.min(shares[k]!, groupRoom(group, minPrice)));
  });
  const parts = limitParts(wanted, limit);
  const lines = targets.map(({ id, room }, i): DiscountStep => {
    const rounding = percentRounding(requested[i]!, bases[i]!, bp);
    return { id, weight: bases[i]!, room, amount: sum(parts[i]!), rounding };
  });
  return {
    result: { rule: 'R5', ...totals(lines, sum(requested)) },
    units: targets.map(({ units }, i) => applyShares(units, parts[i]!, true)),
  };
}

/** Discounts single units. Each is capped at its own room, so that splitting a line changes nothing. */
function eachUnit(
  targets: readonly DiscountTarget[],
  each: UnitDiscount,
  { stacking, limit, inSet }: { stacking: PercentStacking; limit: number | undefined; inSet: boolean },
): ComputedDiscount {
  const { value } = each;
  const percent = 'percentBp' in value;
  const off = ({ amount, base }: GroupRun): number => {
    if ('percentBp' in value) return percentBp(stacking === 'parallel' ? base : amount, value.percentBp);
    if ('price' in value) return Math.max(0, amount - checkPositive(value.price, 'a price'));
    return checkPositive(value.amount, 'a discount');
  };
  const sign = each.first === 'least_expensive' ? -1 : 1;
  const runs = targets
    .flatMap((target, i) => groupRuns(target.units).map((run) => ({ ...run, i, taken: target.units[run.group]!.inSet })))
    .filter(({ taken }) => !(inSet && taken))
    // Of equal units those of sets come first, wherever they are in the cart: the others can still form a set.
    .sort((a, b) => sign * (b.amount - a.amount || b.base - a.base) || Number(b.taken) - Number(a.taken));
  const lineLeft = targets.map((target) => (each.units ? namedUnits(each.units, target.id) : target.quantity));
  let left = each.maxUnits === undefined ? Number.POSITIVE_INFINITY : checkCount(each.maxUnits);
  const requested = targets.map(() => 0);
  const picks = targets.map((): UnitPick[] => []);
  for (const run of runs) {
    const { i, group, amount, base } = run;
    const count = Math.min(run.count, left, lineLeft[i]!);
    if (count === 0) continue;
    const wanted = off(run);
    const room = Math.max(0, amount - targets[i]!.minPrice);
    requested[i] = requested[i]! + wanted * count;
    picks[i]!.push({ group, count, total: amount * count, base: base * count, discount: Math.min(wanted, room) * count });
    lineLeft[i] = lineLeft[i]! - count;
    left -= count;
  }
  const weights = targets.map((target) => (percent ? percentBase(target, stacking) : target.running));
  const parts = limitParts(
    picks.map((list) => list.map(({ discount }) => discount)),
    limit,
  );
  const lines = targets.map(({ id, room }, i) => ({ id, weight: weights[i]!, room, amount: sum(parts[i]!) }));
  return {
    result: { rule: 'R13', ...totals(lines, sum(requested)) },
    units: targets.map((target, i) => {
      const discounted = picks[i]!.map((pick, k) => ({ ...pick, discount: parts[i]![k]! }));
      return applyPicks(target.units, discounted, { percent, inSet });
    }),
  };
}

function namedUnits(units: readonly { lineId: string; quantity: number }[], id: string): number {
  return sum(units.filter((unit) => unit.lineId === id).map((unit) => checkCount(unit.quantity)));
}

function checkCount(units: number): number {
  if (!Number.isSafeInteger(units) || units < 0) throw new RangeError(`a number of units must be an integer ≥ 0, not ${units}`);
  return units;
}

function keptShares(targets: readonly DiscountTarget[], shares: readonly { lineId: string; amount: number }[]): DiscountResult {
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

/** Caps the sum of the parts of all lines at a limit: by line, then by part, in proportion (R4). */
function limitParts(parts: readonly number[][], limit: number | undefined): readonly number[][] {
  const amounts = parts.map(sum);
  if (limit === undefined || sum(amounts) <= limit) return parts;
  return allocate(limit, amounts).map((amount, i) => allocate(amount, parts[i]!));
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
