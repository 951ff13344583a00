import { collect, service } from '@storeloom/plugin-sdk';
import type { FlowLine, RefundInput, SettleInput } from './order-flows.ts';
import type { PublicOrder } from './order-shape.ts';
import type { OrderStatus } from './order-states.ts';
import type { OrderView } from './order-view.ts';

/** Exactly one of `amount` and `lines` (R13), or `shipping` alone. Amounts in minor units. */
export interface RefundRequest {
  amount?: number;
  /** The line whose price `amount` reduces, at the tax rates of the line. Without it, the amount is of the whole order. */
  lineId?: string;
  lines?: (FlowLine & { restock: boolean })[];
  shipping?: number;
  reason: string;
  method?: RefundInput['method'];
  paymentId?: string;
}

/** `input.results.orders` after the tap of `placeCommit`. The token is the buyer's access to the order; it is shown once. */
export interface PlacedOrder {
  number: string;
  token: string;
}

/** Orders and their fulfilments. Provided by plugin orders. Methods that write run in the caller's transaction. */
export interface Orders {
  /** `lock`: for update. The lock of a cart comes first. */
  get(id: string, options?: { lock?: boolean }): Promise<OrderView | undefined>;
  byNumber(number: string): Promise<OrderView | undefined>;
  /** The order of a cart or draft that isn't cancelled. */
  activeOrderOf(of: { cartId?: string; draftId?: string }): Promise<OrderView | undefined>;
  /** Whether the token opens the order and hasn't expired. */
  tokenMatches(id: string, token: string): Promise<boolean>;
  /** The order in the storefront API: `publicOrderShape`. */
  publicView(id: string): Promise<PublicOrder>;
  /** The order in the admin API. */
  adminView(id: string): Promise<Record<string, unknown>>;
  /** Handles a changed payment: calls `settleCommit` once and updates the order. The caller has locked order and payment. */
  settle(id: string, payment: SettleInput['payment'], reason: string): Promise<void>;
  /** Changes the status with all effects. `refund` applies to `cancelled` only. @throws Problem 409 `invalid_transition` */
  move(id: string, to: OrderStatus, options: { reason: string | null; refund?: boolean; notify?: boolean }): Promise<void>;
  /** Puts the order on hold. */
  hold(id: string, reason: string): Promise<void>;
  /**
   * Changes the method of the next payment attempt of an unpaid order, and reprices the fees and promotions that depend on the method.
   * A method that is paid later confirms the order. `expectedTotal`: the new total that the buyer accepted, in minor units. The caller
   * has locked the order and creates the payment.
   * @throws Problem 409 `total_changed {totals}` if the total changes and isn't `expectedTotal`; `invalid_transition` and
   * `invoice_issued` if the total changes and the order can't be edited
   */
  changePaymentMethod(id: string, method: { code: string; paidLater: boolean; expectedTotal: number | null }): Promise<void>;
  /**
   * Removes the tax of an order whose buyer's VAT number the register has confirmed after the order was taxed for lack of a proof: credit
   * note, new invoice, refund of the difference. Takes the locks. Returns false, without an effect, if the order has another number, is
   * cancelled, or was corrected before.
   */
  confirmVat(id: string, proof: { number: string; checkedAt: string; consultationNumber: string | null }): Promise<boolean>;
  /** A fulfilment, with its AWB number where it has one. */
  fulfillment(
    id: string,
  ): Promise<
    | { id: string; orderId: string; status: string; warehouseId: string | null; lines: FlowLine[]; awbNumber: string | null }
    | undefined
  >;
  fulfillmentsOf(orderId: string): Promise<{ id: string; status: string; lines: FlowLine[]; awbNumber: string | null }[]>;
  /** Null: all units that are left. */
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
  /** Recalculates `paymentStatus` after captures or refunds. */
  refreshPayment(id: string): Promise<void>;
  /** Orders of a customer in the storefront view, newest first. */
  ofCustomer(
    customerId: string,
    options: { limit: number; cursor?: string },
  ): Promise<{ data: PublicOrder[]; nextCursor: string | null }>;
  /** Whether a customer may see an order. A guest order with their address needs the address to be confirmed. */
  visibleTo(id: string, customerId: string): Promise<boolean>;
  /** Number of orders that aren't delivered, completed or cancelled. With `email`: guest orders of the address too. */
  openCount(customerId: string, email?: string): Promise<number>;
  /** Whether the shop has any order, after which its currency can't change. */
  any(): Promise<boolean>;
  /** Number of orders of a customer or e-mail address that aren't cancelled. */
  countPlaced(who: { customerId?: string; email?: string }): Promise<number>;
  /** Those of the variants that are part of an order. */
  variantsInOrders(variantIds: string[]): Promise<Set<string>>;
  /** Those of the products that are part of an order. */
  productsInOrders(productIds: string[]): Promise<Set<string>>;
  /** Refunds an order (a completed return). Takes the locks. @throws Problem 409 `refund_exceeds_captured {refundable}` */
  refund(id: string, request: RefundRequest): Promise<{ refundId: string; amount: number }>;
  /**
   * Pending and succeeded refunds by `refund`, oldest first. `free` is the part that refunds neither units nor shipping. The refunds that
   * payments make after an edit or a cancellation aren't among them. Amounts in minor units.
   */
  refundsOf(
    id: string,
  ): Promise<{ id: string; amount: number; lines: (FlowLine & { amount: number })[]; shipping: number; free: number }[]>;
  /** Handles a changed refund of payments: figures, credit note, e-mail. */
  refundChanged(id: string): Promise<void>;
  /** Issued documents of an order as they were frozen, oldest first. */
  invoicesOf(orderId: string): Promise<Record<string, unknown>[]>;
  /** Stores an invoice's status at the tax authority. `locks`: address and lines of the order can't be changed any longer. */
  setEfacturaStatus(invoiceId: string, status: string | null, options: { locks: boolean }): Promise<void>;
}

/** Token of `Orders`. */
export const orders = service<Orders>('orders:orders');

/** A property that another plugin adds to the order of the admin API. */
export type OrderMember =
  | { member: 'returns' | 'vendorSplits'; value: Record<string, unknown>[] }
  | { member: 'risk'; value: Record<string, unknown> };

/** Taps add properties to the order of the admin API. A property without a tap is null. */
export const orderMembers = collect<{ orderId: string }, OrderMember>('orders:order.members', { policy: 'skip' });

/**
 * Orders for an export, by the filters and the sort of the admin's order list; in batches, each read in a transaction of its own. Amounts as
 * decimal strings.
 */
export interface OrderExport {
  rows(filter: Record<string, string>): AsyncIterable<Record<string, unknown>[]>;
}

/** Token of `OrderExport`. */
export const orderExport = service<OrderExport>('orders:export');
