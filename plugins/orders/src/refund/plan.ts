import type { RefundAllocation, RefundInput, RefundRequest } from '@storeloom/commerce';
import { domainError, invalid, problem, referenceNotFound } from '@storeloom/plugin-sdk';
import {
  type PricedSheet,
  previewRefund,
  type RefundPreview,
  type RefundSelection,
  spreadRefund,
} from '@storeloom/plugin-sdk/money';

export interface RefundablePayment {
  id: string;
  captured: number;
  refunded: number;
}

/** The selection of a refund request: an amount, or lines, or shipping alone. @throws 422 */
export function refundSelection(request: RefundRequest, lineIds: ReadonlySet<string>): RefundSelection {
  const { amount, lines, shipping = 0 } = request;
  if (amount !== undefined && lines !== undefined) throw invalid('', 'invalid', "amount and lines can't be combined");
  if (amount !== undefined) {
    if (amount === 0) throw domainError('/amount', 'money_invalid', 'must be greater than 0');
    return { amount, shipping };
  }
  if ((lines === undefined || lines.length === 0) && shipping === 0)
    throw invalid('', 'required', 'an amount, lines or shipping is required');
  (lines ?? []).forEach((line, i) => {
    if (!lineIds.has(line.lineId)) throw referenceNotFound(`/lines/${i}/lineId`);
  });
  return { lines: (lines ?? []).map(({ lineId, quantity }) => ({ lineId, quantity })), shipping };
}

/** The refund by R13. @throws 409 `refund_exceeds_captured {refundable}` */
export function preview(
  sheet: PricedSheet,
  state: { paid: number; refunded: number; previous: readonly RefundPreview[] },
  selection: RefundSelection,
): RefundPreview {
  return previewRefund(sheet, { captured: state.paid, refunded: state.refunded, previous: state.previous }, selection);
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
