import { series } from '@storeloom/plugin-sdk';
import type { OrderView } from './order-view.ts';

export interface FlowLine {
  lineId: string;
  quantity: number;
}

export interface SettleInput {
  order: OrderView;
  lines: FlowLine[];
  /** Where nothing was due (gift cards, a free order) there is none: the order's id, `captured`, 0. */
  payment: { id: string; status: string; capturedAmount: number; authorizedAmount: number };
  /** Set by inventory when a late payment's goods can't be reserved again. */
  late: { impossible: boolean } | null;
  reason: string;
}

export interface CancelInput {
  order: OrderView;
  lines: FlowLine[];
  /** `payment_timeout`, `superseded`, or what staff wrote. */
  reason: string;
  /** Refund what was captured. */
  refund: boolean;
  /** Tell the buyer. */
  notify: boolean;
}

export interface EditInput {
  /** As it is after the edit: its lines, prices and what is due are written when the first tap runs. */
  order: OrderView;
  /** Quantities by which lines change; new lines carry their variant. */
  changes: {
    lineId: string;
    variantId: string | null;
    delta: number;
    children: { variantId: string; quantity: number }[] | null;
  }[];
  /** New total minus old total. */
  difference: number;
  /** Those that took something off, and by promotion what they take off now, in minor units. */
  promotions: { before: string[]; after: string[]; amounts?: Record<string, number> };
  reason: string;
}

export interface ShipInput {
  order: OrderView;
  lines: FlowLine[];
  fulfillmentId: string;
  warehouseId: string | null;
  reason: string;
}

/** Where the money of a refund goes back to: payments newest first, then tenders. Σ = the refund's amount; empty for other methods. */
export type RefundAllocation =
  | { type: 'payment'; paymentId: string; amount: number }
  | { type: 'tender'; tender: string; reference: string | null; amount: number };

export interface RefundInput {
  order: OrderView;
  /** Units that are put back are first those that haven't shipped (`restockUnshipped`: release them), then shipped ones. */
  lines: (FlowLine & { restock: boolean; restockUnshipped: number; restockShipped: number; amount: number; tax: number })[];
  shipping: number;
  amount: number;
  refundId: string;
  method: 'original' | 'store_credit' | 'gift_card' | 'manual';
  /** The payment that staff named; null: see `allocations`. */
  paymentId: string | null;
  allocations: RefundAllocation[];
  reason: string;
}

// Taps run in the transaction that holds the locks cart → order → payments.
const flow = { deadline: 10_000 };

/** Whoever owns what stands before an order in the lock order (checkout: the cart) locks it here. Called before the order is locked. */
export const flowLock = series<{ orderId: string; cartId: string | null; draftId: string | null }>('orders:flow.lock', flow);

export const settleCommit = series<SettleInput>('orders:settle.commit', flow);

export const cancelCommit = series<CancelInput>('orders:cancel.commit', flow);

export const editCommit = series<EditInput>('orders:edit.commit', flow);

export const shipCommit = series<ShipInput>('orders:ship.commit', flow);

export const refundCommit = series<RefundInput>('orders:refund.commit', flow);

/** A fulfilment that hadn't shipped was cancelled: reserve again. */
export const fulfillmentCancelCommit = series<ShipInput>('orders:fulfillment-cancel.commit', flow);
