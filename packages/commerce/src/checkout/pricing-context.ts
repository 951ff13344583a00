import type { Address } from '@storeloom/plugin-sdk/people';

export type Purpose = 'browse' | 'cart' | 'place' | 'draft' | 'edit' | 'pos' | 'marketplace';

/** Who buys, from where, in what. */
export interface PricingContext {
  purpose: Purpose;
  at: string;
  channel: 'web' | 'pos' | 'marketplace' | 'draft' | 'b2b' | 'subscription';
  currency: string;
  priceMode: 'gross' | 'net';
  locale: string;
  /** Promotion codes, in the order they were entered. */
  codes: string[];
  email?: string;
  customer?: {
    /** Null: a guest, who belongs to the default group. */
    id: string | null;
    groupIds: string[];
    priceListCode?: string;
    groupDiscountBp?: number;
    taxExempt?: boolean;
    ordersCount?: number;
  };
  company?: { id: string; priceListCode?: string; termsDays?: number };
  /** Of a number that was checked: when, and the register's proof of the question. */
  vat?: {
    number: string;
    status: 'valid' | 'invalid' | 'unavailable';
    checkedAt?: string;
    consultationNumber?: string | null;
  };
  shippingAddress?: Address;
  billingAddress?: Address;
  shippingMethodId?: string;
  quoteToken?: string;
  pickupPointId?: string;
  /** Code of the payment method. */
  paymentMethod?: string;
  /** Rate from the tenant's currency to `currency`, fixed when the cart took its currency. */
  fx?: { rate: string; rateId: string | null };
  /** Settings of money arithmetic, filled by their owners (taxes, promotions) in context.resolve. */
  rules: {
    taxRoundingLevel: 'line' | 'unit' | 'rate_group';
    crossBorderPricePolicy: 'constant_gross' | 'constant_net';
    shippingTaxMode: 'proportional' | 'highest_rate' | 'fixed_category';
    shippingTaxCategoryId?: string;
    percentStacking: 'sequential' | 'parallel';
  };
  /** What plugins leave for each other, by plugin. */
  facts: Record<string, unknown>;
}
