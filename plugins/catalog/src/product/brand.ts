import { type Ctx, f, resource, sql } from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';
import { freeName, slugOf } from './slugs.ts';

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

/** The brand with the name, ignoring case. Creates a missing brand. */
export async function brandByName(ctx: Ctx, name: string): Promise<string> {
  const known = await ctx.db.first<{ id: string }>(
    sql`select id from catalog_brand where tenant_id = ${ctx.tenant.id} and lower(name) = lower(${name}) order by created_at limit 1`,
  );
  if (known) return known.id;
  const made = await ctx.rows(brand).insert({ name, slug: await freeName(ctx, slugs, slugOf(name, 'brand')) });
  return made.id;
}
