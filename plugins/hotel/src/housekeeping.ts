import { type BaseRow, type Ctx, f, type RowOf, resource, type Shape, sql } from '@storeloom/plugin-sdk';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { todayOf } from './nights.ts';
import { type Room, room } from './room.ts';

const fields = {
  roomId: f.ref('hotel.room').filter(),
  type: f.oneOf(['departure', 'stayover', 'deep', 'inspection', 'maintenance']).filter(),
  priority: f.int({ min: 0, max: 9 }).default(5).sort(),
  /** The administrator who does it. */
  assigneeId: f.id().optional().filter(),
  dueDate: f.date().optional().filter().sort(),
  notes: f.text({ max: 2000 }).optional().private(),
  startedAt: f.instant().optional().readonly(),
  doneAt: f.instant().optional().readonly(),
} satisfies Shape;
type Status = 'pending' | 'in_progress' | 'done' | 'inspected' | 'skipped' | 'cancelled';
type Task = RowOf<typeof fields> & BaseRow & { status: Status };

const tidies = (task: Task): boolean => task.type !== 'maintenance';
async function mark(ctx: Ctx, task: Task, housekeeping: Room['housekeeping']): Promise<void> {
  if (tidies(task)) await setHousekeeping(ctx, task.roomId, housekeeping);
}
async function setHousekeeping(ctx: Ctx, roomId: string, housekeeping: Room['housekeeping']): Promise<void> {
  await ctx.rows(room).update(roomId, { housekeeping });
}

const machine = defineMachine<Status, Task>({
  start: 'pending',
  states: ['pending', 'in_progress', 'done', 'inspected', 'skipped', 'cancelled'],
  moves: {
    start: {
      from: ['pending'],
      to: 'in_progress',
      route: false,
      async run(ctx, row) {
        await mark(ctx, row, 'in_progress');
        return { startedAt: ctx.clock.now() };
      },
    },
    finish: {
      from: ['in_progress'],
      to: 'done',
      route: false,
      async run(ctx, row) {
        await mark(ctx, row, 'clean');
        return { doneAt: ctx.clock.now() };
      },
    },
    inspect: { from: ['done'], to: 'inspected', route: false, run: (ctx, row) => mark(ctx, row, 'inspected') },
    /** The inspection found something. */
    fail: {
      from: ['done'],
      to: 'pending',
      route: false,
      async run(ctx, row) {
        await mark(ctx, row, 'dirty');
        return { startedAt: null, doneAt: null };
      },
    },
    skip: { from: ['pending', 'in_progress'], to: 'skipped', route: false },
    cancel: { from: ['pending', 'in_progress'], to: 'cancelled', route: false },
  },
});

export const housekeepingTask = resource('housekeeping-task', {
  path: 'housekeeping',
  verbs: ['list', 'create', 'update'],
  fields,
  machine,
  permission: 'hotel.housekeeping',
  defaultSort: '-createdAt',
});

/** Guests have left a room: it is dirty, and one task to make it ready waits for somebody. */
export async function leaveRoom(ctx: Ctx, roomId: string): Promise<void> {
  await setHousekeeping(ctx, roomId, 'dirty');
  const open = await ctx.db.first(sql`
    select 1 from hotel_housekeeping_task where tenant_id = ${ctx.tenant.id} and room_id = ${roomId} and type = 'departure'
      and status in ('pending', 'in_progress')`);
  if (open) return;
  const row = await ctx.rows(housekeepingTask).insert({ roomId, type: 'departure', dueDate: todayOf(ctx), status: 'pending' });
  await ctx.history({ entity: 'hotel.housekeeping-task', entityId: row.id, from: null, to: 'pending' });
}
