/** What a quota is spent on. `size` null: no limit. */
export interface QuotaUse {
  size: number | null;
  /** Tickets that are paid or were free. */
  paid: number;
  /** Unexpired ones whose buyer was sent to pay. */
  pending: number;
  /** Unexpired ones that are only kept. */
  held: number;
}
/** `gone`: sold; `ordered`: the rest waits for money; `reserved`: the rest is kept; `ok`: some are left. */
type QuotaState = 'gone' | 'ordered' | 'reserved' | 'ok';
export interface Quota {
  /** Null: no limit. Never below 0. */
  available: number | null;
  state: QuotaState;
}

const states: readonly QuotaState[] = ['gone', 'ordered', 'reserved', 'ok'];

/** What is left of one quota. What is spent counts in the order paid, pending, held: the first that exhausts it names the state. */
export function quotaOf({ size, paid, pending, held }: QuotaUse): Quota {
  if (size === null) return { available: null, state: 'ok' };
  const spent: readonly [QuotaState, number][] = [
    ['gone', paid],
    ['ordered', pending],
    ['reserved', held],
  ];
  let left = size;
  for (const [state, n] of spent) {
    left -= n;
    if (left <= 0) return { available: 0, state };
  }
  return { available: left, state: 'ok' };
}

/** Of several quotas the smallest counts; of equally small ones the worst word. */
export function combine(...quotas: readonly Quota[]): Quota {
  return quotas.reduce(
    (least, quota) => {
      const order = size(quota) - size(least) || states.indexOf(quota.state) - states.indexOf(least.state);
      return order < 0 ? quota : least;
    },
    { available: null, state: 'ok' },
  );
}
const size = ({ available }: Quota): number => available ?? Number.MAX_SAFE_INTEGER;
