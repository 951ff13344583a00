import { series } from '@storeloom/plugin-sdk';
import type { Tender as SheetTender } from '@storeloom/plugin-sdk/money';
import type { PricingContext } from './pricing-context.ts';

export interface Tender extends SheetTender {
  label: string;
}

export interface TenderWish {
  type: 'gift_card' | 'store_credit' | 'loyalty_points';
  code?: string;
  amount?: number;
}

export const tendersCollect = series<{
  context: PricingContext;
  total: number;
  wanted: readonly TenderWish[];
  due(): number;
  add(tender: Tender): void;
}>('checkout:tenders.collect');
