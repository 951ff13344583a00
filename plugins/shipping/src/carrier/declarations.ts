import { f } from '@storeloom/plugin-sdk';

const parcel = {
  id: f.id(),
  orderId: f.id(),
  fulfillmentId: f.id().optional(),
  provider: f.text(),
  awbNumber: f.text(),
};
/** Events of the plugin. */
export const emits = {
  'shipping.awb.created': { public: true, title: 'An AWB was made', data: parcel },
  'shipping.awb.delivered': { public: true, title: 'A parcel was delivered', data: parcel },
  'shipping.awb.failed': {
    public: true,
    title: 'A parcel could not be delivered, or came back',
    data: { ...parcel, status: f.oneOf(['failed_attempt', 'returned']) },
  },
} as const;

export const errors = {
  zone_overlap: { status: 409, title: 'Shipping zones overlap' },
  country_not_served: { status: 409, title: 'Country not served' },
  cod_mismatch: { status: 409, title: 'Cash on delivery mismatch' },
  carrier_rejected: { status: 409, title: 'Refused by the carrier' },
} as const;
