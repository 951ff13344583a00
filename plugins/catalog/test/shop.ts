import { catalogVisible } from '@storeloom/commerce';
import { definePlugin, type Plugin } from '@storeloom/plugin-sdk';
import type { TestClient, TestResponse, TestTenant } from '@storeloom/testing';

export const ron = (amount: number) => ({ amount, currency: 'RON' });

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape, read property by property
export type Json = any;

/** Sends a POST and returns the body of a response with the expected status. */
export async function make(client: TestClient, path: string, body: object, status = 201): Promise<Json> {
  const answer: TestResponse<Json> = await client.post(path, body);
  if (answer.status !== status) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

let count = 0;
/** A product that shoppers see, with one variant. */
export function makeProduct(tenant: TestTenant, more: Record<string, unknown> = {}): Promise<Json> {
  count += 1;
  return make(tenant.admin, '/api/admin/products/', {
    title: { ro: `Produs ${count}`, en: `Product ${count}` },
    status: 'active',
    ...('variants' in more ? {} : { price: ron(10_000) }),
    ...more,
  });
}

export const sizes = [{ name: 'Size', values: ['S', 'M', 'L'] }];
export const sized = (sku: string, size: string, price = 10_000, more: Record<string, unknown> = {}) => ({
  sku,
  optionValues: { Size: size },
  price: ron(price),
  ...more,
});

export const productsPath = '/api/admin/products/';
/** A product as staff see it. */
export const readProduct = async (tenant: TestTenant, id: string): Promise<Json> =>
  (await tenant.admin.get(`${productsPath}${id}`)).body;
export const patchProduct = (tenant: TestTenant, id: string, body: object, headers = {}) =>
  tenant.admin.patch<Json>(`${productsPath}${id}`, body, headers);

/** A plugin whose tap of `catalog:visible` hides these products. */
export const hiding = (productIds: ReadonlySet<string>): Plugin =>
  definePlugin({
    name: 'example-hello',
    hooks(h) {
      h.on(catalogVisible, (_, asked) => ({ productIds: asked.productIds.filter((id) => !productIds.has(id)) }));
    },
  });
