import { type Ctx, domainError, f, type Problem, problem, sql, table } from '@storeloom/plugin-sdk';
import {
  blockedRanges,
  expireHolds,
  mapConstraintErrors,
  releaseCounter,
  reserveCounter,
  withResourceLocks,
} from '@storeloom/plugin-sdk/reserve';
import { civilDate, dayBounds, epoch, instant, interval, minuteMs, overlaps } from '@storeloom/plugin-sdk/time';
import { alternativesTo, reachOf } from './alternatives.ts';
import { assignTables } from './assign.ts';
import { coverSlots, holds, lockSlots, seatings, slotHolds } from './holds.ts';
import { occupantsOf } from './occupancy.ts';
import { settings, zoneOf } from './settings.ts';
import { type Asker, slotOf } from './stay-rules.ts';
import { type DiningTable, diningTable } from './table.ts';

export const seating = table(
  'seating',
  { reservationId: f.id(), tableId: f.id(), blockedFrom: f.instant(), blockedUntil: f.instant() },
  {
    indexes: [
      { name: 'restaurant_seating_blocked_until_idx', fields: ['tableId', 'blockedUntil'] },
      { name: 'restaurant_seating_reservation_idx', fields: ['reservationId'] },
    ],
    sqlOnly: { restaurant_seating_table_id_excl: 'exclusion constraint: seatings of a table do not overlap' },
    appendOnly: true,
  },
);

export interface PlaceRequest {
  startsAt: string;
  durationMin: number;
  partySize: number;
  area: string | null;
  /** Tables chosen by staff; empty: assigned. */
  tableIds: readonly string[];
  /** Present tables, kept where they still suffice. */
  keep?: readonly string[];
  asker: Asker;
}
export interface Place {
  tableIds: string[];
  endsAt: string;
  slotAt: string;
}
/** Tables and covers to release first. */
export type Held = Pick<Place, 'slotAt'> & { id: string; partySize: number };

export const noTable = (alternatives: readonly string[] = []): Problem =>
  problem('no_table_available', { detail: 'No table is available for the whole stay.', alternatives: [...alternatives] });

/**
 * Takes tables and covers for a reservation whose row `write` inserts or has changed. Locks all candidate tables in one order and checks the
 * whole stay with its turnover.
 * @throws 409 `capacity_exceeded`, `no_table_available {alternatives}`, `table_occupied` (walk-ins); 422 `party_size`
 */
export async function takePlace<R extends { id: string }>(
  ctx: Ctx,
  request: PlaceRequest,
  held: Held | null,
  write: (place: Place) => Promise<R>,
): Promise<{ place: Place; row: R }> {
  const { turnoverMin, autoAssign, maxCoversPerSlot } = ctx.settings(settings);
  const ids =
    request.tableIds.length > 0 ? [...request.tableIds] : autoAssign ? await candidates(ctx, request) : [...(request.keep ?? [])];
  return withResourceLocks(
    ctx,
    diningTable,
    ids,
    async (tables) => {
      const endsAt = instant(epoch(request.startsAt) + request.durationMin * minuteMs);
      const blocked = { start: request.startsAt, end: instant(epoch(endsAt) + turnoverMin * minuteMs) };
      const slotAt = slotOf(ctx, request.startsAt);
      if (held) {
        if (held.slotAt !== slotAt) await lockSlots(ctx, [held.slotAt, slotAt]);
        await releasePlace(ctx, held);
      }
      const covers = [{ key: { slot: slotAt }, quantity: request.partySize, capacity: maxCoversPerSlot }];
      let short = await reserveCounter(ctx, coverSlots, covers);
      // Lapsed holds of other tables free their covers.
      if (short.length > 0 && (await expireHolds(ctx, slotHolds, [slotAt])).length > 0)
        short = await reserveCounter(ctx, coverSlots, covers);
      if (short.length > 0)
        throw problem('capacity_exceeded', { detail: 'Too many guests arrive in this interval. Choose another time.' });
      const chosen = await choose(ctx, request, tables, blocked, held?.id);
      const place = { tableIds: chosen.map(({ id }) => id), endsAt, slotAt };
      const row = await write(place);
      await mapConstraintErrors({ [seatings.constraint]: () => noTable() }, () =>
        ctx.rows(seating).insertMany(
          place.tableIds.map((tableId) => ({
            reservationId: row.id,
            tableId,
            blockedFrom: blocked.start,
            blockedUntil: blocked.end,
          })),
        ),
      );
      return { place, row };
    },
    { pointer: '/tableIds', holds },
  );
}

