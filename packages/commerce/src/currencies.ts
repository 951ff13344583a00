import { collect, type MoneyValue, service } from '@storeloom/plugin-sdk';

/** Exchange rates. Provided by plugin currencies. */
export interface Fx {
  /** Converts once, rounded by R11. @throws Problem 422 `currency_mismatch` when no rate is known */
  convert(money: MoneyValue, to: string, at?: string): Promise<MoneyValue>;
  rate(base: string, quote: string, at?: string): Promise<{ rate: string; rateId: string | null; asOf: string } | undefined>;
  enabled(): Promise<{ code: string; exponent: number; isBase: boolean; roundingStep: number | null }[]>;
}

/** Token of `Fx`. */
export const fx = service<Fx>('currencies:fx');

/** Taps report rows with amounts in a currency (prices, carts, orders), which then can't be removed. */
export const currencyUses = collect<{ code: string }, { path: string; count: number }>('currencies:currency.uses');
