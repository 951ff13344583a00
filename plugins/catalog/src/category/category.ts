import { categoryEvents } from '@storeloom/commerce';
import {
  type BaseRow,
  type Ctx,
  checkNotInUse,
  checkReferences,
  checkVersion,
  f,
  freeName,
  isEmptyPatch,
  type LocalText,
  noContent,
  type Req,
  type RowOf,
  resource,
  type Shape,
  slugOf,
  sql,
} from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';
import { seo } from '../product/product.ts';
import { type CategoryNode, lockTree, move, parentPath, placeOf, reassignChildren, savePlace, tooDeep } from './place.ts';
import { placeProducts, productsBelow } from './placement.ts';
import { maxDepth } from './tree.ts';

const slugs = { table: 'catalog_category', column: 'slug' };
const below = (parentId: string | null) => ({ ...slugs, where: sql`parent_id is not distinct from ${parentId}::uuid` });
const entity = 'catalog.category';

const fields = {
  name: f.i18n({ max: 200 }).search(),
  /** Generated from the name if omitted. Unique within the parent. */
  slug: f.slug().default('').filter(),
  parentId: f.ref('catalog.category').optional().filter(),
  position: f.int().default(0).sort(),
  description: f.richText({ max: 20_000 }).translatable().optional(),
  image: linkField().optional(),
  active: f.bool().default(true).filter(),
  seo: seo().optional(),
  metadata: f.json().optional().describe('What the shop keeps with it.'),
  /** Ids from the top-level category to this one. */
  path: f.list(f.id()).default([]).readonly(),
  /** 1 at the top level, at most 8. */
  depth: f.int().default(1).readonly().filter().sort(),
  /** Products in the category and its descendants. */
  productCount: f.int().default(0).readonly().virtual(),
} satisfies Shape;
type Row = RowOf<typeof fields> & BaseRow;

export const category = resource('category', {
  path: 'categories',
  verbs: ['list', 'create', 'update', 'remove'],
  fields,
  indexes: [{ fields: ['slug'] }],
  sqlOnly: { catalog_category_slug_key: 'nulls not distinct: slugs are unique among root categories too' },
  defaultSort: 'position',
  routes: {
    update: { problems: ['category_cycle'] },
    remove: { query: { reassignTo: f.id().optional() }, problems: ['category_cycle', 'in_use'] },
  },
  before: {
    async create(ctx, input) {
      await lockTree(ctx);
      if ((await parentPath(ctx, input.parentId)).length >= maxDepth) throw tooDeep('/parentId');
      return input.slug
        ? undefined
        : { slug: await freeName(ctx, below(input.parentId), slugOf(input.name[ctx.tenant.defaultLocale] ?? '', 'category')) };
    },
  },
  after: {
    /** The path ends with the id, which exists only after the insert. */
    async create(ctx, row) {
      const place = placeOf([...(await parentPath(ctx, row.parentId)), row.id]);
      await savePlace(ctx, row.id, place);
      Object.assign(row, place);
      ctx.dropCache('catalog');
    },
  },
  handlers: { update, remove },
  problems: ['duplicate'],
  present: counted,
});
type Request = Req<Record<string, string>, never, never>;

async function counted(ctx: Ctx, rows: Row[]): Promise<Row[]> {
  const counts = await productCounts(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, productCount: counts.get(row.id) ?? 0 }));
}
async function view(ctx: Ctx, row: Row): Promise<Row> {
  return (await counted(ctx, [row]))[0]!;
}

/** Replaces the generated handler, because the tree lock must precede the row lock; otherwise two moves could deadlock. */
async function update(ctx: Ctx, req: Request): Promise<Row> {
  const id = req.params.id!;
  const patch = req.body as Partial<Row>;
  if (patch.parentId !== undefined) await lockTree(ctx);
  const known = await lockRow(ctx, id, req.ifMatch);
  if (isEmptyPatch(patch)) return view(ctx, known);
  await checkReferences(ctx, fields, patch);
  const moves = patch.parentId !== undefined && patch.parentId !== known.parentId;
  const place = moves ? await move(ctx, id, known.path, await parentPath(ctx, patch.parentId ?? null), '/parentId') : {};
  const before = await view(ctx, known);
  const after = await view(ctx, await ctx.rows(category).update(id, { ...patch, ...place }));
  if (moves) await placeProducts(ctx, await productsBelow(ctx, id));
  await changed(ctx, 'updated', id, before, after);
  return after;
}

