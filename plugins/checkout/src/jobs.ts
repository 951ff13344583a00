import { type Ctx, type Job, type PlatformJob, Problem, sql, work } from '@storeloom/plugin-sdk';
import { expireDrafts } from './drafts/placing.ts';
import { lockBeforeOrder } from './flows/after-placing.ts';
import { deleteOldLinks } from './link.ts';
import { releaseWaiting } from './payment/waiting-order.ts';
import { queued } from './queued.ts';
import { remind } from './recovery/mail.ts';
import { abandonIdle, expireCarts } from './recovery/sweep.ts';

/** Cancels overdue orders, one transaction each, so that one failure doesn't block the others. */
async function cancelOverdueOrders(ctx: Ctx): Promise<void> {
  const due = await ctx.transaction(
    (inner) =>
      inner.db.rows<{ cartId: string | null; draftId: string | null; orderId: string }>(sql`
        select id as "cartId", null::uuid as "draftId", order_id as "orderId" from checkout_cart
          where tenant_id = ${inner.tenant.id} and payment_due_at <= ${inner.clock.now()}
        union all
        select null, draft_id, order_id from checkout_draft_placing
          where tenant_id = ${inner.tenant.id} and payment_due_at <= ${inner.clock.now()}
        limit 500`),
    { readOnly: true },
  );
  for (const overdue of due) {
    if (ctx.signal.aborted) return;
    try {
      await ctx.transaction((inner) => cancelOverdueOrder(inner, overdue));
    } catch (error) {
      ctx.log.error({ err: error, order_id: overdue.orderId }, 'an order whose payment is overdue could not be cancelled');
    }
  }
}

async function cancelOverdueOrder(
  ctx: Ctx,
  { cartId, draftId, orderId }: { cartId: string | null; draftId: string | null; orderId: string },
): Promise<void> {
  await lockBeforeOrder(ctx, { orderId, cartId, draftId });
  const isOverdue = await ctx.db.first(sql`
    select 1 from checkout_cart where tenant_id = ${ctx.tenant.id} and id = ${cartId} and payment_due_at <= ${ctx.clock.now()}
    union all select 1 from checkout_draft_placing where tenant_id = ${ctx.tenant.id} and draft_id = ${draftId} and payment_due_at <= ${ctx.clock.now()}`);
  if (!isOverdue) return;
  try {
    await ctx.savepoint(() =>
      releaseWaiting(ctx, cartId === null ? { draftId: draftId as string } : { cartId }, 'payment_timeout'),
    );
  } catch (error) {
    // The payment is in progress or staff hold the order. Clear the deadline, so that the job doesn't retry.
    if (!(error instanceof Problem)) throw error;
    ctx.log.info({ order_id: orderId, code: error.code }, 'an overdue order is left to its payment');
  }
  await ctx.db.run(sql`update checkout_cart set payment_due_at = null, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and id = ${cartId} and payment_due_at is not null`);
  await ctx.db.run(sql`update checkout_draft_placing set payment_due_at = null, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and draft_id = ${draftId} and payment_due_at is not null`);
}

const everyMinute = (run: (ctx: Ctx) => Promise<void>): Job => ({ cron: '* * * * *', perTenant: true, run });

export const jobs: Record<string, Job | PlatformJob> = {
  /** Cancels orders whose online or offline payment is overdue; their locked carts reopen. */
  paymentWindow: { cron: '* * * * *', perTenant: true, transaction: 'none', run: cancelOverdueOrders },
  abandon: everyMinute(abandonIdle),
  expire: {
    cron: '17 * * * *',
    perTenant: true,
    async run(ctx) {
      await expireCarts(ctx);
      await expireDrafts(ctx);
      await deleteOldLinks(ctx, new Date(ctx.clock.ms() - 90 * 86_400_000).toISOString());
    },
  },
  ...work(queued.remind, { run: remind }),
};
