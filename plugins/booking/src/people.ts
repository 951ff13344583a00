import { type Ctx, type Person, type peopleErase, type peopleExport, sql, type TapFn } from '@storeloom/plugin-sdk';
import { appointment } from './appointment.ts';
import type { Appointment } from './appointment-fields.ts';
import { staff } from './staff.ts';
import type { Staff } from './staff-fields.ts';

async function bookedBy(ctx: Ctx, { customerId, emails, phones }: Person): Promise<Appointment[]> {
  const ids = await ctx.db.rows<{ id: string }>(sql`
    select id from booking_appointment where tenant_id = ${ctx.tenant.id} and (customer_id = ${customerId ?? null}::uuid
      or customer ->> 'email' = any(${emails.map((email) => email.toLowerCase())}::text[]) or customer ->> 'phone' = any(${[...phones]}::text[]))`);
  return ids.length === 0
    ? []
    : ((await ctx.rows(appointment).find({ id: ids.map(({ id }) => id) }, { orderBy: ['id'] })) as Appointment[]);
}

/** Staff with a record of their own. */
async function workingAs(ctx: Ctx, { userId, emails }: Person): Promise<Staff[]> {
  const ids = await ctx.db.rows<{ id: string }>(sql`
    select id from booking_staff where tenant_id = ${ctx.tenant.id} and (user_id = ${userId ?? null}::uuid
      or lower(email) = any(${emails.map((email) => email.toLowerCase())}::text[]))`);
  return ids.length === 0 ? [] : ((await ctx.rows(staff).find({ id: ids.map(({ id }) => id) }, { orderBy: ['id'] })) as Staff[]);
}

export const exportPerson: TapFn<typeof peopleExport> = async (ctx: Ctx, person) => {
  const booked = await bookedBy(ctx, person);
  const works = await workingAs(ctx, person);
  return [
    ...(booked.length > 0 ? [{ resource: 'booking.appointment', rows: booked.map((row) => ({ ...row })) }] : []),
    ...(works.length > 0
      ? [{ resource: 'booking.staff', rows: works.map(({ id, name, email, phone }) => ({ id, name, email, phone })) }]
      : []),
  ];
};

const isOpen = ({ status, endsAt }: Appointment, now: string): boolean =>
  (status === 'pending' || status === 'confirmed' || status === 'checked_in') && endsAt > now;

/** What was booked stays, with nobody's name; who is still to come is kept until they were there. Staff lose address and number. */
export const erasePerson: TapFn<typeof peopleErase> = async (ctx: Ctx, person) => {
  const booked = await bookedBy(ctx, person);
  const now = ctx.clock.now();
  const kept = booked.filter((row) => isOpen(row, now));
  const gone = booked.filter((row) => !isOpen(row, now));
  for (const { id } of gone)
    await ctx
      .rows(appointment)
      .update(id, { customer: { name: 'erased', email: null, phone: null }, customerId: null, notes: null });
  const last = kept
    .map(({ endsAt }) => endsAt)
    .sort()
    .at(-1);
  person.report({
    resource: 'booking.appointment',
    erased: gone.length,
    ...(last === undefined ? {} : { kept: { count: kept.length, reason: 'open_appointment', until: last } }),
  });
  const works = await workingAs(ctx, person);
  for (const { id } of works) await ctx.rows(staff).update(id, { email: null, phone: null, userId: null });
  person.report({ resource: 'booking.staff', erased: works.length });
};
