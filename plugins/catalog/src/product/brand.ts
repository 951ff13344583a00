import { type Ctx, f, freeName, resource, slugOf, sql } from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';

const slugs = { table: 'catalog_brand', column: 'slug' };

export const brand = resource('brand', {
  path: 'brands',
  verbs: ['list', 'create', 'update', 'remove'],
  fields: {
    name: f.text({ max: 120 }).search().sort().filter(),
    /** Generated from the name if omitted. */
    slug: f.slug().default('').filter().unique(),
    logo: linkField().optional(),
    website: f.url().optional(),
    description: f.richText({ max: 20_000 }).translatable().optional(),
    active: f.bool().default(true).filter(),
    productCount: f.int().default(0).readonly().virtual(),
  },
  uniques: [{ fields: ['slug'] }],
  defaultSort: 'name',
  before: {
    async create(ctx, input) {
      return input.slug ? undefined : { slug: await freeName(ctx, slugs, slugOf(input.name, 'brand')) };
    },
    /** Keeps the products and removes their brand. */
    async remove(ctx, row) {
      await ctx.db.run(
        sql`update catalog_product set brand_id = null, updated_at = ${ctx.clock.now()}, version = version + 1 where tenant_id = ${ctx.tenant.id} and brand_id = ${row.id}`,
      );
    },
  },
  after: {
    create: (ctx) => ctx.dropCache('catalog'),
    update: (ctx) => ctx.dropCache('catalog'),
    remove: (ctx) => ctx.dropCache('catalog'),
  },
  async present(ctx, rows) {
    const counts = await productCounts(
      ctx,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, productCount: counts.get(row.id) ?? 0 }));
  },
});

async function productCounts(ctx: Ctx, ids: string[]): Promise<Map<string, number>> {
  const rows = await ctx.db.rows<{ id: string; n: number }>(
    sql`select brand_id as id, count(*) as n from catalog_product where tenant_id = ${ctx.tenant.id} and brand_id = any(${ids}::uuid[]) group by brand_id`,
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/** Ids of brands by the given names, which are compared without case. Creates missing brands. */
export async function brandsByName(ctx: Ctx, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await ctx.db.rows<{ name: string; folded: string; id: string | null }>(sql`
    select n.name, n.folded, (select b.id from catalog_brand b where b.tenant_id = ${ctx.tenant.id} and lower(b.name) = n.folded
      order by b.created_at limit 1) as id
    from (select name, lower(name) as folded from unnest(${[...new Set(names)]}::text[]) name) n`);
  const ids = new Map(rows.flatMap(({ folded, id }) => (id === null ? [] : [[folded, id] as const])));
  for (const { name, folded } of rows) {
    if (ids.has(folded)) continue;
    const slug = await freeName(ctx, slugs, slugOf(name, 'brand'));
    ids.set(folded, (await ctx.rows(brand).insert({ name, slug })).id);
  }
  return new Map(rows.map(({ name, folded }) => [name, ids.get(folded) as string]));
}
