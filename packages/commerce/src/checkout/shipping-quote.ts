import { collect, type LocalText, type Warning } from '@storeloom/plugin-sdk';
import type { PricingContext } from './pricing-context.ts';
import type { ShippableLine } from './pricing-line.ts';

/** The chosen shipping while discounts are collected, in minor units. */
export interface ShippingState {
  methodId: string | null;
  code: string;
  name: string;
  amount: number;
  discount: number;
  taxCategoryId?: string;
  carrier: string | null;
  pickupPointId: string | null;
}

/** A shipping method with its price for this cart. */
export interface ShippingQuote {
  methodId: string;
  code: string;
  carrier: string | null;
  name: LocalText;
  /** Minor units of the context's currency, in its price mode. */
  price: number;
  taxCategoryId?: string;
  /** Delivery time in days. */
  etaMinDays: number | null;
  etaMaxDays: number | null;
  pickupPoints: { id: string; name: string; address: string }[] | null;
  warnings?: Warning[];
}

/** A carrier that could not be asked. The other methods are still offered. */
export interface QuoteFailure {
  warning: Warning;
}

/**
 * Step 6: taps offer shipping methods. `itemsTotal` is the discounted total of the lines in minor units, `itemsSubtotal` their total
 * before the discounts of the cart (default: the same).
 */
export const shippingQuote = collect<
  { context: PricingContext; lines: readonly ShippableLine[]; itemsTotal: number; itemsSubtotal?: number },
  ShippingQuote | QuoteFailure
>('checkout:shipping.quote', { deadline: 8000 });
