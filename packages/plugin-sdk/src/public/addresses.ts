import type { Ctx } from '../context.ts';
import { f } from '../field.ts';
import { service } from '../token.ts';

/** Addresses of the shop's sites, if staff have set them. Provided by the plugin workspace. */
export interface ShopUrls {
  /** Origin of the storefront, or null. */
  readonly storefront: string | null;
  /** Address of the administration, or null. */
  readonly admin: string | null;
  /** Further origins that the shop trusts (`allowedOrigins`). */
  readonly origins: readonly string[];
}
/** Service token of `ShopUrls`. */
export const shopUrls = service<ShopUrls>('workspace:addresses');

/**
 * Returns the origin of the shop's first host, without a trailing slash. Links in e-mails are built from the tenant's hosts and
 * settings, never from a request, so that a forged Host header can't get into them.
 */
export function shopOrigin({ tenant }: Pick<Ctx, 'tenant'>): string {
  const host = tenant.hosts[0] ?? 'localhost';
  return `${host === 'localhost' || host.endsWith('.localhost') ? 'http' : 'https'}://${host}`;
}

/** Returns the URL of a storefront page. `path` begins with a slash. */
export function storefrontUrl(ctx: Ctx, path: string): string {
  return `${(ctx.use(shopUrls)?.storefront ?? shopOrigin(ctx)).replace(/\/+$/, '')}${path}`;
}
/** Returns the URL of an administration page, by default under `/admin` on the shop's first host. `path` begins with a slash. */
export function adminUrl(ctx: Ctx, path: string): string {
  return `${(ctx.use(shopUrls)?.admin ?? `${shopOrigin(ctx)}/admin`).replace(/\/+$/, '')}${path}`;
}

/**
 * Returns true for an http(s) URL of the shop: on one of its hosts, on the storefront's address, or on one of its `allowedOrigins`.
 * Check every URL of a request to which a buyer is sent later, so that a link can't use the shop to lead buyers elsewhere.
 */
export function isShopUrl(ctx: Ctx, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, origin, username, password } = new URL(url);
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '' || password !== '') return false;
  if (ctx.tenant.hosts.includes(hostname)) return true;
  const { storefront = null, origins = [] } = ctx.use(shopUrls) ?? {};
  return [...(storefront === null ? [] : [storefront]), ...origins].some((each) => new URL(each).origin === origin);
}

const linkPattern = /^(?:https?:\/\/[^\s\\]+|\/(?!\/)[^\s\\]*)$/i;

/**
 * Returns a field for the address of an image or link in the storefront: an http(s) URL, or a path on the shop's host. Other
 * schemes are rejected, since they could run scripts.
 */
export const linkField = () => f.text({ max: 2000, pattern: linkPattern });

/** Returns true for an address that `linkField` accepts: an http(s) URL, or a path on the shop's host, of at most 2,000 characters. */
export const isLink = (text: string): boolean => text.length <= 2000 && linkPattern.test(text);
