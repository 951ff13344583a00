import { catalog, draftEvents, drafts } from '@storeloom/commerce';
import { type Ctx, f, problem, provide, referenceNotFound, route } from '@storeloom/plugin-sdk';
import { createLink, type NewLink } from '../link.ts';
import { type DraftRow, draft, draftTotals, expiryOf, prepareDraftChange, transitionDraft } from './draft.ts';
import { checkDraft, type DraftValues } from './fields.ts';

/** Creates the link with which the buyer places the draft once, valid until the draft expires. Ends the previous link. */
async function sendLink(ctx: Ctx, row: DraftRow): Promise<NewLink> {
  if (row.lines.length === 0) throw problem('cart_empty', { detail: 'The draft is empty. Add a line first.' });
  await prepareDraftChange(ctx, row);
  const link = await createLink(ctx, 'draft', row.id, row.expiresAt ?? expiryOf(ctx, null));
  if (row.status === 'open') await transitionDraft(ctx, row, 'link_sent');
  await ctx.emit(draftEvents.link_sent, { id: row.id, data: { draftId: row.id } });
  return link;
}

export const generateLink = route(
  'POST',
  '/draft-orders/{id}/generate-link',
  {
    permission: 'checkout.draft-order.generate-link',
    entity: 'checkout.draft-order',
    summary: 'Create a link with which the buyer places the draft',
    response: { url: f.url(), token: f.text(), expiresAt: f.instant() },
    problems: ['cart_empty', 'invalid_transition'],
    // The response contains a token, which must not be stored for replay.
    idempotent: false,
  },
  async (ctx, req) => {
    const { id } = req.params;
    const row = await ctx.rows(draft).require(id as string, { lock: true });
    const { url, token, expiresAt } = await sendLink(ctx, row);
    await ctx.audit({ entity: 'checkout.draft-order', entityId: row.id, extra: { expiresAt } });
    return { url, token, expiresAt };
  },
);

/** Draft orders of other plugins, which check the permission to set prices themselves. */
export const draftsProvider = provide(drafts, (ctx) => ({
  async create(wanted) {
    const values: DraftValues & { source: (typeof wanted)['source'] } = {
      customerId: wanted.customerId ?? null,
      email: wanted.email?.toLowerCase() ?? null,
      currency: wanted.currency,
      lines: wanted.lines.map(({ variantId, title, quantity, unitPrice }) => ({
        variantId: variantId ?? null,
        title: variantId === undefined ? (title ?? null) : null,
        quantity,
        unitPrice: unitPrice ?? null,
        discount: null,
        note: null,
      })),
      shipping: null,
      discount: null,
      applyPromotions: false,
      source: wanted.source,
    };
    await checkVariants(ctx, values);
    await checkDraft(ctx, values);
    const totals = await draftTotals(ctx, '', values);
    const row = await ctx.rows(draft).insert({
      ...values,
      note: wanted.note ?? null,
      expiresAt: expiryOf(ctx, wanted.expiresAt ?? null),
      totals,
      status: 'open',
    });
    await ctx.history({ entity: 'checkout.draft-order', entityId: row.id, from: null, to: 'open' });
    const { url, token } = await sendLink(ctx, row);
    return { id: row.id, url, token };
  },
  async cancel(id) {
    const row = await ctx.rows(draft).get(id, { lock: true });
    if (!row || (row.status !== 'open' && row.status !== 'link_sent')) return;
    await prepareDraftChange(ctx, row);
    await transitionDraft(ctx, row, 'deleted');
    await ctx.rows(draft).remove(id);
  },
}));

async function checkVariants(ctx: Ctx, { lines }: DraftValues): Promise<void> {
  const ids = [...new Set(lines.flatMap((line) => line.variantId ?? []))];
  const found = new Set((await ctx.require(catalog).variants(ids)).map((variant) => variant.id));
  lines.forEach((line, i) => {
    if (line.variantId !== null && !found.has(line.variantId)) throw referenceNotFound(`/lines/${i}/variantId`);
  });
}
