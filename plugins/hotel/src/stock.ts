import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { reservedNights } from '@storeloom/plugin-sdk/reserve';
import { addDays } from '@storeloom/plugin-sdk/time';
import { roomNights } from './nights.ts';
import type { Room } from './room.ts';

/** The fields of a room that availability depends on. */
export type StockRoom = Pick<
  Room,
  'id' | 'number' | 'roomType' | 'parentRoomId' | 'maxAdults' | 'maxChildren' | 'baseRate' | 'status' | 'outFrom' | 'outTo'
>;

/** The rooms of some types and the rooms tied to them, indexed. */
export interface Inventory {
  readonly rooms: readonly StockRoom[];
  readonly byId: ReadonlyMap<string, StockRoom>;
  readonly byType: ReadonlyMap<string, readonly StockRoom[]>;
  /** Room → itself and its beds. */
  readonly units: ReadonlyMap<string, readonly StockRoom[]>;
  /** Type → rooms that are out of order at some time, themselves or a bed of theirs. */
  readonly out: ReadonlyMap<string, readonly StockRoom[]>;
  /** Types of beds and of rooms with beds. Their rooms are assigned at booking, since a room and its beds exclude each other. */
  readonly shared: ReadonlySet<string>;
}
export function indexRooms(rooms: readonly StockRoom[]): Inventory {
  const byId = new Map(rooms.map((room) => [room.id, room]));
  const byType = Map.groupBy(rooms, ({ roomType }) => roomType);
  const beds = Map.groupBy(rooms, ({ parentRoomId }) => parentRoomId);
  const units = new Map(rooms.map((room) => [room.id, [room, ...(beds.get(room.id) ?? [])]]));
  const tied = rooms.filter(({ id, parentRoomId }) => parentRoomId !== null || beds.has(id));
  const out = Map.groupBy(
    rooms.filter(({ id }) => units.get(id)?.some(({ status }) => status !== 'available')),
    ({ roomType }) => roomType,
  );
  return { rooms, byId, byType, units, out, shared: new Set(tied.map(({ roomType }) => roomType)) };
}

