import { catalog } from '@storeloom/commerce';
import { accepted, type Ctx, f, invalid, problem, referenceNotFound, route, sql, table, uuidv7 } from '@storeloom/plugin-sdk';
import { personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { availability } from '../level/availability.ts';

/** Requests for an e-mail when a variant is back in stock; removed by unsubscribing, buying the variant, or erasure. */
export const backInStock = table(
  'back-in-stock',
  {
    variantId: f.id(),
    email: f.email().personal(),
    locale: f.text({ max: 20 }),
    /** Components of a bundle, whose stock decides; empty for anything else. */
    parts: f.list(f.id()).default([]),
    /** Not notified of the present stock yet. */
    due: f.bool().default(true),
    toldAt: f.instant().optional(),
  },
  {
    uniques: [{ fields: ['variantId', 'email'] }],
    indexes: [
      { name: 'inventory_back_in_stock_bundle_idx', fields: ['variantId'], where: "parts <> '[]'" },
      { fields: ['email'] },
    ],
  },
);

export const requestBackInStock = route(
  'POST',
  '/back-in-stock/',
  {
    summary: 'Request an e-mail when a variant is back in stock',
    body: { variantId: f.id(), email: f.email(), locale: f.text({ max: 20 }).optional() },
    response: { status: f.oneOf(['accepted']) },
    status: 202,
    problems: ['in_stock'],
    rateLimit: [
      { points: 20, seconds: 600, by: 'visitor' },
      { points: 200, seconds: 600 },
    ],
  },
  async (ctx, req) => {
    const { variantId, email } = req.body;
    const locale = req.body.locale ?? ctx.locale;
    if (!ctx.tenant.locales.includes(locale)) throw invalid('/locale', 'unknown_locale', 'is not a language of this shop');
    const [variant] = await ctx.require(catalog).variants([variantId]);
    if (!variant?.sellable || !(await ctx.require(catalog).visibleProducts([variant.productId])).has(variant.productId))
      throw referenceNotFound('/variantId');
    const view = (await availability(ctx, [variantId])).get(variantId);
    if (view?.availability === 'in_stock' || view?.availability === 'low_stock')
      throw problem('in_stock', { detail: 'The variant is in stock.' });
    const parts = [...new Set((variant.components ?? []).map((part) => part.variantId))];
    const now = ctx.clock.now();
    // A repeated request changes nothing, and doesn't reveal that there is one.
    await ctx.db.run(sql`
      insert into inventory_back_in_stock (tenant_id, id, variant_id, email, locale, parts, due, created_at, updated_at)
      values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${variantId}, ${email}, ${locale}, ${JSON.stringify(parts)}::jsonb, true, ${now}, ${now})
      on conflict (tenant_id, variant_id, email) do nothing`);
    return accepted({ status: 'accepted' as const });
  },
);

/** orders.order.placed: removes the requests of the buyer for what was bought. */
export async function removeBuyerRequests(
  ctx: Ctx,
  { data: { email, lines } }: { data: { email: string; lines: readonly { variantId: string | null }[] } },
): Promise<void> {
  const ids = lines.flatMap(({ variantId }) => variantId ?? []);
  if (ids.length === 0) return;
  await ctx.rows(backInStock).removeWhere({ email: email.toLowerCase(), variantId: ids });
}

export const { exportPerson, erasePerson } = personalTaps(
  personalRows({
    table: backInStock,
    exports: ['variantId', 'email', 'locale', 'toldAt', 'createdAt'],
    erased: 'removed',
  }),
);