async function remove(ctx: Ctx, req: Request): Promise<unknown> {
  const id = req.params.id!;
  const { reassignTo } = req.query as { reassignTo: string | null };
  await lockTree(ctx);
  const known = await lockRow(ctx, id, req.ifMatch);
  const products = await productsBelow(ctx, id);
  if (reassignTo !== null) await reassignChildren(ctx, id, reassignTo);
  await checkNotInUse(ctx, entity, id);
  const before = await view(ctx, known);
  await ctx.rows(category).remove(id);
  await placeProducts(ctx, products);
  await changed(ctx, 'deleted', id, before, null);
  return noContent();
}

async function lockRow(ctx: Ctx, id: string, ifMatch: number | undefined): Promise<Row> {
  const row = await ctx.rows(category).require(id, { lock: true });
  checkVersion(ifMatch, row);
  return row;
}

async function changed(ctx: Ctx, verb: 'updated' | 'deleted', id: string, before: Row, after: Row | null): Promise<void> {
  await ctx.audit({ entity, entityId: id, before, after });
  await ctx.emit(categoryEvents[verb], { id, data: { id } });
  ctx.dropCache('catalog');
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

interface NamedNode extends CategoryNode {
  parentId: string | null;
  folded: string;
}

/** Categories by parent and name, and the given names without case. */
interface NameTree {
  nodes: Map<string, CategoryNode>;
  folded: Map<string, string>;
}
const keyOf = (parentId: string | null | undefined, folded: string): string => `${parentId ?? ''} ${folded}`;

async function readTree(ctx: Ctx, names: readonly string[]): Promise<NameTree> {
  const [rows, given] = await Promise.all([
    ctx.db.rows<NamedNode>(sql`
      select id, path, parent_id as "parentId", lower(name ->> ${ctx.tenant.defaultLocale}) as folded
      from catalog_category where tenant_id = ${ctx.tenant.id} order by position, id`),
    ctx.db.rows<{ name: string; folded: string }>(
      sql`select name, lower(name) as folded from unnest(${[...new Set(names)]}::text[]) name`,
    ),
  ]);
  const nodes = new Map<string, CategoryNode>();
  for (const { id, path, parentId, folded } of rows) {
    const key = keyOf(parentId, folded);
    if (!nodes.has(key)) nodes.set(key, { id, path });
  }
  return { nodes, folded: new Map(given.map(({ name, folded }) => [name, folded])) };
}

/** Existing categories along the path of names. */
function walk({ nodes, folded }: NameTree, names: readonly string[]): CategoryNode[] {
  const found: CategoryNode[] = [];
  for (const name of names) {
    const node = nodes.get(keyOf(found.at(-1)?.id, folded.get(name) as string));
    if (!node) break;
    found.push(node);
  }
  return found;
}

/**
 * Finds categories by paths of names in the default locale, top level first, and creates missing ones. Returns a function from a path to the
 * id of its last category; null for an empty path.
 */
export async function categoriesByPath(
  ctx: Ctx,
  paths: readonly (readonly string[])[],
): Promise<(path: readonly string[]) => string | null> {
  if (paths.length === 0) return () => null;
  if (paths.some((path) => path.length > maxDepth)) throw tooDeep('/categoryPath');
  let tree = await readTree(ctx, paths.flat());
  if (paths.some((path) => walk(tree, path).length < path.length)) {
    await lockTree(ctx);
    tree = await readTree(ctx, paths.flat());
    for (const path of paths) {
      const found = walk(tree, path);
      let parent = found.at(-1) ?? null;
      for (const name of path.slice(found.length)) {
        const node = await makeCategory(ctx, { [ctx.tenant.defaultLocale]: name }, parent);
        tree.nodes.set(keyOf(parent?.id, tree.folded.get(name) as string), node);
        parent = node;
      }
    }
  }
  return (path) => walk(tree, path).at(-1)?.id ?? null;
}

/** Creates a category. The caller holds the tree lock. */
export async function makeCategory(
  ctx: Ctx,
  name: LocalText,
  parent: CategoryNode | null,
  wanted?: string,
): Promise<CategoryNode> {
  const slug =
    wanted ?? (await freeName(ctx, below(parent?.id ?? null), slugOf(name[ctx.tenant.defaultLocale] ?? '', 'category')));
  const row = await ctx.rows(category).insert({ name, slug, parentId: parent?.id ?? null });
  const place = placeOf([...(parent?.path ?? []), row.id]);
  await savePlace(ctx, row.id, place);
  return { id: row.id, path: place.path };
}
