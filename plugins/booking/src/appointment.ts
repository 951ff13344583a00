import {
  type CreateOf,
  type Ctx,
  checkReferences,
  created,
  f,
  invalid,
  type MoneyValue,
  problem,
  type Req,
  resource,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { defineHolds, isLapsed, withResourceLocks } from '@storeloom/plugin-sdk/reserve';
import { defineMachine, invalidTransition } from '@storeloom/plugin-sdk/state';
import { instant } from '@storeloom/plugin-sdk/time';
import {
  type Appointment,
  appointmentFields,
  createBody,
  patchBody,
  type Status,
  searched,
  statuses,
} from './appointment-fields.ts';
import { namedCustomer, refuseOverlap, type Who } from './customer.ts';
import { type Placed, place, type Request } from './place.ts';
import { newReference } from './reference.ts';
import { freeSeats, sessionsWithin, slotTaken } from './session.ts';
import { staff } from './staff.ts';

const seatsOf = ({ staffId, startsAt, seats }: Appointment) => ({ staffId: staffId as string, startsAt, seats });

/** Gives the time back, behind the lock of the staff. */
const release = (ctx: Ctx, row: Appointment): Promise<void> =>
  withResourceLocks(ctx, staff, [row.staffId as string], () => freeSeats(ctx, seatsOf(row)));

/** Ends appointments together, their rows locked: then the staff of all in one order, as whoever books locks them. */
export function endTogether(ctx: Ctx, rows: readonly Appointment[], move: 'cancel' | 'expire'): Promise<Appointment[]> {
  const people = rows.map(({ staffId }) => staffId as string);
  return withResourceLocks(ctx, staff, people, async (_, inside) => {
    const ended: Appointment[] = [];
    for (const { id } of rows) ended.push((await appointment.move(inside, id, move)) as Appointment);
    return ended;
  });
}

/** What is confirmed must hold its time still. */
async function checkHeld(ctx: Ctx, row: Appointment): Promise<void> {
  await withResourceLocks(ctx, staff, [row.staffId as string], async () => {
    const window = { start: Date.parse(row.startsAt), end: Date.parse(row.endsAt) };
    const sessions = await sessionsWithin(ctx, [row.staffId as string], window);
    if (!sessions.some((one) => one.serviceId === row.serviceId && one.start === window.start)) throw slotTaken();
  });
}

const machine = defineMachine<Status, Appointment>({
  start: 'confirmed',
  states: statuses,
  moves: {
    confirm: {
      from: ['pending'],
      to: 'confirmed',
      route: false,
      async guard(ctx, row) {
        if (isLapsed(ctx, holds, { status: row.status, until: row.holdExpiresAt }))
          throw problem('expired', { detail: 'The time was not kept any longer.' });
        await checkHeld(ctx, row);
      },
      run: () => ({ holdExpiresAt: null }),
    },
    /** The deposit is there. A hold that nobody has ended still has its time. */
    pay: { from: ['pending'], to: 'confirmed', internal: true, run: () => ({ holdExpiresAt: null }) },
    decline: {
      from: ['pending'],
      to: 'declined',
      route: false,
      async run(ctx, row) {
        await release(ctx, row);
        return { holdExpiresAt: null };
      },
    },
    expire: { from: ['pending'], to: 'expired', internal: true, run: release },
    cancel: {
      from: ['pending', 'confirmed'],
      to: 'cancelled',
      route: false,
      async run(ctx, row) {
        await release(ctx, row);
        return { holdExpiresAt: null };
      },
    },
    checkIn: { from: ['confirmed'], to: 'checked_in', route: false },
    complete: { from: ['checked_in'], to: 'completed', route: false },
    noShow: {
      from: ['confirmed'],
      to: 'no_show',
      route: false,
      guard(ctx, row) {
        if (ctx.clock.now() < row.startsAt) throw invalidTransition('confirmed', 'no_show', ['cancelled', 'checked_in']);
      },
    },
  },
});

export const appointment = resource('appointment', {
  path: 'appointments',
  verbs: ['list', 'create', 'update'],
  fields: appointmentFields,
  machine,
  defaultSort: '-startsAt',
  search: searched,
  routes: {
    create: {
      body: createBody,
      problems: ['slot_taken', 'staff_unavailable', 'customer_busy', 'outside_hours', 'offset_required'],
    },
    update: {
      body: {
        ...patchBody,
        status: f.oneOf(['confirmed', 'declined', 'cancelled', 'checked_in', 'completed', 'no_show']).optional(),
      },
      problems: ['slot_taken', 'staff_unavailable', 'customer_busy', 'expired', 'outside_hours', 'invalid_transition'],
    },
  },
  handlers: { create },
  before: { update: (ctx, row, patch) => change(ctx, row as Appointment, patch as Patch) as never },
  after: {
    async update(ctx, row, _, previous) {
      if (row.rescheduleCount > previous.rescheduleCount)
        await ctx.emit('booking.appointment.rescheduled', { id: row.id, data: { id: row.id } });
    },
  },
});

export const holds = defineHolds({
  table: 'booking_appointment',
  status: 'pending',
  until: 'hold_expires_at',
  resource: 'staff_id',
  expire: (ctx, id) => appointment.move(ctx, id, 'expire'),
});

/** What a booking is beside its times. */
export interface Terms {
  status: 'pending' | 'confirmed';
  holdExpiresAt: string | null;
  /** For each seat; null where none is due. */
  depositOf(placed: Placed): Appointment['deposit'];
}
export interface Details {
  timezone: string | null;
  notes: string | null;
  source: string;
}

/** Takes the times and writes the appointments, all or nothing. `whoOf` and `termsOf` are asked behind the locks. */
export async function book(
  ctx: Ctx,
  request: Request,
  details: Details,
  whoOf: () => Promise<Who>,
  termsOf: (placed: readonly Placed[]) => Terms,
): Promise<Appointment[]> {
  const placed = await place(ctx, holds, request);
  const who = await whoOf();
  await refuseOverlap(ctx, who, placed);
  const terms = termsOf(placed);
  checkSum(
    placed.map(({ service }) => service.price),
    request.seats,
  );
  checkSum(
    placed.map((one) => terms.depositOf(one)),
    request.seats,
  );
  const reference = newReference();
  const basketId = placed.length > 1 ? uuidv7(ctx.clock.ms()) : null;
  const rows = await ctx.rows(appointment).insertMany(
    placed.map((one, i) => ({
      ...timesOf(one),
      ...who,
      ...details,
      seats: request.seats,
      price: one.service.price,
      deposit: terms.depositOf(one),
      depositPaid: false,
      reference: placed.length > 1 ? `${reference}-${i + 1}` : reference,
      basketId,
      holdExpiresAt: terms.holdExpiresAt,
      rescheduleCount: 0,
      locale: ctx.locale,
      status: terms.status,
    })),
  );
  for (const { id } of rows) {
    await ctx.history({ entity: 'booking.appointment', entityId: id, from: null, to: terms.status });
    await ctx.emit('booking.appointment.created', { id, data: { id } });
  }
  return rows as Appointment[];
}

/** @throws 422 for more money than there is */
function checkSum(perSeat: readonly (MoneyValue | null)[], seats: number): void {
  if (perSeat.reduce((sum, one) => sum + (one?.amount ?? 0) * seats, 0) > maxAmount)
    throw invalid(seats > 1 ? '/seats' : '/items', 'too_large', 'makes the amount too large');
}

const timesOf = ({ service, staff: person, start, end, blocked }: Placed) => ({
  serviceId: service.id,
  staffId: person.id,
  startsAt: instant(start),
  endsAt: instant(end),
  blocked: { start: instant(blocked.start), end: instant(blocked.end) },
});

/** An entry by staff. */
async function create(ctx: Ctx, req: Req<Record<string, string>, never, never>) {
  const { serviceId, staffId, startsAt, seats, customer, customerId, ...details } = req.body as CreateOf<typeof createBody>;
  await checkReferences(ctx, appointmentFields, { customerId });
  const who = await namedCustomer(ctx, customer, customerId);
  const [row] = await book(
    ctx,
    { items: [{ serviceId, staffId }], startsAt, seats, asCustomer: false },
    details,
    async () => who,
    () => ({ status: 'confirmed', holdExpiresAt: null, depositOf: () => null }),
  );
  const made = row as Appointment;
  await ctx.audit({ entity: 'booking.appointment', entityId: made.id, before: null, after: made });
  return created(`/appointments/${made.id}`, made);
}

type Patch = Partial<CreateOf<typeof patchBody>>;

/** Another time, person or service: judged anew as a whole, without what the appointment itself holds. */
async function change(ctx: Ctx, row: Appointment, patch: Patch): Promise<Partial<Appointment> | undefined> {
  const { startsAt, staffId, serviceId } = patch;
  if (startsAt === undefined && staffId === undefined && serviceId === undefined) return undefined;
  const item = { serviceId: serviceId ?? row.serviceId, staffId: staffId === undefined ? row.staffId : staffId };
  const [moved] = await reschedule(ctx, [row], { items: [item], startsAt: startsAt ?? row.startsAt, asCustomer: false });
  return moved;
}

/**
 * What becomes of appointments that move together, in their order; the rows are the caller's to write.
 * @throws 409 `invalid_transition` unless pending or confirmed, and what `place` throws: then the old times stay
 */
export async function reschedule(
  ctx: Ctx,
  rows: readonly Appointment[],
  request: Omit<Request, 'seats' | 'own'>,
): Promise<Partial<Appointment>[]> {
  for (const row of rows)
    if (row.status !== 'pending' && row.status !== 'confirmed')
      throw invalidTransition(row.status, row.status, machine.allowed(row.status));
    else if (isLapsed(ctx, holds, { status: row.status, until: row.holdExpiresAt }))
      throw problem('expired', { detail: 'The time was not kept any longer.' });
  const [first] = rows as [Appointment];
  const placed = await place(ctx, holds, { ...request, seats: first.seats, own: rows.map(seatsOf) });
  const { customer, customerId } = first;
  if (customer)
    await refuseOverlap(
      ctx,
      { customer, customerId },
      placed,
      rows.map(({ id }) => id),
    );
  const priceOf = (one: Placed, i: number) => (one.service.id === rows[i]?.serviceId ? rows[i].price : one.service.price);
  checkSum(placed.map(priceOf), first.seats);
  const start = instant((placed[0] as Placed).start);
  return placed.map((one, i) => {
    const row = rows[i] as Appointment;
    const times = timesOf(one);
    const isSame = times.startsAt === row.startsAt && times.staffId === row.staffId && times.serviceId === row.serviceId;
    return {
      ...times,
      price: priceOf(one, i),
      holdExpiresAt: row.holdExpiresAt !== null && start < row.holdExpiresAt ? start : row.holdExpiresAt,
      rescheduleCount: row.rescheduleCount + (isSame ? 0 : 1),
    };
  });
}