/** Taken rooms and sold types per night. */
export interface Stock {
  readonly inventory: Inventory;
  /** Room → night → reservation. */
  readonly taken: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Type → night → number of rooms sold. */
  readonly sold: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Rooms of the types and the rooms and beds tied to them; null: all rooms. */
export async function loadInventory(ctx: Ctx, types: readonly string[] | null): Promise<Inventory> {
  const tenant = ctx.tenant.id;
  const family = sql`and r.id in (
    with wanted as (select id, parent_room_id from hotel_room where tenant_id = ${tenant} and room_type = any(${[...(types ?? [])]}::text[])),
      tied as (select id from wanted union select parent_room_id from wanted where parent_room_id is not null)
    select id from tied union select b.id from hotel_room b join tied on b.parent_room_id = tied.id where b.tenant_id = ${tenant})`;
  type Row = Omit<StockRoom, 'baseRate'> & { amount: number; currency: string };
  const rows = await ctx.db.rows<Row>(sql`
    select r.id, r.number, r.room_type as "roomType", r.parent_room_id as "parentRoomId", r.max_adults as "maxAdults",
      r.max_children as "maxChildren", r.base_rate_amount as amount, r.base_rate_currency as currency,
      r.status, r.out_from as "outFrom", r.out_to as "outTo"
    from hotel_room r where r.tenant_id = ${tenant} ${types === null ? sql`` : family} order by r.number, r.id`);
  return indexRooms(rows.map(({ amount, currency, ...row }) => ({ ...row, baseRate: { amount, currency } })));
}

export async function stockOf(ctx: Ctx, inventory: Inventory, nights: readonly string[]): Promise<Stock> {
  const [from, to] = [nights[0] as string, addDays(nights.at(-1) as string, 1)];
  const [taken, sold] = await Promise.all([
    reservedNights(ctx, roomNights, { resources: [...inventory.byId.keys()], from, to }),
    soldNights(ctx, inventory, from, to),
  ]);
  return { inventory, taken: byRoom(taken), sold };
}

export const byRoom = (taken: readonly { resource: string; night: string; holder: string }[]): Stock['taken'] =>
  nested(taken.map(({ resource, night, holder }) => [resource, night, holder]));

/** Rooms sold per type and night, within `[from, to)`. */
export async function soldNights(ctx: Ctx, inventory: Inventory, from: string, to: string): Promise<Stock['sold']> {
  const rows = await ctx.db.rows<{ roomType: string; night: string; reserved: number }>(sql`
    select room_type as "roomType", night, reserved from hotel_type_night
    where tenant_id = ${ctx.tenant.id} and room_type = any(${[...inventory.byType.keys()]}::text[]) and night >= ${from}::date and night < ${to}::date
      and reserved > 0`);
  return nested(rows.map(({ roomType, night, reserved }) => [roomType, night, reserved]));
}

function nested<V>(entries: readonly (readonly [string, string, V])[]): Map<string, Map<string, V>> {
  const whole = new Map<string, Map<string, V>>();
  for (const [key, night, value] of entries) {
    const inner = whole.get(key);
    if (inner) inner.set(night, value);
    else whole.set(key, new Map([[night, value]]));
  }
  return whole;
}

export const unitsOf = ({ units }: Inventory, id: string): readonly StockRoom[] => units.get(id) ?? [];

/** Whether the room is out of order or service on the night. */
export function isOut({ status, outFrom, outTo }: Pick<StockRoom, 'status' | 'outFrom' | 'outTo'>, night: string): boolean {
  return status !== 'available' && (outFrom === null || outFrom <= night) && (outTo === null || night < outTo);
}

/** Nights on which the room is unavailable, not counting the reservation `except`. */
export function takenFor({ inventory, taken }: Stock, id: string, nights: readonly string[], except?: string): string[] {
  const units = unitsOf(inventory, id).flatMap((room) => {
    const held = taken.get(room.id);
    return held || room.status !== 'available' ? [{ room, held }] : [];
  });
  if (units.length === 0) return [];
  return nights.filter((night) =>
    units.some(({ room, held }) => {
      const holder = held?.get(night);
      return isOut(room, night) || (holder !== undefined && holder !== except);
    }),
  );
}

/** Rooms of the type for sale on the night, the sold ones included, without those out of order or blocked by a stay of a tied type. */
export function capacityOf({ inventory, taken }: Stock, type: string, night: string): number {
  const rooms = inventory.byType.get(type) ?? [];
  const isOff = ({ id }: StockRoom): boolean => unitsOf(inventory, id).some((each) => isOut(each, night));
  if (!inventory.shared.has(type)) return rooms.length - (inventory.out.get(type) ?? []).filter(isOff).length;
  return rooms.filter((room) => !isOff(room) && isForSale(taken, room, unitsOf(inventory, room.id), night)).length;
}
/**
 * A stay in the room takes all of it. A stay in one of its beds, or in the room of a bed, takes it from its own type; so a bed doesn't count
 * as sold by its type while its whole room is taken.
 */
function isForSale(taken: Stock['taken'], room: StockRoom, units: readonly StockRoom[], night: string): boolean {
  const holders = units.flatMap(({ id }) => taken.get(id)?.get(night) ?? []);
  if (holders.length === 0) return true;
  const own = taken.get(room.id)?.get(night);
  if (own === undefined || holders.some((holder) => holder !== own)) return false;
  return room.parentRoomId === null || taken.get(room.parentRoomId)?.get(night) !== own;
}

export const soldOf = ({ sold }: Stock, type: string, night: string): number => sold.get(type)?.get(night) ?? 0;

/** Rooms of the type left on all of the nights. */
export function leftOf(stock: Stock, type: string, nights: readonly string[]): number {
  return Math.max(0, Math.min(...nights.map((night) => capacityOf(stock, type, night) - soldOf(stock, type, night))));
}
