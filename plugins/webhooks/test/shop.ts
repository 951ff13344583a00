import { event, f, uuidv7 } from '@storeloom/plugin-sdk';
import type { TestShop, TestTenant } from '@storeloom/testing';
import { queued } from '../src/queued.ts';

/** As customers declares it. */
export const customerUpdated = event('customers.customer.updated', { public: true, data: { id: f.id() } });

// biome-ignore lint/suspicious/noExplicitAny: bodies of many kinds.
export type Json = Record<string, any>;

export async function subscribe(tenant: TestTenant, url: string, more: Record<string, unknown> = {}): Promise<Json> {
  const made = await tenant.admin.post<Json>('/api/admin/webhooks/', { url, events: ['customers.*'], ...more });
  if (made.status !== 201) throw new Error(`subscribing answered ${made.status}: ${made.text}`);
  return made.body;
}

/** Announces so many events, each of a customer of its own. */
export async function announce(tenant: TestTenant, count = 1, data: Record<string, unknown> = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await tenant.run('customers', async (ctx) => {
    for (const id of ids) await ctx.emit(customerUpdated, { id, data: { id, ...data } });
  });
  return ids;
}

/** Advances the clock and runs the due deliveries. */
export async function pass(shop: TestShop, tenant: TestTenant, endpointId: string, seconds: number): Promise<void> {
  shop.clock.advance(seconds * 1000);
  await tenant.run('webhooks', (ctx) => ctx.enqueue(queued.dispatch, { endpointId }));
  await shop.settled();
}

export async function deliveries(tenant: TestTenant, endpointId: string, query = ''): Promise<Json[]> {
  const list = await tenant.admin.get<{ data: Json[] }>(
    `/api/admin/webhooks/${endpointId}/deliveries?limit=100&sort=createdAt${query}`,
  );
  if (list.status !== 200) throw new Error(list.text);
  return list.body.data;
}
