import { f, type Shape } from '@storeloom/plugin-sdk';
import { postalFields, vatIdField } from '@storeloom/plugin-sdk/people';

export const settings = {
  /** `{YYYY} {YY} {MM} {DD}` of the day in the shop's zone, zeros for the number. Each text before the number counts for itself. */
  orderNumberFormat: f
    .text({ max: 40, pattern: /^[^\s{}]*(?:\{(?:YYYY|YY|MM|DD)\}[^\s{}]*)*\{0{1,12}\}[^\s{}]*$/ })
    .default('{YYYY}-{000000}')
    .store(),
  /** Series of invoices, each numbered without gaps. May hold `{YYYY}`: then every year begins at 1. */
  invoiceSeries: f
    .text({ max: 20, pattern: /^[A-Za-z0-9](?:\{YYYY\}|\{YY\}|[A-Za-z0-9._/-])*$/ })
    .default('INV')
    .store(),
  /** Null: credit notes count on in the series of their invoice. */
  creditNoteSeries: f.text({ max: 20, pattern: /^[A-Za-z0-9](?:\{YYYY\}|\{YY\}|[A-Za-z0-9._/-])*$/ }).optional(),
  proformaSeries: f.text({ max: 20, pattern: /^[A-Za-z0-9](?:\{YYYY\}|\{YY\}|[A-Za-z0-9._/-])*$/ }).default('PF'),
  invoiceOn: f.oneOf(['paid', 'shipped', 'manual']).default('paid'),
  /** Days until an invoice that isn't paid yet falls due. */
  invoiceDueDays: f.int({ min: 0, max: 365 }).default(0),
  /** A delivered order is completed after so many days: the return window. */
  completeAfterDays: f.int({ min: 0, max: 365 }).default(14),
  /** How long the law wants invoices kept; named in the report of an erasure. */
  retentionYears: f.int({ min: 1, max: 30 }).default(10),
  /** Seller on documents. What is empty comes from the store's own settings. */
  seller: f
    .object({
      legalName: f.text().optional(),
      vatId: vatIdField().optional(),
      regNo: f.text({ max: 60 }).optional(),
      address: f.object(postalFields()).optional(),
      email: f.email().optional(),
      phone: f.phone().optional(),
      iban: f.text({ max: 34 }).optional(),
      bank: f.text({ max: 120 }).optional(),
    })
    .optional(),
} satisfies Shape;
