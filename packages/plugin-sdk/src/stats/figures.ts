import { type Money, money } from '../money/money.ts';
import { roundHalfAway } from '../money/rounding.ts';

/** Rounds to a whole number, half away from zero; never −0. */
function whole(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value)) + 0;
}

/** A share in percent with at most two decimals, half away from zero; null on a zero denominator. */
export function percent(part: number, of: number): number | null {
  // Multiplied first: 201 of 20,000 is 1.005 exactly, and 1.01 rounded.
  return of === 0 ? null : whole((part * 10_000) / of) / 100;
}

/** A mean with at most `decimals` places (2), half away from zero; null without data. */
export function average(total: number, count: number, decimals = 2): number | null {
  const unit = 10 ** decimals;
  return count === 0 ? null : whole((total * unit) / count) / unit;
}

/** A mean of money in minor units, half away from zero; null without data. */
export function averageMoney(totalAmount: number, count: number, currency: string): Money | null {
  return count === 0 ? null : money(Number(roundHalfAway(BigInt(totalAmount), BigInt(count))), currency);
}
