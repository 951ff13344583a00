import { type Ctx, f, likePattern, list, route, sql } from '@storeloom/plugin-sdk';
import { publicView } from '@storeloom/plugin-sdk/public';
import { type EventRow, event } from './event.ts';
import { nothingTaken, placesOfMany } from './places.ts';
import { combine, type Quota, quotaOf } from './quota.ts';
import { isOnSale } from './sale.ts';
import { settings } from './settings.ts';
import { speaker } from './speaker.ts';
import { sponsor } from './sponsor.ts';
import { type TicketType, ticketType } from './ticket-type.ts';

const speakers = publicView(speaker.fields, ['name', 'title', 'bio', 'photo']);
const sponsors = publicView(sponsor.fields, ['name', 'logo', 'url']);
const ticketTypes = publicView(ticketType.fields, ['id', 'name', 'price', 'minPerOrder', 'maxPerOrder'], {
  availability: f.oneOf(['ok', 'low', 'sold_out', 'not_on_sale']),
});
const view = publicView(
  event.fields,
  ['id', 'slug', 'title', 'description', 'startsAt', 'endsAt', 'doorsAt', 'timezone', 'venue', 'cover'],
  {
    speakers: f.list(f.object(speakers.shape)),
    sponsors: f.list(f.object(sponsors.shape)),
    ticketTypes: f.list(f.object(ticketTypes.shape)),
  },
);

const upcoming = list({
  filters: {
    from: { field: f.instant(), operators: ['eq'], where: (_, value) => sql`t.ends_at > ${value}` },
    to: { field: f.instant(), operators: ['eq'], where: (_, value) => sql`t.starts_at < ${value}` },
    slug: { field: f.slug(), operators: ['eq'] },
  },
  sorts: { startsAt: { column: 't.starts_at', type: 'timestamptz' } },
  defaultSort: 'startsAt',
  search: (q) => sql`t.title ilike ${likePattern(q)}`,
});

export const publicEvents = route(
  'GET',
  '/events/',
  {
    summary: 'Published events that have not ended, by start',
    cache: { tags: ['events'], maxAge: 10 },
    query: upcoming,
    response: view.shape,
    list: true,
  },
  (ctx, req) =>
    upcoming.run<EventRow, Awaited<ReturnType<typeof shown>>[number]>(
      ctx,
      req.query,
      {
        select: sql`t.id, t.slug, t.title, t.description, t.starts_at as "startsAt", t.ends_at as "endsAt", t.doors_at as "doorsAt",
          t.timezone, t.venue, t.cover, t.capacity, t.status, t.sales_start as "salesStart", t.sales_end as "salesEnd"`,
        from: sql`events_event t`,
        where: sql`t.tenant_id = ${ctx.tenant.id} and t.deleted_at is null and t.status = 'published' and t.ends_at > ${ctx.clock.now()}`,
      },
      (rows) => shown(ctx, rows),
    ),
);

/** Availability without counts. */
function availabilityOf({ available }: Quota, size: number | null, lowPercent: number): 'ok' | 'low' | 'sold_out' {
  if (available === null) return 'ok';
  if (available === 0) return 'sold_out';
  return available * 100 <= (size ?? available) * lowPercent ? 'low' : 'ok';
}

async function shown(ctx: Ctx, rows: EventRow[]) {
  const ids = rows.map(({ id }) => id);
  const [people, backers, types, places] = await Promise.all([
    ctx.rows(speaker).find({ eventId: ids }, { orderBy: ['order', 'id'] }),
    ctx.rows(sponsor).find({ eventId: ids }, { orderBy: ['order', 'id'] }),
    ctx.rows(ticketType).find({ eventId: ids, hidden: false }, { orderBy: ['order', 'id'] }),
    placesOfMany(ctx, ids),
  ]);
  const now = ctx.clock.now();
  const { lowPercent } = ctx.settings(settings);
  const forSale = (row: EventRow, type: TicketType) => {
    const known = places.get(row.id);
    const own = known?.types.find(({ id }) => id === type.id);
    const quota = combine(
      quotaOf({ size: row.capacity, ...(known?.event ?? nothingTaken) }),
      quotaOf({ size: type.quantity, ...(own?.taken ?? nothingTaken) }),
    );
    const sizes = [row.capacity, type.quantity].filter((size) => size !== null);
    return isOnSale(now, row, type)
      ? availabilityOf(quota, sizes.length > 0 ? Math.min(...sizes) : null, lowPercent)
      : 'not_on_sale';
  };
  return rows.map((row) =>
    view.of(ctx, row, {
      speakers: people.filter(({ eventId }) => eventId === row.id).map((each) => speakers.of(ctx, each)),
      sponsors: backers.filter(({ eventId }) => eventId === row.id).map((each) => sponsors.of(ctx, each)),
      ticketTypes: types
        .filter(({ eventId }) => eventId === row.id)
        .map((type) => ticketTypes.of(ctx, type, { availability: forSale(row, type) })),
    }),
  );
}
