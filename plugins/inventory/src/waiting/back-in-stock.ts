import { catalog } from '@storeloom/commerce';
import {
  accepted,
  type Ctx,
  f,
  invalid,
  type Person,
  type peopleErase,
  problem,
  referenceNotFound,
  route,
  sql,
  type TapFn,
  table,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { availability } from '../level/availability.ts';

/** Somebody waits for a variant. The row goes when they stop it, buy the variant, or are erased. */
export const backInStock = table('back-in-stock', {
  variantId: f.id(),
  email: f.email(),
  locale: f.text({ max: 20 }),
  /** Components of a bundle, whose stock decides; empty for anything else. */
  parts: f.list(f.id()).default([]),
  /** Not told of the present stock yet. */
  due: f.bool().default(true),
  toldAt: f.instant().optional(),
});

export const waitForStock = route(
  'POST',
  '/back-in-stock/',
  {
    summary: 'Be told by mail when a variant can be had again',
    body: { variantId: f.id(), email: f.email(), locale: f.text({ max: 20 }).optional() },
    response: { status: f.oneOf(['accepted']) },
    status: 202,
    problems: ['in_stock'],
    rateLimit: { points: 20, seconds: 600 },
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
      throw problem('in_stock', { detail: 'It can be had now.' });
    const parts = [...new Set((variant.components ?? []).map((part) => part.variantId))];
    const now = ctx.clock.now();
    // Again changes nothing, and says nothing about who waits already.
    await ctx.db.run(sql`
      insert into inventory_back_in_stock (tenant_id, id, variant_id, email, locale, parts, due, created_at, updated_at)
      values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${variantId}, ${email}, ${locale}, ${JSON.stringify(parts)}::jsonb, true, ${now}, ${now})
      on conflict (tenant_id, variant_id, email) do nothing`);
    return accepted({ status: 'accepted' });
  },
);

/** Who has bought it waits no more. */
export async function stopBuyer(ctx: Ctx, event: { data: Record<string, unknown> }): Promise<void> {
  const { email, lines } = event.data as { email?: string; lines?: { variantId: string | null }[] };
  const ids = (lines ?? []).flatMap(({ variantId }) => variantId ?? []);
  if (email === undefined || ids.length === 0) return;
  await ctx.rows(backInStock).removeWhere({ email: email.toLowerCase(), variantId: ids });
}

export async function exportWaiting(ctx: Ctx, person: Person): Promise<{ resource: string; rows: Record<string, unknown>[] }[]> {
  const rows =
    person.emails.length === 0 ? [] : await ctx.rows(backInStock).find({ email: addresses(person) }, { orderBy: ['id'] });
  return [
    {
      resource: 'inventory.back-in-stock',
      rows: rows.map(({ variantId, email, locale, toldAt, createdAt }) => ({ variantId, email, locale, toldAt, createdAt })),
    },
  ];
}

export const eraseWaiting: TapFn<typeof peopleErase> = async (ctx, person) => {
  const erased = person.emails.length === 0 ? 0 : await ctx.rows(backInStock).removeWhere({ email: addresses(person) });
  person.report({ resource: 'inventory.back-in-stock', erased });
};

const addresses = (person: Pick<Person, 'emails'>): string[] => person.emails.map((email) => email.toLowerCase());
