import { type Ctx, domainError, type MoneyValue, type Problem, problem } from '@storeloom/plugin-sdk';
import {
  giveBackCounter,
  giveBackNights,
  type Holds,
  refusedAs,
  takeCounter,
  takeNights,
  withResourceLocks,
} from '@storeloom/plugin-sdk/reserve';
import { nights as nightsBetween } from '@storeloom/plugin-sdk/time';
import { roomNights, typeNights } from './nights.ts';
import { rateOf, type Violation, violationsOf } from './restrictions.ts';
import { room } from './room.ts';
import { roomTypeOf } from './settings.ts';
import { capacityOf, isShared, roomsOfTypes, type Stock, type StockRoom, soldOf, stockOf, takenFor, unitsOf } from './stock.ts';

export interface NightlyRate {
  date: string;
  rate: MoneyValue;
}
const mostNights = 90;

/** @throws 422 `invalid_interval`, `stay_length` */
export function nightsOfStay(checkIn: string, checkOut: string): string[] {
  if (checkOut <= checkIn) throw domainError('/checkOut', 'invalid_interval', 'must lie after checkIn');
  const nights = nightsBetween(checkIn, checkOut);
  if (nights.length > mostNights)
    throw domainError('/checkOut', 'stay_length', `a stay has at most ${mostNights} nights`, { limit: mostNights });
  return nights;
}

export interface StayWish {
  roomType: string;
  roomId: string | null;
  checkIn: string;
  checkOut: string;
  adults: number;
  children: number;
  /** Nights that are to be had; those of the stay that lie behind are not asked for any more. */
  nights: readonly string[];
  /** A room is given out for what was sold before: restrictions aren't asked again. */
  keepsTerms?: boolean;
}
export interface Held {
  id: string;
  roomType: string;
  /** What of the type it has, to be given back first. */
  nights: readonly string[];
}

const stayNotAllowed = (violations: Violation[]): Problem =>
  problem('stay_not_allowed', { detail: 'A restriction forbids the stay.', violations });
const roomUnavailable = (nights: string[]): Problem =>
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
export async function takeStay(
  ctx: Ctx,
  holds: Holds,
  wish: StayWish,
  held: Held | null,
  write: (taken: Taken) => Promise<string>,
): Promise<Taken> {
  const known = await roomsOfTypes(ctx, [...new Set([wish.roomType, ...(held ? [held.roomType] : [])])]);
  return withResourceLocks(
    ctx,
    room,
    known.map(({ id }) => id),
    async () => {
      if (held) await release(ctx, held);
      // What stood there before the lock may have changed meanwhile.
      const rooms = await roomsOfTypes(ctx, [wish.roomType]);
      const stock = await stockOf(ctx, rooms, wish.nights);
      const assigned = assign(stock, wish, held?.id);
      checkStay(ctx, stock, wish, assigned);
      const taken = { roomId: assigned?.id ?? null, rates: ratesOf(ctx, rooms, wish, assigned) };
      const id = await write(taken);
      await refusedAs({ [roomNights.constraint]: () => roomUnavailable([...wish.nights]) }, async () => {
        const lost = await takeNights(ctx, roomNights, {
          holder: id,
          resources: assigned ? unitsOf(rooms, assigned.id) : [],
          nights: assigned ? wish.nights : [],
        });
        if (lost.length > 0) throw roomUnavailable([...new Set(lost.map(({ night }) => night))]);
      });
      const short = await takeCounter(
        ctx,
        typeNights,
        wish.nights.map((night) => ({
          key: { roomType: wish.roomType, night },
          quantity: 1,
          capacity: Math.max(capacityOf(stock, wish.roomType, night), soldOf(stock, wish.roomType, night)),
        })),
      );
      if (short.length > 0) throw roomUnavailable(short.map(({ key }) => key.night));
      return taken;
    },
    { holds },
  );
}

async function release(ctx: Ctx, { id, roomType, nights }: Held): Promise<void> {
  await giveBackNights(ctx, roomNights, id);
  await giveBackCounter(
    ctx,
    typeNights,
    nights.map((night) => ({ key: { roomType, night }, quantity: 1 })),
  );
}

/** Frees nights of the stay, from a date on. */
export async function freeNights(ctx: Ctx, stay: Held, from = ''): Promise<void> {
  await giveBackNights(ctx, roomNights, stay.id, from === '' ? undefined : from);
  await giveBackCounter(
    ctx,
    typeNights,
    stay.nights.filter((night) => night >= from).map((night) => ({ key: { roomType: stay.roomType, night }, quantity: 1 })),
  );
}

/** The room that is asked for; of a type of shared rooms the first that is free; of others none before somebody gives one out. */
function assign(stock: Stock, wish: StayWish, except: string | undefined): StockRoom | null {
  if (wish.roomId !== null) return stock.rooms.find(({ id }) => id === wish.roomId) as StockRoom;
  if (!isShared(stock.rooms, wish.roomType)) return null;
  return (
    stock.rooms.find(
      (each) =>
        each.roomType === wish.roomType &&
        each.maxAdults >= wish.adults &&
        takenFor(stock, each.id, wish.nights, except).length === 0,
    ) ?? null
  );
}

function checkStay(ctx: Ctx, stock: Stock, wish: StayWish, assigned: StockRoom | null): void {
  const { rules } = roomTypeOf(ctx, wish.roomType);
  const ofType = stock.rooms.filter(({ roomType }) => roomType === wish.roomType);
  const holding = assigned ? [assigned] : ofType;
  const most = Math.max(0, ...holding.map(({ maxAdults }) => maxAdults));
  if (ofType.length > 0 && wish.adults > most)
    throw domainError('/adults', 'too_many_guests', `at most ${most} adults sleep there`, { limit: most });
  const violations = wish.keepsTerms ? [] : violationsOf(rules, wish, (night) => soldOf(stock, wish.roomType, night));
  if (violations.length > 0) throw stayNotAllowed(violations);
  const lost = assigned
    ? takenFor(stock, assigned.id, wish.nights)
    : wish.nights.filter((night) => capacityOf(stock, wish.roomType, night) <= soldOf(stock, wish.roomType, night));
  if (lost.length > 0) throw roomUnavailable(lost);
  if (!assigned && isShared(stock.rooms, wish.roomType)) throw roomUnavailable([...wish.nights]);
  // The room is free, but the type is sold out by reservations that have no room yet.
  const full = wish.nights.filter((night) => capacityOf(stock, wish.roomType, night) <= soldOf(stock, wish.roomType, night));
  if (full.length > 0) throw roomUnavailable(full);
}

/** Prices of the nights: the type's rules over the base rate, of the room or else of the type's cheapest room that holds the guests. */
export function ratesOf(
  ctx: Ctx,
  rooms: readonly StockRoom[],
  wish: Pick<StayWish, 'roomType' | 'nights' | 'adults'>,
  assigned: StockRoom | null,
): NightlyRate[] {
  const { rules } = roomTypeOf(ctx, wish.roomType);
  const fitting = rooms.filter(({ roomType, maxAdults }) => roomType === wish.roomType && maxAdults >= wish.adults);
  const cheapest = Math.min(...fitting.map(({ baseRate }) => baseRate.amount));
  const base = assigned?.baseRate ?? { amount: Number.isFinite(cheapest) ? cheapest : 0, currency: ctx.tenant.currency };
  return wish.nights.map((date) => ({ date, rate: rateOf(rules, date, base) }));
}
