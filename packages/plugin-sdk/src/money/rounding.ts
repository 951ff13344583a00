import { moneyInvalid } from './error.ts';

/** Largest absolute value of an amount, sum or total, in minor units: 10^13. Rule R1. */
export const maxAmount = 10_000_000_000_000;

const bpUnit = 10_000n;
/** Parts per million in one: the denominator of every tax rate. */
export const ppmUnit = 1_000_000n;

/**
 * Returns the amount in minor units with −0 as 0; throws 422 `money_invalid` unless it is an integer of at most 10^13 in absolute
 * value.
 */
export function checkAmount(amount: number): number {
  if (!Number.isInteger(amount)) throw moneyInvalid(`${String(amount)} is not a whole number of minor units`);
  if (Math.abs(amount) > maxAmount) throw moneyInvalid(`${amount} is more than 10^13 minor units`);
  return amount + 0;
}

/** Returns an amount that must not be negative (prices, discounts, fees, tenders); throws 422 `money_invalid` otherwise. */
export function checkPositive(amount: number, what: string): number {
  if (checkAmount(amount) < 0) throw moneyInvalid(`${what} can't be negative`);
  return amount + 0;
}

/** Converts a BigInt to an amount within the bounds of R1. */
export function toAmount(amount: bigint): number {
  return checkAmount(Number(amount));
}

/**
 * Returns the integer nearest to `numerator / denominator`, half away from zero. Rule R2.
 *
 * @throws RangeError for a denominator of 0
 */
export function roundHalfAway(numerator: bigint, denominator: bigint): bigint {
  if (denominator === 0n) throw new RangeError('division by zero');
  const n = denominator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  return n < 0n ? -((-n * 2n + d) / (d * 2n)) : (n * 2n + d) / (d * 2n);
}

/** Returns `amount × num / den` in minor units, rounded once (R2). `num` and `den` are integers. */
export function mulRatio(amount: number, num: number | bigint, den: number | bigint): number {
  return toAmount(roundHalfAway(BigInt(checkAmount(amount)) * BigInt(num), BigInt(den)));
}

/**
 * Returns the share of an amount in basis points, 0..10000 (12.5 % = 1250), rounded once. Rule R5.
 *
 * @throws RangeError for a rate out of range
 */
export function percentBp(amount: number, bp: number): number {
  if (!Number.isInteger(bp) || bp < 0 || bp > 10_000) throw new RangeError(`${bp} is not 0..10000 basis points`);
  return mulRatio(amount, bp, bpUnit);
}

/**
 * Returns the share of an amount in parts per million, 0..1000000 (21 % = 210000), rounded once.
 *
 * @throws RangeError for a rate out of range
 */
export function ppm(amount: number, ratePpm: number): number {
  return mulRatio(amount, checkPpm(ratePpm), ppmUnit);
}

/** Checks a rate: an integer 0..1000000, else `RangeError`. */
export function checkPpm(ratePpm: number): number {
  if (!Number.isInteger(ratePpm) || ratePpm < 0 || ratePpm > 1_000_000)
    throw new RangeError(`${ratePpm} is not 0..1000000 parts per million`);
  return ratePpm;
}

/** What rounding added to `numerator / denominator`, as a reduced fraction ("1/2", "-3/10", "0"): a member of the trace (R18). */
export function roundingOf(rounded: bigint, numerator: bigint, denominator: bigint): string {
  const rest = rounded * denominator - numerator;
  if (rest === 0n) return '0';
  let a = rest < 0n ? -rest : rest;
  let b = denominator < 0n ? -denominator : denominator;
  while (b !== 0n) [a, b] = [b, a % b];
  const divisor = denominator < 0n ? -a : a;
  return `${rest / divisor}/${denominator / divisor}`;
}
