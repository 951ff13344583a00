import { exponentOf } from './currency.ts';
import { type Fraction, readDecimal } from './decimal.ts';
import { moneyInvalid } from './error.ts';
import type { Money } from './money.ts';
import { checkAmount, roundHalfAway, toAmount } from './rounding.ts';

const maxDigits = 12;

/**
 * Returns true for an exchange rate: a plain decimal string > 0 with at most 12 significant digits ("0.86", "3.783325"). Never
 * throws.
 */
export function isRate(value: unknown): value is string {
  return typeof value === 'string' && rateFraction(value) !== undefined;
}

/** Returns the rate as an exact fraction; throws 422 `money_invalid` for anything that `isRate` rejects. */
function parseRate(rate: string): Fraction {
  const fraction = rateFraction(rate);
  if (!fraction)
    throw moneyInvalid(
      `${JSON.stringify(String(rate).slice(0, 40))} is not a rate: a decimal string > 0 with at most ${maxDigits} digits`,
    );
  return fraction;
}

/**
 * Converts money into the currency `to`: `round(amount · rate · 10^(e2−e1))`. `rate` is units of `to` for one unit of the source
 * currency. Convert a unit price once, when the price is resolved; never a total, and never again for a refund. Rule R11.
 *
 * @throws MoneyError 422 `money_invalid` for an invalid rate or an unknown currency
 */
export function convert(value: Money, to: string, rate: string): Money {
  const { num, den } = parseRate(rate);
  const from = 10n ** BigInt(exponentOf(value.currency));
  const scale = 10n ** BigInt(exponentOf(to));
  return { amount: toAmount(roundHalfAway(BigInt(checkAmount(value.amount)) * num * scale, den * from)), currency: to };
}

/**
 * Returns 1 / rate as a decimal string of 12 significant digits, for a pair of which only the other direction is quoted.
 *
 * @throws MoneyError 422 `money_invalid` for an invalid rate
 */
export function invertRate(rate: string): string {
  const { num, den } = parseRate(rate);
  // den / num = mantissa · 10^-decimals; with these decimals the mantissa has 12 or 13 digits.
  let decimals = maxDigits + digits(num) - digits(den);
  let mantissa = scaled(den, num, decimals);
  if (digits(mantissa) > maxDigits) mantissa = scaled(den, num, --decimals);
  return decimalString(mantissa, decimals);
}

function rateFraction(rate: string): Fraction | undefined {
  const fraction = readDecimal(rate);
  if (!fraction || fraction.num <= 0n) return undefined;
  return String(fraction.num).replace(/0+$/, '').length <= maxDigits ? fraction : undefined;
}

function scaled(num: bigint, den: bigint, decimals: number): bigint {
  return decimals >= 0 ? roundHalfAway(num * 10n ** BigInt(decimals), den) : roundHalfAway(num, den * 10n ** BigInt(-decimals));
}

function digits(value: bigint): number {
  return String(value).length;
}

function decimalString(mantissa: bigint, decimals: number): string {
  if (decimals <= 0) return String(mantissa * 10n ** BigInt(-decimals));
  const text = String(mantissa).padStart(decimals + 1, '0');
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`.replace(/\.?0+$/, '');
}
