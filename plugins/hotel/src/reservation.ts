import {
  type CreateOf,
  type Ctx,
  checkReferences,
  created,
  domainError,
  f,
  invalid,
  type MoneyValue,
  type PatchOf,
  problem,
  type Req,
  resource,
  sql,
} from '@storeloom/plugin-sdk';
import { generateToken } from '@storeloom/plugin-sdk/public';
import { holdUntil, isLapsed } from '@storeloom/plugin-sdk/reserve';
import { defineMachine, invalidTransition } from '@storeloom/plugin-sdk/state';
import { nights as nightsBetween, resolveBound, wallTime } from '@storeloom/plugin-sdk/time';
import { checkEmpty, checkIn, checkInInput, checkReady } from './check-in.ts';
import { checkOut, checkOutInput } from './check-out.ts';
import { addEntries, checkOpen } from './folio.ts';
import { withGuests } from './guest.ts';
import { leaveRoom } from './housekeeping.ts';
import { holdsOf, todayOf } from './nights.ts';
import { bookerOf, changeBooker, checkParty, type Party, partyOf } from './party.ts';
import { type ReservationRow, reservationFields, type Status, statuses } from './reservation-fields.ts';
import { present } from './reservation-view.ts';
import { room } from './room.ts';
import { freePolicy, roomTypeOf, settings, zoneOf } from './settings.ts';
import { freeNights, type NightlyRate, nightsOfStay, takeStay, totalOf } from './stay.ts';

const heldOf = ({ id, roomType, checkIn: from, checkOut: to }: ReservationRow) => ({
  id,
  roomType: roomType as string,
  nights: nightsBetween(from, to),
});

/** What a cancelled stay costs: nothing until the policy's hour, then its part of the total. */
function feeOf(ctx: Ctx, row: ReservationRow): ReservationRow['fee'] {
  const { freeUntilHours, feeBp } = row.policy as { freeUntilHours: number | null; feeBp: number };
  const { currency } = row.total;
  if (freeUntilHours === null) return { amount: 0, currency };
  const arrival = resolveBound(row.checkIn, ctx.settings(settings).checkInFrom, zoneOf(ctx), 'start');
  if (ctx.clock.ms() < Date.parse(arrival) - freeUntilHours * 3_600_000) return { amount: 0, currency };
  return { amount: Math.round((row.total.amount * feeBp) / 10_000), currency };
}

const machine = defineMachine<Status, ReservationRow>({
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
    expire: { from: ['pending'], to: 'expired', internal: true, run: (ctx, row) => freeNights(ctx, heldOf(row)) },
    cancel: {
      from: ['pending', 'confirmed'],
      to: 'cancelled',
      route: false,
      async run(ctx, row) {
        await freeNights(ctx, heldOf(row));
        return {
          fee: feeOf(ctx, row),
          cancelledAt: ctx.clock.now(),
          holdExpiresAt: null,
          calendarSequence: row.calendarSequence + 1,
        };
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
        throw problem('too_early', { detail: `Guests may come until ${noShowAt} of ${row.checkIn}.`, from: row.checkIn });
      },
      /** The first night is theirs, slept in or not. */
      async run(ctx, row) {
        await freeNights(ctx, heldOf(row), nightsBetween(row.checkIn, row.checkOut)[1] ?? row.checkOut);
        return { fee: row.nightlyRates[0]?.rate ?? row.total };
      },
    },
    'check-in': {
      from: ['confirmed'],
      to: 'checked_in',
      input: checkInInput,
      summary: 'The guests are there',
      guard: () => undefined,
      run: (ctx, row, input) => checkIn(ctx, holds, row, input),
    },
    'check-out': {
      from: ['checked_in'],
      to: 'checked_out',
      input: checkOutInput,
      summary: 'The guests have left',
      run: (ctx, row, input) => checkOut(ctx, row, input),
    },
  },
});

