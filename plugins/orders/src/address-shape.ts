import { addressFields as fields, postalFields } from '@storeloom/plugin-sdk/people';

const place = { city: 120, region: 120 };
/** An address as it stands in a request and in an order's snapshot. */
export const addressFields = fields({ ...place, vatId: 30 });
/** Where the seller is. */
export const sellerFields = postalFields(place);
