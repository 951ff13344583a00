import { type Money, money } from '../money/money.ts';
import { roundHalfAway } from '../money/rounding.ts';

/** Rounds to a whole number, half away from zero; never −0. */
function whole(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value)) + 0;
}

/** Returns a percentage with at most two decimals, half away from zero; null for a zero denominator. */
export function percent(part: number, of: number): number | null {
  // Multiply first: 201 of 20,000 is exactly 1.005, rounded 1.01.
  return of === 0 ? null : whole((part * 10_000) / of) / 100;
}

/** Returns a mean with at most `decimals` places, half away from zero; null without data. */
export function average(total: number, count: number, decimals = 2): number | null {
  const unit = 10 ** decimals;
  return count === 0 ? null : whole((total * unit) / count) / unit;
}

/** Returns the mean of amounts in minor units, half away from zero; null without data. */
export function averageMoney(totalAmount: number, count: number, currency: string): Money | null {
  return count === 0 ? null : money(Number(roundHalfAway(BigInt(totalAmount), BigInt(count))), currency);
}