export const reservation = resource('reservation', {
  path: 'reservations-hotel',
  verbs: ['list', 'create', 'get', 'update'],
  fields: reservationFields,
  machine,
  defaultSort: '-createdAt',
  filters: {
    inHouse: {
      field: f.bool(),
      operators: ['eq'],
      where: (_, value) => (value === true ? sql`t.status = 'checked_in'` : sql`t.status <> 'checked_in'`),
    },
  },
  handlers: { create },
  present,
  before: { update },
  after: {
    async update(ctx, row, patch) {
      await addEntries(ctx, row.id, patch.folioAdd ?? []);
    },
  },
});
export const holds = holdsOf((ctx, id) => reservation.move(ctx, id, 'expire'));

type Input = CreateOf<typeof reservationFields>;
type Patch = PatchOf<typeof reservationFields>;

export interface Origin {
  status: 'pending' | 'confirmed';
  /** A stay that was bought: its hold is the order's. */
  order?: { orderId: string; orderLineId: string; rates: NightlyRate[] };
}

/** The type of a stay: that of its room where it names one. @throws 422 without either, or where they differ */
async function typeOf(ctx: Ctx, roomId: string | null | undefined, roomType: string | null | undefined): Promise<string> {
  if (roomId) {
    const { roomType: code } = await ctx.rows(room).require(roomId);
    if (roomType && roomType !== code) throw invalid('/roomType', 'mismatch', `the room is of the type ${code}`);
    return code;
  }
  if (!roomType) throw invalid('/roomType', 'required', 'name a room or a room type');
  const known = await ctx.rows(room).first({ roomType });
  if (!known) throw domainError('/roomType', 'not_found', 'no room has this type');
  return roomType;
}

/** Makes a reservation with its nights, or nothing at all. */
export async function reserve(ctx: Ctx, input: Input, origin: Origin): Promise<ReservationRow> {
  if (input.checkIn < todayOf(ctx)) throw domainError('/checkIn', 'past_date', 'lies in the past');
  checkDeposit(ctx, input.deposit);
  const nights = nightsOfStay(input.checkIn, input.checkOut);
  const roomType = await typeOf(ctx, input.roomId, input.roomType);
  checkParty(input);
  return withGuests(ctx, [input.guest ?? {}, ...input.guests], (inside) => write(inside, { ...input, roomType }, nights, origin));
}

async function write(
  ctx: Ctx,
  input: Input & { roomType: string },
  nights: readonly string[],
  { status, order }: Origin,
): Promise<ReservationRow> {
  const { roomType } = input;
  const guestId = await bookerOf(ctx, input);
  const guestIds = await partyOf(ctx, input.guests);
  const policy = roomTypeOf(ctx, roomType).policy ?? freePolicy;
  let row: ReservationRow | undefined;
  const wish = { ...input, nights, ...(order ? { rates: order.rates } : {}) };
  await takeStay(ctx, holds, wish, null, async ({ roomId, rates }) => {
    const total = totalOf(ctx, rates);
    const { amount, currency } = total;
    row = (await ctx.rows(reservation).insert({
      ...input,
      roomId,
      guestId,
      guestIds,
      reference: generateToken(),
      nightlyRates: rates,
      total,
      deposit: input.deposit ?? { amount: Math.round((amount * policy.depositBp) / 10_000), currency },
      fee: null,
      policy: { ...policy },
      holdExpiresAt: status === 'pending' && !order ? holdEnd(ctx, input.checkIn) : null,
      status,
      locale: ctx.locale,
      ...(order ? { orderId: order.orderId, orderLineId: order.orderLineId } : {}),
    } as never)) as ReservationRow;
    return row.id;
  });
  const made = row as unknown as ReservationRow;
  await addEntries(ctx, made.id, input.folioAdd);
  await ctx.history({ entity: 'hotel.reservation', entityId: made.id, from: null, to: made.status });
  await ctx.emit('hotel.reservation.created', { id: made.id, data: { id: made.id } });
  return made;
}

function checkDeposit(ctx: Ctx, deposit: MoneyValue | null | undefined): void {
  if (deposit && deposit.currency !== ctx.tenant.currency)
    throw domainError('/deposit/currency', 'currency_mismatch', `is not the shop's ${ctx.tenant.currency}`);
}

