import type { Ctx } from '../context.ts';
import type { Move } from '../state/machine.ts';
import { checkNotLapsed, type Holds } from './holds.ts';

type Change = Record<string, unknown>;
type Released = Promise<Change | void> | Change | void;

/** The moves that every reservation shares; a plugin spreads them into its machine and overrides what differs. */
export interface HoldMoves<Row> {
  /** Confirms a hold that hasn't lapsed. */
  readonly confirm: Move<'pending' | 'confirmed', Row>;
  /** Declines a hold and releases the resource. */
  readonly decline: Move<'pending' | 'declined', Row>;
  /** Expires a lapsed hold and releases the resource; made by the holds only. */
  readonly expire: Move<'pending' | 'expired', Row>;
  /** Cancels the reservation and releases the resource. */
  readonly cancel: Move<'pending' | 'confirmed' | 'cancelled', Row>;
}

/**
 * `confirm`, `decline`, `expire` and `cancel` of a row that holds a resource while it is `pending` and owns it once it is `confirmed`. A
 * lapsed hold can't be confirmed (410 `expired`); the other three release what is kept. All are reached by PATCH `status`, `expire` by the
 * holds alone; it leaves the instant at which the hold lapsed. `release` frees the resource under the row's lock and may return further changes of the row.
 */
export function holdMoves<Row extends { status: string }>(
  holds: Pick<Holds, 'status' | 'until'>,
  release: (ctx: Ctx, row: Row) => Released,
): HoldMoves<Row> {
  const cleared = { [holds.until]: null };
  const run = async (ctx: Ctx, row: Row): Promise<Change> => ({ ...cleared, ...(await release(ctx, row)) });
  return {
    confirm: {
      from: ['pending'],
      to: 'confirmed',
      route: false,
      guard: (ctx, row) => checkNotLapsed(ctx, holds, row),
      run: () => cleared,
    },
    decline: { from: ['pending'], to: 'declined', route: false, run },
    expire: { from: ['pending'], to: 'expired', internal: true, run: release },
    cancel: { from: ['pending', 'confirmed'], to: 'cancelled', route: false, run },
  };
}
