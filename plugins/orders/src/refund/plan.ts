import type { RefundAllocation, RefundInput, RefundRequest } from '@storeloom/commerce';
import { domainError, invalid, problem, referenceNotFound } from '@storeloom/plugin-sdk';
import {
  type PricedSheet,
  previewRefund,
  type RefundPreview,
  type RefundSelection,
  spreadRefund,
  summarizeTax,
} from '@storeloom/plugin-sdk/money';
import { sumOf } from '../sum.ts';

export interface RefundablePayment {
  id: string;
  captured: number;
  refunded: number;
}

/** `lineId`: the line that the amount belongs to. */
type Selection = RefundSelection & { lineId?: string };

/** The selection of a refund request: an amount, or lines, or shipping alone. @throws 422 */
export function refundSelection(request: RefundRequest, lineIds: ReadonlySet<string>): Selection {
  const { amount, lineId, lines, shipping = 0 } = request;
  if (amount !== undefined && lines !== undefined) throw invalid('', 'invalid', "amount and lines can't be combined");
  if (amount !== undefined) {
    if (amount === 0) throw domainError('/amount', 'money_invalid', 'must be greater than 0');
    if (lineId !== undefined && !lineIds.has(lineId)) throw referenceNotFound('/lineId');
    return { amount, shipping, ...(lineId === undefined ? {} : { lineId }) };
  }
  if ((lines === undefined || lines.length === 0) && shipping === 0)
    throw invalid('', 'required', 'an amount, lines or shipping is required');
  (lines ?? []).forEach((line, i) => {
    if (!lineIds.has(line.lineId)) throw referenceNotFound(`/lines/${i}/lineId`);
  });
  return { lines: (lines ?? []).map(({ lineId, quantity }) => ({ lineId, quantity })), shipping };
}

interface State {
  paid: number;
  refunded: number;
  previous: readonly RefundPreview[];
}

/** The refund by R13. @throws 409 `refund_exceeds_captured {refundable}` */
export function preview(sheet: PricedSheet, state: State, selection: Selection): RefundPreview {
  const { paid, refunded, previous } = state;
  const found = previewRefund(sheet, { captured: paid, refunded, previous }, selection);
  const line = sheet.lines.find(({ id }) => id === selection.lineId);
  return line ? ofLine(sheet, state, found, line) : found;
}

/**
 * Takes the taxed part of a free amount from the price of a line, as a part with 0 units, so that later refunds of its units share what is
 * left. What exceeds the rest of the line stays free.
 */
function ofLine(sheet: PricedSheet, state: State, found: RefundPreview, line: PricedSheet['lines'][number]): RefundPreview {
  const earlier = state.previous.map(({ lines }) => {
    const own = lines.filter(({ lineId }) => lineId === line.id);
    return { lines: own, shipping: null, taxSummary: summarizeTax(own.flatMap(({ taxGroups }) => taxGroups)) };
  });
  const left = line.total - sumOf(earlier.flatMap((each) => each.lines.map(({ amount }) => amount)));
  const taxed = sumOf(found.taxSummary.map(({ base, tax }) => base + tax));
  const amount = Math.min(taxed, left);
  if (amount <= 0) return found;
  const alone = { ...sheet, lines: [line], shippingLines: [], surcharges: [], totals: { ...sheet.totals, cashRounding: 0 } };
  const own = previewRefund(alone, { captured: left, refunded: 0, previous: earlier }, { amount });
  const part = { lineId: line.id, quantity: 0, amount, tax: own.tax, taxGroups: own.free?.taxGroups ?? [] };
  const previous = [...state.previous, { lines: [part], shipping: null, taxSummary: own.taxSummary }];
  const rest = (found.free?.amount ?? 0) - amount;
  const free =
    rest > 0
      ? previewRefund(sheet, { captured: state.paid, refunded: state.refunded + amount, previous }, { amount: rest }).free
      : null;
  const parts = [part, ...(found.shipping ? [found.shipping] : []), ...(free ? [free] : [])];
  return {
    ...found,
    tax: sumOf(parts.map(({ tax }) => tax)),
    lines: [part],
    free,
    taxSummary: summarizeTax(parts.flatMap(({ taxGroups }) => taxGroups)),
  };
}

/**
 * Allocates the refund to the selected payment, otherwise to payments from the newest on, then to tenders from the last one on. Store
 * credit and gift cards have no allocation.
 */
export function allocateRefund(
  amount: number,
  method: RefundInput['method'],
  paymentId: string | null,
  payments: readonly RefundablePayment[],
  tenders: readonly { type: string; reference: string | null; amount: number; refunded: number }[],
): RefundAllocation[] {
  if (method === 'store_credit' || method === 'gift_card') return [];
  if (paymentId !== null) {
    const payment = payments.find((each) => each.id === paymentId);
    if (!payment) throw referenceNotFound('/paymentId');
    const refundable = Math.max(0, payment.captured - payment.refunded);
    if (amount > refundable)
      throw problem('refund_exceeds_captured', {
        detail: `At most ${refundable} of this payment can be refunded.`,
        refundable,
      });
    return [{ type: 'payment', paymentId, amount }];
  }
  const sources = [
    ...payments,
    ...tenders.map((tender, i) => ({ id: `tender:${i}`, captured: tender.amount, refunded: tender.refunded })).reverse(),
  ];
  return spreadRefund(amount, sources).map((piece) => {
    if (!piece.id.startsWith('tender:')) return { type: 'payment', paymentId: piece.id, amount: piece.amount };
    const tender = tenders[Number(piece.id.slice('tender:'.length))];
    return { type: 'tender', tender: tender?.type ?? '', reference: tender?.reference ?? null, amount: piece.amount };
  });
}

/** The tenders of the order with the amounts already refunded to them. */
export function tendersLeft(
  tenders: readonly { type: string; reference: string | null; amount: number }[],
  earlier: readonly RefundAllocation[],
): { type: string; reference: string | null; amount: number; refunded: number }[] {
  const returned = earlier.filter((part) => part.type === 'tender').map((part) => ({ ...part }));
  return tenders.map((tender) => {
    let refunded = 0;
    for (const part of returned) {
      if (part.tender !== tender.type || part.reference !== tender.reference) continue;
      const taken = Math.min(part.amount, tender.amount - refunded);
      refunded += taken;
      part.amount -= taken;
    }
    return { ...tender, refunded };
  });
}
