import { type CreateOf, type Ctx, f, invalid, type PatchOf, problem, resource, sql } from '@storeloom/plugin-sdk';
import { generateToken } from '@storeloom/plugin-sdk/public';
import { checkNotLapsed, holdMoves, holdUntil, withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { defineMachine, invalidTransition } from '@storeloom/plugin-sdk/state';
import { dayBounds, epoch, minuteMs, omitStart, parseStart, requireStart, startFields } from '@storeloom/plugin-sdk/time';
import { reservationEvents } from './events.ts';
import { holds } from './holds.ts';
import { occupantsOf } from './occupancy.ts';
import { freeTables, noTable, releasePlace, takePlace } from './place.ts';
import { type Reservation, reservationFields, type Status, statuses } from './reservation-fields.ts';
import { settings, stayMinutes, zoneOf } from './settings.ts';
import { type Asker, checkParty, checkStay } from './stay-rules.ts';
import { diningTable } from './table.ts';

const { confirm, decline, expire, cancel } = holdMoves<Reservation>(holds, async (ctx, row) => {
  await releasePlace(ctx, row);
  return { holdExpiresAt: null, calendarSequence: row.calendarSequence + 1 };
});
const machine = defineMachine<Status, Reservation>({
  start: 'confirmed',
  states: statuses,
  moves: {
    confirm,
    decline,
    expire,
    cancel,
    seat: {
      from: ['confirmed'],
      to: 'seated',
      route: false,
      guard: (ctx, row) => checkSeats(ctx, row),
      run: (ctx) => ({ seatedAt: ctx.clock.now() }),
    },
    complete: {
      from: ['seated'],
      to: 'completed',
      route: false,
      async run(ctx, row) {
        await freeTables(ctx, row.id);
        await markDirty(ctx, row.tableIds);
        return { completedAt: ctx.clock.now() };
      },
    },
    noShow: {
      from: ['confirmed'],
      to: 'no_show',
      route: false,
      guard(ctx, row) {
        const from = epoch(row.startsAt) + ctx.settings(settings).noShowGraceMin * minuteMs;
        if (ctx.clock.ms() >= from) return;
        throw invalidTransition(
          row.status,
          'no_show',
          machine.allowed(row.status).filter((state) => state !== 'no_show'),
        );
      },
      run: (ctx, row) => freeTables(ctx, row.id),
    },
  },
});

/** @throws 409 `no_table_available` without a table, `table_occupied {orderId}` where another party or check is */
async function checkSeats(ctx: Ctx, row: Reservation): Promise<void> {
  if (row.tableIds.length === 0) throw noTable();
  await withResourceLocks(ctx, diningTable, row.tableIds, async () => {
    const others = await occupantsOf(ctx, row.tableIds);
    const other = others.find(({ reservationId }) => reservationId !== row.id);
    if (other) throw problem('table_occupied', { detail: 'The table has another open check or party.', orderId: other.orderId });
  });
}

/** Marks free tables as dirty. */
export function markDirty(ctx: Ctx, tableIds: readonly string[]): Promise<void> {
  return withResourceLocks(ctx, diningTable, tableIds, async () => {
    await ctx.db.run(sql`update restaurant_table set occupancy = 'dirty', updated_at = ${ctx.clock.now()}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and id = any(${[...tableIds]}::uuid[]) and occupancy = 'free'`);
  });
}

/** The start is an instant, or a date and time at the restaurant; the default duration follows from the party size. */
const wideBody = { ...reservationFields, ...startFields, durationMin: f.int({ min: 15, max: 1440 }).optional() };

export const reservation = resource('reservation', {
  path: 'restaurant-reservations',
  verbs: ['list', 'create', 'update'],
  fields: reservationFields,
  machine,
  uniques: [{ fields: ['reference'] }],
  indexes: [{ fields: ['phone'] }, { name: 'restaurant_reservation_start_idx', fields: ['startsAt', 'id'] }],
  sqlOnly: {
    restaurant_reservation_email_idx: 'expression: the e-mail address is compared without regard to case',
    restaurant_reservation_held_idx: 'without tenant: the job that releases holds reads the expired ones of all tenants',
    restaurant_reservation_manage_idx: 'the column of the token hash is no field',
    restaurant_reservation_tables_idx: 'GIN index over the list of tables',
  },
  problems: ['party_size', 'too_soon', 'too_far', 'capacity_exceeded', 'no_table_available', 'table_occupied', 'cutoff_passed'],
  defaultSort: 'startsAt',
  filters: {
    tableId: {
      field: f.id(),
      operators: ['eq'],
      where: (_, value) => sql`t.table_ids @> ${JSON.stringify([value])}::jsonb`,
    },
    // A day in the restaurant's zone: `scope` filters by it.
    date: { field: startFields.date, operators: ['eq'], where: () => sql`true` },
  },
  scope(ctx, query) {
    const date = query.filters.get('date')?.get('eq') as string | undefined;
    if (date === undefined) return undefined;
    const day = dayBounds(date, date, zoneOf(ctx));
    return sql`t.starts_at >= ${day.start} and t.starts_at < ${day.end}`;
  },
  routes: {
    create: { body: wideBody, problems: ['no_table_available', 'capacity_exceeded', 'table_occupied', 'outside_hours'] },
    update: {
      body: {
        ...wideBody,
        status: f.oneOf(['confirmed', 'declined', 'cancelled', 'seated', 'completed', 'no_show']).optional(),
      },
      problems: ['no_table_available', 'capacity_exceeded', 'table_occupied', 'outside_hours', 'invalid_transition', 'expired'],
    },
  },
  create,
  before: { update: (ctx, row, patch) => change(ctx, row, patch as Patch, 'staff') },
  after: { update: (ctx, row, _, previous) => announceChange(ctx, row, previous) },
});

type Input = CreateOf<typeof wideBody>;
export type Patch = PatchOf<typeof wideBody>;
type Change = Omit<Patch, 'startsAt'> & { startsAt?: Patch['startsAt'] | string };

/** @throws 422 without an e-mail or phone, except for walk-ins */
function checkContact({ phone, email, source }: Pick<Reservation, 'phone' | 'email' | 'source'>): void {
  if (phone === null && email === null && source !== 'walkin')
    throw invalid('/email', 'required', 'an e-mail address or a phone number is required');
}

export interface Booking
  extends Pick<Reservation, 'name' | 'phone' | 'email' | 'partySize' | 'startsAt' | 'area' | 'occasion' | 'notes' | 'source'> {
  durationMin: number | null;
  tableIds: readonly string[];
}

/** Creates a reservation and takes its tables, in one transaction. */
export async function book(ctx: Ctx, booking: Booking, asker: Asker): Promise<Reservation> {
  checkContact(booking);
  checkParty(ctx, booking.partySize);
  const { autoConfirm, approvalHoldHours } = ctx.settings(settings);
  const durationMin = booking.durationMin ?? stayMinutes(ctx, booking.partySize);
  const start = epoch(booking.startsAt);
  checkStay(ctx, { start, end: start + durationMin * minuteMs }, asker);
  const status = asker === 'walkin' ? 'seated' : asker === 'guest' && !autoConfirm ? 'pending' : 'confirmed';
  const { row } = await takePlace(ctx, { ...booking, durationMin, asker }, null, (place) =>
    reservation.create(ctx, {
      ...booking,
      ...place,
      durationMin,
      reference: generateToken(),
      status,
      holdExpiresAt: status === 'pending' ? holdUntil(ctx, approvalHoldHours * 60, booking.startsAt) : null,
      seatedAt: status === 'seated' ? ctx.clock.now() : null,
      locale: ctx.locale,
      calendarSequence: 0,
    }),
  );
  return row;
}

async function create(ctx: Ctx, body: unknown): Promise<Reservation> {
  const input = body as Input;
  const walkIn = input.source === 'walkin';
  const startsAt = walkIn ? (parseStart(input, zoneOf(ctx)) ?? ctx.clock.now()) : requireStart(input, zoneOf(ctx));
  return book(ctx, { ...omitStart(input), startsAt }, walkIn ? 'walkin' : 'staff');
}

const checked = ['startsAt', 'durationMin', 'partySize', 'tableIds', 'area'] as const;

/**
 * Checks a change of time, party or tables as a whole and returns the changes of the row. Tables that still suffice are kept. A seated
 * party can change everything but the start.
 */
export async function change(ctx: Ctx, row: Reservation, patch: Change, asker: 'guest' | 'staff'): Promise<Partial<Reservation>> {
  const plain = omitStart(patch);
  const startsAt = parseStart(patch, zoneOf(ctx)) ?? row.startsAt;
  const next = { ...row, ...plain, startsAt, durationMin: plain.durationMin ?? row.durationMin };
  if (plain.email !== undefined || plain.phone !== undefined || plain.source !== undefined) checkContact(next);
  const moved = checked.filter((member) => JSON.stringify(next[member]) !== JSON.stringify(row[member]));
  const kept = { startsAt: row.startsAt, durationMin: next.durationMin };
  if (moved.length === 0) return kept;
  const seated = row.status === 'seated';
  if (!(row.status === 'pending' || row.status === 'confirmed' || (seated && startsAt === row.startsAt)))
    throw invalidTransition(row.status, row.status, machine.allowed(row.status));
  checkNotLapsed(ctx, holds, row);
  if (next.partySize !== row.partySize) checkParty(ctx, next.partySize);
  const start = epoch(startsAt);
  const stay = { start, end: start + next.durationMin * minuteMs };
  if (!seated && (moved.includes('startsAt') || moved.includes('durationMin'))) checkStay(ctx, stay, asker);
  const request = {
    ...next,
    tableIds: plain.tableIds ?? [],
    // Another area means other tables.
    keep: plain.tableIds === undefined && next.area === row.area ? row.tableIds : [],
    asker: seated ? ('walkin' as const) : asker,
  };
  const { place } = await takePlace(ctx, request, row, async () => row);
  if (seated) await moveParty(ctx, row, place.tableIds);
  const { holdExpiresAt } = row;
  const notify = moved.some((member) => member !== 'tableIds' && member !== 'area');
  return {
    ...kept,
    ...place,
    startsAt,
    holdExpiresAt: holdExpiresAt !== null && startsAt < holdExpiresAt ? startsAt : holdExpiresAt,
    ...(notify ? { calendarSequence: row.calendarSequence + 1 } : {}),
  };
}

/** Moves the open check of a party to its first new table; the tables it left are dirty. */
async function moveParty(ctx: Ctx, row: Reservation, tableIds: readonly string[]): Promise<void> {
  const left = row.tableIds.filter((id) => !tableIds.includes(id));
  if (left.length === 0) return;
  await markDirty(ctx, left);
  await ctx.db.run(sql`update restaurant_order set table_id = ${tableIds[0]}, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and reservation_id = ${row.id} and table_id = any(${left}::uuid[]) and status not in ('paid', 'cancelled')`);
}

/** Publishes a change that the guest is notified of. */
export async function announceChange(ctx: Ctx, row: Reservation, previous: Reservation): Promise<void> {
  if (row.calendarSequence !== previous.calendarSequence && (row.status === 'pending' || row.status === 'confirmed'))
    await ctx.emit(reservationEvents.changed, {
      id: row.id,
      data: { id: row.id, startsAt: row.startsAt, partySize: row.partySize },
    });
}
