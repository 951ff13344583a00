import { currencyRows, withdrawnCurrencies } from './currency-codes.ts';
import { moneyInvalid } from './error.ts';

/** A currency of ISO 4217. */
export interface Currency {
  /** Alphabetic code, `RON`. */
  code: string;
  /** Numeric code of three digits, `946`. */
  number: string;
  /** Number of decimals of the minor unit: JPY 0, RON 2, KWD 3. */
  exponent: number;
  /** English name in ISO 4217. */
  name: string;
  /** Month or date from which it is no longer legal tender; null for a current currency. */
  withdrawn: string | null;
}

const table: ReadonlyMap<string, Currency> = new Map(
  currencyRows.map(([code, number, exponent, name]) => [
    code,
    Object.freeze({ code, number, exponent, name, withdrawn: withdrawnCurrencies[code] ?? null }),
  ]),
);

/** Returns true for an upper-case ISO 4217 code, withdrawn currencies included, so that old orders stay readable. */
export function isCurrency(code: unknown): code is string {
  return typeof code === 'string' && table.has(code);
}

/**
 * Returns the currency of a code.
 *
 * @throws MoneyError 422 `money_invalid` for an unknown code
 */
export function currencyOf(code: string): Currency {
  const currency = table.get(code);
  if (!currency) throw moneyInvalid(`${JSON.stringify(code)} is not an ISO 4217 currency code`);
  return currency;
}

/**
 * Returns the number of decimals of the minor unit: JPY 0, RON 2, KWD 3, CLF 4.
 *
 * @throws MoneyError 422 `money_invalid` for an unknown code
 */
export function exponentOf(code: string): number {
  return currencyOf(code).exponent;
}

/** Returns every currency that a shop can use, ordered by code; withdrawn ones are left out. */
export function listCurrencies(): Currency[] {
  return [...table.values()].filter((currency) => currency.withdrawn === null);
}
