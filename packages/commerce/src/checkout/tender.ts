import { series } from '@storeloom/plugin-sdk';
import type { Tender as SheetTender } from '@storeloom/plugin-sdk/money';
import type { PricingContext } from './pricing-context.ts';

/** Value other than a payment that reduces the amount due: a gift card, store credit, points. */
export interface Tender extends SheetTender {
  label: string;
}

/** A tender that the buyer asks to use. `amount` in minor units; default: as much as is due. */
export interface TenderRequest {
  type: 'gift_card' | 'store_credit' | 'loyalty_points';
  code?: string;
  amount?: number;
}

/** Step 10: taps add tenders for the requests of their type. `due()` is what the tenders so far leave to pay. */
export const tendersCollect = series<{
  context: PricingContext;
  total: number;
  requested: readonly TenderRequest[];
  due(): number;
  add(tender: Tender): void;
}>('checkout:tenders.collect');
