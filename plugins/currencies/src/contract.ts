import { type MoneyValue, service } from '@storeloom/plugin-sdk';

export interface Fx {
  /** R11; 422 `currency_mismatch` when no rate is known. */
  convert(money: MoneyValue, to: string, at?: string): Promise<MoneyValue>;
  rate(base: string, quote: string, at?: string): Promise<{ rate: string; rateId: string | null; asOf: string } | undefined>;
  enabled(): Promise<{ code: string; exponent: number; isBase: boolean; roundingStep: number | null }[]>;
}
export const fx = service<Fx>('currencies:fx');
