export const errors = {
  zone_overlap: { status: 409, title: 'Shipping zones overlap' },
  country_not_served: { status: 409, title: 'Country not served' },
  cod_mismatch: { status: 409, title: 'Cash on delivery mismatch' },
  carrier_rejected: { status: 409, title: 'Refused by the carrier' },
} as const;
