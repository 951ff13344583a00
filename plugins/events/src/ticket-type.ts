import { type BaseRow, type Ctx, domainError, f, problem, type RowOf, resource, type Shape, sql } from '@storeloom/plugin-sdk';
import { nothingTaken, placesOfMany } from './places.ts';
import { combine, quotaOf } from './quota.ts';

const fields = {
  eventId: f.id().readonly(),
  name: f.text().search(),
  price: f.money({ min: 0, own: true }),
  /** Null: limited by the event's capacity only. */
  quantity: f.int({ min: 0, max: 1_000_000 }).optional().private(),
  salesStart: f.instant().optional(),
  salesEnd: f.instant().optional(),
  minPerOrder: f.int({ min: 1, max: 100 }).default(1),
  maxPerOrder: f.int({ min: 1, max: 100 }).default(10),
  /** Validity of the tickets at the entrance; default always. */
  validFrom: f.instant().optional(),
  validUntil: f.instant().optional(),
  hidden: f.bool().default(false).filter(),
  order: f.int().default(0).sort(),
  held: f.int().readonly().virtual(),
  sold: f.int().readonly().virtual(),
  /** Null: no limit. */
  available: f.int().optional().readonly().virtual(),
} satisfies Shape;
export type TicketType = RowOf<typeof fields> & BaseRow;

export const ticketType = resource('ticket-type', {
  path: 'ticket-types',
  verbs: ['list', 'create', 'update', 'remove'],
  additive: ['update', 'remove'],
  problems: ['in_use'],
  deletes: 'free',
  defaultSort: 'order',
  fields,
  indexes: [{ name: 'events_ticket_type_event_idx', fields: ['eventId', 'order', 'id'] }],
  sqlOnly: { events_ticket_type_name_key: 'expression: the name is compared without regard to case' },
  present: withPlaces,
  before: {
    create: (_, input) => check(input),
    async update(ctx, row, patch) {
      check({ ...row, ...patch });
      if (patch.quantity === undefined || patch.quantity === null) return;
      // Places are counted behind the lock of the event.
      await ctx.db.run(
        sql`select from events_event where tenant_id = ${ctx.tenant.id} and id = ${row.eventId} for no key update`,
      );
      const { sold, held } = await takenOf(ctx, row);
      if (patch.quantity < sold + held)
        throw problem('in_use', { detail: `${sold + held} tickets of this type are sold or held.`, counts: { sold, held } });
    },
    async remove(ctx, row) {
      const found = await ctx.db.first<{ n: number }>(
        sql`select count(*)::int8 as n from events_ticket where tenant_id = ${ctx.tenant.id} and ticket_type_id = ${row.id}`,
      );
      if (found && found.n > 0)
        throw problem('in_use', { detail: `${found.n} tickets of this type are sold or held.`, counts: { tickets: found.n } });
    },
  },
});

function check(row: Omit<TicketType, keyof BaseRow | 'eventId' | 'held' | 'sold' | 'available'>): void {
  if (row.maxPerOrder < row.minPerOrder) throw domainError('/maxPerOrder', 'order_quantity', 'must not be less than minPerOrder');
  if (row.salesStart && row.salesEnd && row.salesEnd <= row.salesStart)
    throw domainError('/salesEnd', 'invalid_interval', 'must be after salesStart');
  if (row.validFrom && row.validUntil && row.validUntil <= row.validFrom)
    throw domainError('/validUntil', 'invalid_interval', 'must be after validFrom');
}

async function takenOf(ctx: Ctx, row: TicketType): Promise<{ sold: number; held: number }> {
  const [shown] = await withPlaces(ctx, [row]);
  return shown as TicketType;
}

async function withPlaces(ctx: Ctx, rows: TicketType[]): Promise<TicketType[]> {
  const eventIds = [...new Set(rows.map(({ eventId }) => eventId))];
  const [places, events] = await Promise.all([
    placesOfMany(ctx, eventIds),
    ctx.db.rows<{ id: string; capacity: number | null }>(
      sql`select id, capacity from events_event where tenant_id = ${ctx.tenant.id} and id = any(${eventIds}::uuid[])`,
    ),
  ]);
  const capacity = new Map(events.map(({ id, capacity }) => [id, capacity]));
  return rows.map((row) => {
    const taken = places.get(row.eventId);
    // A type that was just removed has no row.
    const own = taken?.types.find(({ id }) => id === row.id)?.taken ?? nothingTaken;
    const whole = quotaOf({ size: capacity.get(row.eventId) ?? null, ...(taken?.event ?? own) });
    return {
      ...row,
      sold: own.paid,
      held: own.pending + own.held,
      available: combine(whole, quotaOf({ size: row.quantity, ...own })).available,
    };
  });
}
