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

export const channels = ['web', 'pos', 'marketplace', 'draft', 'b2b', 'subscription'] as const;

export const fulfillmentStates = [
  'pending',
  'packed',
  'shipped',
  'delivered',
  'failed_delivery',
  'returned_to_sender',
  'cancelled',
] as const;

export type FulfillmentState = (typeof fulfillmentStates)[number];

export const refundMethods = ['original', 'store_credit', 'gift_card', 'manual'] as const;

export const refundStates = ['pending', 'succeeded', 'failed', 'cancelled'] as const;

export const invoiceKinds = ['invoice', 'credit_note', 'proforma'] as const;

export type OrderStatus = (typeof orderStatuses)[number];

export type PaymentStatus = (typeof paymentStatuses)[number];

export type FulfillmentStatus = (typeof fulfillmentStatuses)[number];
