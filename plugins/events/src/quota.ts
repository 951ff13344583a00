/** Use of a quota; `size` null: no limit. */
export interface QuotaUse {
  size: number | null;
  /** Paid and free tickets. */
  paid: number;
  /** Held tickets whose payment has started. */
  pending: number;
  /** Other held tickets. */
  held: number;
}
/** `gone`: all sold; `ordered`: the rest awaits payment; `reserved`: the rest is held; `ok`: some are left. */
type QuotaState = 'gone' | 'ordered' | 'reserved' | 'ok';
export interface Quota {
  /** Null: no limit. Never below 0. */
  available: number | null;
  state: QuotaState;
}

const states: readonly QuotaState[] = ['gone', 'ordered', 'reserved', 'ok'];

/** The rest of a quota. Uses count in the order paid, pending, held; the one that exhausts it determines the state. */
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

/** The smallest of several quotas; among equal ones the worst state. */
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