/** What staff have to approve lapses after `approvalHoldHours`, and never later than the arrival. */
function holdEnd(ctx: Ctx, checkInDate: string): string {
  const { approvalHoldHours, checkInFrom } = ctx.settings(settings);
  const arrival = resolveBound(checkInDate, checkInFrom, zoneOf(ctx), 'start');
  if (arrival <= ctx.clock.now()) throw domainError('/hold', 'past_date', 'the arrival has begun: nothing is held any more');
  return holdUntil(ctx, approvalHoldHours * 60, arrival);
}

async function create(ctx: Ctx, req: Req<Record<string, string>, never, never>) {
  const input = req.body as Input;
  await checkReferences(ctx, reservationFields, input);
  const row = await reserve(ctx, input, { status: input.hold ? 'pending' : 'confirmed' });
  const [shown] = await present(ctx, [row], 'one');
  await ctx.audit({ entity: 'hotel.reservation', entityId: row.id, before: null, after: shown as object });
  return created(`/reservations-hotel/${row.id}`, shown as ReservationRow);
}

const stayMembers = ['checkIn', 'checkOut', 'roomId', 'roomType', 'adults', 'children'] as const;

/** Dates, room and party are judged anew, as a whole; what was sold at its price stays so. */
async function update(ctx: Ctx, current: unknown, patch: Patch): Promise<Partial<Input>> {
  const row = current as ReservationRow;
  const change: Record<string, unknown> = {};
  if (patch.folioAdd?.length) checkOpen(row);
  checkDeposit(ctx, patch.deposit);
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
    throw domainError('/checkIn', 'past_date', 'lies in the past');
  const all = nightsOfStay(next.checkIn, next.checkOut);
  const from = inHouse ? todayOf(ctx) : next.checkIn;
  const roomId =
    patch.roomId === undefined && patch.roomType !== undefined && patch.roomType !== row.roomType ? null : next.roomId;
  if (inHouse && !roomId) throw invalid('/roomId', 'required', 'guests who are there have a room');
  const roomType = await typeOf(ctx, roomId, patch.roomId ? patch.roomType : next.roomType);
  const nights = all.filter((night) => night >= from);
  const held = heldOf(row);
  // On the day they leave no night is left to be taken; room and party may change all the same.
  const taken =
    nights.length === 0
      ? { roomId, rates: [] }
      : await takeStay(
          ctx,
          holds,
          { ...next, roomId, roomType, nights },
          { ...held, nights: held.nights.filter((night) => night >= from) },
          async () => row.id,
        );
  if (inHouse && taken.roomId !== row.roomId) {
    await checkEmpty(ctx, taken.roomId as string);
    await checkReady(ctx, taken.roomId as string, false);
    await leaveRoom(ctx, row.roomId as string);
  }
  const kept = new Map(roomType === row.roomType ? row.nightlyRates.map(({ date, rate }) => [date, rate]) : []);
  const fresh = new Map(taken.rates.map(({ date, rate }) => [date, rate]));
  const old = new Map(row.nightlyRates.map(({ date, rate }) => [date, rate]));
  const nightlyRates = all.map((date) => ({ date, rate: kept.get(date) ?? fresh.get(date) ?? old.get(date) ?? row.total }));
  const total = totalOf(ctx, nightlyRates);
  const told = tellsGuest(row, { ...next, roomType });
  if (told) await ctx.emit('hotel.reservation.moved', { id: row.id, data: { id: row.id } });
  const calendarSequence = row.calendarSequence + (told ? 1 : 0);
  return { ...change, roomId: taken.roomId, roomType, nightlyRates, total, calendarSequence } as never;
}

/** A confirmed stay on other dates or in another type is news for its guest; which room it is they learn when they arrive. */
function tellsGuest(row: ReservationRow, next: Pick<ReservationRow, 'checkIn' | 'checkOut' | 'roomType'>): boolean {
  const { status, checkIn, checkOut, roomType } = row;
  return status !== 'pending' && (checkIn !== next.checkIn || checkOut !== next.checkOut || roomType !== next.roomType);
}
