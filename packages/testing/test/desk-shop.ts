import { fileURLToPath } from 'node:url';
import { type TestShop, type TestShopOptions, testShop } from '../src/index.ts';
import plugin from './desks/src/index.ts';

/** A shop with a plugin that lends desks: it has each kind of resource that could be double-booked. */
export function deskShop(options: Partial<TestShopOptions> = {}): Promise<TestShop> {
  return testShop({ plugins: [fileURLToPath(new URL('desks', import.meta.url))], modules: { desks: plugin }, ...options });
}

export async function makeDesk(shop: TestShop, name = 'Desk'): Promise<string> {
  const { status, body } = await shop.a.admin.post<{ id: string }>('/api/admin/desks/', { name });
  if (status !== 201) throw new Error(`the desk was answered with ${status}: ${JSON.stringify(body)}`);
  return body.id;
}
