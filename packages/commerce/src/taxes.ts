import { type MoneyValue, service } from '@storeloom/plugin-sdk';

/** Tax categories and rates. Provided by plugin taxes. */
export interface Taxes {
  categories(): Promise<
    { id: string; code: string; name: string; isDefault: boolean; kind: 'goods' | 'electronic_service' | 'service' }[]
  >;
  /** Taxes of a sale outside checkout, in the tenant's price mode. Default country: the shop's. */
  quote(request: {
    country?: string;
    at?: string;
    lines: { id: string; amount: MoneyValue; quantity: number; categoryId?: string }[];
  }): Promise<{
    lines: { id: string; taxLines: { ratePpm: number; amount: number }[]; tax: MoneyValue }[];
    taxSummary: { ratePpm: number; categoryCode: string; base: MoneyValue; tax: MoneyValue }[];
    total: MoneyValue;
  }>;
}

/** Token of `Taxes`. */
export const taxes = service<Taxes>('taxes:taxes');
