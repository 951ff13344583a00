import type { BrandImport, CategoryImport } from '@storeloom/commerce';
import { type Ctx, notFound } from '@storeloom/plugin-sdk';
import { category, makeCategory } from '../category/category.ts';
import { lockTree } from '../category/place.ts';
import { brand } from '../product/brand.ts';
import { same } from './plan.ts';

type Outcome = 'created' | 'updated' | 'unchanged';

/** Fields that the file contains and that differ. */
function changesOf<R extends object>(row: R, wanted: Partial<R>): Partial<R> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== null && !same(value, row[name as keyof R])),
  ) as Partial<R>;
}

export async function importCategory(ctx: Ctx, { slug, parent, name, description, position }: CategoryImport): Promise<Outcome> {
  await lockTree(ctx);
  const above = parent === null ? null : await ctx.rows(category).first({ slug: parent, parentId: null });
  if (above === undefined) throw notFound(`No category at the top has the slug ${parent}.`);
  const known = await ctx.rows(category).first({ slug, parentId: above?.id ?? null }, { lock: true });
  const id = known?.id ?? (await makeCategory(ctx, name, above, slug)).id;
  const row = known ?? (await ctx.rows(category).require(id));
  const change = changesOf(row, {
    name: { ...row.name, ...name },
    position,
    ...(description === null ? {} : { description: { ...row.description, ...description } }),
  });
  if (Object.keys(change).length === 0) return known ? 'unchanged' : 'created';
  await ctx.rows(category).update(id, change);
  ctx.dropCache('catalog');
  return known ? 'updated' : 'created';
}

export async function importBrand(ctx: Ctx, { slug, name, description }: BrandImport): Promise<Outcome> {
  const known = await ctx.rows(brand).first({ name }, { lock: true });
  if (!known) {
    await ctx.rows(brand).insert({ name, slug, description });
    ctx.dropCache('catalog');
    return 'created';
  }
  const change = changesOf(known, description === null ? {} : { description: { ...known.description, ...description } });
  if (Object.keys(change).length === 0) return 'unchanged';
  await ctx.rows(brand).update(known.id, change);
  ctx.dropCache('catalog');
  return 'updated';
}
