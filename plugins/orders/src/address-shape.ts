import { f, type Shape } from '@storeloom/plugin-sdk';

/** An address as it stands in a request and in an order's snapshot. */
export const addressFields = {
  firstName: f.text({ max: 100 }),
  lastName: f.text({ max: 100 }),
  company: f.text().optional(),
  vatId: f.text({ max: 30 }).optional(),
  line1: f.text(),
  line2: f.text().optional(),
  city: f.text({ max: 120 }),
  region: f.text({ max: 120 }).optional(),
  postalCode: f.text({ max: 20 }),
  /** ISO 3166-1 alpha-2. */
  country: f.text({ max: 2, pattern: /^[A-Z]{2}$/ }),
  phone: f.phone().optional(),
  email: f.email().optional(),
} satisfies Shape;
