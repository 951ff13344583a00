import { type CreateOf, type Ctx, entityOf, f, invalid, type MoneyValue, resource, uuidv7 } from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { checkNotLapsed, holdMoves, withResourceLocks } from '@storeloom/plugin-sdk/reserve';
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
import { refuseOverlap, resolveCustomer, type Who } from './customer.ts';
import { appointmentEvents } from './events.ts';
import { type Placed, place, type Request } from './place.ts';
import { newReference } from './reference.ts';
import { freeSeats, holds, sessionsWithin, slotTaken } from './session.ts';
import { staff } from './staff.ts';

const seatsOf = ({ staffId, startsAt, seats }: Appointment) => ({ staffId: staffId as string, startsAt, seats });

/** Frees the time, behind the lock of the member of staff. */
const release = (ctx: Ctx, row: Appointment): Promise<void> =>
  withResourceLocks(ctx, staff, [row.staffId as string], () => freeSeats(ctx, seatsOf(row)));

/** Ends appointments whose rows are locked; the staff of all are locked in one order, as by `place`. */
export function endTogether(ctx: Ctx, rows: readonly Appointment[], move: 'cancel' | 'expire'): Promise<Appointment[]> {
  const people = rows.map(({ staffId }) => staffId as string);
  return withResourceLocks(ctx, staff, people, async (_, inside) => {
    const ended: Appointment[] = [];
    for (const { id } of rows) ended.push(await appointment.move(inside, id, move));
    return ended;
  });
}

/** @throws 409 `slot_taken` unless the appointment still holds its time */
async function checkHeld(ctx: Ctx, row: Appointment): Promise<void> {
  await withResourceLocks(ctx, staff, [row.staffId as string], async () => {
    const window = { start: Date.parse(row.startsAt), end: Date.parse(row.endsAt) };
    const sessions = await sessionsWithin(ctx, [row.staffId as string], window);
    if (!sessions.some((one) => one.serviceId === row.serviceId && one.start === window.start)) throw slotTaken();
  });
}

