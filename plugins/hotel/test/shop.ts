import { must, type TestClient, type TestShop, type TestTenant, testShop } from '@storeloom/testing';

export { must, patiently, sentCalendars } from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many kinds.
export type Json = Record<string, any>;
export const ron = (amount: number) => ({ amount, currency: 'RON' });

/** It is the first of July 2026, 09:00 in Bucharest. */
export const hotelShop = (options: Partial<Parameters<typeof testShop>[0]> = {}): Promise<TestShop> =>
  testShop({ plugins: ['hotel'], now: '2026-07-01T06:00:00.000Z', ...options });

export const setUp = (tenant: TestTenant, values: Json): Promise<void> => tenant.run('hotel', (ctx) => ctx.saveSettings(values));

let made = 0;
export function addRoom(tenant: TestTenant, more: Json = {}): Promise<Json> {
  const body = { number: `R${++made}`, roomType: 'double', maxAdults: 2, baseRate: ron(10_000), ...more };
  return must(tenant.admin.post<Json>('/api/admin/rooms/', body), 201);
}
/** A type of its own with so many rooms. */
export async function addType(tenant: TestTenant, rooms: number, more: Json = {}): Promise<{ roomType: string; rooms: Json[] }> {
  const roomType = `type-${++made}`;
  const all: Json[] = [];
  for (let i = 0; i < rooms; i++) all.push(await addRoom(tenant, { roomType, ...more }));
  return { roomType, rooms: all };
}

const stay = (more: Json): Json => ({
  checkIn: '2026-07-10',
  checkOut: '2026-07-12',
  adults: 1,
  guest: { firstName: 'Guest', lastName: `No ${++made}`, email: `guest${made}@example.org` },
  ...more,
});
export const book = (client: TestClient, more: Json) => client.post<Json>('/api/admin/reservations-hotel/', stay(more));
export const reserved = (tenant: TestTenant, more: Json): Promise<Json> => must(book(tenant.admin, more), 201);
export const change = (tenant: TestTenant, id: string, body: Json) =>
  tenant.admin.patch<Json>(`/api/admin/reservations-hotel/${id}`, body);
export const act = (tenant: TestTenant, id: string, what: 'check-in' | 'check-out', body: Json = {}) =>
  tenant.admin.post<Json>(`/api/admin/reservations-hotel/${id}/${what}`, body);

export async function offered(tenant: TestTenant, roomType: string, checkIn: string, checkOut: string): Promise<Json> {
  const query = `checkIn=${checkIn}&checkOut=${checkOut}&roomType=${roomType}`;
  return (await must(tenant.admin.get<Json>(`/api/admin/rooms/availability?${query}`), 200)).data[0];
}
export async function publicOffer(tenant: TestTenant, roomType: string, checkIn: string, checkOut: string): Promise<Json> {
  const query = `checkIn=${checkIn}&checkOut=${checkOut}&roomType=${roomType}`;
  return (await must(tenant.guest.get<Json>(`/api/storefront/availability?${query}`), 200)).data[0];
}
