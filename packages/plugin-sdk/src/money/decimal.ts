import { exponentOf } from './currency.ts';
import { moneyInvalid } from './error.ts';
import type { Money } from './money.ts';
import { checkAmount, roundHalfAway, toAmount } from './rounding.ts';

/** An exact fraction. The denominator is positive. */
export interface Fraction {
  num: bigint;
  den: bigint;
}

/** Longest accepted decimal string, so that a request can't make BigInt arithmetic slow. */
const maxLength = 40;

/**
 * A plain decimal string ("12", "-0.5", "3.783325") as an exact fraction over a power of ten.
 * No exponent, no grouping, no leading "+", no blanks, and a digit on both sides of the point: else undefined.
 */
export function readDecimal(text: unknown): Fraction | undefined {
  if (typeof text !== 'string' || text.length > maxLength || !/^-?\d+(\.\d+)?$/.test(text)) return undefined;
  const [whole = '', decimals = ''] = text.split('.');
  return { num: BigInt(whole + decimals), den: 10n ** BigInt(decimals.length) };
}

/**
 * Formats an amount in major units with all decimals of its currency: `{1255, KWD}` → "1.255", `{-5, RON}` → "-0.05",
 * `{1240, JPY}` → "1240".
 */
export function toDecimalString(money: Money): string {
  const exponent = exponentOf(money.currency);
  const amount = checkAmount(money.amount);
  if (exponent === 0) return String(amount);
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * Parses a decimal string in major units, for imports: ("1.255", "KWD") → 1255 minor units. Trailing zeros are allowed.
 *
 * @throws MoneyError 422 `money_invalid` for anything but a plain decimal, or for more decimals than the currency has
 */
export function parseDecimal(text: string, currency: string): Money {
  const scale = 10n ** BigInt(exponentOf(currency));
  const value = readDecimal(text);
  if (!value) throw moneyInvalid(`${JSON.stringify(String(text).slice(0, maxLength))} is not a decimal amount`);
  if ((value.num * scale) % value.den !== 0n) throw moneyInvalid(`${text} has more decimals than ${currency}`);
  return { amount: toAmount((value.num * scale) / value.den), currency };
}

/**
 * Multiplies an amount by a decimal string (a fractional quantity, "1.25") and rounds once, half away from zero. Rule R2.
 *
 * @throws MoneyError 422 `money_invalid` for anything but a plain decimal
 */
export function mulDecimal(amount: number, factor: string): number {
  const value = readDecimal(factor);
  if (!value) throw moneyInvalid(`${JSON.stringify(String(factor).slice(0, maxLength))} is not a decimal number`);
  return toAmount(roundHalfAway(BigInt(checkAmount(amount)) * value.num, value.den));
}
