import { collect } from '@storeloom/plugin-sdk';
import type { PricingContext } from './pricing-context.ts';
import type { DiscountedLine } from './pricing-line.ts';
import type { ShippingState } from './shipping-quote.ts';

/** A fee for a payment or shipping method, in minor units and the price mode of the context. It is taxed. */
export interface Surcharge {
  code: string;
  name: string;
  amount: number;
  taxCategoryId?: string;
  of: 'payment' | 'shipping';
}

/** Step 8: taps add fees. `running` is the total of lines and shipping after discounts. */
export const surchargesCollect = collect<
  { context: PricingContext; lines: readonly DiscountedLine[]; shipping: ShippingState | null; running: number },
  Surcharge
>('checkout:surcharges.collect');
