import {
  type CreateOf,
  type Ctx,
  domainError,
  entityOf,
  f,
  invalid,
  type MoneyValue,
  many,
  type PatchOf,
  problem,
  resource,
  sql,
} from '@storeloom/plugin-sdk';
import { mulRatio } from '@storeloom/plugin-sdk/money';
import { generateToken } from '@storeloom/plugin-sdk/public';
import { holdMoves, holdUntil } from '@storeloom/plugin-sdk/reserve';
import { defineMachine, invalidTransition } from '@storeloom/plugin-sdk/state';
import { nights as nightsBetween, resolveBound, wallTime } from '@storeloom/plugin-sdk/time';
import { checkEmpty, checkIn, checkInInput, checkReady } from './check-in.ts';
import { checkOut, checkOutInput } from './check-out.ts';
import { addToFolio } from './desk-payment.ts';
import { reservationEvents } from './events.ts';
import { checkOpen, folioEntry } from './folio.ts';
import { withGuests } from './guest.ts';
import { markDeparted } from './housekeeping.ts';
import { holds, todayOf } from './nights.ts';
import { bookerOf, changeBooker, checkParty, type Party, partyOf } from './party.ts';
import { type ReservationRow, reservationFields, type Status, statuses } from './reservation-fields.ts';
import { present } from './reservation-view.ts';
import { room } from './room.ts';
import { freePolicy, roomTypeOf, settings, zoneOf } from './settings.ts';
import { freeNights, type NightlyRate, nightsOfStay, takeStay } from './stay.ts';
import { priceOf, scalePrice } from './tax.ts';

const stayOf = ({ id, roomType, checkIn: from, checkOut: to }: ReservationRow) => ({
  id,
  roomType: roomType as string,
  nights: nightsBetween(from, to),
});

const arrivalOf = (ctx: Ctx, checkInDate: string): string =>
  resolveBound(checkInDate, ctx.settings(settings).checkInFrom, zoneOf(ctx), 'start');

/** Cancellation fee: none before the deadline of the policy, then its share of the total. */
function feeOf(ctx: Ctx, row: ReservationRow): ReservationRow['fee'] {
  const { freeUntilHours, feeBp } = row.policy as { freeUntilHours: number | null; feeBp: number };
  const { amount, currency } = row.total;
  const isFree = freeUntilHours === null || ctx.clock.ms() < Date.parse(arrivalOf(ctx, row.checkIn)) - freeUntilHours * 3_600_000;
  return { amount: isFree ? 0 : Math.round((amount * feeBp) / 10_000), currency };
}

/** The share of the first night in the total, which includes VAT also where rates are net. */
function firstNight({ nightlyRates, total: { amount, currency } }: ReservationRow): ReservationRow['fee'] {
  const sum = nightlyRates.reduce((rest, { rate }) => rest + rate.amount, 0);
  const first = nightlyRates[0]?.rate.amount ?? 0;
  return { amount: sum === 0 ? amount : mulRatio(amount, first, sum), currency };
}

const { confirm, expire, cancel } = holdMoves<ReservationRow>(holds, (ctx, row) => freeNights(ctx, stayOf(row)));

const machine = defineMachine<Status, ReservationRow>({
  start: 'confirmed',
  states: statuses,
  moves: {
    confirm,
    expire,
    cancel: {
      ...cancel,
      async run(ctx, row, input) {
        const { calendarSequence } = row;
        const cancelled = { fee: feeOf(ctx, row), cancelledAt: ctx.clock.now(), calendarSequence: calendarSequence + 1 };
        return { ...(await cancel.run?.(ctx, row, input)), ...cancelled };
      },
    },
    noShow: {
      from: ['confirmed'],
      to: 'no_show',
      route: false,
      guard(ctx, row) {
        const today = todayOf(ctx);
        const { noShowAt } = ctx.settings(settings);
        if (today > row.checkIn || (today === row.checkIn && wallTime(ctx.clock.now(), zoneOf(ctx)) >= noShowAt)) return;
        throw problem('too_early', { detail: `Guests may arrive until ${noShowAt} of ${row.checkIn}.`, from: row.checkIn });
      },
      /** The first night is charged and stays taken. */
      async run(ctx, row) {
        await freeNights(ctx, stayOf(row), nightsBetween(row.checkIn, row.checkOut)[1] ?? row.checkOut);
        return { fee: firstNight(row) };
      },
    },
    'check-in': {
      from: ['confirmed'],
      to: 'checked_in',
      input: checkInInput,
      summary: 'Checks the guests in',
      run: checkIn,
    },
    'check-out': {
      from: ['checked_in'],
      to: 'checked_out',
      input: checkOutInput,
      summary: 'Checks the guests out',
      run: checkOut,
    },
  },
});

