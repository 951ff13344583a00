import type { TicketStatus } from './ticket.ts';

export type Refusal = 'wrong_event' | 'canceled' | 'revoked' | 'unpaid' | 'invalid_time' | 'already_redeemed';
export interface Scan {
  type: 'entry' | 'exit';
  at: string;
  nonce: string;
  /** Event of the door; null: any. */
  eventId?: string | null;
}
/** An admitted scan. */
export interface PastScan extends Scan {
  gate: string | null;
}
export interface Known {
  status: TicketStatus;
  eventId?: string;
  /** The event has no valid time until it is published with a new one. */
  postponed?: boolean;
  /** When the doors open and close. */
  opensAt?: string;
  closesAt?: string;
  validFrom: string | null;
  validUntil: string | null;
  reentry: boolean;
  past: readonly PastScan[];
}
export type Verdict =
  | { result: 'ok' }
  | { result: 'repeat'; first: PastScan }
  | {
      result: Refusal;
      firstAt?: string;
      gate?: string | null;
      ticketStatus?: TicketStatus;
      validFrom?: string;
      validUntil?: string;
    };

const refusedStates: Partial<Record<TicketStatus, Refusal>> = {
  cancelled: 'canceled',
  refunded: 'canceled',
  expired: 'canceled',
  transferred: 'revoked',
  reserved: 'unpaid',
};

/**
 * Returns the result of a scan. The first violated rule decides: the event of the door first, because its staff decide about no other ticket,
 * and cancellation before use, so that a cancelled ticket is never reported as a duplicate. A second scan with another nonce is a second
 * person; one with the same nonce is a retry.
 */
export function verdictOf(scan: Scan, known: Known): Verdict {
  if (scan.eventId && known.eventId && scan.eventId !== known.eventId) return { result: 'wrong_event' };
  const refused = refusedStates[known.status];
  if (refused) return { result: refused, ticketStatus: known.status };
  if (known.postponed && scan.type === 'entry') return { result: 'invalid_time' };
  const from = known.validFrom ?? known.opensAt;
  const until = known.validUntil ?? known.closesAt;
  const isLeaving = scan.type === 'exit';
  if ((from && scan.at < from) || (until && scan.at >= until && !isLeaving))
    return { result: 'invalid_time', ...(from ? { validFrom: from } : {}), ...(until ? { validUntil: until } : {}) };
  const same = known.past.find(({ nonce }) => nonce === scan.nonce);
  if (same) return { result: 'repeat', first: same };
  if (scan.type === 'exit') return { result: 'ok' };
  const entries = known.past.filter(({ type }) => type === 'entry');
  const [first] = entries;
  const isInside = known.past.at(-1)?.type === 'entry';
  if (first && (isInside || !known.reentry)) return { result: 'already_redeemed', firstAt: first.at, gate: first.gate };
  return { result: 'ok' };
}
