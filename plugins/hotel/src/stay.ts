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
import { rateOf, type Violation, violationsOf } from './restrictions.ts';
import { room } from './room.ts';
import { roomTypeOf } from './settings.ts';
import { standingStock } from './snapshot.ts';
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

/** @throws 422 `money_invalid` where the nights cost more than money can be. */
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
  /** Nights that are to be had; those of the stay that lie behind are not asked for any more. */
  nights: readonly string[];
  /** Prices that were agreed on before; without them those of the rules. */
  rates?: NightlyRate[];
  /** A room is given out for what was sold before: restrictions aren't asked again. */
  keepsTerms?: boolean;
}
export interface Held {
  id: string;
  roomType: string;
  /** What of the type it has, to be given back first. */
  nights: readonly string[];
}

export const stayNotAllowed = (violations: Violation[]): Problem =>
  problem('stay_not_allowed', { detail: 'A restriction forbids the stay.', violations });
export const roomUnavailable = (nights: string[]): Problem =>
  problem('room_unavailable', { detail: 'No room is free on every night.', nights });

export interface Taken {
  roomId: string | null;
  rates: NightlyRate[];
}

/**
 * Takes the nights for a reservation whose row `write` makes or changes. The rooms of the type, and those tied to them, are locked in
 * one order; what the reservation had is given back first, so that it never stands in its own way. Nothing is left of a refused try.
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
      if (held) await release(ctx, held);
      // What stood there before the lock may have changed meanwhile.
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

/** Whoever comes too late is told so without waiting for those before. What is free is looked at again behind the lock. */
async function checkFirst(ctx: Ctx, inventory: Inventory, request: StayRequest): Promise<void> {
  const stock = await standingStock(ctx, inventory, request.nights);
  checkStay(ctx, stock, request, assign(stock, request, undefined));
}

async function takeRoom(ctx: Ctx, holder: string, units: readonly StockRoom[], nights: readonly string[]): Promise<void> {
  const resources = units.map(({ id }) => id);
  await mapConstraintErrors({ [roomNights.constraint]: () => roomUnavailable([...nights]) }, async () => {
    const lost = await reserveNights(ctx, roomNights, { holder, resources, nights });
    if (lost.length > 0) throw roomUnavailable([...new Set(lost.map(({ night }) => night))]);
  });
}

async function release(ctx: Ctx, { id, roomType, nights }: Held): Promise<void> {
  await releaseNights(ctx, roomNights, id);
  await releaseCounter(
    ctx,
    typeNights,
    nights.map((night) => ({ key: { roomType, night }, quantity: 1 })),
  );
}

/** Frees nights of the stay, from a date on. */
export async function freeNights(ctx: Ctx, stay: Held, from = ''): Promise<void> {
  await releaseNights(ctx, roomNights, stay.id, from === '' ? undefined : from);
  await releaseCounter(
    ctx,
    typeNights,
    stay.nights.filter((night) => night >= from).map((night) => ({ key: { roomType: stay.roomType, night }, quantity: 1 })),
  );
}

/** The room that is asked for; of a type of shared rooms the first that is free; of others none before somebody gives one out. */
function assign(stock: Stock, request: StayRequest, except: string | undefined): StockRoom | null {
  if (request.roomId !== null) return stock.inventory.byId.get(request.roomId) as StockRoom;
  if (!stock.inventory.shared.has(request.roomType)) return null;
  return (
    stock.inventory.byType
      .get(request.roomType)
      ?.find((each) => fits(each, request) && takenFor(stock, each.id, request.nights, except).length === 0) ?? null
  );
}

/** Whether the party sleeps there. */
export const fits = (
  { maxAdults, maxChildren }: StockRoom,
  { adults, children }: Pick<StayRequest, 'adults' | 'children'>,
): boolean => maxAdults >= adults && maxAdults + maxChildren >= adults + children;

function checkStay(ctx: Ctx, stock: Stock, request: StayRequest, assigned: StockRoom | null): void {
  const { rules } = roomTypeOf(ctx, request.roomType);
  const holding = assigned ? [assigned] : (stock.inventory.byType.get(request.roomType) ?? []);
  if (holding.length > 0) checkSize(holding, request);
  const violations = request.keepsTerms ? [] : violationsOf(rules, request, (night) => soldOf(stock, request.roomType, night));
  if (violations.length > 0) throw stayNotAllowed(violations);
  const lost = assigned
    ? takenFor(stock, assigned.id, request.nights)
    : request.nights.filter((night) => capacityOf(stock, request.roomType, night) <= soldOf(stock, request.roomType, night));
  if (lost.length > 0) throw roomUnavailable(lost);
  if (!assigned && stock.inventory.shared.has(request.roomType)) throw roomUnavailable([...request.nights]);
  // The room is free, but the type is sold out by reservations that have no room yet.
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
  throw domainError('/children', 'too_many_guests', `exceeds the capacity of ${limit} people`, { limit });
}

/** Prices of the nights: the type's rules over the base rate, of the room or else of the type's cheapest room that holds the guests. */
export function ratesOf(
  ctx: Ctx,
  inventory: Inventory,
  request: Pick<StayRequest, 'roomType' | 'nights' | 'adults' | 'children'>,
  assigned: StockRoom | null,
): NightlyRate[] {
  const { rules } = roomTypeOf(ctx, request.roomType);
  const fitting = (inventory.byType.get(request.roomType) ?? []).filter((each) => fits(each, request));
  const cheapest = Math.min(...fitting.map(({ baseRate }) => baseRate.amount));
  const base = assigned?.baseRate ?? { amount: Number.isFinite(cheapest) ? cheapest : 0, currency: ctx.tenant.currency };
  return request.nights.map((date) => ({ date, rate: rateOf(rules, date, base) }));
}
