import { f, type Shape } from '@storeloom/plugin-sdk';
import { postalFields, vatIdField } from '@storeloom/plugin-sdk/people';

export const settings = {
  /** `{YYYY} {YY} {MM} {DD}` in the shop's time zone, zeros for the number. Each text around the number has its own sequence. */
  orderNumberFormat: f
    .text({ max: 40, pattern: /^[^\s{}]*(?:\{(?:YYYY|YY|MM|DD)\}[^\s{}]*)*\{0{1,12}\}[^\s{}]*$/ })
    .default('{YYYY}-{000000}')
    .store(),
  /** Series of invoices, numbered without gaps. With `{YYYY}` every year starts at 1. */
  invoiceSeries: f
    .text({ max: 20, pattern: /^[A-Za-z0-9](?:\{YYYY\}|\{YY\}|[A-Za-z0-9._/-])*$/ })
    .default('INV')
    .store(),
  /** Null for the series of invoices. */
  creditNoteSeries: f.text({ max: 20, pattern: /^[A-Za-z0-9](?:\{YYYY\}|\{YY\}|[A-Za-z0-9._/-])*$/ }).optional(),
  proformaSeries: f.text({ max: 20, pattern: /^[A-Za-z0-9](?:\{YYYY\}|\{YY\}|[A-Za-z0-9._/-])*$/ }).default('PF'),
  invoiceOn: f.oneOf(['paid', 'shipped', 'manual']).default('paid'),
  /** Payment term of unpaid invoices in days. */
  invoiceDueDays: f.int({ min: 0, max: 365 }).default(0),
  /** Return window in days, after which a delivered order is completed. */
  completeAfterDays: f.int({ min: 0, max: 365 }).default(14),
  /** Statutory retention of invoices in years, reported by an erasure. */
  retentionYears: f.int({ min: 1, max: 30 }).default(10),
  /** Seller on documents. Empty properties come from the store settings. */
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
