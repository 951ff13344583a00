import { collect, type MoneyValue, service } from '@storeloom/plugin-sdk';

export interface Fx {
  /** R11; 422 `currency_mismatch` when no rate is known. */
  convert(money: MoneyValue, to: string, at?: string): Promise<MoneyValue>;
  rate(base: string, quote: string, at?: string): Promise<{ rate: string; rateId: string | null; asOf: string } | undefined>;
  enabled(): Promise<{ code: string; exponent: number; isBase: boolean; roundingStep: number | null }[]>;
}

export const fx = service<Fx>('currencies:fx');

/** Who keeps amounts in a currency (prices, carts, orders) says how many: such a currency can't be removed. */
export const currencyUses = collect<{ code: string }, { path: string; count: number }>('currencies:currency.uses');
