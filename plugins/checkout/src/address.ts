import { f, type RowOf, type Shape } from '@storeloom/plugin-sdk';
import type { Address } from './contract.ts';

const country = () => f.text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/ });

export const addressFields = {
  firstName: f.text({ max: 100 }),
  lastName: f.text({ max: 100 }),
  company: f.text({ max: 200 }).optional(),
  vatId: f.text({ max: 40 }).optional(),
  line1: f.text({ max: 200 }),
  line2: f.text({ max: 200 }).optional(),
  city: f.text({ max: 100 }),
  region: f.text({ max: 100 }).optional(),
  postalCode: f.text({ max: 20 }),
  country: country(),
  phone: f.phone().optional(),
  email: f.email().optional(),
} satisfies Shape;

/** For a quote the place is enough; who lives there comes later. */
export const placeFields = {
  firstName: f.text({ max: 100 }).optional(),
  lastName: f.text({ max: 100 }).optional(),
  company: f.text({ max: 200 }).optional(),
  vatId: f.text({ max: 40 }).optional(),
  line1: f.text({ max: 200 }).optional(),
  line2: f.text({ max: 200 }).optional(),
  city: f.text({ max: 100 }).optional(),
  region: f.text({ max: 100 }).optional(),
  postalCode: f.text({ max: 20 }).optional(),
  country: country(),
  phone: f.phone().optional(),
  email: f.email().optional(),
} satisfies Shape;

export function placeAddress(place: RowOf<typeof placeFields>): Address {
  const { firstName, lastName, line1, city, postalCode, ...rest } = place;
  return {
    ...rest,
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    line1: line1 ?? '',
    city: city ?? '',
    postalCode: postalCode ?? '',
  };
}
