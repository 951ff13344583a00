import { bail } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import type { PricingContext } from './pricing-context.ts';
import type { PricingLine } from './pricing-line.ts';

/** One rate of a tax. */
export interface TaxRate {
  /** Parts per million: 21 % is 210,000. */
  ratePpm: number;
  name: string;
  /** Charged on the amount with the rates before it. */
  compound?: boolean;
}

/** The rates of a sale. */
export interface TaxQuote {
  /** By category id; `''` is the default category. */
  rates: Record<string, TaxRate[]>;
  /** Category code by category id, for the tax summary. */
  categoryCodes: Record<string, string>;
  treatment: 'domestic' | 'origin' | 'destination' | 'reverse_charge' | 'export' | 'exempt' | 'untaxed';
  /** Legal reason of a zero rate, for documents. */
  reason?: string;
  /** Whether the sale counts towards the EU threshold for distance sales. */
  countsForOss: boolean;
  /** The order starts on hold until staff have checked it. */
  hold?: boolean;
}

/** Tax of a line at one rate. `amount` in minor units. */
export interface TaxLine {
  ratePpm: number;
  amount: number;
  name: string;
}

/** Input of `taxQuote`. */
export interface TaxQuoteInput {
  context: PricingContext;
  categoryIds: string[];
  /** Absent where only the rates are needed. */
  lines?: readonly Pick<PricingLine, 'id' | 'taxCategoryId'>[];
  /** The sale calculated with these rates, for rules that depend on its amount. Doesn't change the cart. */
  preview?(quote: Pick<TaxQuote, 'rates' | 'categoryCodes'>): PricedSheet;
}

/** Step 9: the first tap that returns a quote decides (national special cases, external calculators, then plugin taxes). */
export const taxQuote = bail<TaxQuoteInput, TaxQuote>('checkout:tax.quote');
