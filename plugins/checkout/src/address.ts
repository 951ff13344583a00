import type { RowOf, Shape } from '@storeloom/plugin-sdk';
import { type Address, addressFields as fields } from '@storeloom/plugin-sdk/people';

export const addressFields = fields();

/** A shipping quote needs only the location. The name and street follow when the order is placed. */
export const placeFields = {
  ...addressFields,
  firstName: addressFields.firstName.optional(),
  lastName: addressFields.lastName.optional(),
  line1: addressFields.line1.optional(),
  city: addressFields.city.optional(),
  postalCode: addressFields.postalCode.optional(),
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
