import { type EventData, entityEvents, f, type Shape } from '@storeloom/plugin-sdk';
import { invoiceKinds, orderStatuses, refundMethods } from './order-states.ts';

const order = {
  id: f.id(),
  number: f.text(),
  status: f.oneOf(orderStatuses),
  customerId: f.id().optional(),
  email: f.email(),
  total: f.money(),
  /** ISO 3166-1 alpha-2 code of the shipping address, else of the billing address. */
  country: f.text({ max: 2 }),
  placedAt: f.instant(),
  lines: f.list(
    f.object({ variantId: f.id().optional(), productId: f.id().optional(), sku: f.text().optional(), quantity: f.int() }),
  ),
} satisfies Shape;
const units = f.list(f.object({ lineId: f.id(), quantity: f.int() }));
const parcel = { id: f.id(), orderId: f.id(), lines: units } satisfies Shape;
const refunded = {
  id: f.id(),
  orderId: f.id(),
  number: f.text(),
  amount: f.money(),
  method: f.oneOf(refundMethods),
} satisfies Shape;

/** Events of orders. Their data is the order when the event was published. */
export const orderEvents = entityEvents('orders.order', {
  placed: { public: true, title: 'An order was placed', data: order },
  confirmed: { public: true, title: 'An order was confirmed', data: order },
  paid: { public: true, title: 'An order was paid in full for the first time', data: order },
  updated: { public: true, title: 'Something of an order changed', data: order },
  edited: { public: true, title: 'What an order holds or costs changed', data: order },
  shipped: { public: true, title: 'All goods of an order have left', data: order },
  delivered: { public: true, title: 'All goods of an order arrived', data: order },
  completed: { public: true, title: 'An order is complete', data: order },
  on_hold: { public: true, title: 'An order was put on hold', data: order },
  cancelled: { public: true, title: 'An order was cancelled', data: { ...order, reason: f.text(), notify: f.bool() } },
});

/** Events of fulfilments. Their aggregate is the order. */
export const fulfillmentEvents = entityEvents('orders.fulfillment', {
  created: { public: true, title: 'A parcel was put together', data: { ...parcel, notify: f.bool() } },
  cancelled: { public: true, title: 'A parcel was taken apart', data: parcel },
  shipped: {
    public: true,
    title: 'A parcel has left',
    data: {
      ...parcel,
      carrier: f.text().optional(),
      awbNumber: f.text().optional(),
      trackingNumber: f.text().optional(),
      notify: f.bool(),
    },
  },
  delivered: { public: true, title: 'A parcel arrived', data: parcel },
});

/** Events of an order's refunds. */
export const orderRefundEvents = entityEvents('orders.refund', {
  created: { public: true, title: 'Money is to be given back', data: refunded },
  succeeded: { public: true, title: 'Money was given back', data: refunded },
  failed: { public: true, title: 'The provider refused a refund', data: refunded },
});

/** Events of invoices and credit notes. */
export const invoiceEvents = entityEvents('orders.invoice', {
  issued: {
    public: true,
    title: 'A document was issued',
    data: { id: f.id(), number: f.text(), kind: f.oneOf(invoiceKinds), orderId: f.id(), total: f.money() },
  },
});

/** Data of the order events. `cancelled` also has `reason` and `notify`. */
export type OrderEvent = EventData<typeof orderEvents.placed>;
