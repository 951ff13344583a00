import type { PricingContext, PricingLine } from '@storeloom/commerce';
import type { Json } from './shop.ts';

export const context = (more: Partial<PricingContext> = {}): PricingContext => ({
  purpose: 'cart',
  at: new Date().toISOString(),
  channel: 'web',
  currency: 'RON',
  priceMode: 'gross',
  locale: 'ro',
  codes: [],
  rules: {
    taxRoundingLevel: 'line',
    crossBorderPricePolicy: 'constant_gross',
    shippingTaxMode: 'proportional',
    percentStacking: 'sequential',
  },
  facts: {},
  ...more,
});

let count = 0;
export const line = (variantId: string, quantity: number, more: Partial<PricingLine> = {}): PricingLine => ({
  id: `l${++count}`,
  kind: 'product',
  variantId,
  quantity,
  title: '',
  listPrice: 0,
  unitPrice: 0,
  ships: false,
  weightG: 0,
  facts: {},
  ...more,
});

/** The problem that the work ends with: its code and extra members. */
export async function fault(work: Promise<unknown>): Promise<Json> {
  try {
    await work;
  } catch (error) {
    return { code: (error as Json).code, ...(error as Json).extra };
  }
  throw new Error('nothing was refused');
}
