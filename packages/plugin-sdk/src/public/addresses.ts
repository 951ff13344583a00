import type { Ctx } from '../context.ts';
import { f } from '../field.ts';
import { service } from '../token.ts';

/** Where the shop's pages are, if staff have said so; plugin workspace answers. */
export interface ShopUrls {
  readonly storefront: string | null;
  readonly admin: string | null;
}
export const shopUrls = service<ShopUrls>('workspace:addresses');

/**
 * The shop's first host, as an origin without a slash at its end. Addresses in mails are made from the tenant's own hosts and settings,
 * never from a request: a forged Host must not get into a mail.
 */
export function shopOrigin({ tenant }: Pick<Ctx, 'tenant'>): string {
  const host = tenant.hosts[0] ?? 'localhost';
  return `${host === 'localhost' || host.endsWith('.localhost') ? 'http' : 'https'}://${host}`;
}

/** A page of the storefront. `path` begins with a slash. */
export function storefrontUrl(ctx: Ctx, path: string): string {
  return `${(ctx.use(shopUrls)?.storefront ?? shopOrigin(ctx)).replace(/\/+$/, '')}${path}`;
}
/** A page of the administration: `/admin` on the shop's first host unless staff have said otherwise. `path` begins with a slash. */
export function adminUrl(ctx: Ctx, path: string): string {
  return `${(ctx.use(shopUrls)?.admin ?? `${shopOrigin(ctx)}/admin`).replace(/\/+$/, '')}${path}`;
}

/** The address of a picture or link that a shop shows: absolute, or a path on the shop's host. Never another scheme, which could run. */
export const linkField = () => f.text({ max: 2000, pattern: /^(?:https?:\/\/[^\s\\]+|\/(?!\/)[^\s\\]*)$/i });
