/** Statuses of an order as a whole. */
export const orderStatuses = [
  'pending',
  'confirmed',
  'processing',
  'shipped',
  'delivered',
  'completed',
  'on_hold',
  'cancelled',
] as const;

/** Captured against total, and refunded against captured. */
export const paymentStatuses = [
  'unpaid',
  'authorized',
  'partially_paid',
  'paid',
  'overpaid',
  'partially_refunded',
  'refunded',
  'voided',
] as const;

/** Progress of all lines that ship. */
export const fulfillmentStatuses = [
  'not_required',
  'unfulfilled',
  'partially_fulfilled',
  'fulfilled',
  'partially_shipped',
  'shipped',
  'partially_delivered',
  'delivered',
  'partially_returned',
  'returned',
] as const;

/** Sales channel of an order. */
export const channels = ['web', 'pos', 'marketplace', 'draft', 'b2b', 'subscription'] as const;
/** Sales channel of an order. */
export type Channel = (typeof channels)[number];

/** States of one fulfilment (a parcel). */
export const fulfillmentStates = [
  'pending',
  'packed',
  'shipped',
  'delivered',
  'failed_delivery',
  'returned_to_sender',
  'cancelled',
] as const;

/** State of one fulfilment. */
export type FulfillmentState = (typeof fulfillmentStates)[number];

/** Where a refund goes: back to how it was paid, to store credit, to a gift card, or outside the shop. */
export const refundMethods = ['original', 'store_credit', 'gift_card', 'manual'] as const;
/** Where a refund goes. */
export type RefundMethod = (typeof refundMethods)[number];

/** States of a refund. */
export const refundStates = ['pending', 'succeeded', 'failed', 'cancelled'] as const;

/** Kinds of document that an order issues. */
export const invoiceKinds = ['invoice', 'credit_note', 'proforma'] as const;

/** Status of an order as a whole. */
export type OrderStatus = (typeof orderStatuses)[number];

/** Captured against total, and refunded against captured. */
export type PaymentStatus = (typeof paymentStatuses)[number];

/** Progress of all lines that ship. */
export type FulfillmentStatus = (typeof fulfillmentStatuses)[number];
