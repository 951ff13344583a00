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

interface PlaceLimits {
  city?: number;
  region?: number;
}

/** The members of a postal address, in a request and in an answer. Limits in characters, where a route has its own. */
export const postalFields = ({ city = 100, region = 100 }: PlaceLimits = {}) =>
  ({
    line1: f.text(),
    line2: f.text().optional(),
    city: f.text({ max: city }),
    region: f.text({ max: region }).optional(),
    postalCode: f.text({ max: 20 }),
    country: f.text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ }),
  }) satisfies Shape;

/** The members of an address, as `postalFields` has those of the place. */
export const addressFields = ({ vatId = 40, ...place }: PlaceLimits & { vatId?: number } = {}) =>
  ({
    firstName: f.text({ max: 100 }),
    lastName: f.text({ max: 100 }),
    company: f.text().optional(),
    vatId: f.text({ max: vatId }).optional(),
    ...postalFields(place),
    phone: f.phone().optional(),
    email: f.email().optional(),
  }) satisfies Shape;
