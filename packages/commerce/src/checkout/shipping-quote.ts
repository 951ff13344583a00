import { collect, type LocalText, type Warning } from '@storeloom/plugin-sdk';
import type { PricingContext } from './pricing-context.ts';
import type { PricedLineLike } from './pricing-line.ts';

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

export interface ShippingQuote {
  methodId: string;
  code: string;
  carrier: string | null;
  name: LocalText;
  /** Minor units of the context's currency, in the price mode. */
  price: number;
  taxCategoryId?: string;
  etaMinDays: number | null;
  etaMaxDays: number | null;
  pickupPoints: { id: string; name: string; address: string }[] | null;
  warnings?: Warning[];
}

export interface QuoteFailure {
  warning: Warning;
}

export const shippingQuote = collect<
  { context: PricingContext; lines: readonly PricedLineLike[]; itemsTotal: number },
  ShippingQuote | QuoteFailure
>('checkout:shipping.quote', { deadline: 8000 });
