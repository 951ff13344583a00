import { type Ctx, f, invalid, type LocalText, problem, referenceNotFound, resource, sql } from '@storeloom/plugin-sdk';
import { depthOf, maxDepth, movedPaths } from './category-tree.ts';
import { imageAddress, seo } from './product.ts';
import { freeName, slugOf } from './slugs.ts';

const slugs = { table: 'catalog_category', column: 'slug' };
const below = (parentId: string | null) => ({ ...slugs, where: sql`parent_id is not distinct from ${parentId}::uuid` });

interface Node {
  id: string;
  path: string[];
}
interface Place {
  path: string[];
  depth: number;
}

export const category = resource('category', {
  path: 'categories',
  verbs: ['list', 'create', 'update', 'remove'],
  fields: {
    name: f.i18n({ max: 200 }).search(),
    /** Made of the name when left out. Unique below one parent. */
    slug: f.slug().default('').filter(),
    parentId: f.ref('catalog.category').optional().filter(),
    position: f.int().default(0).sort(),
    description: f.richText({ max: 20_000 }).translatable().optional(),
    image: imageAddress().optional(),
    active: f.bool().default(true).filter(),
    seo: seo().optional(),
    metadata: f.json().optional(),
    /** Ids from the root down to itself. */
    path: f.list(f.id()).default([]).readonly(),
    /** 1 at the root, at most 8. */
    depth: f.int().default(1).readonly().filter().sort(),
    /** Products in it and below it. */
    productCount: f.int().default(0).readonly().virtual(),
  },
  defaultSort: 'position',
  routes: { remove: { query: { reassignTo: f.id().optional() } } },
  before: {
    async create(ctx, input) {
      await lockTree(ctx);
      const parent = input.parentId === null ? [] : (await pathsOf(ctx, [input.parentId])).get(input.parentId)!;
      if (parent.length >= maxDepth) throw tooDeep('/parentId');
      return input.slug
        ? undefined
        : { slug: await freeName(ctx, below(input.parentId), slugOf(input.name[ctx.tenant.defaultLocale] ?? '', 'category')) };
    },
    async update(ctx, row, patch) {
      if (patch.parentId === undefined || patch.parentId === row.parentId) return undefined;
      await lockTree(ctx);
      // The row may have moved while this waited for the lock.
      const own = (await pathsOf(ctx, [row.id])).get(row.id)!;
      const parent = patch.parentId === null ? [] : (await pathsOf(ctx, [patch.parentId])).get(patch.parentId)!;
      return (await move(ctx, row.id, own, parent, '/parentId')) as object;
    },
    async remove(ctx, row, req) {
      const { reassignTo } = req.query as { reassignTo: string | null };
      await lockTree(ctx);
      if (reassignTo !== null) await reassign(ctx, row.id, reassignTo);
    },
  },
  after: {
    /** The path ends in the id, which the insert made. */
    async create(ctx, row) {
      const parent = row.parentId === null ? [] : (await pathsOf(ctx, [row.parentId])).get(row.parentId)!;
      const place = placeOf([...parent, row.id]);
      await savePlace(ctx, row.id, place);
      Object.assign(row, place);
      ctx.dropCache('catalog');
    },
    update: (ctx) => ctx.dropCache('catalog'),
    remove: (ctx) => ctx.dropCache('catalog'),
  },
  async present(ctx, rows) {
    const counts = await productCounts(ctx, rows.map(({ id }) => id));
    return rows.map((row) => ({ ...row, productCount: counts.get(row.id) ?? 0 }));
  },
});

/** One writer of the tree at a time: two moves that each look right could close a ring together. */
async function lockTree(ctx: Ctx): Promise<void> {
  await ctx.db.first(sql`select pg_advisory_xact_lock(hashtextextended(${`catalog.category ${ctx.tenant.id}`}, 0))`);
}

const placeOf = (path: string[]): Place => ({ path, depth: depthOf(path) });
const tooDeep = (pointer: string) => invalid(pointer, 'too_deep', `a category lies at most ${maxDepth} levels deep`);

