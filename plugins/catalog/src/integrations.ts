/** Tokens of optional plugins: only types are imported, so that their packages needn't be installed. */
import { service, token } from '@storeloom/plugin-sdk';
import type { metafields } from '@storeloom/plugin-workspace/contract';

export const metafieldsService = token<typeof metafields>('workspace:metafields');

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
