import { type Ctx, domainError, type MoneyValue, type Problem, problem } from '@storeloom/plugin-sdk';
import { sumMoney } from '@storeloom/plugin-sdk/money';
import {
  mapConstraintErrors,
  releaseCounter,
  releaseNights,
  reserveCounter,
  reserveNights,
  withResourceLocks,
} from '@storeloom/plugin-sdk/reserve';
import { nights as nightsBetween } from '@storeloom/plugin-sdk/time';
import { holds, roomNights, typeNights } from './nights.ts';
import { rateOf, type Stay, type Violation, violationsOf, violationsOfChange } from './restrictions.ts';
import { room } from './room.ts';
import { roomTypeOf } from './settings.ts';
import { currentStock } from './snapshot.ts';
import {
  capacityOf,
  type Inventory,
  indexRooms,
  loadInventory,
  type Stock,
  type StockRoom,
  soldOf,
  stockOf,
  takenFor,
  unitsOf,
} from './stock.ts';

export interface NightlyRate {
  date: string;
  rate: MoneyValue;
}
const mostNights = 90;

/** @throws 422 `money_invalid` for a sum beyond the range of money */
export const totalOf = (ctx: Ctx, rates: readonly NightlyRate[]): MoneyValue =>
  sumMoney(
    rates.map(({ rate }) => rate),
    ctx.tenant.currency,
  );

/** @throws 422 `invalid_interval`, `stay_length` */
export function nightsOfStay(checkIn: string, checkOut: string): string[] {
  if (checkOut <= checkIn) throw domainError('/checkOut', 'invalid_interval', 'must be after checkIn');
  const nights = nightsBetween(checkIn, checkOut);
  if (nights.length > mostNights)
    throw domainError('/checkOut', 'stay_length', `must be at most ${mostNights} nights after checkIn`, { limit: mostNights });
  return nights;
}

export interface StayRequest {
  roomType: string;
  roomId: string | null;
  checkIn: string;
  checkOut: string;
  adults: number;
  children: number;
  /** Nights to take; past nights of the stay aren't among them. */
  nights: readonly string[];
  /** Prices agreed before; default those of the rules. */
  rates?: NightlyRate[];
  /** Dates that were sold before, of the same room type; restrictions bind new dates only. */
  sold?: Stay;
}
export interface Held {
  id: string;
  roomType: string;
  /** Nights to release first. */
  nights: readonly string[];
}

export const stayNotAllowed = (violations: Violation[]): Problem =>
  problem('stay_not_allowed', { detail: 'The stay violates a restriction of the room type.', violations });
export const roomUnavailable = (nights: string[]): Problem =>
  problem('room_unavailable', { detail: 'No room is free on every night.', nights });

export interface Taken {
  roomId: string | null;
  rates: NightlyRate[];
}

/**
 * Takes the nights of a reservation whose row `write` inserts or has changed. Locks the rooms of the type and the rooms tied to them in one
 * order, and releases the reservation's own nights first.
 * @throws 409 `stay_not_allowed {violations}`, `room_unavailable {nights}`; 422 `too_many_guests`
 */
export async function takeStay<R extends { id: string }>(
  ctx: Ctx,
  request: StayRequest,
  held: Held | null,
  write: (taken: Taken) => Promise<R>,
): Promise<Taken & { row: R }> {
  const tied = await loadInventory(ctx, [...new Set([request.roomType, ...(held ? [held.roomType] : [])])]);
  if (!held && !request.rates) await checkFirst(ctx, tied, request);
  return withResourceLocks(
    ctx,
    room,
    [...tied.byId.keys()],
    async (locked) => {
      if (held) await freeNights(ctx, held);
      // Rooms may have changed before the lock.
      const inventory = indexRooms(locked.toSorted((a, b) => (a.number < b.number ? -1 : 1)));
      const stock = await stockOf(ctx, inventory, request.nights);
      const assigned = assign(stock, request, held?.id);
      checkStay(ctx, stock, request, assigned);
      const taken = { roomId: assigned?.id ?? null, rates: request.rates ?? ratesOf(ctx, inventory, request, assigned) };
      const row = await write(taken);
      if (assigned) await takeRoom(ctx, row.id, unitsOf(inventory, assigned.id), request.nights);
      const short = await reserveCounter(
        ctx,
        typeNights,
        request.nights.map((night) => ({
          key: { roomType: request.roomType, night },
          quantity: 1,
          capacity: Math.max(capacityOf(stock, request.roomType, night), soldOf(stock, request.roomType, night)),
        })),
      );
      if (short.length > 0) throw roomUnavailable(short.map(({ key }) => key.night));
      return { ...taken, row };
    },
    { holds },
  );
}

/** Refuses hopeless requests before they wait for the lock, behind which everything is checked again. */
async function checkFirst(ctx: Ctx, inventory: Inventory, request: StayRequest): Promise<void> {
  const stock = await currentStock(ctx, inventory, request.nights);
  checkStay(ctx, stock, request, assign(stock, request, undefined));
}

