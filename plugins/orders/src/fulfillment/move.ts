import type { FulfillmentState } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { FulfillmentRow } from '../load.ts';
import { fulfillment } from '../tables.ts';
import { fulfillmentMachine } from './machine.ts';

const entity = 'orders.fulfillment';

/** A new parcel begins its history. */
export async function recordParcel(ctx: Ctx, row: FulfillmentRow): Promise<void> {
  await ctx.history({ entity, entityId: row.id, from: null, to: row.status });
}

/**
 * Writes a move of a parcel that was checked, with its history. The row must be locked. A carrier may skip a state (the failed attempt
 * before the way back, the second attempt before the arrival): the parcel went through it all the same.
 */
export async function moveParcel(
  ctx: Ctx,
  row: FulfillmentRow,
  to: FulfillmentState,
  reason: string | null,
  columns: Partial<FulfillmentRow> = {},
): Promise<FulfillmentRow> {
  const moved = await ctx.rows(fulfillment).update(row.id, { ...columns, status: to });
  let from = row.status;
  for (const state of [...between(from, to), to]) {
    await ctx.history({ entity, entityId: row.id, from, to: state, reason });
    from = state;
  }
  return moved;
}

/** The state that lies between two that no move joins. */
function between(from: FulfillmentState, to: FulfillmentState): FulfillmentState[] {
  const { states, moveTo } = fulfillmentMachine;
  if (moveTo(from, to) !== undefined) return [];
  const through = states.find((state) => moveTo(from, state) !== undefined && moveTo(state, to) !== undefined);
  return through === undefined ? [] : [through];
}
