import { type Ctx, f, type ListQuery, list, type RowOf, route, type Shape, sql } from '@storeloom/plugin-sdk';
import { civilDate, dayBounds } from '@storeloom/plugin-sdk/time';
import { type Appointment, appointmentFields, searched, statuses } from './appointment-fields.ts';
import { zoneOf } from './settings.ts';

const named = f.object({ id: f.id(), name: f.text() });
const { customer } = appointmentFields;
const row = {
  id: f.id(),
  basketId: f.id().optional(),
  reference: f.text(),
  service: named,
  staff: named,
  customer,
  startsAt: f.instant(),
  endsAt: f.instant(),
  status: f.oneOf(statuses),
  source: f.text(),
} satisfies Shape;

const bookings = (defaultSort: string) =>
  list({
    filters: {
      status: { field: f.oneOf(statuses) },
      staffId: { field: f.id() },
      serviceId: { field: f.id() },
      customerId: { field: f.id() },
      basketId: { field: f.id() },
      source: { field: f.text() },
      startsAt: { field: f.instant() },
    },
    sorts: {
      startsAt: { column: 't.starts_at', type: 'timestamptz' },
      createdAt: { column: 't.created_at', type: 'timestamptz' },
    },
    defaultSort,
    search: searched,
  });

interface Joined extends Omit<Appointment, 'staffId'> {
  staffId: string;
  service: string;
  staff: string;
}

const run = (ctx: Ctx, of: ReturnType<typeof bookings>, query: ListQuery<Record<never, never>>, more = sql`true`) =>
  of.run<Joined, RowOf<typeof row>>(
    ctx,
    query,
    {
      select: sql`t.id, t.basket_id as "basketId", t.reference, t.service_id as "serviceId", s.name as service, t.staff_id as "staffId",
        p.name as staff, t.customer, t.starts_at as "startsAt", t.ends_at as "endsAt", t.status, t.source`,
      from: sql`booking_appointment t join booking_service s on s.tenant_id = t.tenant_id and s.id = t.service_id
        join booking_staff p on p.tenant_id = t.tenant_id and p.id = t.staff_id`,
      where: sql`t.tenant_id = ${ctx.tenant.id} and ${more}`,
    },
    (rows) =>
      rows.map(({ id, basketId, reference, serviceId, service, staffId, staff, customer, startsAt, endsAt, status, source }) => ({
        id,
        basketId,
        reference,
        service: { id: serviceId, name: service },
        staff: { id: staffId, name: staff },
        customer,
        startsAt,
        endsAt,
        status,
        source,
      })),
  );

const all = bookings('-startsAt');
export const bookingList = route(
  'GET',
  '/booking/bookings',
  {
    summary: 'Appointments and baskets of all sources',
    permission: 'booking.appointment.read',
    query: all,
    response: row,
    list: true,
  },
  (ctx, req) => run(ctx, all, req.query),
);

const byStart = bookings('startsAt');
export const bookingsToday = route(
  'GET',
  '/booking/bookings/today',
  {
    summary: "Appointments of today in the shop's time zone, in order",
    permission: 'booking.appointment.read',
    query: byStart,
    response: row,
    list: true,
  },
  (ctx, req) => {
    const zone = zoneOf(ctx);
    const today = civilDate(ctx.clock.now(), zone);
    const { start, end } = dayBounds(today, today, zone);
    return run(ctx, byStart, req.query, sql`t.starts_at >= ${start}::timestamptz and t.starts_at < ${end}::timestamptz`);
  },
);
