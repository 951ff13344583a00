import { type Ctx, problem, resource, type TableRow, uuidv7 } from '@storeloom/plugin-sdk';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import { endLinks, liveLinks } from '../link.ts';
import { releaseWaiting } from '../payment/waiting-order.ts';
import { totalsView } from '../pricing/service.ts';
import { checkDiscountPermission, checkDraft, type DraftValues, draftFields, type draftStates } from './fields.ts';
import { priceDraft } from './price.ts';

export type DraftStatus = (typeof draftStates)[number];
const next: Record<DraftStatus, readonly DraftStatus[]> = {
  open: ['link_sent', 'completed', 'expired', 'deleted'],
  link_sent: ['completed', 'expired', 'deleted'],
  completed: [],
  expired: [],
  deleted: [],
};
const days = 86_400_000;
const lifetime = 7 * days;

export async function draftTotals(
  ctx: Ctx,
  id: string,
  values: DraftValues & { source?: string },
): Promise<Record<string, unknown>> {
  return { ...totalsView((await priceDraft(ctx, id, values)).totals, values.currency) };
}

/**
 * Prepares a draft for a change: cancels its unpaid order.
 * @throws Problem 409 `invalid_transition` when the draft is completed, expired or deleted
 */
export async function prepareDraftChange(
  ctx: Ctx,
  row: Pick<DraftRow, 'id' | 'status' | 'expiresAt' | 'orderId'>,
): Promise<void> {
  if (row.status !== 'open' && row.status !== 'link_sent') throw invalidTransition(row.status, row.status, next[row.status]);
  if (row.expiresAt !== null && row.expiresAt <= ctx.clock.now()) throw invalidTransition('expired', row.status, []);
  if (row.orderId !== null) await releaseWaiting(ctx, { draftId: row.id }, 'superseded');
}

export function expiryOf(ctx: Ctx, given: string | null): string {
  if (given === null) return new Date(ctx.clock.ms() + lifetime).toISOString();
  if (given <= ctx.clock.now())
    throw problem('validation_failed', {
      detail: 'expiresAt is in the past.',
      errors: [{ pointer: '/expiresAt', code: 'invalid', message: 'must be in the future' }],
    });
  return given;
}

export const draft = resource('draft-order', {
  path: 'draft-orders',
  verbs: ['list', 'get', 'create', 'update', 'remove'],
  fields: draftFields,
  indexes: [
    { name: 'checkout_draft_order_created_idx', fields: ['createdAt'] },
    { name: 'checkout_draft_order_customer_idx', fields: ['customerId'], where: 'customer_id is not null' },
    { fields: ['email'], where: 'email is not null' },
    { name: 'checkout_draft_order_order_idx', fields: ['orderId'], where: 'order_id is not null' },
    { name: 'checkout_draft_order_status_idx', fields: ['status', 'expiresAt'] },
  ],
  deletes: 'soft',
  problems: ['invalid_transition'],
  before: {
    async create(ctx, input) {
      checkDiscountPermission(ctx, input);
      await checkDraft(ctx, input);
      const totals = await draftTotals(ctx, uuidv7(ctx.clock.ms()), input);
      return { expiresAt: expiryOf(ctx, input.expiresAt), totals, status: 'open' } as object;
    },
    async update(ctx, row, patch) {
      await prepareDraftChange(ctx, row);
      const values = { ...row, ...patch };
      checkDiscountPermission(ctx, values);
      await checkDraft(ctx, values);
      const totals = await draftTotals(ctx, row.id, values);
      const expiresAt = patch.expiresAt === undefined ? {} : { expiresAt: expiryOf(ctx, patch.expiresAt) };
      return { ...expiresAt, totals } as object;
    },
    async remove(ctx, row) {
      await prepareDraftChange(ctx, row);
      await transitionDraft(ctx, row, 'deleted');
    },
  },
  after: {
    async create(ctx, row) {
      await ctx.history({ entity: 'checkout.draft-order', entityId: row.id, from: null, to: 'open' });
    },
  },
  async present(ctx, rows) {
    const links = await liveLinks(
      ctx,
      rows.filter((row) => row.status === 'link_sent').map((row) => row.id),
    );
    return rows.map((row) => {
      const link = links.get(row.id);
      return { ...row, link: link ? { url: link.url, expiresAt: link.expiresAt } : null };
    });
  },
});
export type DraftRow = TableRow<typeof draft>;

/** Changes the status and records it in the history. Ends the draft's link unless the new status is `link_sent`. The caller holds the row's lock. */
export async function transitionDraft(
  ctx: Ctx,
  row: Pick<DraftRow, 'id' | 'status'>,
  to: DraftStatus,
  change: Partial<Pick<DraftRow, 'orderId'>> = {},
): Promise<DraftRow> {
  if (row.status !== to && !next[row.status].includes(to)) throw invalidTransition(row.status, to, next[row.status]);
  const moved = await ctx.rows(draft).update(row.id, { ...change, status: to });
  if (row.status !== to) await ctx.history({ entity: 'checkout.draft-order', entityId: row.id, from: row.status, to });
  if (to !== 'link_sent') await endLinks(ctx, [row.id]);
  return moved;
}
