import { type Ctx, f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  /** Where the links of mails to customers lead. Default: the shop's first host. */
  storefrontUrl: f.url().optional(),
  /** The same for mails to staff. Default: `/admin` on the shop's first host. */
  adminUrl: f.url().optional(),
} satisfies Shape;

function origin(host: string | undefined): string {
  const name = host ?? 'localhost';
  return `${name === 'localhost' || name.endsWith('.localhost') ? 'http' : 'https'}://${name}`;
}
/** Made from the tenant's own hosts and settings, never from the request: a forged Host must not get into a mail. */
function link(base: string, path: string, token: string): string {
  const url = new URL(`${base.replace(/\/+$/, '')}${path}`);
  url.searchParams.set('token', token);
  return url.href;
}
export function storefrontLink(ctx: Ctx, path: string, token: string): string {
  return link(ctx.settings(settings).storefrontUrl ?? origin(ctx.tenant.hosts[0]), path, token);
}
export function adminLink(ctx: Ctx, path: string, token: string): string {
  return link(ctx.settings(settings).adminUrl ?? `${origin(ctx.tenant.hosts[0])}/admin`, path, token);
}
export const paths = {
  resetPassword: '/reset-password',
  verifyEmail: '/verify-email',
  acceptInvitation: '/accept-invitation',
} as const;