export const reservation = resource('reservation', {
  path: 'reservations-hotel',
  verbs: ['list', 'create', 'get', 'update'],
  fields: reservationFields,
  machine,
  uniques: [
    { name: 'hotel_reservation_in_house_key', fields: ['roomId'], where: "status = 'checked_in'" },
    { fields: ['reference'] },
  ],
  indexes: [
    { name: 'hotel_reservation_created_idx', fields: ['createdAt', 'id'] },
    { name: 'hotel_reservation_guest_idx', fields: ['guestId'] },
    { name: 'hotel_reservation_order_idx', fields: ['orderId'], where: 'order_id is not null' },
    { name: 'hotel_reservation_stay_idx', fields: ['checkIn', 'checkOut'] },
  ],
  sqlOnly: {
    hotel_reservation_held_idx: 'without tenant: the job that releases holds reads the expired ones of all tenants',
    hotel_reservation_party_idx: 'GIN index over the list of guests',
  },
  problems: [
    'room_unavailable',
    'stay_not_allowed',
    'invalid_interval',
    'past_date',
    'stay_length',
    'too_many_guests',
    'too_early',
    'too_late',
    'room_not_ready',
    'room_occupied',
    'guest_data_required',
    'balance_due',
    'folio_closed',
    'refund_exceeds_captured',
    'expired',
  ],
  defaultSort: '-createdAt',
  filters: {
    inHouse: {
      field: f.bool(),
      operators: ['eq'],
      where: (_, value) => (value === true ? sql`t.status = 'checked_in'` : sql`t.status <> 'checked_in'`),
    },
  },
  present,
  create: (ctx, input) => reserve(ctx, input, { status: input.hold ? 'pending' : 'confirmed' }),
  before: { update },
  after: { update: (ctx, row, patch) => addToFolio(ctx, row, patch.folioAdd ?? []) },
});

export const Reservation = entityOf(reservation, { relations: { folio: many(folioEntry, 'reservationId') } });

type Input = CreateOf<typeof reservationFields>;
type Patch = PatchOf<typeof reservationFields>;

export interface Origin {
  status: 'pending' | 'confirmed';
  /** A stay bought with an order lapses with the order. */
  order?: {
    orderId: string;
    orderLineId: string;
    rates: NightlyRate[];
    /** Price of the room in the order, with VAT and discounts, in the order's currency. Null: set when the order's edit ends. */
    price: MoneyValue | null;
  };
}

/** Room type of a stay: that of the room where one is named. @throws 422 without either, or where they differ */
async function resolveType(ctx: Ctx, roomId: string | null | undefined, roomType: string | null | undefined): Promise<string> {
  if (roomId) {
    const { roomType: code } = await ctx.rows(room).require(roomId);
    if (roomType && roomType !== code) throw invalid('/roomType', 'mismatch', `the room is of the type ${code}`);
    return code;
  }
  if (!roomType) throw invalid('/roomType', 'required', 'is required, or a room type');
  if (!(await ctx.rows(room).first({ roomType }))) throw domainError('/roomType', 'not_found', 'is not the type of a room');
  return roomType;
}

/** Creates a reservation and takes its nights, in one transaction. */
export async function reserve(ctx: Ctx, input: Input, origin: Origin): Promise<ReservationRow> {
  if (input.checkIn < todayOf(ctx)) throw domainError('/checkIn', 'past_date', 'is in the past');
  const nights = nightsOfStay(input.checkIn, input.checkOut);
  const roomType = await resolveType(ctx, input.roomId, input.roomType);
  checkParty(input);
  return withGuests(ctx, [input.guest ?? {}, ...input.guests], (inside) =>
    insert(inside, { ...input, roomType }, nights, origin),
  );
}

async function insert(
  ctx: Ctx,
  input: Input & { roomType: string },
  nights: readonly string[],
  { status, order }: Origin,
): Promise<ReservationRow> {
  const guestId = await bookerOf(ctx, input);
  const guestIds = await partyOf(ctx, input.guests);
  const policy = roomTypeOf(ctx, input.roomType).policy ?? freePolicy;
  const request = { ...input, nights, ...(order ? { rates: order.rates } : {}) };
  const { row } = await takeStay(ctx, request, null, async ({ roomId, rates }) => {
    const quoted = { nightlyRates: rates, ...(await priceOf(ctx, rates)) };
    const { currency } = quoted.total;
    // The order's price has its discounts.
    const price = order?.price?.currency === currency ? scalePrice(quoted, order.price.amount) : quoted;
    const { amount } = price.total;
    return reservation.create(ctx, {
      ...input,
      roomId,
      guestId,
      guestIds,
      reference: generateToken(),
      ...price,
      deposit: input.deposit ?? { amount: Math.round((amount * policy.depositBp) / 10_000), currency },
      policy: { ...policy },
      holdExpiresAt: status === 'pending' && !order ? holdEnd(ctx, input.checkIn) : null,
      status,
      locale: ctx.locale,
      ...(order
        ? { orderId: order.orderId, orderLineId: order.orderLineId, orderPrice: order.price, orderTotal: price.total }
        : {}),
    });
  });
  await addToFolio(ctx, row, input.folioAdd);
  return row;
}

