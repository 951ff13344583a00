import { fulfillmentEvents, invoiceEvents, orderEvents, orderRefundEvents, paymentRefundEvents } from '@storeloom/commerce';
import { type EventData, type EventHandler, on } from '@storeloom/plugin-sdk';
import { invoiceOnPaid, invoiceOnShipped } from './invoice/auto-invoice.ts';
import { findOrder } from './load.ts';
import { mailCancelled, mailPlaced, mailRefunded, mailShipped } from './mails.ts';
import { reconcileRefunds } from './refund/status.ts';

export const emits = [orderEvents, fulfillmentEvents, orderRefundEvents, invoiceEvents].flatMap((events) =>
  Object.values(events),
);

/** Refund events of payments; other subjects than orders are skipped. */
const reconcileRefund: EventHandler<EventData<typeof paymentRefundEvents.succeeded>> = async (
  ctx,
  { data: { for: subject } },
) => {
  if (subject.type === 'orders.order' && (await findOrder(ctx, subject.id))) await reconcileRefunds(ctx, subject.id);
};

export const handlers = [
  on(orderEvents.placed, mailPlaced),
  on(orderEvents.cancelled, mailCancelled),
  on(orderEvents.paid, invoiceOnPaid),
  on(orderEvents.shipped, invoiceOnShipped),
  on(fulfillmentEvents.shipped, mailShipped),
  on(orderRefundEvents.succeeded, mailRefunded),
  on(paymentRefundEvents.succeeded, reconcileRefund),
  on(paymentRefundEvents.failed, reconcileRefund),
];
