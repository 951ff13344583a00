import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { customer } from './customer.ts';

const recentMs = 10 * 60_000;

/** The signed-in customer of this request. */
export function customerId(ctx: Ctx): string {
  if (ctx.actor.type !== 'customer') throw problem('unauthenticated');
  return ctx.actor.customerId;
}

/** For what can't be undone or gives everything away: signed in during the last 10 minutes, and the address confirmed. */
export async function requireRecentSignIn(ctx: Ctx) {
  const { actor } = ctx;
  if (actor.type !== 'customer') throw problem('unauthenticated');
  if (ctx.clock.ms() - Date.parse(actor.authAt) > recentMs) throw problem('reauthentication_required');
  const row = await ctx.rows(customer).require(actor.customerId);
  if (row.emailVerifiedAt === null) throw problem('email_unverified', { detail: 'Verify your e-mail address first.' });
  return row;
}
