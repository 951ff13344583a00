import type { MoneyValue } from '@storeloom/plugin-sdk';
import { collect, series, service } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';

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

export { publicOrderShape } from './contract/order-shape.ts';
export type { Address };

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
  /** What refunds gave back for parts that cost less by now: it pays for nothing else. Told by `get`; nothing where there is none. */
  refundedBeyond?: number;
  placedAt: string;
  cartId: string | null;
  draftId: string | null;
  /** Language of the buyer's mails and documents. */
  locale: string;
  /** Paid by what is no payment: gift cards, store credit, points as money. */
  tendered: number;
  /** Why it is on hold (`late_payment`, `payment_mismatch`, `tax_check`, or a text of staff), and the state it goes back to. */
  holdReason: string | null;
  previousStatus: OrderStatus | null;
  /** Code of the payment method that the buyer chose; null when nothing was due. */
  paymentMethod: string | null;
  /** Ids of the promotions that stand on the order. */
  promotionIds: string[];
  lines: OrderLineView[];
}

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

/** Members of the admin's order that other plugins own: `returns`, `vendorSplits`, `risk`. Null where nobody gives them. */
export const orderMembers = collect<{ orderId: string }, { member: 'returns' | 'vendorSplits' | 'risk'; value: unknown }>(
  'orders:order.members',
  { policy: 'skip' },
);

/** What a refund gives back: an amount, or units of lines by R13. */
export interface RefundRequest {
  amount?: number;
  lines?: (FlowLine & { restock: boolean })[];
  shipping?: number;
  reason: string;
  method?: RefundInput['method'];
  paymentId?: string;
}
/** Left at `input.results.orders` by the tap of place.commit. The token is the buyer's, shown once. */
export interface PlacedOrder {
  number: string;
  token: string;
}

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
  move(id: string, to: OrderStatus, options: { reason: string | null; refund?: boolean; notify?: boolean }): Promise<void>;
  hold(id: string, reason: string): Promise<void>;
  /** The buyer's next attempt is by another method; one that is paid later (on delivery, on account) confirms the order. Locked by the caller. */
  payBy(id: string, method: { code: string; paidLater: boolean }): Promise<void>;
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
  /** Whether a customer may see an order: one placed without signing in only once the address is confirmed. */
  visibleTo(id: string, customerId: string): Promise<boolean>;
  /** Orders that are neither delivered, completed nor cancelled; with the address also those placed without signing in. */
  openCount(customerId: string, email?: string): Promise<number>;
  /** Distinct, for the base-currency lock. */
  any(): Promise<boolean>;
  /** A customer's number of placed, not cancelled orders; by id or e-mail. */
  countPlaced(who: { customerId?: string; email?: string }): Promise<number>;
  /** Whether catalogue things are named by order lines. */
  variantsInOrders(variantIds: string[]): Promise<Set<string>>;
  productsInOrders(productIds: string[]): Promise<Set<string>>;
  /** A refund by another plugin (a completed return). Takes the locks itself; 409 `refund_exceeds_captured {refundable}`. */
  refund(id: string, request: RefundRequest): Promise<{ refundId: string; amount: number }>;
  /** A refund that payments made for the order changed: figures, credit note and mail follow. */
  refundChanged(id: string): Promise<void>;
  /** The issued documents of an order, oldest first, as they were frozen. */
  invoicesOf(orderId: string): Promise<Record<string, unknown>[]>;
  /** What became of an invoice at the tax authority. While it stands there, address and lines of its order are locked. */
  setEfacturaStatus(invoiceId: string, status: string | null, options: { locks: boolean }): Promise<void>;
}
export const orders = service<Orders>('orders:orders');

/** Payload of the public order events; `cancelled` also has `reason` and `notify`. */
export interface OrderEvent {
  id: string;
  number: string;
  status: OrderStatus;
  customerId: string | null;
  email: string;
  total: MoneyValue;
  /** ISO 3166-1 alpha-2: where it is delivered to, else where it is billed. */
  country: string;
  placedAt: string;
  lines: { variantId: string | null; productId: string | null; sku: string | null; quantity: number }[];
}

/** Rows of an export, by the filters of the staff's order list; amounts as decimal strings. */
export interface OrderExport {
  rows(filter: Record<string, string>): AsyncIterable<Record<string, unknown>>;
}
export const orderExport = service<OrderExport>('orders:export');
