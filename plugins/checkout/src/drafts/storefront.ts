import { customers } from '@storeloom/commerce';
import { type Ctx, f, notFound, type RowOf, route } from '@storeloom/plugin-sdk';
import { totalsFields } from '@storeloom/plugin-sdk/money';
import { maskEmail } from '@storeloom/plugin-sdk/people';
import { priceCart } from '../cart/price.ts';
import { lineShape } from '../cart/shape.ts';
import { cart } from '../cart/table.ts';
import { cartView, lineView } from '../cart/view.ts';
import { findLink, hasEnded, type LinkRow, linkExpired } from '../link.ts';
import { totalsView } from '../pricing/service.ts';
import { abandoned } from '../recovery/abandoned.ts';
import { draft } from './draft.ts';
import { priceDraft } from './price.ts';

const openedShape = {
  kind: f.oneOf(['draft', 'recovery']),
  cartToken: f.text().optional(),
  draftToken: f.text().optional(),
  currency: f.text(),
  // A line of a draft is named by its position.
  lines: f.list(f.object({ ...lineShape, id: f.text() })),
  totals: f.object(totalsFields),
  expiresAt: f.instant(),
  customer: f.object({ email: f.text().optional() }),
};

async function draftResponse(ctx: Ctx, link: LinkRow, token: string): Promise<RowOf<typeof openedShape>> {
  const row = await ctx.rows(draft).get(link.targetId);
  const open = row && (row.status === 'open' || row.status === 'link_sent');
  if (!open || (row.expiresAt !== null && row.expiresAt <= ctx.clock.now())) throw linkExpired();
  const priced = await priceDraft(ctx, row.id, row);
  const email = row.email ?? (row.customerId === null ? null : await emailOf(ctx, row.customerId));
  return {
    kind: 'draft',
    cartToken: null,
    draftToken: token,
    currency: row.currency,
    lines: priced.lines.map((line) => lineView(line, row.currency, true)),
    totals: totalsView(priced.totals, row.currency),
    expiresAt: row.expiresAt ?? link.expiresAt,
    customer: { email: email === null ? null : maskEmail(email) },
  };
}

async function recoveryResponse(ctx: Ctx, link: LinkRow): Promise<RowOf<typeof openedShape>> {
  const row = await ctx.rows(abandoned).get(link.targetId);
  const found = row && (await ctx.rows(cart).get(row.cartId));
  if (!row || !found || (found.status !== 'open' && found.status !== 'abandoned')) throw linkExpired();
  const view = cartView(ctx, found, await priceCart(ctx, found));
  return {
    kind: 'recovery',
    cartToken: found.tokenSealed === null ? null : ctx.unseal(found.tokenSealed),
    draftToken: null,
    currency: found.currency,
    lines: view.lines,
    totals: view.totals,
    expiresAt: link.expiresAt,
    customer: { email: row.email === null ? null : maskEmail(row.email) },
  };
}

async function emailOf(ctx: Ctx, customerId: string): Promise<string | null> {
  return (await ctx.require(customers).get(customerId))?.email ?? null;
}

/** Opens the draft order or abandoned cart of an e-mail link, without a change: mail scanners open links too. */
export const openLink = route(
  'GET',
  '/checkout/draft/{token}',
  {
    summary: 'Open the draft order or abandoned cart of a link',
    params: { token: f.text({ max: 200 }) },
    response: openedShape,
    problems: ['expired'],
    rateLimit: { points: 60, seconds: 60 },
  },
  async (ctx, req) => {
    const { token } = req.params;
    const link = await findLink(ctx, token);
    if (!link) throw notFound('There is no such link.');
    if (hasEnded(ctx, link)) throw linkExpired();
    return link.kind === 'draft' ? draftResponse(ctx, link, token) : recoveryResponse(ctx, link);
  },
);