const { confirm, decline, expire, cancel } = holdMoves<Appointment>(holds, release);
const machine = defineMachine<Status, Appointment>({
  start: 'confirmed',
  states: statuses,
  moves: {
    confirm: {
      ...confirm,
      async guard(ctx, row) {
        checkNotLapsed(ctx, holds, row);
        await checkHeld(ctx, row);
      },
    },
    /** The deposit was paid. A lapsed hold that hasn't been expired yet still has its time. */
    pay: { ...confirm, internal: true, guard: () => undefined },
    decline,
    expire,
    cancel,
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
  indexes: [
    { name: 'booking_appointment_basket_idx', fields: ['basketId'], where: 'basket_id is not null' },
    { name: 'booking_appointment_created_idx', fields: ['createdAt', 'id'] },
    { name: 'booking_appointment_customer_idx', fields: ['customerId'], where: 'customer_id is not null' },
    { name: 'booking_appointment_held_idx', fields: ['holdExpiresAt'], where: "status = 'pending'" },
    { name: 'booking_appointment_service_idx', fields: ['serviceId', 'startsAt'] },
    { name: 'booking_appointment_staff_idx', fields: ['staffId', 'startsAt'] },
    { name: 'booking_appointment_starts_idx', fields: ['startsAt', 'id'] },
  ],
  sqlOnly: {
    booking_appointment_email_idx: 'expression: the e-mail address inside customer',
    booking_appointment_manage_idx: 'the column of the token hash is no field',
    booking_appointment_phone_idx: 'expression: the phone number inside customer',
    booking_appointment_reference_key: 'expression: the reference is compared without regard to case',
  },
  problems: ['slot_taken', 'staff_unavailable', 'customer_busy', 'outside_hours', 'too_soon', 'too_far', 'cutoff_passed'],
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
  create,
  before: { update: (ctx, row, patch) => change(ctx, row, patch as Patch) },
  after: {
    async update(ctx, row, _, previous) {
      if (row.rescheduleCount > previous.rescheduleCount)
        await ctx.emit(appointmentEvents.rescheduled, { id: row.id, data: { id: row.id } });
    },
  },
});

export const AppointmentEntity = entityOf(appointment);

/** Status, hold and deposit of a booking. */
export interface Terms {
  status: 'pending' | 'confirmed';
  holdExpiresAt: string | null;
  /** Per seat; null where none is due. */
  depositOf(placed: Placed): Appointment['deposit'];
}
export interface Details {
  timezone: string | null;
  notes: string | null;
  source: string;
}

/** Takes the times and creates the appointments, all or nothing. `whoOf` and `termsOf` run behind the locks. */
export async function book(
  ctx: Ctx,
  request: Request,
  details: Details,
  whoOf: () => Promise<Who>,
  termsOf: (placed: readonly Placed[]) => Terms,
): Promise<Appointment[]> {
  const placed = await place(ctx, request);
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
  const rows: Appointment[] = [];
  for (const [i, one] of placed.entries())
    rows.push(
      await appointment.create(ctx, {
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
      }),
    );
  return rows;
}

/** @throws 422 for a sum beyond the range of money */
function checkSum(perSeat: readonly (MoneyValue | null)[], seats: number): void {
  if (perSeat.reduce((sum, one) => sum + (one?.amount ?? 0) * seats, 0) > maxAmount)
    throw invalid(seats > 1 ? '/seats' : '/items', 'too_large', 'makes the total too large');
}

const timesOf = ({ service, staff: person, start, end, blocked }: Placed) => ({
  serviceId: service.id,
  staffId: person.id,
  startsAt: instant(start),
  endsAt: instant(end),
  blocked: { start: instant(blocked.start), end: instant(blocked.end) },
});

/** A booking by staff. */
async function create(ctx: Ctx, input: unknown): Promise<Appointment> {
  const { serviceId, staffId, startsAt, seats, customer, customerId, ...details } = input as CreateOf<typeof createBody>;
  const who = await resolveCustomer(ctx, customer, customerId);
  const [row] = await book(
    ctx,
    { items: [{ serviceId, staffId }], startsAt, seats, asCustomer: false },
    details,
    async () => who,
    () => ({ status: 'confirmed', holdExpiresAt: null, depositOf: () => null }),
  );
  return row as Appointment;
}

type Patch = Partial<CreateOf<typeof patchBody>>;

/** Another time, member of staff or service is checked like a new booking, without the appointment's own time. */
async function change(ctx: Ctx, row: Appointment, patch: Patch): Promise<Partial<Appointment> | undefined> {
  const { startsAt, staffId, serviceId } = patch;
  if (startsAt === undefined && staffId === undefined && serviceId === undefined) return undefined;
  const item = { serviceId: serviceId ?? row.serviceId, staffId: staffId === undefined ? row.staffId : staffId };
  const [moved] = await reschedule(ctx, [row], { items: [item], startsAt: startsAt ?? row.startsAt, asCustomer: false });
  return moved;
}

/**
 * Takes new times for appointments that move together and returns their changes, in order, for the caller to write.
 * @throws 409 `invalid_transition` unless pending or confirmed, and as `place`; the old times stay then
 */
export async function reschedule(
  ctx: Ctx,
  rows: readonly Appointment[],
  request: Omit<Request, 'seats' | 'own'>,
): Promise<Partial<Appointment>[]> {
  for (const row of rows) {
    if (row.status !== 'pending' && row.status !== 'confirmed')
      throw invalidTransition(row.status, row.status, machine.allowed(row.status));
    checkNotLapsed(ctx, holds, row);
  }
  const [first] = rows as [Appointment];
  const placed = await place(ctx, { ...request, seats: first.seats, own: rows.map(seatsOf) });
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
