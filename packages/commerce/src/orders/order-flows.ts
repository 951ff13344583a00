import { series } from '@storeloom/plugin-sdk';
import type { OrderView } from './order-view.ts';

/** Units of an order line that a flow is about. */
export interface FlowLine {
  lineId: string;
  quantity: number;
}

/** A payment of an order changed. */
export interface SettleInput {
  order: OrderView;
  lines: FlowLine[];
  /** Amounts in minor units. An order with nothing due has no payment: the order's id, `captured` and 0. */
  payment: { id: string; status: string; capturedAmount: number; authorizedAmount: number };
  /** Set by inventory when the goods of a late payment can't be reserved again. */
  late: { impossible: boolean } | null;
  reason: string;
}

/** An order, or some of its units, is cancelled. */
export interface CancelInput {
  order: OrderView;
  lines: FlowLine[];
  /** `payment_timeout`, `superseded`, or a text of staff. */
  reason: string;
  /** Refund the captured amount. */
  refund: boolean;
  /** Notify the buyer. */
  notify: boolean;
}

/** The lines of an order change. */
export interface EditInput {
  /** The order after the edit. Its lines and prices are written before the first tap runs. */
  order: OrderView;
  /** Changes of quantity by line; a new line names its variant. */
  changes: {
    lineId: string;
    variantId: string | null;
    delta: number;
    children: { variantId: string; quantity: number }[] | null;
  }[];
  /** New total minus old total, in minor units. */
  difference: number;
  /** Ids of the promotions that applied before and apply now, and the amount of each now in minor units. */
  promotions: { before: string[]; after: string[]; amounts?: Record<string, number> };
  /** Whether captured money above the new total is refunded. Otherwise the order is overpaid until staff refund it. */
  refund: boolean;
  reason: string;
}

/** `EditInput.reason` of a changed payment method, whose caller creates the payment itself. */
export const paymentMethodReason = 'payment_method';

/** A fulfilment leaves the warehouse. */
export interface ShipInput {
  order: OrderView;
  lines: FlowLine[];
  fulfillmentId: string;
  warehouseId: string | null;
  reason: string;
}

/** A part of a refund by the method `original`: to payments, newest first, then to tenders. The parts add up to the refund. */
export type RefundAllocation =
  | { type: 'payment'; paymentId: string; amount: number }
  | { type: 'tender'; tender: string; reference: string | null; amount: number };

/** An order is refunded. Amounts in minor units. */
export interface RefundInput {
  order: OrderView;
  /** `restockUnshipped`: units that haven't shipped, which are cancelled and released; `restockShipped`: shipped ones to restock. */
  lines: (FlowLine & { restock: boolean; restockUnshipped: number; restockShipped: number; amount: number; tax: number })[];
  shipping: number;
  amount: number;
  /** The part of `amount` above the price of the order, which contains no tax. Default 0. */
  overpaid?: number;
  refundId: string;
  method: 'original' | 'store_credit' | 'gift_card' | 'manual';
  /** The payment that staff chose; null: by `allocations`. */
  paymentId: string | null;
  allocations: RefundAllocation[];
  reason: string;
}

// Taps run in the transaction that holds the locks of cart, order and payments, taken in this order.
const flow = { deadline: 10_000 };

/** Called before the order is locked: taps lock rows that come before the order in the lock order (checkout: the cart or draft). */
export const flowLock = series<{ orderId: string; cartId: string | null; draftId: string | null }>('orders:flow.lock', flow);

/** Taps write their part of a settled payment: check it, reserve again, confirm the order. */
export const settleCommit = series<SettleInput>('orders:settle.commit', flow);

/** Taps undo their part of the order. */
export const cancelCommit = series<CancelInput>('orders:cancel.commit', flow);

/** Taps apply the difference to their part of the order. */
export const editCommit = series<EditInput>('orders:edit.commit', flow);

/** Taps write their part of a shipment: commit stock, capture its share. */
export const shipCommit = series<ShipInput>('orders:ship.commit', flow);

/** Taps write their part of a refund: restock, give back tenders, create the provider's refund. */
export const refundCommit = series<RefundInput>('orders:refund.commit', flow);

/**
 * A refund failed or was cancelled, so the order has its unshipped units again (`lines`): taps reserve them, as far as there is stock.
 */
export const refundUndoCommit = series<Pick<RefundInput, 'order' | 'refundId'> & { lines: FlowLine[] }>(
  'orders:refund-undo.commit',
  flow,
);

/** A fulfilment that hadn't shipped was cancelled: taps reserve its units again. */
export const fulfillmentCancelCommit = series<ShipInput>('orders:fulfillment-cancel.commit', flow);
