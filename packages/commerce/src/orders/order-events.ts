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
  placed: { public: true, title: 'Order placed', data: order },
  confirmed: { public: true, title: 'Order confirmed', data: order },
  paid: { public: true, title: 'Order paid in full for the first time', data: order },
  updated: { public: true, title: 'Order updated', data: order },
  edited: { public: true, title: 'Lines or prices of an order edited', data: order },
  shipped: { public: true, title: 'Order shipped completely', data: order },
  delivered: { public: true, title: 'Order delivered completely', data: order },
  completed: { public: true, title: 'Order completed', data: order },
  on_hold: { public: true, title: 'Order put on hold', data: order },
  cancelled: { public: true, title: 'Order cancelled', data: { ...order, reason: f.text(), notify: f.bool() } },
});

/** Events of fulfilments. Their aggregate is the order. */
export const fulfillmentEvents = entityEvents('orders.fulfillment', {
  created: { public: true, title: 'Fulfilment created', data: { ...parcel, notify: f.bool() } },
  cancelled: { public: true, title: 'Fulfilment cancelled', data: parcel },
  shipped: {
    public: true,
    title: 'Fulfilment shipped',
    data: {
      ...parcel,
      carrier: f.text().optional(),
      awbNumber: f.text().optional(),
      trackingNumber: f.text().optional(),
      notify: f.bool(),
    },
  },
  delivered: { public: true, title: 'Fulfilment delivered', data: parcel },
});

/** Events of an order's refunds. */
export const orderRefundEvents = entityEvents('orders.refund', {
  created: { public: true, title: 'Refund created', data: refunded },
  succeeded: { public: true, title: 'Refund succeeded', data: refunded },
  failed: { public: true, title: 'Refund failed', data: refunded },
});

/** Events of invoices and credit notes. */
export const invoiceEvents = entityEvents('orders.invoice', {
  issued: {
    public: true,
    title: 'Invoice or credit note issued',
    data: { id: f.id(), number: f.text(), kind: f.oneOf(invoiceKinds), orderId: f.id(), total: f.money() },
  },
});

/** Data of the order events. `cancelled` also has `reason` and `notify`. */
export type OrderEvent = EventData<typeof orderEvents.placed>;
