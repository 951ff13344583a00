import { checkAmount, roundHalfAway, toAmount } from './rounding.ts';

/**
 * R12: an amount to be paid in cash, rounded to the currency's smallest coin (`step` in minor units, half away from zero).
 * `cashRound(1953, 5)` → `{rounded: 1955, difference: 2}`; the difference is the untaxed `cashRounding` entry.
 * `step` is a whole number ≥ 1, else `RangeError`.
 */
export function cashRound(amount: number, step: number): { rounded: number; difference: number } {
  if (!Number.isSafeInteger(step) || step < 1) throw new RangeError(`${step} is not a cash step in minor units`);
  const unit = BigInt(step);
  const rounded = toAmount(roundHalfAway(BigInt(checkAmount(amount)), unit) * unit);
  return { rounded, difference: rounded - amount };
}
