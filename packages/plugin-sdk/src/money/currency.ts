import { currencyRows, withdrawnCurrencies } from './currency-codes.ts';
import { moneyInvalid } from './error.ts';

/** A currency of ISO 4217. `exponent` is the number of decimals of its minor unit; `withdrawn` the date it stopped being legal tender. */
export interface Currency {
  code: string;
  number: string;
  exponent: number;
  name: string;
  withdrawn: string | null;
}

const table: ReadonlyMap<string, Currency> = new Map(
  currencyRows.map(([code, number, exponent, name]) => [
    code,
    Object.freeze({ code, number, exponent, name, withdrawn: withdrawnCurrencies[code] ?? null }),
  ]),
);

/** True for an ISO 4217 code in capitals, withdrawn ones included (old orders stay readable). */
export function isCurrency(code: unknown): code is string {
  return typeof code === 'string' && table.has(code);
}

/** The currency of a code. Unknown code: 422 `money_invalid`. */
export function currencyOf(code: string): Currency {
  const currency = table.get(code);
  if (!currency) throw moneyInvalid(`${JSON.stringify(code)} is not an ISO 4217 currency code`);
  return currency;
}

/** Decimals of the minor unit: JPY 0, RON 2, KWD 3, CLF 4. Unknown code: 422 `money_invalid`. */
export function exponentOf(code: string): number {
  return currencyOf(code).exponent;
}

/** Every currency that a shop may switch on, in code order: the table without the withdrawn ones. */
export function listCurrencies(): Currency[] {
  return [...table.values()].filter((currency) => currency.withdrawn === null);
}
