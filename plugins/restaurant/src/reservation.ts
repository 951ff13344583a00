import {
  type CreateOf,
  type Ctx,
  checkReferences,
  created,
  f,
  invalid,
  type PatchOf,
  problem,
  type Req,
  resource,
  sql,
} from '@storeloom/plugin-sdk';
import { generateToken } from '@storeloom/plugin-sdk/public';
import { holdUntil, isLapsed, withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { defineMachine, invalidTransition } from '@storeloom/plugin-sdk/state';
import { dayBounds, epoch, minuteMs, parseStart, startFields } from '@storeloom/plugin-sdk/time';
import { holdsOf } from './holds.ts';
import { occupantsOf } from './occupancy.ts';
import { freeTables, giveBack, noTable, takePlace } from './place.ts';
import { type Reservation, reservationFields, type Status, statuses } from './reservation-fields.ts';
import { settings, stayMinutes, zoneOf } from './settings.ts';
import { type Asker, checkParty, checkStay } from './stay-rules.ts';
import { diningTable } from './table.ts';

const machine = defineMachine<Status, Reservation>({
  start: 'confirmed',
  states: statuses,
  moves: {
    confirm: {
      from: ['pending'],
      to: 'confirmed',
      route: false,
      guard(ctx, row) {
        if (isLapsed(ctx, holds, { status: row.status, until: row.holdExpiresAt })) throw problem('expired');
      },
      run: () => ({ holdExpiresAt: null }),
    },
    decline: { from: ['pending'], to: 'declined', route: false, run: giveUp },
    expire: { from: ['pending'], to: 'expired', internal: true, run: giveUp },
    cancel: { from: ['pending', 'confirmed'], to: 'cancelled', route: false, run: giveUp },
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
        await leaveTables(ctx, row.tableIds);
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

async function giveUp(ctx: Ctx, row: Reservation): Promise<Record<string, unknown>> {
  await giveBack(ctx, row);
  return { holdExpiresAt: null, calendarSequence: row.calendarSequence + 1 };
}

/** A party sits down where nobody sits. @throws 409 `no_table_available` without a table, `table_occupied {orderId}` */
async function checkSeats(ctx: Ctx, row: Reservation): Promise<void> {
  if (row.tableIds.length === 0) throw noTable();
  await withResourceLocks(ctx, diningTable, row.tableIds, async () => {
    const others = await occupantsOf(ctx, row.tableIds);
    const other = others.find(({ reservationId }) => reservationId !== row.id);
    if (other) throw problem('table_occupied', { detail: 'Somebody sits there.', orderId: other.orderId });
  });
}

/** Somebody has eaten there. */
export function leaveTables(ctx: Ctx, tableIds: readonly string[]): Promise<void> {
  return withResourceLocks(ctx, diningTable, tableIds, async () => {
    await ctx.db.run(sql`update restaurant_table set occupancy = 'dirty', updated_at = ${ctx.clock.now()}, version = version + 1
      where tenant_id = ${ctx.tenant.id} and id = any(${[...tableIds]}::uuid[]) and occupancy = 'free'`);
  });
}

/** A start comes in as an instant or as date and time at the house; how long they stay follows from the party where nobody says. */
const wideBody = { ...reservationFields, ...startFields, durationMin: f.int({ min: 15, max: 1440 }).optional() };

export const reservation = resource('reservation', {
  path: 'restaurant-reservations',
  verbs: ['list', 'create', 'update'],
  fields: reservationFields,
  machine,
  defaultSort: 'startsAt',
  filters: {
    tableId: {
      field: f.id(),
      operators: ['eq'],
      where: (_, value) => sql`t.table_ids @> ${JSON.stringify([value])}::jsonb`,
    },
    // Its day is that of the house, which `scope` knows.
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
  handlers: { create },
  before: { update: (ctx, row, patch) => change(ctx, row as Reservation, patch as Patch, 'staff') },
  after: {
    async update(ctx, row, _, previous) {
      await announceChange(ctx, row as Reservation, previous as Reservation);
    },
  },
});
export const holds = holdsOf((ctx, id) => reservation.move(ctx, id, 'expire'));

type Input = CreateOf<typeof wideBody>;
export type Patch = PatchOf<typeof wideBody>;

/** Who comes must be reachable; who stands in the door is. @throws 422 */
function checkContact({ phone, email, source }: Pick<Reservation, 'phone' | 'email' | 'source'>): void {
  if (phone === null && email === null && source !== 'walkin')
    throw invalid('/email', 'required', 'an e-mail or a phone is needed');
}

export interface Booking
  extends Pick<Reservation, 'name' | 'phone' | 'email' | 'partySize' | 'startsAt' | 'area' | 'occasion' | 'notes' | 'source'> {
  durationMin: number | null;
  tableIds: readonly string[];
}

/** Makes a reservation with its tables, or nothing at all. */
export async function book(ctx: Ctx, booking: Booking, asker: Asker): Promise<Reservation> {
  checkContact(booking);
  checkParty(ctx, booking.partySize);
  const { autoConfirm, approvalHoldHours } = ctx.settings(settings);
  const durationMin = booking.durationMin ?? stayMinutes(ctx, booking.partySize);
  const start = epoch(booking.startsAt);
  checkStay(ctx, { start, end: start + durationMin * minuteMs }, asker);
  const status = asker === 'walkin' ? 'seated' : asker === 'guest' && !autoConfirm ? 'pending' : 'confirmed';
  let row: Reservation | undefined;
  await takePlace(ctx, holds, { ...booking, durationMin, asker }, null, async (place) => {
    row = (await ctx.rows(reservation).insert({
      ...booking,
      ...place,
      durationMin,
      reference: generateToken(),
      status,
      holdExpiresAt: status === 'pending' ? holdUntil(ctx, approvalHoldHours * 60, booking.startsAt) : null,
      seatedAt: status === 'seated' ? ctx.clock.now() : null,
      locale: ctx.locale,
      calendarSequence: 0,
    })) as Reservation;
    return row.id;
  });
  const made = row as unknown as Reservation;
  await ctx.history({ entity: 'restaurant.reservation', entityId: made.id, from: null, to: made.status });
  await ctx.emit('restaurant.reservation.created', { id: made.id, data: { id: made.id } });
  return made;
}

async function create(ctx: Ctx, req: Req<Record<string, string>, never, never>) {
  const { startsAt: _, date: __, time: ___, offset: ____, ...input } = req.body as Input;
  await checkReferences(ctx, reservationFields, input);
  const walkIn = input.source === 'walkin';
  const startsAt = parseStart(req.body as Input, zoneOf(ctx)) ?? (walkIn ? ctx.clock.now() : undefined);
  if (startsAt === undefined) throw invalid('/startsAt', 'required', 'is required');
  const row = await book(ctx, { ...input, startsAt }, walkIn ? 'walkin' : 'staff');
  await ctx.audit({ entity: 'restaurant.reservation', entityId: row.id, before: null, after: row });
  return created(`/restaurant-reservations/${row.id}`, row);
}

const judged = ['startsAt', 'durationMin', 'partySize', 'tableIds', 'area'] as const;

/**
 * What a change of time, party or tables makes of a reservation: it is judged anew, as a whole, and keeps its tables where they still do.
 * Of a party that is seated all but the start can change.
 */
export async function change(ctx: Ctx, row: Reservation, patch: Patch, asker: 'guest' | 'staff'): Promise<Partial<Reservation>> {
  const { date: _, time: __, offset: ___, startsAt: ____, status: _____, ...plain } = patch as Patch & { status?: unknown };
  const startsAt = parseStart(patch, zoneOf(ctx)) ?? row.startsAt;
  const next = { ...row, ...plain, startsAt, durationMin: plain.durationMin ?? row.durationMin };
  if (plain.email !== undefined || plain.phone !== undefined || plain.source !== undefined) checkContact(next);
  const moved = judged.filter((member) => JSON.stringify(next[member]) !== JSON.stringify(row[member]));
  const kept = { startsAt: row.startsAt, durationMin: next.durationMin };
  if (moved.length === 0) return kept;
  const seated = row.status === 'seated';
  if (!(row.status === 'pending' || row.status === 'confirmed' || (seated && startsAt === row.startsAt)))
    throw invalidTransition(row.status, row.status, machine.allowed(row.status));
  if (isLapsed(ctx, holds, { status: row.status, until: row.holdExpiresAt })) throw problem('expired');
  if (next.partySize !== row.partySize) checkParty(ctx, next.partySize);
  const start = epoch(startsAt);
  const stay = { start, end: start + next.durationMin * minuteMs };
  if (!seated && (moved.includes('startsAt') || moved.includes('durationMin'))) checkStay(ctx, stay, asker);
  const wish = {
    ...next,
    tableIds: plain.tableIds ?? [],
    // Another part of the house means other tables.
    keep: plain.tableIds === undefined && next.area === row.area ? row.tableIds : [],
    asker: seated ? ('walkin' as const) : asker,
  };
  const place = await takePlace(ctx, holds, wish, row, async () => row.id);
  if (seated) await moveParty(ctx, row, place.tableIds);
  const { holdExpiresAt } = row;
  const told = moved.some((member) => member !== 'tableIds' && member !== 'area');
  return {
    ...kept,
    ...place,
    startsAt,
    holdExpiresAt: holdExpiresAt !== null && startsAt < holdExpiresAt ? startsAt : holdExpiresAt,
    ...(told ? { calendarSequence: row.calendarSequence + 1 } : {}),
  };
}

/** Guests have changed tables: their check goes along, what they left is dirty. */
async function moveParty(ctx: Ctx, row: Reservation, tableIds: readonly string[]): Promise<void> {
  const left = row.tableIds.filter((id) => !tableIds.includes(id));
  if (left.length === 0) return;
  await leaveTables(ctx, left);
  await ctx.db.run(sql`update restaurant_order set table_id = ${tableIds[0]}, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and reservation_id = ${row.id} and table_id = any(${left}::uuid[]) and status not in ('paid', 'cancelled')`);
}

/** Guests hear of what is new for them. */
export async function announceChange(ctx: Ctx, row: Reservation, previous: Reservation): Promise<void> {
  if (row.calendarSequence !== previous.calendarSequence && (row.status === 'pending' || row.status === 'confirmed'))
    await ctx.emit('restaurant.reservation.changed', {
      id: row.id,
      data: { id: row.id, startsAt: row.startsAt, partySize: row.partySize },
    });
}