/** A request that staff must approve lapses after `approvalHoldHours`, and on arrival at the latest. */
function holdEnd(ctx: Ctx, checkInDate: string): string {
  const arrival = arrivalOf(ctx, checkInDate);
  if (arrival <= ctx.clock.now()) throw domainError('/hold', 'past_date', "can't change after the arrival day has begun");
  return holdUntil(ctx, ctx.settings(settings).approvalHoldHours * 60, arrival);
}

const stayMembers = ['checkIn', 'checkOut', 'roomId', 'roomType', 'adults', 'children'] as const;

/** Checks dates, room and party as a whole; nights that were sold keep their price. */
async function update(ctx: Ctx, row: ReservationRow, patch: Patch): Promise<Partial<ReservationRow>> {
  const change: Partial<ReservationRow> = {};
  if (patch.folioAdd?.length) checkOpen(row);
  if (patch.guest) await changeBooker(ctx, row, patch.guest);
  const next = { ...row, ...patch } as ReservationRow & Party;
  if (patch.guests) {
    checkParty({ ...next, guests: patch.guests });
    change.guestIds = await partyOf(ctx, patch.guests);
  }
  const moves = stayMembers.some((member) => patch[member] !== undefined && patch[member] !== row[member]);
  if (!moves) return change;
  const inHouse = row.status === 'checked_in';
  const mayMove = row.status === 'pending' || row.status === 'confirmed';
  const staysIn = inHouse && next.checkIn === row.checkIn && next.checkOut >= row.checkOut && next.roomId !== null;
  if (!mayMove && !staysIn) throw invalidTransition(row.status, row.status, machine.allowed(row.status));
  if (mayMove && patch.checkIn !== undefined && patch.checkIn !== row.checkIn && next.checkIn < todayOf(ctx))
    throw domainError('/checkIn', 'past_date', 'is in the past');
  const all = nightsOfStay(next.checkIn, next.checkOut);
  const from = inHouse ? todayOf(ctx) : next.checkIn;
  const roomId =
    patch.roomId === undefined && patch.roomType !== undefined && patch.roomType !== row.roomType ? null : next.roomId;
  if (inHouse && !roomId) throw invalid('/roomId', 'required', 'guests in house must have a room');
  const roomType = await resolveType(ctx, roomId, patch.roomId ? patch.roomType : next.roomType);
  const nights = all.filter((night) => night >= from);
  const sold = stayOf(row);
  // On the day of departure no night is left to take; room and party may still change.
  const taken =
    nights.length === 0
      ? { roomId, rates: [] }
      : await takeStay(
          ctx,
          {
            ...next,
            roomId,
            roomType,
            nights,
            ...(roomType === row.roomType ? { sold: { checkIn: row.checkIn, checkOut: row.checkOut, nights: sold.nights } } : {}),
          },
          { ...sold, nights: sold.nights.filter((night) => night >= from) },
          async () => row,
        );
  if (inHouse && taken.roomId !== row.roomId) {
    await checkEmpty(ctx, taken.roomId as string);
    await checkReady(ctx, taken.roomId as string, false);
    await markDeparted(ctx, row.roomId as string);
  }
  const kept = new Map(roomType === row.roomType ? row.nightlyRates.map(({ date, rate }) => [date, rate]) : []);
  const fresh = new Map(taken.rates.map(({ date, rate }) => [date, rate]));
  const old = new Map(row.nightlyRates.map(({ date, rate }) => [date, rate]));
  const nightlyRates = all.map((date) => ({ date, rate: kept.get(date) ?? fresh.get(date) ?? old.get(date) ?? row.total }));
  const price = await priceOf(ctx, nightlyRates);
  const notify = concernsGuest(row, { ...next, roomType });
  if (notify) await ctx.emit(reservationEvents.moved, { id: row.id, data: { id: row.id } });
  const calendarSequence = row.calendarSequence + (notify ? 1 : 0);
  return { ...change, roomId: taken.roomId, roomType, nightlyRates, ...price, calendarSequence };
}

/** Guests are notified of other dates and of another type, not of another room. */
function concernsGuest(row: ReservationRow, next: Pick<ReservationRow, 'checkIn' | 'checkOut' | 'roomType'>): boolean {
  const { status, checkIn, checkOut, roomType } = row;
  return status !== 'pending' && (checkIn !== next.checkIn || checkOut !== next.checkOut || roomType !== next.roomType);
}
