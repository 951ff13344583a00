import { cartEvents } from '@storeloom/commerce';
import { type Ctx, f, resource, type Shape, sql, type TableRow } from '@storeloom/plugin-sdk';
import { endLinks, liveLinks } from '../link.ts';

const reminderFields = {
  /** Index of the configured step; null for a reminder sent by staff. */
  step: f.int({ min: 0 }).optional(),
  templateId: f.text({ max: 60 }),
  sentAt: f.instant(),
  /** When the buyer or staff resumed the cart after this reminder. */
  openedAt: f.instant().optional(),
} satisfies Shape;

const abandonedStates = ['active', 'abandoned', 'reminded', 'recovered', 'lost', 'opted_out'] as const;
export const recoverPermission = 'checkout.abandoned-cart.recover';

/** An abandoned cart and its reminders. One row for each cart, reused when the cart is abandoned again. */
export const abandoned = resource('abandoned-cart', {
  path: 'abandoned-carts',
  verbs: ['list'],
  defaultSort: '-abandonedAt',
  fields: {
    cartId: f.id().filter(),
    email: f.email().optional().filter().search(),
    customerId: f.ref('customers.customer').optional().filter(),
    value: f.money().sort().filter(),
    lines: f.list(f.object({ kind: f.text(), variantId: f.id().optional(), title: f.text({ max: 500 }), quantity: f.int() })),
    /** Reminders sent since the cart was abandoned. */
    stage: f.int().sort(),
    status: f.oneOf(abandonedStates).filter(),
    lastActivityAt: f.instant().sort().filter(),
    abandonedAt: f.instant().sort().filter(),
    reminders: f.list(f.object(reminderFields)),
    remindedAt: f.instant().optional(),
    recoveredOrderId: f.id().optional(),
    recoveredAt: f.instant().optional(),
    /** In the tenant's currency. */
    baseValue: f.money(),
    /** Orders of the e-mail address when the cart was abandoned. */
    ordersBefore: f.int().default(0),
    /** Token with which staff take over the cart for a buyer on the phone. */
    recoveryToken: f.text().optional().virtual().sensitive(recoverPermission),
  },
  uniques: [{ fields: ['cartId'] }],
  indexes: [
    { name: 'checkout_abandoned_cart_abandoned_idx', fields: ['abandonedAt'] },
    { fields: ['email'], where: 'email is not null' },
    { name: 'checkout_abandoned_cart_recovered_idx', fields: ['recoveredAt'], where: 'recovered_at is not null' },
    { name: 'checkout_abandoned_cart_reminded_idx', fields: ['remindedAt'], where: 'reminded_at is not null' },
  ],
  present: withTokens,
});
export type AbandonedRow = TableRow<typeof abandoned>;

/** Adds the tokens of the live links for callers with the permission to recover. */
export async function withTokens<R extends { id: string }>(
  ctx: Ctx,
  rows: readonly R[],
): Promise<(R & { recoveryToken: string | null })[]> {
  const ids = rows.map((row) => row.id);
  const links = ctx.can(recoverPermission) ? await liveLinks(ctx, ids) : undefined;
  return rows.map((row) => ({ ...row, recoveryToken: links?.get(row.id)?.token ?? null }));
}

/** Stops the reminders of a resumed cart, and marks the last one as opened. */
export async function endAbandonment(ctx: Ctx, cartId: string): Promise<void> {
  const row = await ctx.rows(abandoned).first({ cartId, status: ['abandoned', 'reminded'] }, { lock: true });
  if (!row) return;
  const reminders = row.reminders.map((one, i) =>
    i === row.reminders.length - 1 ? { ...one, openedAt: one.openedAt ?? ctx.clock.now() } : one,
  );
  await ctx.rows(abandoned).update(row.id, { status: 'active', reminders });
}

/** Marks carts as recovered by an order of the same cart or e-mail address. Pending reminders then send nothing. */
export async function recordRecovery(ctx: Ctx, order: { id: string; email: string }): Promise<void> {
  const rows = await ctx.db.rows<{ id: string; cartId: string }>(sql`
    select a.id, a.cart_id as "cartId" from checkout_abandoned_cart a
    left join checkout_cart c on c.tenant_id = a.tenant_id and c.id = a.cart_id
    where a.tenant_id = ${ctx.tenant.id} and a.recovered_order_id is null
      and (a.status in ('abandoned', 'reminded') and a.email = ${order.email.toLowerCase()}
        or c.order_id = ${order.id} and a.status in ('active', 'abandoned', 'reminded'))
    order by a.id for update of a`);
  for (const { id, cartId } of rows) {
    await ctx.rows(abandoned).update(id, { status: 'recovered', recoveredOrderId: order.id, recoveredAt: ctx.clock.now() });
    await ctx.emit(cartEvents.recovered, { id: cartId, data: { cartId, orderId: order.id } });
  }
  await endLinks(
    ctx,
    rows.map((row) => row.id),
  );
}
