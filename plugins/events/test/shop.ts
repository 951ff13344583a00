import { must, type TestClient, type TestShop, type TestTenant, testShop } from '@storeloom/testing';

export { must, patiently, sentCalendars, sentMails } from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many kinds.
export type Json = Record<string, any>;
export const ron = (amount: number) => ({ amount, currency: 'RON' });

export const eventShop = (options: Partial<Parameters<typeof testShop>[0]> = {}): Promise<TestShop> =>
  testShop({ plugins: ['events'], ...options });

let made = 0;
/** A published event in three weeks, whose doors are open already. */
export async function publish(shop: TestShop, tenant: TestTenant, more: Json = {}): Promise<Json> {
  const startsAt = new Date(shop.clock.ms() + 21 * 86_400_000).toISOString();
  const endsAt = new Date(shop.clock.ms() + 21 * 86_400_000 + 4 * 3_600_000).toISOString();
  const doorsAt = new Date(shop.clock.ms() - 3_600_000).toISOString();
  const body = { title: 'Concert', slug: `concert-${++made}`, startsAt, endsAt, doorsAt, timezone: 'Europe/Bucharest', ...more };
  const event = await must(tenant.admin.post<Json>('/api/admin/events/', body), 201);
  return must(tenant.admin.patch<Json>(`/api/admin/events/${event.id}`, { status: 'published' }), 200);
}

export function addType(tenant: TestTenant, eventId: string, more: Json = {}): Promise<Json> {
  const body = { name: `Type ${++made}`, price: ron(0), ...more };
  return must(tenant.admin.post<Json>(`/api/admin/events/${eventId}/ticket-types`, body), 201);
}

export const buyer = { name: 'Buyer One', email: 'buyer@example.org' };

export function buy(client: TestClient, eventId: string, items: [ticketTypeId: string, quantity: number][], more: Json = {}) {
  return client.post<Json>('/api/storefront/tickets/purchase', {
    eventId,
    items: items.map(([ticketTypeId, quantity]) => ({ ticketTypeId, quantity })),
    buyer,
    consent: true,
    ...more,
  });
}

export async function tickets(tenant: TestTenant, eventId: string, query = ''): Promise<Json[]> {
  return (await must(tenant.admin.get<Json>(`/api/admin/events/${eventId}/tickets?limit=100${query}`), 200)).data;
}

export function scan(tenant: TestTenant, code: string, body: Json) {
  return tenant.admin.post<Json>(`/api/admin/events/${code}/check-in`, body);
}
