import { addDays, civilDate } from '@storeloom/plugin-sdk/time';
import { must, type TestClient, type TestShop, type TestTenant, testShop } from '@storeloom/testing';

export { must } from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many kinds.
export type Json = Record<string, any>;
export const ron = (amount: number) => ({ amount, currency: 'RON' });

/** Its clock stands: days that a test counts from now on are the same ones to its end, also around midnight. */
export const bookingShop = (options: Partial<Parameters<typeof testShop>[0]> = {}): Promise<TestShop> =>
  testShop({ plugins: ['booking'], now: new Date().toISOString(), ...options });

export const everyDay = (start: string, end: string): Json =>
  Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, [{ start, end }]]));

let made = 0;
export function addService(tenant: TestTenant, more: Json = {}): Promise<Json> {
  const body = { name: `Service ${++made}`, durationMin: 30, price: ron(5000), ...more };
  return must(tenant.admin.post<Json>('/api/admin/services/', body), 201);
}
/** Works around the clock, in UTC, unless told otherwise. */
export function addStaff(tenant: TestTenant, services: readonly Json[], more: Json = {}): Promise<Json> {
  const serviceIds = services.map(({ id }) => id);
  const body = { name: `Person ${++made}`, timezone: 'UTC', weeklyHours: everyDay('00:00', '24:00'), serviceIds, ...more };
  return must(tenant.admin.post<Json>('/api/admin/staff/', body), 201);
}

/** An instant so many days from now, at an hour of UTC. */
export const at = (shop: TestShop, days: number, time: string): string =>
  `${addDays(civilDate(shop.clock.now(), 'UTC'), days)}T${time}:00.000Z`;

export const person = (i: number | string = 0) => ({ name: `Customer ${i}`, email: `customer${i}@example.org`, consent: true });

export const book = (client: TestClient, body: Json) =>
  client.post<Json>('/api/storefront/booking/appointments', { ...person(), ...body });
export const enter = (tenant: TestTenant, body: Json) =>
  tenant.admin.post<Json>('/api/admin/appointments/', { customer: { name: 'Caller', phone: '+40711111111' }, ...body });

export async function free(client: TestClient, query: Record<string, string>): Promise<Json> {
  return must(client.get<Json>(`/api/storefront/booking/availability?${new URLSearchParams(query)}`), 200);
}
/** Starts as instants. */
export const startsOf = (availability: Json): string[] =>
  availability.days.flatMap(({ slots }: Json) => slots.map(({ start }: Json) => new Date(start).toISOString()));

export async function appointments(tenant: TestTenant, query = ''): Promise<Json[]> {
  return (await must(tenant.admin.get<Json>(`/api/admin/appointments/?limit=100${query}`), 200)).data;
}

/** Pairs of blocking sessions of one member of staff that overlap: there may be none. */
export async function overlapping(shop: TestShop): Promise<number> {
  const [row] = await shop.rows<{ n: number }>(`
    select count(*)::int as n from booking_session a join booking_session b on a.tenant_id = b.tenant_id and a.staff_id = b.staff_id
      and a.id < b.id and a.blocked_from < b.blocked_until and b.blocked_from < a.blocked_until`);
  return row?.n ?? 0;
}

/** Seats of sessions without an appointment that holds them, and the other way round: there may be none. */
export async function adrift(shop: TestShop): Promise<number> {
  const [row] = await shop.rows<{ n: number }>(`
    select count(*)::int as n from booking_session s full join
      (select tenant_id, staff_id, starts_at, sum(seats)::int as seats from booking_appointment
        where status in ('pending', 'confirmed', 'checked_in', 'completed', 'no_show') group by 1, 2, 3) a
      on a.tenant_id = s.tenant_id and a.staff_id = s.staff_id and a.starts_at = s.starts_at
    where s.seats is distinct from a.seats`);
  return row?.n ?? 0;
}
