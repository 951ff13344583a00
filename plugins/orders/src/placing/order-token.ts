import type { Ctx } from '@storeloom/plugin-sdk';
import { hashToken, tokenMatches } from '@storeloom/plugin-sdk/public';
import type { OrderRow } from '../load.ts';

const tokenDays = 180;

/**
 * The buyer's token of an order: 256 bits derived from the installation's key, so that later e-mails can contain it although only its hash
 * is stored.
 */
export function orderToken(ctx: Ctx, orderId: string): string {
  return ctx.sign('orders.order-token', `${ctx.tenant.id} ${orderId}`);
}

export function tokenColumns(ctx: Ctx, orderId: string): Pick<OrderRow, 'tokenHash' | 'tokenExpiresAt'> {
  return {
    tokenHash: hashToken(orderToken(ctx, orderId)),
    tokenExpiresAt: new Date(ctx.clock.ms() + tokenDays * 86_400_000).toISOString(),
  };
}

/** Whether the token matches and hasn't expired. */
export function isTokenValid(ctx: Ctx, row: Pick<OrderRow, 'tokenHash' | 'tokenExpiresAt'>, token: string | undefined): boolean {
  return tokenMatches(token, row.tokenHash) && row.tokenExpiresAt > ctx.clock.now();
}

/** Token for an e-mail; undefined if it is no longer valid (expired, or derived from an older key). */
export function mailToken(ctx: Ctx, row: Pick<OrderRow, 'id' | 'tokenHash' | 'tokenExpiresAt'>): string | undefined {
  const token = orderToken(ctx, row.id);
  return isTokenValid(ctx, row, token) ? token : undefined;
}
