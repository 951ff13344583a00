import type { FulfillmentState } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { FulfillmentRow } from '../load.ts';
import { fulfillment } from '../tables.ts';
import { fulfillmentMachine } from './machine.ts';

const entity = 'orders.fulfillment';

export async function recordParcel(ctx: Ctx, row: FulfillmentRow): Promise<void> {
  await ctx.history({ entity, entityId: row.id, from: null, to: row.status });
}

/**
 * Writes a checked transition of a parcel with its history. The row must be locked. States that the carrier skipped (the failed attempt
 * before a return, the second attempt before delivery) are added to the history.
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

/** The intermediate state, if no transition connects the two states directly. */
function between(from: FulfillmentState, to: FulfillmentState): FulfillmentState[] {
  const { states, moveTo } = fulfillmentMachine;
  if (moveTo(from, to) !== undefined) return [];
  const through = states.find((state) => moveTo(from, state) !== undefined && moveTo(state, to) !== undefined);
  return through === undefined ? [] : [through];
}
