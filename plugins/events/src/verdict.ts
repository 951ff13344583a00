import type { TicketStatus } from './ticket.ts';

export type Refusal = 'canceled' | 'revoked' | 'unpaid' | 'invalid_time' | 'already_redeemed';
export interface Scan {
  type: 'entry' | 'exit';
  at: string;
  nonce: string;
}
/** An admitted scan. */
export interface PastScan extends Scan {
  gate: string | null;
}
export interface Known {
  status: TicketStatus;
  validFrom: string | null;
  validUntil: string | null;
  reentry: boolean;
  past: readonly PastScan[];
}
export type Verdict =
  | { result: 'ok' }
  | { result: 'repeat'; first: PastScan }
  | { result: Refusal; firstAt?: string; gate?: string | null };

const refusedStates: Partial<Record<TicketStatus, Refusal>> = {
  cancelled: 'canceled',
  refunded: 'canceled',
  expired: 'canceled',
  transferred: 'revoked',
  reserved: 'unpaid',
};

/**
 * Result of a scan. A second scan is a second person; only the same nonce is a retry. The first violated rule decides, cancellation before
 * use, so that a cancelled ticket is never reported as a duplicate.
 */
export function verdictOf(scan: Scan, known: Known): Verdict {
  const refused = refusedStates[known.status];
  if (refused) return { result: refused };
  if ((known.validFrom && scan.at < known.validFrom) || (known.validUntil && scan.at >= known.validUntil))
    return { result: 'invalid_time' };
  const same = known.past.find(({ nonce }) => nonce === scan.nonce);
  if (same) return { result: 'repeat', first: same };
  if (scan.type === 'exit') return { result: 'ok' };
  const entries = known.past.filter(({ type }) => type === 'entry');
  const [first] = entries;
  const isInside = known.past.at(-1)?.type === 'entry';
  if (first && (isInside || !known.reentry)) return { result: 'already_redeemed', firstAt: first.at, gate: first.gate };
  return { result: 'ok' };
}
