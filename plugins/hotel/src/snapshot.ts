import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { reservedNights } from '@storeloom/plugin-sdk/reserve';
import { addDays } from '@storeloom/plugin-sdk/time';
import { roomNights } from './nights.ts';
import {
  byRoom,
  type Inventory,
  isOut,
  loadInventory,
  type Stock,
  type StockRoom,
  soldNights,
  stockOf,
  takenFor,
} from './stock.ts';

/** Stock for offers: of rooms without beds only whether they are free on all nights. */
export interface Snapshot extends Stock {
  busy: ReadonlySet<string>;
}

/** Reads the snapshot in two round trips, without a row per night for rooms without beds. Lapsed holds don't count, expired or not. */
export async function readSnapshot(ctx: Ctx, types: readonly string[] | null, nights: readonly string[]): Promise<Snapshot> {
  const [from, to] = [nights[0] as string, addDays(nights.at(-1) as string, 1)];
  const [inventory, lapsed] = await Promise.all([loadInventory(ctx, types), lapsedHolds(ctx, from, to)]);
  const gone = new Set(lapsed.map(({ id }) => id));
  const [tied, plain] = [true, false].map((is) =>
    inventory.rooms.filter(({ roomType }) => inventory.shared.has(roomType) === is),
  );
  const idsOf = (rooms: readonly StockRoom[] = []): string[] => rooms.map(({ id }) => id);
  const [taken, busy, sold] = await Promise.all([
    tied?.length ? reservedNights(ctx, roomNights, { resources: idsOf(tied), from, to }) : [],
    ctx.db.rows<{ id: string }>(sql`
      select r.id from unnest(${idsOf(plain)}::uuid[]) r (id) where exists (
        select from hotel_room_night n where n.tenant_id = ${ctx.tenant.id} and n.room_id = r.id and n.night >= ${from}::date and n.night < ${to}::date
          and n.reservation_id <> all(${[...gone]}::uuid[]))`),
    soldNights(ctx, inventory, from, to),
  ]);
  return {
    inventory,
    taken: byRoom(taken.filter(({ holder }) => !gone.has(holder))),
    sold: withoutLapsed(sold, lapsed),
    busy: new Set(busy.map(({ id }) => id)),
  };
}

interface Lapsed {
  id: string;
  roomType: string;
  from: string;
  until: string;
}
function lapsedHolds(ctx: Ctx, from: string, to: string): Promise<Lapsed[]> {
  return ctx.db.rows<Lapsed>(sql`
    select id, room_type as "roomType", check_in as "from", check_out as "until" from hotel_reservation
    where tenant_id = ${ctx.tenant.id} and status = 'pending' and hold_expires_at <= ${ctx.clock.now()}
      and check_in < ${to}::date and check_out > ${from}::date`);
}

/** Stock without lapsed holds, for a check before the lock. */
export async function currentStock(ctx: Ctx, inventory: Inventory, nights: readonly string[]): Promise<Stock> {
  const [stock, lapsed] = await Promise.all([
    stockOf(ctx, inventory, nights),
    lapsedHolds(ctx, nights[0] as string, addDays(nights.at(-1) as string, 1)),
  ]);
  if (lapsed.length === 0) return stock;
  const gone = new Set(lapsed.map(({ id }) => id));
  const taken = [...stock.taken].map(([id, held]) => [id, new Map([...held].filter(([, holder]) => !gone.has(holder)))] as const);
  return { inventory, taken: new Map(taken), sold: withoutLapsed(stock.sold, lapsed) };
}

function withoutLapsed(sold: Stock['sold'], lapsed: readonly Lapsed[]): Stock['sold'] {
  if (lapsed.length === 0) return sold;
  const gone = (type: string, night: string): number =>
    lapsed.filter(({ roomType, from, until }) => roomType === type && from <= night && night < until).length;
  return new Map(
    [...sold].map(([type, nights]) => [
      type,
      new Map([...nights].map(([night, count]) => [night, Math.max(0, count - gone(type, night))])),
    ]),
  );
}

/** Whether the room is free on all nights. */
export const isFree = (snapshot: Snapshot, room: StockRoom, nights: readonly string[]): boolean =>
  snapshot.inventory.shared.has(room.roomType)
    ? takenFor(snapshot, room.id, nights).length === 0
    : !snapshot.busy.has(room.id) && (room.status === 'available' || !nights.some((night) => isOut(room, night)));
