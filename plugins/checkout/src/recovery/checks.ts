import { customers, orders } from '@storeloom/commerce';
import { type Ctx, f, sql, table } from '@storeloom/plugin-sdk';
import { normalizeEmail } from '@storeloom/plugin-sdk/people';
import { hashToken } from '@storeloom/plugin-sdk/public';
import { type CartPrice, priceCart } from '../cart/price.ts';
import type { CartRow } from '../cart/table.ts';
import type { AbandonedRow } from './abandoned.ts';

/** Opt-outs from recovery e-mails. Stores a hash, so that the list holds no addresses. */
export const optout = table('recovery-optout', { emailHash: f.text({ max: 64 }) }, { uniques: [{ fields: ['emailHash'] }] });

export const emailHash = (email: string): string => hashToken(normalizeEmail(email));

/** Why a cart can't be recovered. `closeRecovery` says which reasons are final. */
export type RecoveryObstacle =
  | 'converted'
  | 'expired'
  | 'ordered'
  | 'unsubscribed'
  | 'waiting_for_payment'
  | 'active'
  | 'empty'
  | 'no_contact'
  | 'no_consent'
  | 'sold_out'
  | 'cap_reached'
  | 'promotion_unavailable';

/** The e-mail address of a cart or of its customer. */
export async function contactOf(ctx: Ctx, row: Pick<CartRow, 'email' | 'customerId'>): Promise<string | null> {
  if (row.email !== null) return row.email;
  return row.customerId === null ? null : ((await ctx.require(customers).get(row.customerId))?.email ?? null);
}

async function hasConsent(ctx: Ctx, email: string): Promise<boolean> {
  const person = await ctx.require(customers).byEmail(email);
  return person?.status === 'active' && person.acceptsMarketing === true;
}

/** Checks that don't depend on time. Run when staff start a recovery and before each e-mail. */
export async function recoveryObstacle(ctx: Ctx, row: CartRow, email: string | null): Promise<RecoveryObstacle | undefined> {
  if (row.status === 'converted') return 'converted';
  if (row.status === 'expired' || row.status === 'merged') return 'expired';
  if (row.status === 'locked') return 'waiting_for_payment';
  if (row.lines.length === 0) return 'empty';
  if (email === null) return 'no_contact';
  if (await ctx.rows(optout).first({ emailHash: emailHash(email) })) return 'unsubscribed';
  return (await hasConsent(ctx, email)) ? undefined : 'no_consent';
}

/** Checks at the time of sending. Returns the current prices for the e-mail when all pass. */
export async function checkBeforeSending(
  ctx: Ctx,
  row: AbandonedRow,
  cart: CartRow,
  email: string,
  maxPer30Days: number,
): Promise<{ why: RecoveryObstacle } | { price: CartPrice }> {
  if (cart.status !== 'abandoned') return { why: 'active' };
  if ((await ctx.require(orders).countPlaced({ email })) > row.ordersBefore) return { why: 'ordered' };
  if ((await countRecentReminders(ctx, email)) >= maxPer30Days) return { why: 'cap_reached' };
  const price = await priceCart(ctx, cart);
  return price.unavailable.size > 0 || price.short.size > 0 ? { why: 'sold_out' } : { price };
}

async function countRecentReminders(ctx: Ctx, email: string): Promise<number> {
  const since = new Date(ctx.clock.ms() - 30 * 86_400_000).toISOString();
  const row = await ctx.db.first<{ n: number }>(sql`
    select count(*)::int8 as n from checkout_abandoned_cart a, jsonb_array_elements(a.reminders) r
    where a.tenant_id = ${ctx.tenant.id} and a.email = ${email} and (r ->> 'sentAt')::timestamptz > ${since}`);
  return row?.n ?? 0;
}
