import { collect } from '@storeloom/plugin-sdk';
import type { PricingContext } from './pricing-context.ts';
import type { DiscountedLine } from './pricing-line.ts';
import type { ShippingState } from './shipping-quote.ts';

export interface Surcharge {
  code: string;
  name: string;
  amount: number;
  taxCategoryId?: string;
  of: 'payment' | 'shipping';
}

export const surchargesCollect = collect<
  { context: PricingContext; lines: readonly DiscountedLine[]; shipping: ShippingState | null; running: number },
  Surcharge
>('checkout:surcharges.collect');
