import { type Installation, type Kernel, readInstallation } from '@storeloom/core';
import { sql, uuidv7 } from '@storeloom/plugin-sdk';
import { benchTenant } from './shop.ts';

export const zone = benchTenant.timezone;
export const from = '2030-03-11';
/** 31 days that include a clock change. */
export const to = '2030-04-10';
const staffCount = 20;
const bookings = 2000;

/** A shop with the booking plugin and the foundation. */
export async function bookingShop(): Promise<Installation> {
  return { ...(await readInstallation(process.cwd())), plugins: ['@storeloom/plugin-booking'], demo: [benchTenant] };
}

/** Creates 20 staff who work from nine to five, a service of 30 minutes and 2,000 appointments in the month. Returns the service's id. */
export function fillBookings(kernel: Kernel, tenantId: string): Promise<string> {
  return kernel.inTenant(tenantId, 'booking', async (ctx) => {
    const serviceId = uuidv7(ctx.clock.ms());
    const hours = JSON.stringify(
      Object.fromEntries(
        ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, [{ start: '09:00', end: '17:00' }]]),
      ),
    );
    await ctx.db.run(sql`
      insert into booking_service (tenant_id, id, name, duration_min, buffer_before_min, buffer_after_min, slot_align, price_amount, price_currency,
        capacity, min_notice_min, cancel_cutoff_min, requires_confirmation, is_active, created_at, updated_at)
      values (${tenantId}, ${serviceId}, 'Consultation', 30, 0, 0, 'window', 10000, 'RON', 1, 60, 0, false, true, now(), now())`);
    await ctx.db.run(sql`
      insert into booking_staff (tenant_id, id, name, turnover_min, timezone, service_ids, weekly_hours, breaks, overrides, time_off, priority, is_active, created_at, updated_at)
      select ${tenantId}, gen_random_uuid(), 'Person ' || n, 0, ${zone}, ${JSON.stringify([serviceId])}::jsonb, ${hours}::jsonb, '{}', '[]', '[]', 0, true, now(), now()
      from generate_series(1, ${staffCount}::int) n`);
    // About every fifth slot, the same in every run.
    await ctx.db.run(sql`
      insert into booking_session (tenant_id, id, staff_id, service_id, starts_at, ends_at, blocked_from, blocked_until, seats, created_at, updated_at)
      select ${tenantId}, gen_random_uuid(), staff_id, ${serviceId}, at, at + interval '30 minutes', at, at + interval '30 minutes', 1, now(), now() from (
        select s.id as staff_id, (day + slot * interval '30 minutes' + interval '9 hours') at time zone ${zone} as at,
          row_number() over (order by md5(s.name || day::text || slot::text)) as n
        from booking_staff s, generate_series(${from}::timestamp, ${to}::timestamp, interval '1 day') day, generate_series(0, 15) slot
        where s.tenant_id = ${tenantId}) wanted where n <= ${bookings}::int`);
    await ctx.db.run(sql`
      insert into booking_appointment (tenant_id, id, service_id, staff_id, customer, starts_at, ends_at, blocked, seats, price_amount, price_currency,
        deposit_paid, source, reference, reschedule_count, locale, status, created_at, updated_at)
      select tenant_id, gen_random_uuid(), service_id, staff_id, '{"name": "Customer", "email": null, "phone": "+40700000000"}', starts_at, ends_at, '{}', 1, 10000, 'RON',
        false, 'bench', id::text, 0, 'ro', 'confirmed', now(), now() from booking_session`);
    return serviceId;
  });
}
