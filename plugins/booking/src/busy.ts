import { type BusyTime, type Ctx, type calendarBusy, sql, type TapFn } from '@storeloom/plugin-sdk';

/** calendar.busy: times of staff with appointments, for plugins that schedule the same people. */
export const busyTimes: TapFn<typeof calendarBusy> = async (ctx: Ctx, { from, to, people, by }): Promise<BusyTime[]> => {
  if (by === ctx.plugin) return [];
  const users = people.flatMap(({ userId }) => userId ?? []);
  const emails = people.flatMap(({ email }) => email ?? []);
  const rows = await ctx.db.rows<{ userId: string | null; email: string | null; start: string; end: string }>(sql`
    select p.user_id as "userId", lower(p.email) as email, s.blocked_from as start, s.blocked_until as "end"
    from booking_session s join booking_staff p on p.tenant_id = s.tenant_id and p.id = s.staff_id
    where s.tenant_id = ${ctx.tenant.id} and (p.user_id = any(${users}::uuid[]) or lower(p.email) = any(${emails}::text[]))
      and s.blocked_from < ${to}::timestamptz and s.blocked_until > ${from}::timestamptz
      and s.seats > coalesce((select sum(a.seats) from booking_appointment a where a.tenant_id = s.tenant_id and a.staff_id = s.staff_id
        and a.starts_at = s.starts_at and a.status = 'pending' and a.hold_expires_at <= ${ctx.clock.now()}::timestamptz), 0)
    order by s.blocked_from`);
  return rows.map(({ userId, email, start, end }) => ({
    ...(userId === null ? {} : { userId }),
    ...(email === null ? {} : { email }),
    start,
    end,
    kind: 'booking.appointment',
  }));
};
