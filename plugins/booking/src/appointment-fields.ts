import { type BaseRow, f, likePattern, type RowOf, type Shape, sql } from '@storeloom/plugin-sdk';

export const statuses = [
  'pending',
  'confirmed',
  'declined',
  'expired',
  'cancelled',
  'checked_in',
  'completed',
  'no_show',
] as const;
export type Status = (typeof statuses)[number];
/** Ended without taking place; it holds no time. */
export const hasEnded = (status: Status): boolean => status === 'declined' || status === 'expired' || status === 'cancelled';

const reachable = f
  .object({ name: f.text(), email: f.email().optional(), phone: f.phone().optional() })
  .check(({ email, phone }) =>
    email || phone ? [] : [{ path: ['email'], code: 'required', message: 'is required, or a phone number' }],
  );

export const appointmentFields = {
  serviceId: f.ref('booking.service').filter(),
  /** Without it any staff who offer the service. */
  staffId: f.ref('booking.staff').optional().filter(),
  customer: reachable.optional().private().personal(),
  customerId: f.ref('customers.customer').optional().filter(),
  startsAt: f.instant().filter().sort(),
  endsAt: f.instant().readonly(),
  /** The appointment with buffers and turnover. */
  blocked: f.object({ start: f.instant(), end: f.instant() }).readonly(),
  seats: f.int({ min: 1, max: 1000 }).default(1),
  /** Per seat, at the time of booking. */
  price: f.money().readonly(),
  deposit: f.money().optional().readonly(),
  depositPaid: f.bool().readonly(),
  /** The customer's, for e-mails. */
  timezone: f.timeZone().optional(),
  notes: f.text({ max: 2000 }).optional().private().personal(),
  source: f.text({ max: 60 }).default('admin').filter(),
  reference: f.text({ max: 40 }).readonly().filter(),
  basketId: f.id().optional().readonly().filter(),
  holdExpiresAt: f.instant().optional().readonly(),
  rescheduleCount: f.int().readonly(),
  locale: f.text({ max: 20 }).readonly(),
} satisfies Shape;
export type Appointment = RowOf<typeof appointmentFields> & BaseRow & { status: Status };
export type CustomerData = NonNullable<Appointment['customer']>;

/** `q` of lists: reference, name, e-mail, phone. */
export const searched = (q: string) => {
  const like = likePattern(q);
  return sql`(t.reference ilike ${like} or t.customer ->> 'name' ilike ${like} or t.customer ->> 'email' ilike ${like}
    or t.customer ->> 'phone' ilike ${like})`;
};

const { serviceId, staffId, customer, customerId, seats, timezone, notes, source } = appointmentFields;
/** A start without an offset is local time of the staff. */
export const createBody = {
  serviceId,
  staffId,
  customer,
  customerId,
  startsAt: f.localInstant(),
  seats,
  timezone,
  notes,
  source,
} satisfies Shape;
export const patchBody = { startsAt: f.localInstant(), staffId, serviceId, notes } satisfies Shape;
