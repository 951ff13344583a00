import type { Ctx } from '@storeloom/plugin-sdk';
import { adminUrl, storefrontUrl } from '@storeloom/plugin-sdk/public';

function withToken(address: string, token: string): string {
  const url = new URL(address);
  url.searchParams.set('token', token);
  return url.href;
}
export function storefrontLink(ctx: Ctx, path: string, token: string): string {
  return withToken(storefrontUrl(ctx, path), token);
}
export function adminLink(ctx: Ctx, path: string, token: string): string {
  return withToken(adminUrl(ctx, path), token);
}
export const paths = {
  resetPassword: '/reset-password',
  verifyEmail: '/verify-email',
  acceptInvitation: '/accept-invitation',
} as const;
