import type { MoneyValue } from '@storeloom/plugin-sdk';
import { series, service } from '@storeloom/plugin-sdk';

export type OrderStatus =
  | 'pending'
  | 'confirmed'
  | 'processing'
  | 'shipped'
  | 'delivered'
  | 'completed'
  | 'on_hold'
  | 'cancelled';
export type PaymentStatus =
  | 'unpaid'
  | 'authorized'
  | 'partially_paid'
  | 'paid'
  | 'overpaid'
  | 'partially_refunded'
  | 'refunded'
  | 'voided';
export type FulfillmentStatus =
  | 'not_required'
  | 'unfulfilled'
  | 'partially_fulfilled'
  | 'fulfilled'
  | 'partially_shipped'
  | 'shipped'
  | 'partially_delivered'
  | 'delivered'
  | 'partially_returned'
  | 'returned';

export interface Address {
  firstName: string;
  lastName: string;
  company: string | null;
  vatId: string | null;
  line1: string;
  line2: string | null;
  city: string;
  region: string | null;
  postalCode: string;
  country: string;
  phone: string | null;
  email: string | null;
}

/** An order line as other plugins see it. Amounts in minor units of the order's currency. */
export interface OrderLineView {
  id: string;
  kind: string;
  variantId: string | null;
  productId: string | null;
  sku: string | null;
  title: string;
  quantity: number;
  unitPrice: number;
  lineSubtotal: number;
  discountTotal: number;
  tax: number;
  total: number;
  taxLines: { ratePpm: number; amount: number; name: string }[];
  ships: boolean;
  weightG: number;
  children: { variantId: string; quantity: number; title: string; sku: string }[] | null;
  data: Record<string, unknown> | null;
  options: Record<string, string> | null;
  quantityFulfilled: number;
  quantityShipped: number;
  quantityDelivered: number;
  quantityReturned: number;
  quantityCancelled: number;
  quantityRefunded: number;
}
export interface OrderView {
  id: string;
  number: string;
  status: OrderStatus;
  paymentStatus: PaymentStatus;
  fulfillmentStatus: FulfillmentStatus;
  channel: string;
  customerId: string | null;
  email: string;
  phone: string | null;
  currency: string;
  priceMode: 'gross' | 'net';
  billingAddress: Address;
  shippingAddress: Address | null;
  shippingMethodId: string | null;
  total: number;
  amountDue: number;
  captured: number;
  refunded: number;
  placedAt: string;
  cartId: string | null;
  draftId: string | null;
  lines: OrderLineView[];
}

export interface FlowLine {
  lineId: string;
  quantity: number;
}
export interface SettleInput {
  order: OrderView;
  lines: FlowLine[];
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
}
export interface EditInput {
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
  promotions: { before: string[]; after: string[] };
  reason: string;
}
export interface ShipInput {
  order: OrderView;
  lines: FlowLine[];
  fulfillmentId: string;
  warehouseId: string | null;
  reason: string;
}
export interface RefundInput {
  order: OrderView;
  lines: (FlowLine & { restock: boolean; amount: number; tax: number })[];
  shipping: number;
  amount: number;
  refundId: string;
  method: 'original' | 'store_credit' | 'gift_card' | 'manual';
  paymentId: string | null;
  reason: string;
}

// Taps run in the transaction that holds the locks cart → order → payments.
export const settleCommit = series<SettleInput>('orders:settle.commit');
export const cancelCommit = series<CancelInput>('orders:cancel.commit');
export const editCommit = series<EditInput>('orders:edit.commit');
export const shipCommit = series<ShipInput>('orders:ship.commit');
export const refundCommit = series<RefundInput>('orders:refund.commit');
/** A fulfilment that hadn't shipped was cancelled: reserve again. */
export const fulfillmentCancelCommit = series<ShipInput>('orders:fulfillment-cancel.commit');

export interface Orders {
  /** `lock`: for update, after the cart's lock if there is one. */
  get(id: string, options?: { lock?: boolean }): Promise<OrderView | undefined>;
  byNumber(number: string): Promise<OrderView | undefined>;
  /** The live (not cancelled) order of a cart or draft. */
  liveOf(of: { cartId?: string; draftId?: string }): Promise<OrderView | undefined>;
  /** True when the token is the order's and hasn't expired. */
  tokenMatches(id: string, token: string): Promise<boolean>;
  /** The order as the confirmation page shows it: no internal members. */
  publicView(id: string): Promise<Record<string, unknown>>;
  /** The full order as staff see it. */
  adminView(id: string): Promise<Record<string, unknown>>;
  /** A payment changed: runs settle.commit once and moves the order. In the caller's transaction, order and payment locked. */
  settle(id: string, payment: SettleInput['payment'], reason: string): Promise<void>;
  /** Machine move with its effects. `cancel` takes `refund`. In the caller's transaction. */
  move(id: string, to: OrderStatus, options: { reason: string | null; refund?: boolean }): Promise<void>;
  hold(id: string, reason: string): Promise<void>;
  /** Fulfilments, for shipping. */
  fulfillment(
    id: string,
  ): Promise<
    | { id: string; orderId: string; status: string; warehouseId: string | null; lines: FlowLine[]; awbNumber: string | null }
    | undefined
  >;
  fulfillmentsOf(orderId: string): Promise<{ id: string; status: string; lines: FlowLine[]; awbNumber: string | null }[]>;
  createFulfillment(orderId: string, lines: FlowLine[] | null): Promise<{ id: string; lines: FlowLine[] }>;
  setTracking(fulfillmentId: string, tracking: { awbNumber: string; carrier: string; trackingNumber: string }): Promise<void>;
  ship(orderId: string, fulfillmentId: string, reason: string): Promise<void>;
  deliver(orderId: string, fulfillmentId: string, reason: string): Promise<void>;
  failDelivery(
    orderId: string,
    fulfillmentId: string,
    to: 'failed_delivery' | 'returned_to_sender',
    reason: string,
  ): Promise<void>;
  /** Recomputes paymentStatus after captures or refunds. */
  refreshPayment(id: string): Promise<void>;
  /** Orders of a customer, newest first, public view; and counts for customers' stats and erasure. */
  ofCustomer(
    customerId: string,
    options: { limit: number; cursor?: string },
  ): Promise<{ data: Record<string, unknown>[]; nextCursor: string | null }>;
  openCount(customerId: string): Promise<number>;
  /** Distinct, for the base-currency lock. */
  any(): Promise<boolean>;
  /** A customer's number of placed, not cancelled orders; by id or e-mail. */
  countPlaced(who: { customerId?: string; email?: string }): Promise<number>;
  /** Whether catalogue things are named by order lines. */
  variantsInOrders(variantIds: string[]): Promise<Set<string>>;
  productsInOrders(productIds: string[]): Promise<Set<string>>;
}
export const orders = service<Orders>('orders:orders');

/** Payload of the public order events. */
export interface OrderEvent {
  id: string;
  number: string;
  status: OrderStatus;
  customerId: string | null;
  email: string;
  total: MoneyValue;
  placedAt: string;
  lines: { variantId: string | null; productId: string | null; sku: string | null; quantity: number }[];
}
