import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { readCounter, takenNights } from '@storeloom/plugin-sdk/reserve';
import { addDays } from '@storeloom/plugin-sdk/time';
import { roomNights, typeNights } from './nights.ts';
import type { Room } from './room.ts';

/** A room as far as selling it needs. */
export type StockRoom = Pick<
  Room,
  'id' | 'number' | 'roomType' | 'parentRoomId' | 'maxAdults' | 'maxChildren' | 'baseRate' | 'status' | 'outFrom' | 'outTo'
>;
/** Rooms of some types and what of them is taken on some nights. */
export interface Stock {
  rooms: readonly StockRoom[];
  /** `<room> <night>` → the reservation that has it. */
  taken: ReadonlyMap<string, string>;
  /** `<type> <night>` → how many are sold. */
  sold: ReadonlyMap<string, number>;
}

/** Every room of the types, and the rooms and beds that these are tied to. */
export function roomsOfTypes(ctx: Ctx, types: readonly string[] | null): Promise<StockRoom[]> {
  const wanted = types === null ? sql`true` : sql`r.room_type = any(${[...types]}::text[])`;
  return ctx.db.rows<StockRoom>(sql`
    with wanted as (select id, parent_room_id from hotel_room r where r.tenant_id = ${ctx.tenant.id} and ${wanted}),
      tied as (select id from wanted union select parent_room_id from wanted where parent_room_id is not null),
      family as (select id from tied union select r.id from hotel_room r join tied on r.parent_room_id = tied.id where r.tenant_id = ${ctx.tenant.id})
    select r.id, r.number, r.room_type as "roomType", r.parent_room_id as "parentRoomId", r.max_adults as "maxAdults",
      r.max_children as "maxChildren", json_build_object('amount', r.base_rate_amount, 'currency', r.base_rate_currency) as "baseRate",
      r.status, r.out_from as "outFrom", r.out_to as "outTo"
    from hotel_room r where r.tenant_id = ${ctx.tenant.id} and r.id in (select id from family) order by r.number, r.id`);
}

export async function stockOf(ctx: Ctx, rooms: readonly StockRoom[], nights: readonly string[]): Promise<Stock> {
  const types = [...new Set(rooms.map(({ roomType }) => roomType))];
  const [from, last] = [nights[0] as string, nights.at(-1) as string];
  const [taken, sold] = await Promise.all([
    takenNights(ctx, roomNights, { resources: rooms.map(({ id }) => id), from, to: addDays(last, 1) }),
    readCounter(
      ctx,
      typeNights,
      types.flatMap((roomType) => nights.map((night) => ({ roomType, night }))),
    ),
  ]);
  return {
    rooms,
    taken: new Map(taken.map(({ resource, night, holder }) => [`${resource} ${night}`, holder])),
    sold: new Map(sold.map(({ key, reserved }) => [`${key.roomType} ${key.night}`, reserved])),
  };
}

const bedsOf = (rooms: readonly StockRoom[], id: string): StockRoom[] => rooms.filter(({ parentRoomId }) => parentRoomId === id);
/** The room, and the beds that a whole shared room is made of. */
export const unitsOf = (rooms: readonly StockRoom[], id: string): string[] => [id, ...bedsOf(rooms, id).map((bed) => bed.id)];

/** Whether rooms of the type are beds, or hold some: those are given out at booking, so that both directions are guarded. */
export function isShared(rooms: readonly StockRoom[], type: string): boolean {
  return rooms.some(
    ({ id, roomType, parentRoomId }) => roomType === type && (parentRoomId !== null || bedsOf(rooms, id).length > 0),
  );
}

/** Whether the room is out of order or service on that night. */
export function isOut({ status, outFrom, outTo }: Pick<StockRoom, 'status' | 'outFrom' | 'outTo'>, night: string): boolean {
  return status !== 'available' && (outFrom === null || outFrom <= night) && (outTo === null || night < outTo);
}

/** Nights on which the room can't be had, by anybody but `except`. */
export function takenFor(stock: Stock, id: string, nights: readonly string[], except?: string): string[] {
  const units = unitsOf(stock.rooms, id);
  const rooms = stock.rooms.filter((room) => units.includes(room.id));
  return nights.filter((night) =>
    rooms.some((room) => {
      const holder = stock.taken.get(`${room.id} ${night}`);
      return isOut(room, night) || (holder !== undefined && holder !== except);
    }),
  );
}

/** How many rooms of the type there are to sell on the night, the sold ones included: not those that are out, nor tied to another type's stay. */
export function capacityOf(stock: Stock, type: string, night: string): number {
  const shared = isShared(stock.rooms, type);
  return stock.rooms.filter((room) => {
    if (room.roomType !== type) return false;
    const units = unitsOf(stock.rooms, room.id);
    if (stock.rooms.some((each) => units.includes(each.id) && isOut(each, night))) return false;
    if (!shared) return true;
    const own = stock.taken.get(`${room.id} ${night}`);
    const others = units.map((id) => stock.taken.get(`${id} ${night}`)).filter((holder) => holder !== undefined);
    // A stay in the room itself has all of it; a stay in a bed, or in the room that a bed belongs to, takes it from the type.
    return (
      others.length === 0 || (own !== undefined && others.every((holder) => holder === own) && isOwn(stock, room, night, own))
    );
  }).length;
}
/** A bed whose night is its room's stay doesn't count as sold by its own type. */
function isOwn(stock: Stock, room: StockRoom, night: string, holder: string): boolean {
  return room.parentRoomId === null || stock.taken.get(`${room.parentRoomId} ${night}`) !== holder;
}

export const soldOf = (stock: Stock, type: string, night: string): number => stock.sold.get(`${type} ${night}`) ?? 0;

/** Rooms of the type that are left on every one of the nights. */
export function leftOf(stock: Stock, type: string, nights: readonly string[]): number {
  return Math.max(0, Math.min(...nights.map((night) => capacityOf(stock, type, night) - soldOf(stock, type, night))));
}
