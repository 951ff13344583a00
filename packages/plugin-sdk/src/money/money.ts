import { exponentOf, isCurrency } from './currency.ts';
import { toDecimalString } from './decimal.ts';
import { MoneyError, moneyInvalid } from './error.ts';
import { checkAmount, maxAmount } from './rounding.ts';

/** An amount in minor units of a currency (1255 KWD is 1.255 dinars). Rule R1. */
export interface Money {
  /** Minor units, an integer of at most 10^13 in absolute value. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
}

/**
 * Returns money of an amount in minor units.
 *
 * @throws MoneyError 422 `money_invalid` for a fraction, NaN, an amount out of bounds or an unknown currency
 */
export function money(amount: number, currency: string): Money {
  exponentOf(currency);
  return { amount: checkAmount(amount), currency };
}

/** Returns true for an object with exactly `amount` (an integer within bounds) and `currency` (a known code). Never throws. */
export function isMoney(value: unknown): value is Money {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { amount, currency } = value as Partial<Record<'amount' | 'currency', unknown>>;
  return typeof amount === 'number' && Number.isInteger(amount) && Math.abs(amount) <= maxAmount && isCurrency(currency);
}

/**
 * Returns an unknown value as money, with −0 as 0.
 *
 * @throws MoneyError 422 `money_invalid` for anything else, referring to `pointer` if it is given
 */
export function parseMoney(value: unknown, pointer?: string): Money {
  if (!isMoney(value)) throw moneyInvalid('must be {amount: whole minor units, currency: ISO 4217 code}', pointer);
  return { amount: value.amount + 0, currency: value.currency };
}

/**
 * Checks that all amounts have the same currency.
 *
 * @throws MoneyError 422 `currency_mismatch`
 */
export function assertSameCurrency(...values: readonly Money[]): void {
  const first = values[0];
  for (const value of values) {
    if (value.currency === first?.currency) continue;
    throw new MoneyError('currency_mismatch', `${value.currency} and ${first?.currency} can't be calculated together`);
  }
}

/**
 * Returns the sum of two amounts.
 *
 * @throws MoneyError 422 `currency_mismatch` for different currencies, 422 `money_invalid` out of bounds
 */
export function addMoney(a: Money, b: Money): Money {
  assertSameCurrency(a, b);
  return money(a.amount + b.amount, a.currency);
}

/**
 * Returns `a − b`.
 *
 * @throws MoneyError 422 `currency_mismatch` for different currencies, 422 `money_invalid` out of bounds
 */
export function subtractMoney(a: Money, b: Money): Money {
  return addMoney(a, negateMoney(b));
}

/** Returns the amount with the opposite sign; 0 stays 0, never −0. */
export function negateMoney(value: Money): Money {
  return money(0 - value.amount, value.currency);
}

/**
 * Returns a price times a whole quantity.
 *
 * @throws RangeError for a fractional quantity (use `mulDecimal`)
 */
export function multiplyMoney(value: Money, quantity: number): Money {
  if (!Number.isSafeInteger(quantity)) throw new RangeError(`the quantity must be an integer, not ${quantity}`);
  return money(value.amount * quantity, value.currency);
}

/**
 * Returns the sum of a list in the given currency, zero for an empty list.
 *
 * @throws MoneyError 422 `currency_mismatch` if the list contains another currency
 */
export function sumMoney(values: Iterable<Money>, currency: string): Money {
  let sum = money(0, currency);
  for (const value of values) sum = addMoney(sum, value);
  return sum;
}

/**
 * Returns −1, 0 or 1.
 *
 * @throws MoneyError 422 `currency_mismatch` for different currencies
 */
export function compareMoney(a: Money, b: Money): -1 | 0 | 1 {
  assertSameCurrency(a, b);
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0;
}

/** Returns true for the same amount and currency. */
export function equalMoney(a: Money, b: Money): boolean {
  return a.amount === b.amount && a.currency === b.currency;
}

// Creating a number format takes about 50 µs, and a page uses the same few.
const formats = new Map<string, Intl.NumberFormat>();
const maxFormats = 200;

/**
 * Formats an amount for display, always with the decimals of ISO 4217 (`{1255, KWD}` shows 1.255) and exact for every amount.
 * `locale` is a BCP 47 tag.
 *
 * @throws RangeError for a tag that `Intl` can't read
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
  // As a string, since a number would lose digits of large amounts.
  return format.format(toDecimalString(value) as Intl.StringNumericLiteral);
}
