import { must, type TestClient, type TestShop, type TestTenant, testShop } from '@storeloom/testing';

export { must } from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many kinds.
export type Json = Record<string, any>;
export const ron = (amount: number) => ({ amount, currency: 'RON' });

/** It is the first of May 2026, 12:00 in Bucharest. */
export const restaurantShop = (options: Partial<Parameters<typeof testShop>[0]> = {}): Promise<TestShop> =>
  testShop({ plugins: ['restaurant'], now: '2026-05-01T09:00:00.000Z', ...options });

export const setUp = (tenant: TestTenant, values: Json): Promise<void> =>
  tenant.run('restaurant', (ctx) => ctx.saveSettings(values));

let made = 0;
export const fresh = (): number => ++made;
export function addTable(tenant: TestTenant, more: Json = {}): Promise<Json> {
  return must(tenant.admin.post<Json>('/api/admin/tables/', { label: `T${fresh()}`, seats: 4, ...more }), 201);
}
/** Tables in an area of their own. */
export async function addArea(
  tenant: TestTenant,
  seats: readonly number[],
  more: Json = {},
): Promise<{ area: string; tables: Json[] }> {
  const area = `area-${fresh()}`;
  const tables: Json[] = [];
  for (const each of seats) tables.push(await addTable(tenant, { area, seats: each, ...more }));
  return { area, tables };
}

export const party = (more: Json): Json => ({
  name: `Guest ${fresh()}`,
  email: `guest${made}@example.org`,
  partySize: 2,
  startsAt: '2026-05-04T16:00:00.000Z',
  ...more,
});
export const reserve = (client: TestClient, more: Json) => client.post<Json>('/api/admin/restaurant-reservations/', party(more));
export const reserved = (tenant: TestTenant, more: Json): Promise<Json> => must(reserve(tenant.admin, more), 201);
export const ask = (client: TestClient, more: Json) =>
  client.post<Json>('/api/storefront/reservations', party({ consent: true, ...more }));
export const change = (tenant: TestTenant, id: string, body: Json) =>
  tenant.admin.patch<Json>(`/api/admin/restaurant-reservations/${id}`, body);
export async function find(tenant: TestTenant, query: string): Promise<Json[]> {
  return (await must(tenant.admin.get<Json>(`/api/admin/restaurant-reservations/?limit=100&${query}`), 200)).data;
}
export async function occupancy(tenant: TestTenant, table: Json, at?: string): Promise<string> {
  const query = at ? `&at=${encodeURIComponent(at)}` : '';
  const list = await must(tenant.admin.get<Json>(`/api/admin/tables/?id=${table.id}${query}`), 200);
  return list.data[0].occupancy;
}

export async function addItem(tenant: TestTenant, more: Json = {}): Promise<Json> {
  const categoryId = more.categoryId ?? (await addCategory(tenant)).id;
  return must(
    tenant.admin.post<Json>('/api/admin/menu/', { name: `Dish ${fresh()}`, price: ron(1000), ...more, categoryId }),
    201,
  );
}
export const addCategory = (tenant: TestTenant, more: Json = {}): Promise<Json> =>
  must(tenant.admin.post<Json>('/api/admin/menu/categories', { name: `Category ${fresh()}`, ...more }), 201);

export const open = (client: TestClient, body: Json) => client.post<Json>('/api/admin/table-orders/', body);
export const round = (client: TestClient, id: string, items: Json[]) =>
  client.post<Json>(`/api/admin/table-orders/${id}/items`, { items });
export const move = (client: TestClient, id: string, body: Json) =>
  client.patch<Json>(`/api/admin/table-orders/${id}/status`, body);
/** A check with one round, on a table of its own. */
export async function check(tenant: TestTenant, item: Json, more: Json = {}): Promise<Json> {
  const table = more.tableId ? { id: more.tableId } : await addTable(tenant);
  const body = { rounds: [{ items: [{ menuItemId: item.id, qty: 1 }] }], ...more, tableId: table.id };
  return must(open(tenant.admin, body), 201);
}
/** Moves every item to served, and the check on to billed. */
export async function serve(tenant: TestTenant, row: Json): Promise<Json> {
  const items = row.rounds.flatMap((one: Json) => one.items) as Json[];
  await must(move(tenant.admin, row.id, { status: 'sent' }), 200);
  for (const status of ['preparing', 'ready', 'served'])
    await must(move(tenant.admin, row.id, { items: items.map(({ id }) => ({ id, status })) }), 200);
  for (const status of ['ready', 'served']) await must(move(tenant.admin, row.id, { status }), 200);
  return must(move(tenant.admin, row.id, { status: 'billed' }), 200);
}
