import { bail } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import type { PricingContext } from './pricing-context.ts';
import type { PricingLine } from './pricing-line.ts';

export interface TaxRate {
  ratePpm: number;
  name: string;
  compound?: boolean;
}

export interface TaxQuote {
  /** By category id; `''` is the default category. */
  rates: Record<string, TaxRate[]>;
  /** Category code of each id, for the tax summary. */
  categoryCodes: Record<string, string>;
  treatment: 'domestic' | 'origin' | 'destination' | 'reverse_charge' | 'export' | 'exempt' | 'untaxed';
  reason?: string;
  countsForOss: boolean;
  /** The order waits on hold for a person. */
  hold?: boolean;
}

export interface TaxLine {
  ratePpm: number;
  amount: number;
  name: string;
}

export interface TaxQuoteInput {
  context: PricingContext;
  categoryIds: string[];
  /** What is sold. Absent where only rates are asked for. */
  lines?: readonly Pick<PricingLine, 'id' | 'taxCategoryId'>[];
  /** The sale as it would come out with these taxes; nothing of it reaches the cart. */
  preview?(quote: Pick<TaxQuote, 'rates' | 'categoryCodes'>): PricedSheet;
}

export const taxQuote = bail<TaxQuoteInput, TaxQuote>('checkout:tax.quote');
