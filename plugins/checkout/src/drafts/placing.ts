import { draftEvents } from '@storeloom/commerce';
import { type Ctx, f, referenceNotFound, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import { findLink, hasEnded, linkExpired } from '../link.ts';
import type { PlaceSource } from '../placing/source.ts';
import { type DraftRow, draft, transitionDraft } from './draft.ts';
import { draftContext, draftRequest } from './price.ts';

/** The active order of a draft, with its token and payment deadline. */
export const draftPlacing = table(
  'draft-placing',
  {
    draftId: f.ref('checkout.draft-order'),
    orderId: f.id(),
    orderToken: f.text({ max: 400 }),
    paymentDueAt: f.instant().optional(),
  },
  {
    uniques: [{ fields: ['draftId'] }],
    indexes: [{ name: 'checkout_draft_placing_payment_due_idx', fields: ['paymentDueAt'], where: 'payment_due_at is not null' }],
  },
);

/**
 * Finds and locks the draft of a link's token. A used link still returns the draft while its order is active, so that a repeated request
 * gets that order.
 * @throws Problem 404 for an unknown token, 410 `expired`
 */
export async function draftSource(ctx: Ctx, token: string): Promise<PlaceSource> {
  const link = await findLink(ctx, token);
  if (link?.kind !== 'draft') throw referenceNotFound('/draftToken');
  const row = await ctx.rows(draft).get(link.targetId, { lock: true });
  if (!row) throw linkExpired();
  const placing = await ctx.rows(draftPlacing).first({ draftId: row.id });
  const open = row.status === 'open' || row.status === 'link_sent';
  // The link may have been replaced while this call waited for the lock.
  const current = await findLink(ctx, token);
  const over = !current || hasEnded(ctx, current) || !open || (row.expiresAt !== null && row.expiresAt <= ctx.clock.now());
  if (!placing && over) throw linkExpired();
  return {
    ...sourceOf(ctx, row),
    placed: placing && { orderId: placing.orderId, orderToken: placing.orderToken, waits: row.status !== 'completed' },
  };
}
function sourceOf(ctx: Ctx, row: DraftRow): Omit<PlaceSource, 'placed'> {
  const { lines, pricing } = draftRequest(row.id, row, () => uuidv7(ctx.clock.ms()));
  const { customer, ...context } = draftContext(row);
  return {
    cart: null,
    draftId: row.id,
    // A draft without a customer gets the prices of the caller.
    context: { ...context, locale: ctx.locale, ...(customer ? { customer } : {}) },
    lines,
    pricing,
    tenders: [],
  };
}

/** `placeCommit`: stores the order of the draft, and completes the draft unless an online payment is pending. */
export async function completeDraft(
  ctx: Ctx,
  placed: { draftId: string; orderId: string; orderToken: string; paymentDueAt: string | null; waits: boolean },
): Promise<void> {
  const { draftId, orderId, orderToken, paymentDueAt, waits } = placed;
  await ctx.rows(draftPlacing).insert({ draftId, orderId, orderToken, paymentDueAt });
  if (waits) await ctx.rows(draft).update(draftId, { orderId });
  else await complete(ctx, draftId, orderId);
}

async function complete(ctx: Ctx, draftId: string, orderId: string): Promise<void> {
  const row = await ctx.rows(draft).require(draftId, { lock: true });
  if (row.status === 'completed') return;
  await transitionDraft(ctx, row, 'completed', { orderId });
  await ctx.emit(draftEvents.completed, { id: draftId, data: { draftId, orderId } });
}

export async function settleDraft(ctx: Ctx, draftId: string, orderId: string): Promise<void> {
  const changed = await ctx.rows(draftPlacing).updateWhere({ draftId, orderId }, { paymentDueAt: null });
  if (changed > 0) await complete(ctx, draftId, orderId);
}

export async function recordDraftAttempt(
  ctx: Ctx,
  draftId: string,
  orderId: string,
  { online, dueAt }: { online: boolean; dueAt: string | null },
): Promise<void> {
  const changed = await ctx.rows(draftPlacing).updateWhere({ draftId, orderId }, { paymentDueAt: dueAt });
  if (changed > 0 && !online) await complete(ctx, draftId, orderId);
}

/** Reopens a draft whose unpaid order was cancelled. A completed draft stays completed. */
export async function reopenDraft(ctx: Ctx, draftId: string, orderId: string): Promise<void> {
  const row = await ctx.rows(draft).get(draftId, { lock: true });
  if (!row || row.orderId !== orderId) return;
  if (row.status === 'completed') {
    await ctx.rows(draftPlacing).updateWhere({ draftId, orderId }, { paymentDueAt: null });
    return;
  }
  await ctx.rows(draftPlacing).removeWhere({ draftId, orderId });
  await ctx.rows(draft).update(draftId, { orderId: null });
}

/** Expires overdue drafts, except those whose order waits for its payment. */
export async function expireDrafts(ctx: Ctx): Promise<void> {
  const due = await ctx.db.rows<{ id: string; status: DraftRow['status'] }>(sql`
    select id, status from checkout_draft_order where tenant_id = ${ctx.tenant.id} and status in ('open', 'link_sent')
      and expires_at <= ${ctx.clock.now()} and order_id is null and deleted_at is null order by id limit 500 for update skip locked`);
  for (const row of due) await transitionDraft(ctx, row, 'expired');
}
