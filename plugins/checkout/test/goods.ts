import type { TestClient, TestTenant } from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: API responses, which assertions check
export type Json = any;
export const ron = (amount: number) => ({ amount, currency: 'RON' });

let count = 0;
/** Creates an active product with one variant; returns both ids. */
export async function product(
  tenant: TestTenant,
  price: number,
  more: Record<string, unknown> = {},
  variant: Record<string, unknown> = {},
): Promise<{ productId: string; variantId: string }> {
  count += 1;
  const created = await tenant.admin.post<Json>('/api/admin/products/', {
    title: `Thing ${count}`,
    status: 'active',
    variants: [{ sku: `SKU-${count}`, optionValues: {}, price: ron(price), trackInventory: false, ...variant }],
    ...more,
  });
  if (created.status !== 201) throw new Error(`creating a product failed: ${created.text}`);
  return { productId: created.body.id, variantId: created.body.variants[0].id };
}

export const cartPath = '/api/storefront/cart';

/** Creates a visitor whose cart contains the variants. */
export async function visitor(
  tenant: TestTenant,
  ...goods: [variantId: string, quantity: number][]
): Promise<{ client: TestClient; token: string; cart: Json }> {
  let client = tenant.guest;
  let cart: Json;
  let token = '';
  for (const [variantId, quantity] of goods) {
    const added = await client.post<Json>(`${cartPath}/items`, { variantId, quantity });
    if (added.status !== 201) throw new Error(`adding to the cart failed: ${added.text}`);
    cart = added.body;
    token = cart.cartToken;
    client = tenant.guest.with({ 'x-cart-token': token });
  }
  return { client, token, cart };
}
