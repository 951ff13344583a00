import { draftEvents } from '@storeloom/commerce';
import { type Ctx, f, problem, referenceNotFound, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import { isOver, linkOf } from '../link.ts';
import type { PlaceSource } from '../placing/source.ts';
import { type DraftRow, draft, moveDraft } from './draft.ts';
import { draftContext, draftRequest } from './price.ts';

/** The live order of a draft: its token, and until when it waits for its payment. */
export const draftPlacing = table('draft-placing', {
  draftId: f.ref('checkout.draft-order'),
  orderId: f.id(),
  orderToken: f.text({ max: 400 }),
  paymentDueAt: f.instant().optional(),
});

/** The draft of a link's token, locked. Unknown: 404; used up or expired: 410, but its own live order is answered again. */
export async function draftSource(ctx: Ctx, token: string): Promise<PlaceSource> {
  const link = await linkOf(ctx, token);
  if (link?.kind !== 'draft') throw referenceNotFound('/draftToken');
  const row = await ctx.rows(draft).get(link.targetId, { lock: true });
  if (!row) throw expired();
  const placing = await ctx.rows(draftPlacing).first({ draftId: row.id });
  const open = row.status === 'open' || row.status === 'link_sent';
  // The link may have been replaced while this call waited for the lock.
  const current = await linkOf(ctx, token);
  const over = !current || isOver(ctx, current) || !open || (row.expiresAt !== null && row.expiresAt <= ctx.clock.now());
  if (!placing && over) throw expired();
  return {
    ...sourceOf(ctx, row),
    placed: placing && { orderId: placing.orderId, orderToken: placing.orderToken, waits: row.status !== 'completed' },
  };
}
function expired() {
  return problem('expired', { detail: 'The link has expired or has already been used.' });
}

function sourceOf(ctx: Ctx, row: DraftRow): Omit<PlaceSource, 'placed'> {
  const { lines, pricing } = draftRequest(row.id, row, () => uuidv7(ctx.clock.ms()));
  const { customer, ...context } = draftContext(row);
  return {
    cart: null,
    draftId: row.id,
    // Without a customer of its own a draft is priced for whoever opens it.
    context: { ...context, locale: ctx.locale, ...(customer ? { customer } : {}) },
    lines,
    pricing,
    tenders: [],
  };
}

/** place.commit: the draft has its order; it is completed at once where nobody's payment is awaited. */
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
  await moveDraft(ctx, row, 'completed', { orderId });
  await ctx.emit(draftEvents.completed, { id: draftId, data: { draftId, orderId } });
}

export async function draftSettled(ctx: Ctx, draftId: string, orderId: string): Promise<void> {
  const changed = await ctx.rows(draftPlacing).updateWhere({ draftId, orderId }, { paymentDueAt: null });
  if (changed > 0) await complete(ctx, draftId, orderId);
}

export async function draftAttempted(
  ctx: Ctx,
  draftId: string,
  orderId: string,
  { online, dueAt }: { online: boolean; dueAt: string | null },
): Promise<void> {
  const changed = await ctx.rows(draftPlacing).updateWhere({ draftId, orderId }, { paymentDueAt: dueAt });
  if (changed > 0 && !online) await complete(ctx, draftId, orderId);
}

/** A draft whose order only waited may be bought again; one that was bought is used up. */
export async function draftCancelled(ctx: Ctx, draftId: string, orderId: string): Promise<void> {
  const row = await ctx.rows(draft).get(draftId, { lock: true });
  if (!row || row.orderId !== orderId) return;
  if (row.status === 'completed') {
    await ctx.rows(draftPlacing).updateWhere({ draftId, orderId }, { paymentDueAt: null });
    return;
  }
  await ctx.rows(draftPlacing).removeWhere({ draftId, orderId });
  await ctx.rows(draft).update(draftId, { orderId: null });
}

/** Drafts past their day, except those whose order waits for its payment. */
export async function expireDrafts(ctx: Ctx): Promise<void> {
  const due = await ctx.db.rows<{ id: string; status: DraftRow['status'] }>(sql`
    select id, status from checkout_draft_order where tenant_id = ${ctx.tenant.id} and status in ('open', 'link_sent')
      and expires_at <= ${ctx.clock.now()} and order_id is null and deleted_at is null order by id limit 500 for update skip locked`);
  for (const row of due) await moveDraft(ctx, row, 'expired');
}
