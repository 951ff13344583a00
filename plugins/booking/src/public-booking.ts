import { payable } from '@storeloom/commerce';
import { type Ctx, commitThen, f, invalid, type RowOf, type Shape, sql } from '@storeloom/plugin-sdk';
import { issueManageToken, publicPost } from '@storeloom/plugin-sdk/public';
import { holdUntil } from '@storeloom/plugin-sdk/reserve';
import { instant } from '@storeloom/plugin-sdk/time';
import { appointment, book, type Terms } from './appointment.ts';
import { type Appointment, statuses } from './appointment-fields.ts';
import { customerOf } from './customer.ts';
import { cancelByCustomer, rescheduleByCustomer } from './manage.ts';
import { depositOf, startPayment } from './payment.ts';
import type { Item, Placed } from './place.ts';
import { paymentHoldMin, settings } from './settings.ts';

const person = {
  startsAt: f.localInstant(),
  name: f.text(),
  email: f.email().optional(),
  phone: f.phone().optional(),
  timezone: f.timeZone().optional(),
  notes: f.text({ max: 2000 }).optional(),
  /** Where the payment page returns the customer to. */
  returnUrl: f.url().optional(),
} satisfies Shape;
const one = { serviceId: f.id(), staffId: f.id().optional() } satisfies Shape;

const answer = {
  reference: f.text(),
  status: f.oneOf(statuses),
  items: f.list(f.object({ service: f.text(), staffName: f.text(), startsAt: f.instant(), endsAt: f.instant() })),
  timezone: f.timeZone(),
  total: f.money(),
  holdExpiresAt: f.instant().optional(),
  paymentUrl: f.url().optional(),
  /** Shown once; with it this route cancels and reschedules. */
  manageToken: f.text().optional(),
} satisfies Shape;

/** The customer's view of a booking; nothing of other customers. */
async function view(
  ctx: Ctx,
  rows: readonly Appointment[],
  shownOnce: { paymentUrl: string | null; manageToken: string | null },
) {
  const [first] = rows as [Appointment];
  const names = await ctx.db.rows<{ id: string; name: string }>(sql`
    select id, name from booking_service where tenant_id = ${ctx.tenant.id} and id = any(${rows.map((row) => row.serviceId)}::uuid[])
    union all select id, name from booking_staff where tenant_id = ${ctx.tenant.id} and id = any(${rows.map((row) => row.staffId)}::uuid[])`);
  const nameOf = (id: string | null): string => names.find((row) => row.id === id)?.name ?? '';
  return {
    reference: first.basketId === null ? first.reference : first.reference.replace(/-\d$/, ''),
    status: first.status,
    items: rows.map(({ serviceId, staffId, startsAt, endsAt }) => ({
      service: nameOf(serviceId),
      staffName: nameOf(staffId),
      startsAt,
      endsAt,
    })),
    timezone: first.timezone ?? ctx.tenant.timezone,
    total: { amount: rows.reduce((sum, { price, seats }) => sum + price.amount * seats, 0), currency: first.price.currency },
    holdExpiresAt: first.holdExpiresAt,
    ...shownOnce,
  };
}
const nothingOnce = { paymentUrl: null, manageToken: null };

/** Confirmed, unless a deposit is due or staff must approve it. */
function termsOf(ctx: Ctx, placed: readonly Placed[]): Terms {
  const start = instant((placed[0] as Placed).start);
  const due = placed.some(({ service }) => (service.deposit?.amount ?? 0) > 0);
  const waits = due || placed.some(({ service }) => service.requiresConfirmation);
  const minutes = due ? paymentHoldMin : ctx.settings(settings).approvalHoldHours * 60;
  return {
    status: waits ? 'pending' : 'confirmed',
    holdExpiresAt: waits ? holdUntil(ctx, minutes, start) : null,
    depositOf: ({ service }) => (service.deposit && service.deposit.amount > 0 ? service.deposit : null),
  };
}

async function bookAsCustomer(ctx: Ctx, items: readonly Item[], seats: number, body: RowOf<typeof person>) {
  const { startsAt, name, email, phone, timezone, notes, returnUrl } = body;
  if (email === null && phone === null) throw invalid('/email', 'required', 'is required, or a phone number');
  const customer = { name, email, phone };
  const details = { timezone, notes, source: 'storefront' };
  const rows = await book(
    ctx,
    { items, startsAt, seats, asCustomer: true },
    details,
    async () => ({ customer, customerId: await customerOf(ctx, customer) }),
    (placed) => termsOf(ctx, placed),
  );
  const deposit = depositOf(ctx, rows);
  if (deposit.amount > 0) {
    // The receipt needs an address.
    if (email === null) throw invalid('/email', 'required', 'is required if a deposit is due');
    await ctx.require(payable).requireOnline(deposit);
  }
  const manageToken = issueManageToken(
    ctx,
    appointment,
    rows.map(({ id }) => id),
  );
  const made = await view(ctx, rows, { paymentUrl: null, manageToken });
  if (deposit.amount === 0) return made;
  return commitThen(201, made, async (after) => ({ ...made, paymentUrl: await startPayment(after, rows, returnUrl) }));
}

const manage = {
  table: appointment,
  fields: { startsAt: f.localInstant().optional() },
  actions: {
    cancel: async (ctx: Ctx, rows: readonly Appointment[]) => view(ctx, await cancelByCustomer(ctx, rows), nothingOnce),
    reschedule: async (
      ctx: Ctx,
      rows: readonly Appointment[],
      { startsAt }: { startsAt: RowOf<typeof person>['startsAt'] | null },
    ) => view(ctx, await rescheduleByCustomer(ctx, rows, startsAt), nothingOnce),
  },
};
const problems = [
  'invalid_transition',
  'slot_taken',
  'staff_unavailable',
  'customer_busy',
  'cutoff_passed',
  'expired',
  'outside_hours',
  'too_soon',
  'too_far',
  'provider_not_configured',
];

export const bookOne = publicPost(
  '/booking/appointments',
  {
    summary: 'Books one service; with a manage token reschedules or cancels the booking',
    body: { ...one, seats: f.int({ min: 1, max: 1000 }).default(1), ...person },
    response: answer,
    consent: 'booking',
    entity: 'booking.appointment',
    problems,
    manage,
  },
  (ctx, { serviceId, staffId, seats, ...body }) =>
    bookAsCustomer(ctx, [{ serviceId, staffId }], seats, body as RowOf<typeof person>),
);

export const bookBasket = publicPost(
  '/booking/bookings',
  {
    summary: 'Books up to five consecutive services, all or none',
    mirror: false,
    body: { items: f.list(f.object(one), { min: 1, max: 5 }), ...person },
    response: answer,
    consent: 'booking',
    entity: 'booking.appointment',
    problems,
    manage,
  },
  (ctx, { items, ...body }) => bookAsCustomer(ctx, items, 1, body as RowOf<typeof person>),
);
