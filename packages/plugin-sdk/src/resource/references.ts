import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Shape } from '../field.ts';
import { Problem, referenceNotFound } from '../problem.ts';

/**
 * Checks every `f.ref` in the values: the row must exist in the tenant and its plugin must be on.
 *
 * @throws Problem 404 `not_found` with the pointer
 */
export async function checkReferences(ctx: Ctx, shape: Shape, values: Record<string, unknown>, at = ''): Promise<void> {
  for (const [name, field] of Object.entries(shape)) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    const { spec } = field;
    if (spec.kind === 'ref') await requireReference(ctx, spec.target as string, [value as string], [`${at}/${name}`]);
    else if (spec.kind === 'list' && spec.item?.spec.kind === 'ref')
      await requireReference(
        ctx,
        spec.item.spec.target as string,
        value as string[],
        (value as string[]).map((_, i) => `${at}/${name}/${i}`),
      );
    else if (spec.shape) await checkReferences(ctx, spec.shape, value as Record<string, unknown>, `${at}/${name}`);
    else if (spec.kind === 'list' && spec.item?.spec.shape)
      for (const [i, item] of (value as Record<string, unknown>[]).entries())
        await checkReferences(ctx, spec.item.spec.shape, item, `${at}/${name}/${i}`);
  }
}

async function requireReference(ctx: Ctx, target: string, ids: readonly string[], pointers: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const entity = ctx.entities.find(target);
  const found = entity?.on ? new Set((await ctx.rows(entity.table).find({ id: ids })).map((row) => row.id)) : new Set<string>();
  ids.forEach((id, i) => {
    if (!found.has(id)) throw referenceNotFound(pointers[i] as string);
  });
}

/**
 * Checks that no `f.ref` column of any plugin refers to a row.
 *
 * @throws Problem 409 `in_use {counts}` by path of the referring resource
 */
export async function checkNotInUse(ctx: Ctx, entity: string, id: string): Promise<void> {
  const counts: Record<string, number> = {};
  for (const referrer of ctx.entities.referrers(entity)) {
    const row = await ctx.db.first<{ n: number }>(
      sql`select count(*)::int8 as n from ${sql.table(referrer.table)} where tenant_id = ${ctx.tenant.id} and ${sql.id(referrer.column)} = ${id}${referrer.softDeleted ? sql` and deleted_at is null` : sql``}`,
    );
    if (row && row.n > 0) counts[referrer.path] = (counts[referrer.path] ?? 0) + row.n;
  }
  if (Object.keys(counts).length > 0)
    throw new Problem('in_use', {
      detail: `It can't be deleted: ${Object.keys(counts).join(', ')} refer to it. Remove these references first.`,
      counts,
    });
}