async function savePlace(ctx: Ctx, id: string, { path, depth }: Place): Promise<void> {
  await ctx.db.run(
    sql`update catalog_category set path = ${JSON.stringify(path)}::jsonb, depth = ${depth} where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
}

async function pathsOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await ctx.db.rows<Node>(
    sql`select id, path from catalog_category where tenant_id = ${ctx.tenant.id} and id = any(${[...ids]}::uuid[])`,
  );
  return new Map(rows.map(({ id, path }) => [id, path]));
}

/** Moves everything below the category; gives its own new place, for the caller to write. */
async function move(ctx: Ctx, id: string, oldPath: string[], parentPath: string[], pointer: string): Promise<Place> {
  const rows = await ctx.db.rows<Node>(
    sql`select id, path from catalog_category where tenant_id = ${ctx.tenant.id} and path @> ${JSON.stringify([id])}::jsonb and id <> ${id}`,
  );
  const moved = movedPaths(id, oldPath, parentPath, rows);
  if ('fault' in moved) {
    if (moved.fault === 'too_deep') throw tooDeep(pointer);
    throw problem('category_cycle', { detail: 'A category cannot hang below itself.' });
  }
  for (const row of rows) await savePlace(ctx, row.id, placeOf(moved.paths.get(row.id)!));
  return placeOf(moved.paths.get(id)!);
}

/** Hangs the children of a category below another one. */
async function reassign(ctx: Ctx, id: string, target: string): Promise<void> {
  const targetPath = (await pathsOf(ctx, [target])).get(target);
  if (!targetPath) throw referenceNotFound('?reassignTo');
  if (targetPath.includes(id)) throw problem('category_cycle', { detail: 'The children cannot hang below what is deleted.' });
  const children = await ctx.db.rows<Node>(
    sql`select id, path from catalog_category where tenant_id = ${ctx.tenant.id} and parent_id = ${id} order by id`,
  );
  for (const child of children) {
    const place = await move(ctx, child.id, child.path, targetPath, '?reassignTo');
    await ctx.rows(category).update(child.id, { parentId: target, ...place });
  }
}

async function productCounts(ctx: Ctx, ids: string[]): Promise<Map<string, number>> {
  const rows = await ctx.db.rows<{ id: string; n: number }>(sql`
    select a.id, count(distinct pc.product_id) as n
    from catalog_category c
    cross join lateral jsonb_array_elements_text(c.path) a (id)
    join catalog_product_category pc on pc.tenant_id = c.tenant_id and pc.category_id = c.id
    where c.tenant_id = ${ctx.tenant.id} and a.id = any(${ids}::text[])
    group by a.id`);
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/** The last category of a path of names in the default locale, outermost first; what is missing is made. */
export async function categoryByPath(ctx: Ctx, names: readonly string[]): Promise<string | null> {
  if (names.length === 0) return null;
  if (names.length > maxDepth) throw tooDeep('/categoryPath');
  await lockTree(ctx);
  const { defaultLocale } = ctx.tenant;
  let parent = null as Node | null;
  for (const name of names) {
    const known: Node | undefined = await ctx.db.first<Node>(
      sql`select id, path from catalog_category where tenant_id = ${ctx.tenant.id} and parent_id is not distinct from ${parent?.id ?? null}::uuid
          and lower(name ->> ${defaultLocale}) = lower(${name}) order by position, id limit 1`,
    );
    parent = known ?? (await make(ctx, { [defaultLocale]: name }, parent));
  }
  return parent?.id ?? null;
}

async function make(ctx: Ctx, name: LocalText, parent: Node | null): Promise<Node> {
  const slug = await freeName(ctx, below(parent?.id ?? null), slugOf(name[ctx.tenant.defaultLocale] ?? '', 'category'));
  const row = await ctx.rows(category).insert({ name, slug, parentId: parent?.id ?? null });
  const place = placeOf([...(parent?.path ?? []), row.id]);
  await savePlace(ctx, row.id, place);
  return { id: row.id, path: place.path };
}
