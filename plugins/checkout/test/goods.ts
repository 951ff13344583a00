import { type FilledCart, filledCart, sellableProduct, type TestTenant } from '@storeloom/testing';

// biome-ignore lint/suspicious/noExplicitAny: API responses, which assertions check
export type Json = any;
export const ron = (amount: number) => ({ amount, currency: 'RON' });

/** Creates an active product of goods with one variant. */
export const product = (
  tenant: TestTenant,
  price: number,
  more: Record<string, unknown> = {},
  variant: Record<string, unknown> = {},
): Promise<{ productId: string; variantId: string }> => sellableProduct(tenant, price, { type: 'physical', ...more }, variant);

export const cartPath = '/api/storefront/cart';

/** Creates a visitor whose cart contains the variants. */
export const visitor = (tenant: TestTenant, ...goods: [variantId: string, quantity: number][]): Promise<FilledCart<Json>> =>
  filledCart<Json>(tenant.guest, ...goods);
