import { type Ctx, type Job, type PlatformJob, Problem, sql, work } from '@storeloom/plugin-sdk';
import { expireDrafts } from './drafts/placing.ts';
import { lockBeforeOrder } from './flows/after-placing.ts';
import { forgetLinks } from './link.ts';
import { releaseWaiting } from './payment/waiting-order.ts';
import { queued } from './queued.ts';
import { remind } from './recovery/mail.ts';
import { abandonIdle, expireCarts } from './recovery/sweep.ts';

/** Orders whose payment is overdue, one transaction each: one that can't be cancelled must not keep the others. */
async function endWaits(ctx: Ctx): Promise<void> {
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
  for (const one of due) {
    if (ctx.signal.aborted) return;
    try {
      await ctx.transaction((inner) => endWait(inner, one));
    } catch (error) {
      ctx.log.error({ err: error, order_id: one.orderId }, 'an order whose payment is overdue could not be cancelled');
    }
  }
}

async function endWait(
  ctx: Ctx,
  { cartId, draftId, orderId }: { cartId: string | null; draftId: string | null; orderId: string },
): Promise<void> {
  await lockBeforeOrder(ctx, { orderId, cartId, draftId });
  const still = await ctx.db.first(sql`
    select 1 from checkout_cart where tenant_id = ${ctx.tenant.id} and id = ${cartId} and payment_due_at <= ${ctx.clock.now()}
    union all select 1 from checkout_draft_placing where tenant_id = ${ctx.tenant.id} and draft_id = ${draftId} and payment_due_at <= ${ctx.clock.now()}`);
  if (!still) return;
  try {
    await ctx.savepoint(() =>
      releaseWaiting(ctx, cartId === null ? { draftId: draftId as string } : { cartId }, 'payment_timeout'),
    );
  } catch (error) {
    // Money is on its way in, or a person holds the order: it isn't this job's any more.
    if (!(error instanceof Problem)) throw error;
    ctx.log.info({ order_id: orderId, code: error.code }, 'an overdue order is left to its payment');
  }
  await ctx.db.run(sql`update checkout_cart set payment_due_at = null, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and id = ${cartId} and payment_due_at is not null`);
  await ctx.db.run(sql`update checkout_draft_placing set payment_due_at = null, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and draft_id = ${draftId} and payment_due_at is not null`);
}

const part = (run: (ctx: Ctx) => Promise<void>): Job => ({ cron: '* * * * *', perTenant: true, run });

export const jobs: Record<string, Job | PlatformJob> = {
  /** locked → open when the payment window is over, and offline payments that never came. */
  paymentWindow: { cron: '* * * * *', perTenant: true, transaction: 'none', run: endWaits },
  abandon: part(abandonIdle),
  expire: {
    cron: '17 * * * *',
    perTenant: true,
    async run(ctx) {
      await expireCarts(ctx);
      await expireDrafts(ctx);
      await forgetLinks(ctx, new Date(ctx.clock.ms() - 90 * 86_400_000).toISOString());
    },
  },
  ...work(queued.remind, { run: remind }),
};
