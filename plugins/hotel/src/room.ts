import {
  type BaseRow,
  type Ctx,
  checkReferences,
  domainError,
  f,
  invalid,
  type RowOf,
  requirePermission,
  resource,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { checkLeavesType, checkOutOfOrder, checkUnreserved } from './out-of-order.ts';

const fields = {
  /** Shown to guests on arrival only. */
  number: f.text({ max: 40 }).unique().search().sort(),
  roomType: f.text({ max: 60 }).filter(),
  floor: f.text({ max: 20 }).optional().filter().private(),
  maxAdults: f.int({ min: 1, max: 50 }),
  maxChildren: f.int({ min: 0, max: 50 }).default(0),
  /** As guests read it: `1 double, 1 single`. */
  beds: f.text().optional(),
  /** The shared room of this bed. */
  parentRoomId: f.ref('hotel.room').optional().filter(),
  baseRate: f.money({ min: 0, own: true }),
  amenities: f.list(f.text({ max: 60 }), { max: 100 }).default([]),
  status: f.oneOf(['available', 'out_of_order', 'out_of_service']).default('available').filter(),
  /** Civil dates, `[from, to)`; without them the status is permanent. */
  outFrom: f.date().optional(),
  outTo: f.date().optional(),
  housekeeping: f.oneOf(['clean', 'dirty', 'in_progress', 'inspected']).default('clean').readonly().filter(),
  /** Goes out of order although nights are sold; needs `hotel.room.force`. */
  force: f.bool().default(false).writeOnly(),
  occupied: f.bool().readonly().virtual(),
} satisfies Shape;
export type Room = RowOf<typeof fields> & BaseRow;

export const room = resource('room', {
  path: 'rooms',
  verbs: ['list', 'create', 'update'],
  fields,
  indexes: [
    { name: 'hotel_room_created_idx', fields: ['createdAt', 'id'] },
    { name: 'hotel_room_parent_idx', fields: ['parentRoomId'], where: 'parent_room_id is not null' },
    { name: 'hotel_room_type_idx', fields: ['roomType', 'id'] },
  ],
  sqlOnly: { hotel_room_number_key: 'expression: the number is compared without regard to case' },
  problems: ['in_use'],
  defaultSort: 'number',
  present: withOccupied,
  before: {
    async create(ctx, input) {
      await check(ctx, { ...input, id: null });
      if (input.parentRoomId) await checkMove(ctx, null, input.parentRoomId);
    },
    async update(ctx, row, patch) {
      await checkReferences(ctx, fields, patch);
      const next = { ...row, ...patch };
      if (patch.roomType !== undefined && patch.roomType !== row.roomType) await checkLeavesType(ctx, row);
      await check(ctx, next);
      if (next.parentRoomId !== row.parentRoomId) await checkMove(ctx, row, next.parentRoomId);
      if (patch.force) requirePermission(ctx, 'hotel.room.force');
      if (patch.status !== undefined || patch.outFrom !== undefined || patch.outTo !== undefined)
        await checkOutOfOrder(ctx, next, patch.force === true);
    },
  },
});

async function check(ctx: Ctx, row: Pick<Room, 'outFrom' | 'outTo' | 'parentRoomId'> & { id: string | null }): Promise<void> {
  if (row.outFrom && row.outTo && row.outTo <= row.outFrom)
    throw domainError('/outTo', 'invalid_interval', 'must not be before outFrom');
  if (row.parentRoomId === null) return;
  const parent = await ctx.rows(room).require(row.parentRoomId);
  if (row.parentRoomId === row.id || parent.parentRoomId !== null)
    throw invalid('/parentRoomId', 'too_deep', 'must be a room, not a bed');
}

/** Neither the bed nor the rooms it moves between may have sold nights, and a room with beds can't become a bed. */
async function checkMove(ctx: Ctx, bed: Room | null, into: string | null): Promise<void> {
  const parents = [bed?.parentRoomId ?? null, into].filter((id) => id !== null).sort();
  const rooms = [];
  for (const id of parents) rooms.push(await ctx.rows(room).require(id, { lock: true }));
  if (bed && (await ctx.rows(room).first({ parentRoomId: bed.id })))
    throw invalid('/parentRoomId', 'too_deep', "can't be set on a room that has beds");
  await checkUnreserved(ctx, bed ? [...rooms, bed] : rooms);
}

async function withOccupied(ctx: Ctx, rows: Room[]): Promise<Room[]> {
  const taken = await ctx.db.rows<{ id: string }>(sql`
    select room_id as id from hotel_reservation where tenant_id = ${ctx.tenant.id} and status = 'checked_in'
      and room_id = any(${rows.map(({ id }) => id)}::uuid[])`);
  const occupied = new Set(taken.map(({ id }) => id));
  return rows.map((row) => ({ ...row, occupied: occupied.has(row.id) }));
}
