import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Holds } from './holds.ts';
import type { Bounds } from './peak.ts';
import { nameOf, quoted } from './sql-text.ts';

export interface ExclusionOptions {
  /** Table of the rows that block something, each with `tenant_id` and `id`. */
  readonly table: string;
  /** Column of the resource that is blocked. */
  readonly resource: string;
  /** Columns of the blocking range `[from, until)`, buffers included: timestamptz or date. */
  readonly from: string;
  readonly until: string;
  /** States in which a row blocks, of its column `status`. Without them every row does. */
  readonly blocking?: readonly string[];
  /** Holds of the same table: lapsed ones don't block. */
  readonly holds?: Holds;
}
/** A range of a resource that is taken, as it stands in the columns. */
export interface BlockedRange extends Bounds {
  readonly id: string;
  readonly resource: string;
}
export interface Exclusion extends ExclusionOptions {
  /** Its name, for `mapConstraintErrors`. */
  readonly constraint: string;
  /** The statement that a migration of the plugin runs once the table is there. A test compares the two. */
  readonly migration: string;
}

/** No two blocking rows of a resource overlap: the database's last word, behind the lock of the resource and the check under it. */
export function defineExclusion(options: ExclusionOptions): Exclusion {
  const { table, resource, from, until, blocking } = options;
  for (const name of [table, resource, from, until, ...(blocking ?? [])]) nameOf(name);
  const where = blocking ? `, ${quoted(condition(blocking))}` : '';
  return Object.freeze({
    ...options,
    constraint: nameOf(`${table}_${resource}_excl`),
    migration: `select core_exclusion('${table}', '${resource}', '${from}', '${until}'${where});`,
  });
}
const condition = (blocking: readonly string[]): string => `status in (${blocking.map(quoted).join(', ')})`;

/**
 * What blocks the resources within a window, in order of its start: the check before an insert (under the lock of the resources), and the
 * busy times of a calendar. Lapsed holds are left out. `except`: rows that don't count, since they are the ones that move.
 */
export function blockedRanges(
  ctx: Ctx,
  exclusion: Exclusion,
  { resources, window, except = [] }: { resources: readonly string[]; window: Bounds; except?: readonly string[] },
): Promise<BlockedRange[]> {
  const { table, blocking, holds } = exclusion;
  const [resource, from, until] = [exclusion.resource, exclusion.from, exclusion.until].map((name) => sql.ref(`t.${name}`));
  return ctx.db.rows<BlockedRange>(sql`
    select t.id, ${resource} as resource, ${from} as start, ${until} as end from ${sql.table(table)} t
    where t.tenant_id = ${ctx.tenant.id} and ${resource} = any(${[...resources]}::uuid[])
      and ${until} > ${window.start} and ${from} < ${window.end}
      ${blocking ? sql.raw(`and t.${condition(blocking)}`) : sql``} ${holds ? sql`and ${holds.activeCondition(ctx)}` : sql``}
      ${except.length > 0 ? sql`and t.id <> all(${[...except]}::uuid[])` : sql``}
    order by 3, 1`);
}
