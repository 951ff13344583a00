import { allocate } from './allocate.ts';
import { MoneyError } from './error.ts';
import { checkQuantity, unitsTotal } from './parts.ts';
import { checkPositive, mulRatio } from './rounding.ts';
import type { PricedSheet, TaxGroup } from './sheet-types.ts';
import { compareRows, summarizeTax, type TaxSummaryRow } from './tax.ts';

/** What is to be refunded: units of lines, or a free amount; shipping by itself. Minor units, with tax. */
export type RefundSelection =
  | { lines: readonly { lineId: string; quantity: number }[]; shipping?: number }
  | { amount: number; shipping?: number };

/** A piece of a refund: paid amount with tax, the tax in it, and both by rate group. */
export interface RefundPart {
  amount: number;
  tax: number;
  taxGroups: TaxGroup[];
}

export interface RefundPreview {
  /** What goes back, with tax. */
  amount: number;
  tax: number;
  lines: (RefundPart & { lineId: string; quantity: number })[];
  /** Null when no shipping is refunded. */
  shipping: RefundPart | null;
  /** The free amount of a refund without lines, its tax in the proportion of what is left of the order. Null otherwise. */
  free: RefundPart | null;
  taxSummary: TaxSummaryRow[];
  /** What could still be refunded afterwards. */
  refundable: number;
}

/**
 * Where the order stands: what was captured, what was refunded (pending and succeeded), and the previews of those refunds as they were
 * stored. Failed and cancelled refunds are left out of both.
 */
export interface RefundState {
  captured: number;
  refunded: number;
  previous: readonly Pick<RefundPreview, 'lines' | 'shipping' | 'taxSummary'>[];
}

/** The order's stored calculation, as `finish` gave it. */
export type PricedOrder = Pick<PricedSheet, 'priceMode' | 'lines' | 'shippingLines' | 'surcharges' | 'taxSummary' | 'totals'>;

/**
 * R13: what a refund gives back, for the preview (`dryRun`) and for the refund itself. The k-th refunded unit gets share k of what its
 * line was paid, and of the stored tax; nothing is calculated again, so any partition of the units adds up to what was paid.
 *
 * More than `captured − refunded`, more units than are left, or more shipping than was paid: 409 `refund_exceeds_captured {refundable}`,
 * `refundable` being what is left of that. Nothing to refund, or a negative amount: 422 `money_invalid`. Unknown line, bad quantity:
 * `RangeError`.
 */
export function previewRefund(order: PricedOrder, state: RefundState, selection: RefundSelection): RefundPreview {
  const lines = 'lines' in selection ? mergeUnits(selection.lines).map((one) => refundUnits(order, state, one)) : [];
  const wanted = checkPositive(selection.shipping ?? 0, 'a refund');
  const shipping = wanted > 0 ? refundShipping(order, state, wanted) : null;
  const free = 'amount' in selection ? freeAmount(order, state, checkPositive(selection.amount, 'a refund')) : null;
  const parts: RefundPart[] = [...lines, ...(shipping ? [shipping] : []), ...(free ? [free] : [])];
  const amount = parts.reduce((sum, part) => sum + part.amount, 0);
  if (amount === 0) throw new MoneyError('money_invalid', 'there is nothing to refund');
  const refundable = Math.max(0, state.captured - state.refunded);
  if (amount > refundable) throw exceeds(refundable);
  return {
    amount,
    tax: parts.reduce((sum, part) => sum + part.tax, 0),
    lines,
    shipping,
    free,
    taxSummary: summarizeTax(parts.flatMap((part) => part.taxGroups)),
    refundable: refundable - amount,
  };
}

/**
 * Spreads a refund over the payments of an order, newest first: give them in that order. Each takes at most its `captured − refunded`;
 * together too little: 409 `refund_exceeds_captured {refundable}`. Payments that give nothing aren't listed.
 */
export function spreadRefund(
  amount: number,
  payments: readonly { id: string; captured: number; refunded: number }[],
): { id: string; amount: number }[] {
  let rest = checkPositive(amount, 'a refund');
  const pieces: { id: string; amount: number }[] = [];
  for (const payment of payments) {
    const piece = Math.min(rest, Math.max(0, payment.captured - payment.refunded));
    if (piece > 0) pieces.push({ id: payment.id, amount: piece });
    rest -= piece;
  }
  if (rest > 0) throw exceeds(amount - rest);
  return pieces;
}

function mergeUnits(lines: readonly { lineId: string; quantity: number }[]): { lineId: string; quantity: number }[] {
  const byLine = new Map<string, number>();
  for (const { lineId, quantity } of lines) byLine.set(lineId, (byLine.get(lineId) ?? 0) + checkQuantity(quantity));
  return [...byLine].map(([lineId, quantity]) => ({ lineId, quantity }));
}

