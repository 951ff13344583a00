import type { Address } from '@storeloom/plugin-sdk/people';
import type { Channel } from '../orders/order-states.ts';

/** What prices are calculated for. Taps may skip work that a purpose doesn't need. */
export type Purpose = 'browse' | 'cart' | 'place' | 'draft' | 'edit' | 'pos' | 'marketplace';

/** Who buys, where, in which currency. Amounts of the pipeline are integers in minor units of `currency`. */
export interface PricingContext {
  purpose: Purpose;
  /** The instant that prices, promotions and rates are read for. */
  at: string;
  channel: Channel;
  currency: string;
  priceMode: 'gross' | 'net';
  locale: string;
  /** Promotion codes in the order in which they were entered. */
  codes: string[];
  email?: string;
  customer?: {
    /** Null for a guest, who belongs to the default group. */
    id: string | null;
    groupIds: string[];
    priceListCode?: string;
    groupDiscountBp?: number;
    taxExempt?: boolean;
    ordersCount?: number;
  };
  company?: { id: string; priceListCode?: string; termsDays?: number };
  /** The buyer's VAT number with the result of its check and the register's consultation number. */
  vat?: {
    number: string;
    status: 'valid' | 'invalid' | 'unavailable';
    checkedAt?: string;
    consultationNumber?: string | null;
  };
  shippingAddress?: Address;
  billingAddress?: Address;
  /** Country that the buyer of a cart named before entering an address, ISO 3166-1. Conditions of promotions use it, taxes don't. */
  country?: string;
  shippingMethodId?: string;
  /** Signed quote of `Shipping.signQuote`: its price holds until it expires. */
  quoteToken?: string;
  pickupPointId?: string;
  /** Code of the payment method. */
  paymentMethod?: string;
  /** Rate from the tenant's currency to `currency`, fixed when the cart took its currency (R11). */
  fx?: { rate: string; rateId: string | null };
  /** Settings of the calculation (R3, R7, R9, R10). Taxes and promotions fill them in `contextResolve`. */
  rules: {
    taxRoundingLevel: 'line' | 'unit' | 'rate_group';
    crossBorderPricePolicy: 'constant_gross' | 'constant_net';
    shippingTaxMode: 'proportional' | 'highest_rate' | 'fixed_category';
    shippingTaxCategoryId?: string;
    percentStacking: 'sequential' | 'parallel';
  };
  /** Data that plugins leave for other plugins, by plugin name. */
  facts: Record<string, unknown>;
}
