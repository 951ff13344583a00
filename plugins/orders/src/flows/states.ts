import type { FulfillmentStatus, PaymentStatus } from '@storeloom/commerce';

export interface PaymentFigures {
  /** What the order costs, with cash rounding. */
  total: number;
  /** Taken by payments. */
  captured: number;
  /** Paid by gift cards, store credit, points. */
  tendered: number;
  /** Pending and succeeded refunds. */
  refunded: number;
  /** The part of them by which edits gave back what the order didn't cost any more: as if it had never been taken. */
  givenByEdits: number;
  /** The part of them that went for what costs less by now: it pays for nothing else. */
  beyond: number;
  /** Authorised and not captured yet. */
  authorized: number;
  /** A payment was voided, and none is left that could still be captured. */
  voided: boolean;
}

/** Captured against total, refunded against captured. Tenders count as captured money. */
export function paymentStatusOf(figures: PaymentFigures): PaymentStatus {
  const { total, tendered, authorized, voided } = figures;
  const captured = figures.captured - figures.givenByEdits;
  const refunded = figures.refunded - figures.givenByEdits;
  const paid = captured + tendered;
  if (refunded > 0) return refunded >= paid ? 'refunded' : 'partially_refunded';
  if (paid > total) return 'overpaid';
  if (paid === total) return 'paid';
  if (captured === 0 && authorized > 0 && paid + authorized >= total) return 'authorized';
  if (paid > 0) return 'partially_paid';
  return voided ? 'voided' : 'unpaid';
}

/** Taken, or promised by the provider: enough to hand goods over. What was given back for its own sake takes nothing away. */
export function isCovered(figures: PaymentFigures): boolean {
  const { total, captured, givenByEdits, beyond, tendered, authorized } = figures;
  return captured - givenByEdits - beyond + tendered + authorized >= total && paymentStatusOf(figures) !== 'refunded';
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

/** From quantities of the lines that ship. Cancelled units ask for nothing. */
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

/** Units that no fulfilment has yet. */
export function unfulfilled(line: LineQuantities): number {
  return line.ships ? Math.max(0, line.quantity - line.quantityCancelled - line.quantityFulfilled) : 0;
}
/** Units that may still be sent: unfulfilled, or in a fulfilment that hasn't shipped. */
export function unshipped(line: LineQuantities): number {
  return line.ships ? Math.max(0, line.quantity - line.quantityCancelled - line.quantityShipped) : 0;
}
