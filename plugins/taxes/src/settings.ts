import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  /** Where the shop is for VAT, ISO 3166-1. Without one: the country of the store's address, else the one of its time zone. */
  country: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }).optional(),
  taxRoundingLevel: f.oneOf(['line', 'unit', 'rate_group']).default('line').store(),
  crossBorderPricePolicy: f.oneOf(['constant_gross', 'constant_net']).default('constant_gross').store(),
  shippingTaxMode: f.oneOf(['proportional', 'highest_rate', 'fixed_category']).default('proportional').store(),
  /** Of mode `fixed_category`; the default category without one. */
  shippingTaxCategoryId: f.ref('taxes.category').optional().store(),
  /** Taxed at destination from the first sale on. Binds for two calendar years. */
  ossOptIn: f.bool().default(false),
  ossOptInSince: f.date().optional(),
  /**
   * Sales to consumers in other member states, without VAT, up to which the origin's tax is charged. In another currency than EUR: what
   * national law says that 10,000 EUR are; sales in that currency are then measured by it instead of the exchange rate of the day.
   */
  ossLimit: f.money({ min: 1 }).default({ amount: 1_000_000, currency: 'EUR' }),
  /** A business whose number can't be checked at the moment pays tax, or its order waits for a person. */
  taxWhenVatCheckUnavailable: f.oneOf(['charge', 'hold']).default('charge'),
  /** Base address of the VAT register (VIES REST). Null: numbers are not checked anywhere. */
  viesUrl: f.url().optional().default('https://ec.europa.eu/taxation_customs/vies/rest-api'),
} satisfies Shape;
