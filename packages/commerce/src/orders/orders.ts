import { collect, type MoneyValue, service } from '@storeloom/plugin-sdk';
import type { FlowLine, RefundInput, SettleInput } from './order-flows.ts';
import type { OrderStatus } from './order-states.ts';
import type { OrderView } from './order-view.ts';

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

/** Members of the admin's order that other plugins own: `returns`, `vendorSplits`, `risk`. Null where nobody gives them. */
export const orderMembers = collect<{ orderId: string }, { member: 'returns' | 'vendorSplits' | 'risk'; value: unknown }>(
  'orders:order.members',
  { policy: 'skip' },
);

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
