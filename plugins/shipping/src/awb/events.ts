import { entityEvents, f } from '@storeloom/plugin-sdk';

const parcel = {
  id: f.id(),
  orderId: f.id(),
  fulfillmentId: f.id().optional(),
  provider: f.text(),
  awbNumber: f.text(),
};
/** Events of `shipping.awb`. */
export const awbEvents = entityEvents('shipping.awb', {
  created: { public: true, title: 'An AWB was created', data: parcel },
  delivered: { public: true, title: 'A parcel was delivered', data: parcel },
  failed: {
    public: true,
    title: 'A parcel could not be delivered or was returned',
    data: { ...parcel, status: f.oneOf(['failed_attempt', 'returned']) },
  },
});
