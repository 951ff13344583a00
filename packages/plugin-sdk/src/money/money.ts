import { exponentOf, isCurrency } from './currency.ts';
import { toDecimalString } from './decimal.ts';
import { MoneyError, moneyInvalid } from './error.ts';
import { checkAmount, maxAmount } from './rounding.ts';

/** R1: an amount in minor units of the currency (1255 KWD is 1.255 dinars), abs ≤ 10^13, and an ISO 4217 code. */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** Money of an amount in minor units. Fraction, NaN, out of bounds or unknown code: 422 `money_invalid`. */
export function money(amount: number, currency: string): Money {
  exponentOf(currency);
  return { amount: checkAmount(amount), currency };
}

/** Is it money exactly: two members, an integer within bounds and a known code? Never throws. */
export function isMoney(value: unknown): value is Money {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { amount, currency } = value as Partial<Record<'amount' | 'currency', unknown>>;
  return typeof amount === 'number' && Number.isInteger(amount) && Math.abs(amount) <= maxAmount && isCurrency(currency);
}

/** An unknown value as money, −0 as 0. Anything else: 422 `money_invalid`, naming the pointer when given. */
export function parseMoney(value: unknown, pointer?: string): Money {
  if (!isMoney(value)) throw moneyInvalid('must be {amount: whole minor units, currency: ISO 4217 code}', pointer);
  return { amount: value.amount + 0, currency: value.currency };
}

/** Throws 422 `currency_mismatch` unless all are in one currency. */
export function assertSameCurrency(...values: readonly Money[]): void {
  const first = values[0];
  for (const value of values) {
    if (value.currency === first?.currency) continue;
    throw new MoneyError('currency_mismatch', `${value.currency} and ${first?.currency} can't stand in one sum`);
  }
}

/** Sum of two; other currency: 422 `currency_mismatch`; out of bounds: 422 `money_invalid`. */
export function addMoney(a: Money, b: Money): Money {
  assertSameCurrency(a, b);
  return money(a.amount + b.amount, a.currency);
}

/** Difference of two, with the errors of `addMoney`. */
export function subtractMoney(a: Money, b: Money): Money {
  return addMoney(a, negateMoney(b));
}

/** The opposite; the opposite of 0 is 0, never −0. */
export function negateMoney(value: Money): Money {
  return money(0 - value.amount, value.currency);
}

/** Price × whole quantity. A fraction is a `RangeError` (use `mulDecimal`). */
export function multiplyMoney(value: Money, quantity: number): Money {
  if (!Number.isSafeInteger(quantity)) throw new RangeError(`${quantity} is not a whole quantity`);
  return money(value.amount * quantity, value.currency);
}

/** Sum of a list in the named currency, zero for none. Another currency in it: 422 `currency_mismatch`. */
export function sumMoney(values: Iterable<Money>, currency: string): Money {
  let sum = money(0, currency);
  for (const value of values) sum = addMoney(sum, value);
  return sum;
}

/** −1, 0 or 1. Other currency: 422 `currency_mismatch`. */
export function compareMoney(a: Money, b: Money): -1 | 0 | 1 {
  assertSameCurrency(a, b);
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0;
}

/** Same amount and currency. */
export function equalMoney(a: Money, b: Money): boolean {
  return a.amount === b.amount && a.currency === b.currency;
}

// A number format costs some 50 µs to make and a page shows the same few.
const formats = new Map<string, Intl.NumberFormat>();
const maxFormats = 200;

/**
 * For people, by Intl, always with the decimals of ISO 4217 (`{1255, KWD}` shows 1.255), exact for every amount.
 * `locale` is a BCP 47 tag; one that Intl can't read is a `RangeError`.
 */
export function formatMoney(value: Money, locale: string): string {
  const key = `${locale} ${value.currency}`;
  let format = formats.get(key);
  if (!format) {
    const decimals = exponentOf(value.currency);
    format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: value.currency,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    if (formats.size >= maxFormats) formats.clear();
    formats.set(key, format);
  }
  // A string keeps all digits; a number would be a float.
  return format.format(toDecimalString(value) as Intl.StringNumericLiteral);
}
