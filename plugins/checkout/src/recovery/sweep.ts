import { cartEvents, orders } from '@storeloom/commerce';
import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { convert, invertRate, money } from '@storeloom/plugin-sdk/money';
import { findCarts } from '../cart/cart.ts';
import { recordTransition } from '../cart/history.ts';
import { type CartRow, type CartStatus, cart, fxOf } from '../cart/table.ts';
import { endLinks } from '../link.ts';
import { settings } from '../settings.ts';
import { type AbandonedRow, abandoned } from './abandoned.ts';
import { contactOf } from './checks.ts';
import { recoveryConfigOf } from './config.ts';
import { scheduleStep } from './mail.ts';

const batch = 200;
const ago = (ctx: Ctx, milliseconds: number): string => new Date(ctx.clock.ms() - milliseconds).toISOString();

/** Marks a cart as abandoned, and creates or restarts its recovery. */
export async function abandonCart(ctx: Ctx, row: CartRow, email: string): Promise<AbandonedRow> {
  const fx = fxOf(row);
  const base =
    row.currency === ctx.tenant.currency || !fx ? row.value : convert(row.value, ctx.tenant.currency, invertRate(fx.rate));
  const values = {
    email,
    customerId: row.customerId,
    value: row.value,
    baseValue: base.currency === ctx.tenant.currency ? base : money(0, ctx.tenant.currency),
    lines: row.lines.map(({ kind, variantId, title, quantity }) => ({ kind, variantId, title: title || kind, quantity })),
    lastActivityAt: row.lastActivityAt,
    abandonedAt: ctx.clock.now(),
    ordersBefore: await ctx.require(orders).countPlaced({ email }),
    status: 'abandoned' as const,
    stage: 0,
  };
  await ctx.rows(cart).update(row.id, { status: 'abandoned' });
  await recordTransition(ctx, row, 'abandoned');
  const known = await ctx.rows(abandoned).first({ cartId: row.id }, { lock: true });
  const found = known
    ? await ctx.rows(abandoned).update(known.id, { ...values, recoveredOrderId: null, recoveredAt: null })
    : await ctx.rows(abandoned).insert({ ...values, cartId: row.id, reminders: [] });
  await ctx.emit(cartEvents.abandoned, {
    id: row.id,
    data: { cartId: row.id, email, customerId: row.customerId, value: row.value },
  });
  return found;
}

/** Abandons idle carts that have lines and a contact. */
export async function abandonIdle(ctx: Ctx): Promise<void> {
  const config = await recoveryConfigOf(ctx);
  const rows = await findCarts(
    ctx,
    sql`t.id in (select id from checkout_cart where tenant_id = ${ctx.tenant.id} and kind = 'cart' and status = 'open'
      and last_activity_at < ${ago(ctx, config.idleMinutes * 60_000)} and lines <> '[]'::jsonb
      and (email is not null or customer_id is not null) order by last_activity_at limit ${batch} for update skip locked)`,
    true,
  );
  for (const row of rows) {
    const email = await contactOf(ctx, row);
    if (email === null) continue;
    await scheduleStep(ctx, await abandonCart(ctx, row, email), config, 0);
  }
}

/** Expires inactive carts and marks their recovery as lost. Deletes expired and merged carts after the same period again. */
export async function expireCarts(ctx: Ctx): Promise<void> {
  const { cartTtlDays } = ctx.settings(settings);
  const before = ago(ctx, cartTtlDays * 86_400_000);
  const expired = await ctx.db.rows<{ id: string; status: CartStatus }>(sql`
    update checkout_cart c set status = 'expired', updated_at = ${ctx.clock.now()}, version = c.version + 1
    from (select id, status from checkout_cart where tenant_id = ${ctx.tenant.id} and status in ('open', 'abandoned')
      and last_activity_at < ${before} order by id limit 1000 for update skip locked) old
    where c.tenant_id = ${ctx.tenant.id} and c.id = old.id returning c.id, old.status`);
  const ids = expired.map((row) => row.id);
  for (const row of expired) await recordTransition(ctx, row, 'expired');
  if (ids.length > 0) {
    const lost = await ctx.rows(abandoned).find({ cartId: ids, status: ['active', 'abandoned', 'reminded'] }, { lock: true });
    await ctx.rows(abandoned).updateWhere({ id: lost.map((row) => row.id) }, { status: 'lost' });
    await endLinks(
      ctx,
      lost.map((row) => row.id),
    );
  }
  await ctx.db.run(sql`delete from checkout_cart where tenant_id = ${ctx.tenant.id} and status in ('expired', 'merged')
    and updated_at < ${before}`);
}
