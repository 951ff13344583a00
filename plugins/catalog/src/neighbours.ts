/** Tokens of optional plugins: only types are imported, so that their packages needn't be installed. */
import type { linesResolve, placeCheck, pricing } from '@storeloom/plugin-checkout/contract';
import type { currencyUses, fx } from '@storeloom/plugin-currencies/contract';
import type { customers } from '@storeloom/plugin-customers/contract';
import type { stock } from '@storeloom/plugin-inventory/contract';
import type { orders } from '@storeloom/plugin-orders/contract';
import type { quotas, quotaUsage } from '@storeloom/plugin-platform/contract';
import { service, token } from '@storeloom/plugin-sdk';
import type { metafields } from '@storeloom/plugin-workspace/contract';

export const linesResolveHook = token<typeof linesResolve>('checkout:lines.resolve');
export const placeCheckHook = token<typeof placeCheck>('checkout:place.check');
export const stockService = token<typeof stock>('inventory:stock');
export const ordersService = token<typeof orders>('orders:orders');
export const customersService = token<typeof customers>('customers:customers');
export const metafieldsService = token<typeof metafields>('workspace:metafields');
export const fxService = token<typeof fx>('currencies:fx');
export const currencyUsesHook = token<typeof currencyUses>('currencies:currency.uses');

export const quotasService = token<typeof quotas>('platform:quotas');
export const quotaUsageHook = token<typeof quotaUsage>('platform:quota.usage');
export const pricingService = token<typeof pricing>('checkout:pricing');

/** Plugin content: moved addresses. */
export interface Redirects {
  add(redirect: { fromPath: string; to: string }): Promise<void>;
  find(path: string): Promise<{ to: string; code: number } | undefined>;
}
export const redirectsService = service<Redirects>('content:redirects');

/** Path of a product's page, as redirects know it. */
export function productPath(slug: string): string {
  return `/products/${slug}`;
}
