import { f, type Shape } from '../field.ts';

/** A place that mail reaches. */
export interface PostalAddress {
  line1: string;
  line2: string | null;
  city: string;
  region: string | null;
  postalCode: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
}

/** Where somebody is, and who: on carts and drafts, and in an order's snapshot. */
export interface Address extends PostalAddress {
  firstName: string;
  lastName: string;
  company: string | null;
  vatId: string | null;
  phone: string | null;
  email: string | null;
}

/** A VAT number as somebody wrote it, with its country and whatever stands between. */
export const vatIdField = () => f.text({ max: 40 });

/** The members of a postal address, in a request and in an answer. */
export const postalFields = () =>
  ({
    line1: f.text(),
    line2: f.text().optional(),
    city: f.text({ max: 120 }),
    region: f.text({ max: 120 }).optional(),
    postalCode: f.text({ max: 20 }),
    country: f.text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ }),
  }) satisfies Shape;

/** The members of an address: one shape wherever one is taken, so that what a cart took its order takes too. */
export const addressFields = () =>
  ({
    firstName: f.text({ max: 100 }),
    lastName: f.text({ max: 100 }),
    company: f.text().optional(),
    vatId: vatIdField().optional(),
    ...postalFields(),
    phone: f.phone().optional(),
    email: f.email().optional(),
  }) satisfies Shape;
