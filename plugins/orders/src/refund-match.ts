import type { RefundAllocation } from './contract.ts';

export interface PaymentRefund {
  id: string;
  paymentId: string;
  amount: { amount: number };
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  createdAt: string;
}
export interface OwnRefund {
  id: string;
  createdAt: string;
  allocations: readonly RefundAllocation[];
}

/**
 * Which refunds of payments belong to which refunds of the order: by id where payments kept it, else the first one of the same payment
 * and amount since then that is still free. Both lists oldest first. What an edit or a cancel gave back belongs to none.
 */
export function matchRefunds(own: readonly OwnRefund[], theirs: readonly PaymentRefund[]): Map<string, PaymentRefund[]> {
  const free = new Set(theirs);
  const matched = new Map<string, PaymentRefund[]>();
  for (const refund of own) {
    const found: PaymentRefund[] = [];
    for (const part of refund.allocations) {
      if (part.type !== 'payment') continue;
      const candidates = [...free].filter((each) => each.paymentId === part.paymentId && each.amount.amount === part.amount);
      const match =
        candidates.find((each) => each.id === refund.id) ?? candidates.find((each) => each.createdAt >= refund.createdAt);
      if (!match) continue;
      free.delete(match);
      found.push(match);
    }
    matched.set(refund.id, found);
  }
  return matched;
}

/** What became of a refund as a whole; undefined while a part of it is on its way. */
export function outcomeOf(parts: readonly Pick<PaymentRefund, 'status'>[], wanted: number): 'succeeded' | 'failed' | undefined {
  if (parts.length < wanted || parts.some(({ status }) => status === 'pending')) return undefined;
  if (parts.every(({ status }) => status === 'succeeded')) return 'succeeded';
  // A part that failed while another went through needs a person: the refund stays open.
  return parts.some(({ status }) => status === 'succeeded') ? undefined : 'failed';
}
