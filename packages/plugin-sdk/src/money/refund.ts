import { allocate } from './allocate.ts';
import { MoneyError } from './error.ts';
import { checkQuantity, unitsTotal } from './parts.ts';
import { checkPositive, mulRatio } from './rounding.ts';
import type { PricedSheet, TaxGroup } from './sheet-types.ts';
import { compareRows, summarizeTax, type TaxSummaryRow } from './tax.ts';

/** What to refund: units of lines or a free amount, and shipping separately. Minor units, tax included. */
export type RefundSelection =
  | { lines: readonly { lineId: string; quantity: number }[]; shipping?: number }
  | { amount: number; shipping?: number };

/** A part of a refund. */
export interface RefundPart {
  /** Refunded amount in minor units, tax included. */
  amount: number;
  /** Tax contained in the amount. */
  tax: number;
  /** The amount by tax group. */
  taxGroups: TaxGroup[];
}

/** The calculation of a refund, stored with it. */
export interface RefundPreview {
  /** Refunded amount in minor units, tax included. */
  amount: number;
  /** Tax contained in the amount. */
  tax: number;
  /** Refunded units by line. */
  lines: (RefundPart & { lineId: string; quantity: number })[];
  /** Refunded shipping; null if there is none. */
  shipping: RefundPart | null;
  /** Free amount of a refund without lines, its tax in proportion to what remains of the order; null otherwise. */
  free: RefundPart | null;
  /** One row for each tax group, highest rate first. */
  taxSummary: TaxSummaryRow[];
  /** What can still be refunded afterwards, in minor units. */
  refundable: number;
}

/** Payments and refunds of an order so far. Failed and cancelled refunds don't count. */
export interface RefundState {
  /** Captured amount in minor units. */
  captured: number;
  /** Refunded amount in minor units, pending and succeeded. */
  refunded: number;
  /** Stored previews of those refunds. */
  previous: readonly Pick<RefundPreview, 'lines' | 'shipping' | 'taxSummary'>[];
}

/** The stored calculation of an order, as `Sheet.finish` returned it. */
export type PricedOrder = Pick<PricedSheet, 'priceMode' | 'lines' | 'shippingLines' | 'surcharges' | 'taxSummary' | 'totals'>;

/**
 * Calculates a refund, for the preview (`dryRun`) and for the refund itself. The k-th refunded unit gets share k of what its line
 * was paid and of its stored tax; nothing is recalculated, so any sequence of refunds adds up to what was paid. Rule R13.
 *
 * @throws MoneyError 409 `refund_exceeds_captured {refundable}` for more than `captured − refunded`, more units than remain, or
 * more shipping than was paid
 * @throws MoneyError 422 `money_invalid` for a negative amount, or if there is nothing to refund
 * @throws RangeError for an unknown line or an invalid quantity
 */
export function previewRefund(order: PricedOrder, state: RefundState, selection: RefundSelection): RefundPreview {
  const lines = 'lines' in selection ? mergeUnits(selection.lines).map((one) => refundUnits(order, state, one)) : [];
  const wanted = checkPositive(selection.shipping ?? 0, 'a refund');
  const shipping = wanted > 0 ? refundShipping(order, state, wanted) : null;
  const free = 'amount' in selection ? freeAmount(order, state, checkPositive(selection.amount, 'a refund')) : null;
  const parts: RefundPart[] = [...lines, ...(shipping ? [shipping] : []), ...(free ? [free] : [])];
  const amount = parts.reduce((sum, part) => sum + part.amount, 0);
  if (amount === 0)
    throw new MoneyError('money_invalid', 'there is nothing to refund: give units, an amount or shipping above 0');
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
 * Spreads a refund over the payments of an order in the given order (newest first). Each takes at most its `captured − refunded`;
 * payments that take nothing are left out.
 *
 * @throws MoneyError 409 `refund_exceeds_captured {refundable}` if the payments together are too small
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
  // The first units of the rest have the same shares as those after the refunded ones, also if an earlier refund failed.
  const amount = unitsTotal(paid, remaining, 0, units.quantity);
  if (line.taxGroups.length > 1) {
    // A bundle of mixed rates: in proportion to the rest of its tax groups; the last units take exactly what remains.
    const groups = remainingGroups(
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
  const left = remainingGroups(
    paid,
    state.previous.flatMap((refund) => refund.shipping?.taxGroups ?? []),
  );
  const total = left.reduce((sum, row) => sum + row.total, 0);
  if (wanted > total) throw exceeds(total);
  return proportion(wanted, left, order);
}

/** Money above the price of what remains (an overpayment, an edit without a refund) is refunded first and contains no tax. */
function freeAmount(order: PricedOrder, state: RefundState, wanted: number): RefundPart {
  const paid = [...order.lines, ...order.shippingLines, ...order.surcharges].flatMap((one) => one.taxGroups);
  const left = remainingGroups(
    paid,
    state.previous.flatMap((refund) => refund.taxSummary),
  );
  const price = left.reduce((sum, row) => sum + Math.max(0, row.total), 0);
  const excess = Math.max(0, state.captured - state.refunded - order.totals.cashRounding - price);
  return { ...proportion(Math.max(0, wanted - excess), left, order), amount: wanted };
}

interface RemainingGroup extends Pick<TaxGroup, 'ratePpm' | 'categoryCode' | 'rates'> {
  /** With tax. */
  total: number;
  tax: number;
}

/** Returns the paid amount of each tax group, less the refunded amount. */
function remainingGroups(paid: readonly TaxGroup[], returned: readonly TaxSummaryRow[]): RemainingGroup[] {
  const rows = new Map<string, RemainingGroup>();
  const add = (row: TaxSummaryRow, rates: TaxGroup['rates'], sign: 1 | -1) => {
    const key = `${row.ratePpm} ${row.categoryCode}`;
    const sum = rows.get(key) ?? { ratePpm: row.ratePpm, categoryCode: row.categoryCode, rates, total: 0, tax: 0 };
    rows.set(key, { ...sum, total: sum.total + sign * (row.base + row.tax), tax: sum.tax + sign * row.tax });
  };
  for (const group of paid) add(group, group.rates, 1);
  for (const row of returned) add(row, [], -1);
  return [...rows.values()].sort(compareRows);
}

/** Splits an amount over the rows in proportion; the last part of a row takes exactly its remaining tax. */
function proportion(wanted: number, rows: readonly RemainingGroup[], order: PricedOrder): RefundPart {
  const totals = rows.map((row) => Math.max(0, row.total));
  const shares = allocate(wanted, totals, totals);
  const taxGroups = rows.flatMap((row, i) => {
    const total = shares[i]!;
    return total === 0 ? [] : [taxGroup({ ...row, total, tax: mulRatio(row.tax, total, row.total) }, order)];
  });
  return { amount: wanted, tax: taxGroups.reduce((sum, group) => sum + group.tax, 0), taxGroups };
}

function taxGroup({ ratePpm, categoryCode, rates, total, tax }: RemainingGroup, order: PricedOrder): TaxGroup {
  const base = total - tax;
  return { ratePpm, categoryCode, rates, amount: order.priceMode === 'gross' ? total : base, base, tax };
}

function exceeds(refundable: number): MoneyError {
  return new MoneyError('refund_exceeds_captured', `at most ${refundable} can be refunded`, { refundable });
}
