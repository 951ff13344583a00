import { type BaseRow, type Ctx, f, type RowOf, resource, type Shape } from '@storeloom/plugin-sdk';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { todayOf } from './nights.ts';
import { type Room, room } from './room.ts';

const fields = {
  roomId: f.ref('hotel.room').filter(),
  type: f.oneOf(['departure', 'stayover', 'deep', 'inspection', 'maintenance']).filter(),
  priority: f.int({ min: 0, max: 9 }).default(5).sort(),
  /** User who does it. */
  assigneeId: f.ref('identity.user').optional().filter(),
  dueDate: f.date().optional().filter().sort(),
  notes: f.text({ max: 2000 }).optional().private(),
  startedAt: f.instant().optional().readonly(),
  doneAt: f.instant().optional().readonly(),
} satisfies Shape;
type Status = 'pending' | 'in_progress' | 'done' | 'inspected' | 'skipped' | 'cancelled';
type Task = RowOf<typeof fields> & BaseRow & { status: Status };

async function mark(ctx: Ctx, task: Task, housekeeping: Room['housekeeping']): Promise<void> {
  if (task.type !== 'maintenance') await ctx.rows(room).update(task.roomId, { housekeeping });
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
    /** The inspection failed. */
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
  uniques: [
    {
      name: 'hotel_housekeeping_task_departure_key',
      fields: ['roomId'],
      where: "type = 'departure' and status in ('pending', 'in_progress')",
    },
  ],
  indexes: [
    { name: 'hotel_housekeeping_task_created_idx', fields: ['createdAt', 'id'] },
    { name: 'hotel_housekeeping_task_room_idx', fields: ['roomId'] },
  ],
  problems: ['duplicate'],
  permission: 'hotel.housekeeping',
  defaultSort: '-createdAt',
});

/** Marks the room dirty and creates its departure task unless one is open. */
export async function markDeparted(ctx: Ctx, roomId: string): Promise<void> {
  await ctx.rows(room).update(roomId, { housekeeping: 'dirty' });
  const departure = { roomId, type: 'departure' } as const;
  if ((await ctx.rows(housekeepingTask).count({ ...departure, status: ['pending', 'in_progress'] })) > 0) return;
  await housekeepingTask.create(ctx, { ...departure, dueDate: todayOf(ctx) });
}
