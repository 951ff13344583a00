import { checkAmount, roundHalfAway, toAmount } from './rounding.ts';

/**
 * Returns an amount rounded to the smallest coin, and the difference: `cashRound(1953, 5)` → `{rounded: 1955, difference: 2}`.
 * Rounds half away from zero. `step` is the coin in minor units; the difference is the untaxed `cashRounding` of the totals. Rule
 * R12.
 *
 * @throws RangeError unless `step` is an integer ≥ 1
 */
export function cashRound(amount: number, step: number): { rounded: number; difference: number } {
  if (!Number.isSafeInteger(step) || step < 1) throw new RangeError(`${step} is not a cash step in minor units`);
  const unit = BigInt(step);
  const rounded = toAmount(roundHalfAway(BigInt(checkAmount(amount)), unit) * unit);
  return { rounded, difference: rounded - amount };
}
