import type { Ctx } from '@storeloom/plugin-sdk';
import type { OrderRow } from './load.ts';
import { mailToken } from './order-token.ts';
import { settings } from './settings.ts';

/** The order on the storefront, with the buyer's token. From the shop's own hosts and settings, never from a request. */
export function orderLink(ctx: Ctx, row: OrderRow): string {
  const host = ctx.tenant.hosts[0] ?? 'localhost';
  const local = host === 'localhost' || host.endsWith('.localhost');
  const base = ctx.settings(settings).storefrontUrl ?? `${local ? 'http' : 'https'}://${host}`;
  const url = new URL(`${base.replace(/\/+$/, '')}/orders/${row.id}`);
  const token = mailToken(ctx, row);
  if (token !== undefined) url.searchParams.set('token', token);
  return url.href;
}
