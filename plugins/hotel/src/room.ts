import {
  type BaseRow,
  type Ctx,
  checkReferences,
  domainError,
  f,
  invalid,
  problem,
  type RowOf,
  resource,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { takenNights, withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { addDays } from '@storeloom/plugin-sdk/time';
import { roomNights, todayOf } from './nights.ts';
import { checkOutOfOrder, horizonDays } from './out-of-order.ts';

const fields = {
  /** Of the house; guests learn it when they arrive. */
  number: f.text({ max: 40 }).unique().search().sort(),
  roomType: f.text({ max: 60 }).filter(),
  floor: f.text({ max: 20 }).optional().filter().private(),
  maxAdults: f.int({ min: 1, max: 50 }),
  maxChildren: f.int({ min: 0, max: 50 }).default(0),
  /** As it is told to guests: `1 double, 1 single`. */
  beds: f.text().optional(),
  /** The shared room that this bed stands in. */
  parentRoomId: f.ref('hotel.room').optional().filter(),
  baseRate: f.money({ min: 0 }),
  amenities: f.list(f.text({ max: 60 }), { max: 100 }).default([]),
  status: f.oneOf(['available', 'out_of_order', 'out_of_service']).default('available').filter(),
  /** Civil dates, `[from, to)`; without them the status stands until it is changed. */
  outFrom: f.date().optional(),
  outTo: f.date().optional(),
  housekeeping: f.oneOf(['clean', 'dirty', 'in_progress', 'inspected']).default('clean').readonly().filter(),
  /** Put out of order over nights that are sold; needs `hotel.room.force`. */
  force: f.bool().default(false).virtual(),
  occupied: f.bool().readonly().virtual(),
} satisfies Shape;
export type Room = RowOf<typeof fields> & BaseRow;

export const room = resource('room', {
  path: 'rooms',
  verbs: ['list', 'create', 'update'],
  fields,
  defaultSort: 'number',
  present: withOccupied,
  before: {
    async create(ctx, input) {
      await check(ctx, { ...input, id: '' } as Room);
      await checkUnsold(ctx, [input.parentRoomId]);
    },
    async update(ctx, row, patch) {
      await checkReferences(ctx, fields, patch);
      const next = { ...row, ...patch } as Room;
      if (patch.roomType !== undefined && patch.roomType !== row.roomType) await checkLeaving(ctx, row as Room);
      await check(ctx, next);
      if (next.parentRoomId !== row.parentRoomId) await checkUnsold(ctx, [row.id, row.parentRoomId, next.parentRoomId]);
      if (patch.force && !ctx.can('hotel.room.force')) throw problem('forbidden', { permission: 'hotel.room.force' });
      if (patch.status !== undefined || patch.outFrom !== undefined || patch.outTo !== undefined)
        await checkOutOfOrder(ctx, next, patch.force === true);
    },
  },
});

async function check(ctx: Ctx, row: Room): Promise<void> {
  if (row.baseRate.currency !== ctx.tenant.currency)
    throw domainError('/baseRate/currency', 'currency_mismatch', `is not the shop's ${ctx.tenant.currency}`);
  if (row.outFrom && row.outTo && row.outTo <= row.outFrom)
    throw domainError('/outTo', 'invalid_interval', 'lies before outFrom');
  if (row.parentRoomId === null) return;
  const parent = await ctx.rows(room).require(row.parentRoomId);
  if (row.parentRoomId === row.id || parent.parentRoomId !== null)
    throw invalid('/parentRoomId', 'too_deep', 'a bed stands in a room, not in a bed');
}

/** What is sold by the type has to fit into the rooms that stay. */
const checkLeaving = (ctx: Ctx, row: Room): Promise<void> =>
  checkOutOfOrder(ctx, { ...row, status: 'out_of_order', outFrom: null, outTo: null }, false);

/** A bed comes to a room, or leaves it, only while nobody has nights of either: a stay in the whole room has those of its beds. */
async function checkUnsold(ctx: Ctx, rooms: readonly (string | null | undefined)[]): Promise<void> {
  const from = todayOf(ctx);
  const resources = rooms.filter((id) => id !== null && id !== undefined);
  if (resources.length === 0) return;
  await withResourceLocks(ctx, room, resources, async () => {
    const taken = await takenNights(ctx, roomNights, { resources, from, to: addDays(from, horizonDays) });
    if (taken.length > 0) throw problem('in_use', { detail: 'Nights of the room are sold.', counts: { nights: taken.length } });
  });
}

async function withOccupied(ctx: Ctx, rows: Room[]): Promise<Room[]> {
  const taken = await ctx.db.rows<{ id: string }>(sql`
    select room_id as id from hotel_reservation where tenant_id = ${ctx.tenant.id} and status = 'checked_in'
      and room_id = any(${rows.map(({ id }) => id)}::uuid[])`);
  const occupied = new Set(taken.map(({ id }) => id));
  return rows.map(({ force: _, ...row }) => ({ ...row, occupied: occupied.has(row.id) }) as Room);
}
