import { type Ctx, invalid, problem, referenceNotFound, sql } from '@storeloom/plugin-sdk';
import { depthOf, maxDepth, movedPaths } from './tree.ts';

export interface CategoryNode {
  id: string;
  path: string[];
}
export interface Place {
  path: string[];
  depth: number;
}

const treeKey = (ctx: Ctx) => sql`hashtextextended(${`catalog.category ${ctx.tenant.id}`}, 0)`;

/** Takes the exclusive tree lock. Without it, two concurrent moves could create a cycle. Must precede row locks. */
export async function lockTree(ctx: Ctx): Promise<void> {
  await ctx.db.first(sql`select pg_advisory_xact_lock(${treeKey(ctx)})`);
}

/** Takes the shared tree lock, so that the tree doesn't change while products are placed. Must precede row locks. */
export async function holdTree(ctx: Ctx): Promise<void> {
  await ctx.db.first(sql`select pg_advisory_xact_lock_shared(${treeKey(ctx)})`);
}

export const placeOf = (path: string[]): Place => ({ path, depth: depthOf(path) });
export const tooDeep = (pointer: string) => invalid(pointer, 'too_deep', `must be at most ${maxDepth} levels deep`);

export async function savePlace(ctx: Ctx, id: string, { path, depth }: Place): Promise<void> {
  await ctx.db.run(
    sql`update catalog_category set path = ${JSON.stringify(path)}::jsonb, depth = ${depth} where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
}

async function pathsOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await ctx.db.rows<CategoryNode>(
    sql`select id, path from catalog_category where tenant_id = ${ctx.tenant.id} and id = any(${[...ids]}::uuid[])`,
  );
  return new Map(rows.map(({ id, path }) => [id, path]));
}

/** Moves the descendants of a category. Returns the new place of the category itself, which the caller saves. */
export async function move(ctx: Ctx, id: string, oldPath: string[], parentPath: string[], pointer: string): Promise<Place> {
  const rows = await ctx.db.rows<CategoryNode>(
    sql`select id, path from catalog_category where tenant_id = ${ctx.tenant.id} and path @> ${JSON.stringify([id])}::jsonb and id <> ${id}`,
  );
  const moved = movedPaths(id, oldPath, parentPath, rows);
  if ('fault' in moved) {
    if (moved.fault === 'too_deep') throw tooDeep(pointer);
    throw problem('category_cycle', { detail: "A category can't be moved below itself or one of its descendants." });
  }
  for (const row of rows) await savePlace(ctx, row.id, placeOf(moved.paths.get(row.id)!));
  return placeOf(moved.paths.get(id)!);
}

/** Moves the children of a category to another parent. */
export async function reassignChildren(ctx: Ctx, id: string, target: string): Promise<void> {
  const targetPath = (await pathsOf(ctx, [target])).get(target);
  if (!targetPath) throw referenceNotFound('?reassignTo');
  if (targetPath.includes(id))
    throw problem('category_cycle', { detail: "The children can't be moved into the deleted category. Choose another one." });
  const children = await ctx.db.rows<CategoryNode>(
    sql`select id, path from catalog_category where tenant_id = ${ctx.tenant.id} and parent_id = ${id} order by id`,
  );
  for (const child of children) {
    const place = await move(ctx, child.id, child.path, targetPath, '?reassignTo');
    await ctx.db.run(
      sql`update catalog_category set parent_id = ${target}, path = ${JSON.stringify(place.path)}::jsonb, depth = ${place.depth},
            updated_at = ${ctx.clock.now()}, version = version + 1
          where tenant_id = ${ctx.tenant.id} and id = ${child.id}`,
    );
  }
}

/** Path of the parent. Empty for a top-level category. */
export async function parentPath(ctx: Ctx, parentId: string | null): Promise<string[]> {
  return parentId === null ? [] : ((await pathsOf(ctx, [parentId])).get(parentId) ?? []);
}
