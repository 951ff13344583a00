import type { Ctx } from '@storeloom/plugin-sdk';
import { storefrontUrl } from '@storeloom/plugin-sdk/public';
import type { OrderRow } from './load.ts';
import { mailToken } from './placing/order-token.ts';

/** Storefront URL of the order, with the buyer's token. */
export function orderLink(ctx: Ctx, row: OrderRow): string {
  const url = new URL(storefrontUrl(ctx, `/orders/${row.id}`));
  const token = mailToken(ctx, row);
  if (token !== undefined) url.searchParams.set('token', token);
  return url.href;
}