/** Frees the tables of a reservation. */
export async function freeTables(ctx: Ctx, reservationId: string): Promise<void> {
  await ctx.rows(seating).removeWhere({ reservationId });
}

/** Frees the tables and covers of a reservation. */
export async function releasePlace(ctx: Ctx, { id, slotAt, partySize }: Held): Promise<void> {
  await freeTables(ctx, id);
  await releaseCounter(ctx, coverSlots, [{ key: { slot: slotAt }, quantity: partySize }]);
}

async function candidates(ctx: Ctx, { area, keep = [] }: PlaceRequest): Promise<string[]> {
  const rows = await ctx.db.rows<{ id: string }>(sql`
    select id from restaurant_table where tenant_id = ${ctx.tenant.id} and is_active
      and ((is_reservable and occupancy <> 'out_of_service' and (${area}::text is null or area = ${area})) or id = any(${[...keep]}::uuid[]))
    order by id`);
  return rows.map(({ id }) => id);
}

async function choose(
  ctx: Ctx,
  request: PlaceRequest,
  tables: DiningTable[],
  blocked: { start: string; end: string },
  own: string | undefined,
): Promise<DiningTable[]> {
  const { autoAssign } = ctx.settings(settings);
  const ids = tables.map(({ id }) => id);
  const busy = await blockedRanges(ctx, seatings, { resources: ids, window: reachOf(blocked) });
  const taken = new Set(busy.filter((range) => overlaps(interval(range), interval(blocked))).map(({ resource }) => resource));
  const all = request.asker === 'walkin' ? await occupantsOf(ctx, ids) : [];
  const sitting = all.filter(({ reservationId }) => own === undefined || reservationId !== own);
  for (const { tableId } of sitting) taken.add(tableId);
  const free = tables.filter(({ id }) => !taken.has(id));
  const refuse = async (): Promise<never> => {
    throw noTable(await alternativesTo(ctx, request, tables, busy));
  };
  if (request.tableIds.length > 0) {
    const occupant = sitting.find(({ orderId }) => orderId !== null);
    if (occupant)
      throw problem('table_occupied', { detail: 'The table is taken by another check or party.', orderId: occupant.orderId });
    if (free.length < tables.length || tables.some(({ isActive }) => !isActive)) await refuse();
    checkRoom(tables, request.partySize);
    return tables;
  }
  const kept = free.filter(({ id }) => request.keep?.includes(id));
  if (kept.length > 0 && kept.length === request.keep?.length && roomOf(kept) >= request.partySize) return kept;
  if (!autoAssign) {
    if (request.keep?.length) await refuse();
    return [];
  }
  const ready = request.asker === 'walkin' ? free.filter(({ occupancy }) => occupancy !== 'dirty') : free;
  const reservable = ready.filter(({ isReservable, occupancy }) => isReservable && occupancy !== 'out_of_service');
  // Covers of the day only matter with a choice.
  const covers = reservable.length > 1 ? await coversOf(ctx, request.startsAt) : undefined;
  return assignTables(reservable, request.partySize, covers) ?? refuse();
}

const roomOf = (tables: readonly DiningTable[]): number =>
  tables.reduce((sum, { seats, extraSeats }) => sum + seats + extraSeats, 0);

function checkRoom(tables: readonly DiningTable[], partySize: number): void {
  const seats = roomOf(tables);
  if (seats < partySize) throw domainError('/tableIds', 'party_size', `the tables have ${seats} seats`, { seats });
}

/** Covers of the day per table: tables with fewer come first. */
async function coversOf(ctx: Ctx, startsAt: string): Promise<Map<string, number>> {
  const zone = zoneOf(ctx);
  const date = civilDate(startsAt, zone);
  const day = dayBounds(date, date, zone);
  const rows = await ctx.db.rows<{ id: string; covers: number }>(sql`
    select x.id, sum(r.party_size)::int8 as covers from restaurant_reservation r, jsonb_array_elements_text(r.table_ids) x(id)
    where r.tenant_id = ${ctx.tenant.id} and r.starts_at >= ${day.start} and r.starts_at < ${day.end}
      and r.status in ('pending', 'confirmed', 'seated', 'completed') group by 1`);
  return new Map(rows.map(({ id, covers }) => [id, covers]));
}