function refundUnits(
  order: PricedOrder,
  state: RefundState,
  units: { lineId: string; quantity: number },
): RefundPreview['lines'][number] {
  const line = order.lines.find((one) => one.id === units.lineId);
  if (!line) throw new RangeError(`the order has no line ${units.lineId}`);
  const before = state.previous.flatMap((refund) => refund.lines).filter((one) => one.lineId === line.id);
  const left = (paid: number, member: 'quantity' | 'amount' | 'tax') => before.reduce((rest, one) => rest - one[member], paid);
  const remaining = left(line.quantity, 'quantity');
  const paid = left(line.total, 'amount');
  if (units.quantity > remaining) throw exceeds(paid);
  // The first units of what is left: the same as the shares after those refunded, and exact even when an earlier refund failed.
  const amount = unitsTotal(paid, remaining, 0, units.quantity);
  if (line.taxGroups.length > 1) {
    // A bundle of mixed rates: what its groups have left, in proportion; the last units take exactly the rest of each.
    const groups = leftOf(
      line.taxGroups,
      before.flatMap((one) => one.taxGroups),
    );
    return { lineId: line.id, quantity: units.quantity, ...proportion(amount, groups, order) };
  }
  const tax = unitsTotal(left(line.tax, 'tax'), remaining, 0, units.quantity);
  const { ratePpm, categoryCode, rates } = line.taxGroups[0]!;
  const taxGroups = [taxGroup({ ratePpm, categoryCode, rates, total: amount, tax }, order)];
  return { lineId: line.id, quantity: units.quantity, amount, tax, taxGroups };
}

function refundShipping(order: PricedOrder, state: RefundState, wanted: number): RefundPart {
  const paid = order.shippingLines.flatMap((line) => line.taxGroups);
  const left = leftOf(
    paid,
    state.previous.flatMap((refund) => refund.shipping?.taxGroups ?? []),
  );
  const total = left.reduce((sum, row) => sum + row.total, 0);
  if (wanted > total) throw exceeds(total);
  return proportion(wanted, left, order);
}

/** An amount above what the order came to (it was overpaid) has no tax in it. */
function freeAmount(order: PricedOrder, state: RefundState, wanted: number): RefundPart {
  const paid = [...order.lines, ...order.shippingLines, ...order.surcharges].flatMap((one) => one.taxGroups);
  const left = leftOf(
    paid,
    state.previous.flatMap((refund) => refund.taxSummary),
  );
  return { ...proportion(wanted, left, order), amount: wanted };
}

interface LeftRow extends Pick<TaxGroup, 'ratePpm' | 'categoryCode' | 'rates'> {
  /** With tax. */
  total: number;
  tax: number;
}

/** What was paid by rate group, less what was given back. */
function leftOf(paid: readonly TaxGroup[], returned: readonly TaxSummaryRow[]): LeftRow[] {
  const rows = new Map<string, LeftRow>();
  const add = (row: TaxSummaryRow, rates: TaxGroup['rates'], sign: 1 | -1) => {
    const key = `${row.ratePpm} ${row.categoryCode}`;
    const sum = rows.get(key) ?? { ratePpm: row.ratePpm, categoryCode: row.categoryCode, rates, total: 0, tax: 0 };
    rows.set(key, { ...sum, total: sum.total + sign * (row.base + row.tax), tax: sum.tax + sign * row.tax });
  };
  for (const group of paid) add(group, group.rates, 1);
  for (const row of returned) add(row, [], -1);
  return [...rows.values()].sort(compareRows);
}

/** An amount over the rows in proportion; the last piece of a row takes exactly the tax that is left in it. */
function proportion(wanted: number, rows: readonly LeftRow[], order: PricedOrder): RefundPart {
  const totals = rows.map((row) => Math.max(0, row.total));
  const shares = allocate(wanted, totals, totals);
  const taxGroups = rows.flatMap((row, i) => {
    const total = shares[i]!;
    return total === 0 ? [] : [taxGroup({ ...row, total, tax: mulRatio(row.tax, total, row.total) }, order)];
  });
  return { amount: wanted, tax: taxGroups.reduce((sum, group) => sum + group.tax, 0), taxGroups };
}

function taxGroup({ ratePpm, categoryCode, rates, total, tax }: LeftRow, order: PricedOrder): TaxGroup {
  const base = total - tax;
  return { ratePpm, categoryCode, rates, amount: order.priceMode === 'gross' ? total : base, base, tax };
}

function exceeds(refundable: number): MoneyError {
  return new MoneyError('refund_exceeds_captured', `at most ${refundable} can be refunded`, { refundable });
}
