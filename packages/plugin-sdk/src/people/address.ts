import { f, type Shape } from '../field.ts';

/** A postal address. */
export interface PostalAddress {
  /** Street and number. */
  line1: string;
  /** Further line: building, floor, apartment. */
  line2: string | null;
  /** City or town. */
  city: string;
  /** County, state or province. */
  region: string | null;
  /** Postal code. */
  postalCode: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
}

/** A postal address and its recipient: on carts and drafts, and in the snapshot of an order. */
export interface Address extends PostalAddress {
  /** Given name. */
  firstName: string;
  /** Family name. */
  lastName: string;
  /** Company name. */
  company: string | null;
  /** VAT number as entered. */
  vatId: string | null;
  /** Phone number as entered. */
  phone: string | null;
  /** E-mail address. */
  email: string | null;
}

/** Returns the field of a VAT number as entered, with its country prefix and any separators. */
export const vatIdField = () => f.text({ max: 40 });

/** Returns the fields of a postal address, for requests and responses. */
export const postalFields = () =>
  ({
    line1: f.text(),
    line2: f.text().optional(),
    city: f.text({ max: 120 }),
    region: f.text({ max: 120 }).optional(),
    postalCode: f.text({ max: 20 }),
    country: f.text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ }),
  }) satisfies Shape;

/** Returns the fields of an address, for requests and responses; carts, drafts and orders use the same shape. */
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
