import { invoiceKinds, orderStatuses, refundMethods } from '@storeloom/commerce';
import { type DomainEvent, type EventHandler, type EventType, f, type Shape } from '@storeloom/plugin-sdk';
import { invoiceOnPaid, invoiceOnShipped } from './invoice/auto-invoice.ts';
import { findOrder } from './load.ts';
import { mailCancelled, mailPlaced, mailRefunded, mailShipped } from './mails.ts';
import { reconcileRefunds } from './refund/status.ts';

const orderData = {
  id: f.id(),
  number: f.text(),
  status: f.oneOf(orderStatuses),
  customerId: f.id().optional(),
  email: f.email(),
  total: f.money(),
  /** Where it is delivered to, else where it is billed. */
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

const shown = (title: string, data: Shape): EventType => ({ public: true, title, data });
const orderEvents = {
  placed: 'An order was placed',
  confirmed: 'An order was confirmed',
  paid: 'An order was paid in full for the first time',
  updated: 'Something of an order changed',
  edited: 'What an order holds or costs changed',
  shipped: 'All goods of an order have left',
  delivered: 'All goods of an order arrived',
  completed: 'An order is complete',
  on_hold: 'An order was put on hold',
} as const;

export const emits: Record<string, EventType> = {
  ...Object.fromEntries(Object.entries(orderEvents).map(([name, title]) => [`orders.order.${name}`, shown(title, orderData)])),
  'orders.order.cancelled': shown('An order was cancelled', { ...orderData, reason: f.text(), notify: f.bool() }),
  'orders.fulfillment.created': shown('A parcel was put together', { ...parcel, notify: f.bool() }),
  'orders.fulfillment.cancelled': shown('A parcel was taken apart', parcel),
  'orders.fulfillment.shipped': shown('A parcel has left', {
    ...parcel,
    carrier: f.text().optional(),
    awbNumber: f.text().optional(),
    trackingNumber: f.text().optional(),
    notify: f.bool(),
  }),
  'orders.fulfillment.delivered': shown('A parcel arrived', parcel),
  'orders.refund.created': shown('Money is to be given back', refunded),
  'orders.refund.succeeded': shown('Money was given back', refunded),
  'orders.refund.failed': shown('The provider refused a refund', refunded),
  'orders.invoice.issued': shown('A document was issued', {
    id: f.id(),
    number: f.text(),
    kind: f.oneOf(invoiceKinds),
    orderId: f.id(),
    total: f.money(),
  }),
};

/** Payments tell of every refund; those of orders are meant here. */
const refundMoved: EventHandler = async (ctx, event: DomainEvent) => {
  const thing = event.data.for as { type?: unknown; id?: unknown } | undefined;
  if (thing?.type !== 'orders.order' || typeof thing.id !== 'string') return;
  if (await findOrder(ctx, thing.id)) await reconcileRefunds(ctx, thing.id);
};

export const handlers: Record<string, EventHandler> = {
  'orders.order.placed': mailPlaced,
  'orders.order.cancelled': mailCancelled,
  'orders.order.paid': invoiceOnPaid,
  'orders.order.shipped': invoiceOnShipped,
  'orders.fulfillment.shipped': mailShipped,
  'orders.refund.succeeded': mailRefunded,
  'payments.refund.succeeded': refundMoved,
  'payments.refund.failed': refundMoved,
};
