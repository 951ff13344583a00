import {
  type BaseRow,
  type Ctx,
  domainError,
  f,
  freeName,
  problem,
  type RowOf,
  resource,
  type Shape,
  slugOf,
  sql,
} from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { notifyBuyers } from './mails.ts';
import { type Places, placesOf, placesOfMany } from './places.ts';
import { combine, quotaOf } from './quota.ts';
import { speaker } from './speaker.ts';
import { sponsor } from './sponsor.ts';
import { ticket } from './ticket.ts';
import { ticketType } from './ticket-type.ts';

const fields = {
  title: f.text().search().sort(),
  /** From the title where it is left out. */
  slug: f.slug().default('').unique().filter(),
  startsAt: f.instant().example('2030-06-01T17:00:00.000Z').filter().sort(),
  endsAt: f.instant().example('2030-06-01T20:00:00.000Z'),
  timezone: f.timeZone(),
  venue: f
    .object({ name: f.text().optional(), address: f.text({ max: 500 }).optional(), onlineUrl: f.url().optional().private() })
    .default({ name: null, address: null, onlineUrl: null }),
  /** Places across all ticket types; null: no limit. */
  capacity: f.int({ min: 0, max: 1_000_000 }).optional().private(),
  doorsAt: f.instant().optional().example('2030-06-01T16:00:00.000Z'),
  salesStart: f.instant().optional().example('2030-01-01T08:00:00.000Z'),
  salesEnd: f.instant().optional().example('2030-06-01T16:00:00.000Z'),
  /** Whether attendees may enter again after leaving. */
  reentry: f.bool().default(false),
  description: f.richText({ max: 20_000 }).optional(),
  cover: linkField().optional(),
  /** Places held by unpaid purchases, places sold, and places left (null: no limit). */
  held: f.int().readonly().virtual(),
  sold: f.int().readonly().virtual(),
  available: f.int().optional().readonly().virtual(),
  soldOut: f.bool().readonly().virtual(),
  ongoing: f.bool().readonly().virtual(),
} satisfies Shape;
type EventStatus = 'draft' | 'published' | 'postponed' | 'cancelled' | 'completed';
export type EventRow = RowOf<typeof fields> & BaseRow & { status: EventStatus };

const machine = defineMachine<EventStatus, EventRow>({
  start: 'draft',
  states: ['draft', 'published', 'postponed', 'cancelled', 'completed'],
  moves: {
    publish: {
      from: ['draft', 'postponed'],
      to: 'published',
      route: false,
      /** After a postponement the buyers are notified of the new time. */
      run: (ctx, row) => (row.status === 'postponed' ? notifyBuyers(ctx, row, 'moved') : undefined),
    },
    postpone: { from: ['published'], to: 'postponed', route: false, run: (ctx, row) => notifyBuyers(ctx, row, 'postponed') },
    cancel: {
      from: ['published'],
      to: 'cancelled',
      route: false,
      run: (ctx, row) => notifyBuyers(ctx, row, 'cancelled'),
    },
    complete: { from: ['published'], to: 'completed', route: false },
  },
});

export const event = resource('event', {
  path: 'events',
  verbs: ['list', 'create', 'get', 'update', 'remove'],
  fields,
  machine,
  indexes: [
    { name: 'events_event_created_idx', fields: ['createdAt', 'id'] },
    { name: 'events_event_starts_idx', fields: ['startsAt', 'id'] },
  ],
  sqlOnly: { events_event_slug_key: 'expression: the slug is compared without regard to case' },
  problems: ['in_use'],
  deletes: 'soft',
  defaultSort: 'startsAt',
  present: withPlaces,
  children: {
    speakers: { resource: speaker, parent: 'eventId', params: ['eventId', 'speakerId'] },
    sponsors: { resource: sponsor, parent: 'eventId', params: ['eventId', 'sponsorId'] },
    'ticket-types': { resource: ticketType, parent: 'eventId', params: ['eventId', 'ticketTypeId'] },
    tickets: { resource: ticket, parent: 'eventId', params: ['eventId', 'ticketId'] },
  },
  before: {
    async create(ctx, input) {
      checkTimes(input);
      return input.slug ? undefined : { slug: await freeName(ctx, slugs, slugOf(input.title, 'event')) };
    },
    async update(ctx, row, patch) {
      checkTimes({ ...row, ...patch });
      if (patch.capacity !== undefined && patch.capacity !== null) await checkCapacity(ctx, row, patch.capacity);
    },
    async remove(ctx, row) {
      const tickets = await ctx.db.first<{ n: number }>(
        sql`select count(*)::int8 as n from events_ticket where tenant_id = ${ctx.tenant.id} and event_id = ${row.id}`,
      );
      if (tickets && tickets.n > 0)
        throw problem('in_use', {
          detail: `${tickets.n} tickets of the event are sold or held. Cancel the event instead.`,
          counts: { tickets: tickets.n },
        });
    },
  },
  after: {
    async update(ctx, row, _, previous) {
      const { status } = row;
      const moved = row.startsAt !== previous.startsAt || row.endsAt !== previous.endsAt || row.timezone !== previous.timezone;
      if (moved && status === 'published') await notifyBuyers(ctx, row, 'moved');
    },
  },
});

const slugs = { table: 'events_event', column: 'slug', where: sql`deleted_at is null` };

function checkTimes(row: Pick<EventRow, 'startsAt' | 'endsAt' | 'doorsAt' | 'salesStart' | 'salesEnd'>): void {
  if (row.endsAt <= row.startsAt) throw domainError('/endsAt', 'invalid_interval', 'must be after startsAt');
  if (row.doorsAt && row.doorsAt > row.endsAt) throw domainError('/doorsAt', 'invalid_interval', 'must not be after endsAt');
  if (row.salesStart && row.salesEnd && row.salesEnd <= row.salesStart)
    throw domainError('/salesEnd', 'invalid_interval', 'must be after salesStart');
}

async function checkCapacity(ctx: Ctx, row: EventRow, capacity: number): Promise<void> {
  const { event: taken } = await placesOf(ctx, row.id);
  const sold = taken.paid;
  const held = taken.pending + taken.held;
  if (capacity < sold + held)
    throw problem('in_use', { detail: `${sold + held} places are sold or held.`, counts: { sold, held } });
}

async function withPlaces(ctx: Ctx, rows: EventRow[]): Promise<EventRow[]> {
  const now = ctx.clock.now();
  const places = await placesOfMany(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const { event: taken, types } = places.get(row.id) as Places;
    const quota = quotaOf({ size: row.capacity, ...taken });
    const forSale = types.map((type) => combine(quota, quotaOf({ size: type.quantity, ...type.taken })));
    return {
      ...row,
      held: taken.pending + taken.held,
      sold: taken.paid,
      available: quota.available,
      soldOut: forSale.length > 0 && forSale.every(({ available }) => available === 0),
      ongoing: row.status === 'published' && row.startsAt <= now && now < row.endsAt,
    };
  });
}
