import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  /** The shop's country for VAT, ISO 3166-1. Default: the country of the store's address, otherwise that of its time zone. */
  country: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }).optional(),
  taxRoundingLevel: f.oneOf(['line', 'unit', 'rate_group']).default('line').store(),
  crossBorderPricePolicy: f.oneOf(['constant_gross', 'constant_net']).default('constant_gross').store(),
  shippingTaxMode: f.oneOf(['proportional', 'highest_rate', 'fixed_category']).default('proportional').store(),
  /** Used by the mode `fixed_category`. Default: the default category. */
  shippingTaxCategoryId: f.ref('taxes.category').optional().store(),
  /** Taxation at destination from the first sale. Binding for two calendar years. */
  ossOptIn: f.bool().default(false),
  ossOptInSince: f.date().optional(),
  /**
   * Threshold of net sales to consumers in other member states, up to which the tax of the origin applies. In another currency than
   * EUR: the national equivalent of EUR 10,000; sales in that currency are converted at this ratio instead of the daily exchange
   * rate.
   */
  ossLimit: f.money({ min: 1 }).default({ amount: 1_000_000, currency: 'EUR' }),
  /** A business with an unverifiable VAT number is charged tax, or its order is put on hold. */
  taxWhenVatCheckUnavailable: f.oneOf(['charge', 'hold']).default('charge'),
  /** Base URL of VIES REST. Null: numbers aren't checked. */
  viesUrl: f.url().optional().default('https://ec.europa.eu/taxation_customs/vies/rest-api'),
} satisfies Shape;
