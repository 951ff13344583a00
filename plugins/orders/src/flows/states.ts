import type { FulfillmentStatus, PaymentStatus } from '@storeloom/commerce';

export interface PaymentFigures {
  /** Total with cash rounding. */
  total: number;
  /** Captured by payments. */
  captured: number;
  /** Paid by gift cards, store credit, points. */
  tendered: number;
  /** Pending and succeeded refunds. */
  refunded: number;
  /** The pending part of them, without refunds by edits. */
  pendingRefunds: number;
  /** The part of them that edits refunded, treated as never captured. */
  refundedByEdits: number;
  /** The part of them beyond the present price of the refunded units, which covers nothing else. */
  beyond: number;
  /** Authorised and not captured yet. */
  authorized: number;
  /** A payment was voided, and no other can be captured. */
  voided: boolean;
}

/** Compares captured with total and succeeded refunds with captured. Tenders count as captured; pending refunds change nothing. */
export function paymentStatusOf(figures: PaymentFigures): PaymentStatus {
  const { total, tendered, authorized, voided } = figures;
  const captured = figures.captured - figures.refundedByEdits;
  const refunded = figures.refunded - figures.refundedByEdits - figures.pendingRefunds;
  const paid = captured + tendered;
  if (refunded > 0) return refunded >= paid ? 'refunded' : 'partially_refunded';
  if (paid > total) return 'overpaid';
  if (paid === total) return 'paid';
  if (captured === 0 && authorized > 0 && paid + authorized >= total) return 'authorized';
  if (paid > 0) return 'partially_paid';
  return voided ? 'voided' : 'unpaid';
}

/** Whether captured and authorised amounts cover the total, so that goods can be shipped. Pending refunds count as refunded. */
export function isCovered(figures: PaymentFigures): boolean {
  const { total, captured, refundedByEdits, beyond, tendered, authorized } = figures;
  return (
    captured - refundedByEdits - beyond + tendered + authorized >= total &&
    paymentStatusOf({ ...figures, pendingRefunds: 0 }) !== 'refunded'
  );
}

export interface LineQuantities {
  ships: boolean;
  quantity: number;
  quantityFulfilled: number;
  quantityShipped: number;
  quantityDelivered: number;
  quantityReturned: number;
  quantityCancelled: number;
}

/** From the quantities of lines that ship, without cancelled units. */
export function fulfillmentStatusOf(lines: readonly LineQuantities[]): FulfillmentStatus {
  const goods = lines.filter((line) => line.ships);
  const sum = (member: keyof Omit<LineQuantities, 'ships'>): number => goods.reduce((total, line) => total + line[member], 0);
  const wanted = sum('quantity') - sum('quantityCancelled');
  const stage = (part: number, whole: FulfillmentStatus, partly: FulfillmentStatus): FulfillmentStatus | undefined =>
    part === 0 ? undefined : part >= wanted ? whole : partly;
  if (wanted <= 0) return 'not_required';
  return (
    stage(sum('quantityReturned'), 'returned', 'partially_returned') ??
    stage(sum('quantityDelivered'), 'delivered', 'partially_delivered') ??
    stage(sum('quantityShipped'), 'shipped', 'partially_shipped') ??
    stage(sum('quantityFulfilled'), 'fulfilled', 'partially_fulfilled') ??
    'unfulfilled'
  );
}

/** Units without a fulfilment. */
export function unfulfilled(line: LineQuantities): number {
  return line.ships ? Math.max(0, line.quantity - line.quantityCancelled - line.quantityFulfilled) : 0;
}
/** Units still to ship: unfulfilled, or in an unshipped fulfilment. */
export function unshipped(line: LineQuantities): number {
  return line.ships ? Math.max(0, line.quantity - line.quantityCancelled - line.quantityShipped) : 0;
}
