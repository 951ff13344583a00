import type { TestShopOptions } from '@storeloom/testing';
import type { Json } from '../../plugins/checkout/test/goods.ts';
import { openTill, type Till } from '../../plugins/checkout/test/till.ts';
import installation from '../../storeloom.config.ts';
import { type Api, startApis } from './processes.ts';

/** Every plugin of the repository's installation. */
export const everyPlugin: readonly string[] = installation.plugins;

/** The repository's installation with two shops, and the API processes that serve it beside the test's own. */
export interface House extends Till {
  apis: Api[];
  post(path: string, body: Record<string, unknown>): Promise<Json>;
  /** Makes a product with so many in stock; gives its variant. */
  stocked(price: number, onHand: number, more?: Record<string, unknown>): Promise<string>;
}

let count = 0;
export async function openHouse(processes: number, options: Partial<TestShopOptions> = {}): Promise<House> {
  const till = await openTill(everyPlugin, options);
  const { shop } = till;
  const apis = await startApis(shop, processes);
  const post = async (path: string, body: Record<string, unknown>): Promise<Json> => {
    const answer = await shop.a.admin.post<Json>(path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  return {
    ...till,
    apis,
    post,
    async stocked(price, onHand, more = {}) {
      count += 1;
      const made = await post('/api/admin/products/', {
        title: `Thing ${count}`,
        status: 'active',
        // Nothing to send: what races here is stock, codes and carts.
        type: 'service',
        variants: [{ sku: `HOUSE-${count}`, optionValues: {}, price: { amount: price, currency: 'RON' }, trackInventory: true }],
        ...more,
      });
      const variantId = made.variants[0].id as string;
      await post(`/api/admin/inventory/${variantId}/adjust`, { delta: onHand, reason: 'received' });
      return variantId;
    },
    async stop() {
      await Promise.all(apis.map((api) => api.kill()));
      await till.stop();
    },
  };
}
