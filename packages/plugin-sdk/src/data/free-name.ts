import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { uuidv7 } from '../id.ts';
import { slugify } from '../names.ts';

/** Returns the slug of a text; without Latin letters and digits in it, `noun` with a random suffix. */
export function slugOf(text: string, noun: string): string {
  return slugify(text) || `${noun}-${uuidv7().slice(-8)}`;
}

const tries = 50;

/**
 * Returns the first unused value of `base`, `base-2`, `base-3` … in the column, at most `max` characters (default 120). Concurrent
 * writers can still conflict: 409 `duplicate`.
 */
export async function freeName(
  ctx: Ctx,
  { table, column, max = 120, where = sql`true` }: { table: string; column: string; max?: number; where?: RawBuilder<unknown> },
  base: string,
  suffix: (n: number) => string = (n) => (n === 1 ? '' : `-${n}`),
): Promise<string> {
  const candidates = Array.from({ length: tries }, (_, i) => withSuffix(base, suffix(i + 1), max));
  const taken = await ctx.db.rows<{ name: string }>(
    sql`select ${sql.id(column)} as name from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and ${sql.id(column)} = any(${candidates}::text[]) and ${where}`,
  );
  const names = new Set(taken.map(({ name }) => name));
  return candidates.find((name) => !names.has(name)) ?? withSuffix(base, `-${uuidv7().slice(-12)}`, max);
}

/** Returns `base`, shortened so that it has at most `max` characters with the suffix. */
export function withSuffix(base: string, suffix: string, max: number): string {
  return base.slice(0, max - suffix.length).replace(/-+$/, '') + suffix;
}