async function takeRoom(ctx: Ctx, holder: string, units: readonly StockRoom[], nights: readonly string[]): Promise<void> {
  const resources = units.map(({ id }) => id);
  await mapConstraintErrors({ [roomNights.constraint]: () => roomUnavailable([...nights]) }, async () => {
    const lost = await reserveNights(ctx, roomNights, { holder, resources, nights });
    if (lost.length > 0) throw roomUnavailable([...new Set(lost.map(({ night }) => night))]);
  });
}

/** Releases nights of the stay, from a date on. */
export async function freeNights(ctx: Ctx, stay: Held, from = ''): Promise<void> {
  await releaseNights(ctx, roomNights, stay.id, from === '' ? undefined : from);
  await releaseCounter(
    ctx,
    typeNights,
    stay.nights.filter((night) => night >= from).map((night) => ({ key: { roomType: stay.roomType, night }, quantity: 1 })),
  );
}

/** The requested room; of types with beds the first free one; otherwise none, since staff assign it later. */
function assign(stock: Stock, request: StayRequest, except: string | undefined): StockRoom | null {
  if (request.roomId !== null) return stock.inventory.byId.get(request.roomId) as StockRoom;
  if (!stock.inventory.shared.has(request.roomType)) return null;
  return (
    stock.inventory.byType
      .get(request.roomType)
      ?.find((each) => fits(each, request) && takenFor(stock, each.id, request.nights, except).length === 0) ?? null
  );
}

/** Whether the room holds the party. */
export const fits = (
  { maxAdults, maxChildren }: StockRoom,
  { adults, children }: Pick<StayRequest, 'adults' | 'children'>,
): boolean => maxAdults >= adults && maxAdults + maxChildren >= adults + children;

function checkStay(ctx: Ctx, stock: Stock, request: StayRequest, assigned: StockRoom | null): void {
  const { rules } = roomTypeOf(ctx, request.roomType);
  const holding = assigned ? [assigned] : (stock.inventory.byType.get(request.roomType) ?? []);
  if (holding.length > 0) checkSize(holding, request);
  const { checkIn, checkOut, sold } = request;
  // Restrictions apply to the whole stay, also where only its remaining nights are taken.
  const stay = { checkIn, checkOut, nights: nightsBetween(checkIn, checkOut) };
  const soldOn = (night: string): number => soldOf(stock, request.roomType, night);
  const violations = sold ? violationsOfChange(rules, stay, sold, soldOn) : violationsOf(rules, stay, soldOn);
  if (violations.length > 0) throw stayNotAllowed(violations);
  const lost = assigned
    ? takenFor(stock, assigned.id, request.nights)
    : request.nights.filter((night) => capacityOf(stock, request.roomType, night) <= soldOf(stock, request.roomType, night));
  if (lost.length > 0) throw roomUnavailable(lost);
  if (!assigned && stock.inventory.shared.has(request.roomType)) throw roomUnavailable([...request.nights]);
  // The room is free, but reservations without a room have sold out the type.
  const full = request.nights.filter(
    (night) => capacityOf(stock, request.roomType, night) <= soldOf(stock, request.roomType, night),
  );
  if (full.length > 0) throw roomUnavailable(full);
}

/** @throws 422 `too_many_guests` where none of the rooms holds the party */
export function checkSize(rooms: readonly StockRoom[], party: Pick<StayRequest, 'adults' | 'children'>): void {
  const most = Math.max(...rooms.map(({ maxAdults }) => maxAdults));
  if (party.adults > most) throw domainError('/adults', 'too_many_guests', `must be at most ${most}`, { limit: most });
  if (rooms.some((each) => fits(each, party))) return;
  const limit = Math.max(...rooms.map(({ maxAdults, maxChildren }) => maxAdults + maxChildren));
  throw domainError('/children', 'too_many_guests', `the room holds at most ${limit} people`, { limit });
}

/** Rates of the nights: the rules of the type over the base rate of the room, or of the least expensive room that holds the party. */
export function ratesOf(
  ctx: Ctx,
  inventory: Inventory,
  request: Pick<StayRequest, 'roomType' | 'nights' | 'adults' | 'children'>,
  assigned: StockRoom | null,
): NightlyRate[] {
  const { rules } = roomTypeOf(ctx, request.roomType);
  const fitting = (inventory.byType.get(request.roomType) ?? []).filter((each) => fits(each, request));
  const lowest = Math.min(...fitting.map(({ baseRate }) => baseRate.amount));
  const base = assigned?.baseRate ?? { amount: Number.isFinite(lowest) ? lowest : 0, currency: ctx.tenant.currency };
  return request.nights.map((date) => ({ date, rate: rateOf(rules, date, base) }));
}
