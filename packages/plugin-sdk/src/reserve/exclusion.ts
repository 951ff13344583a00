import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Holds } from './holds.ts';
import type { Bounds } from './peak.ts';
import { nameOf, quoted } from './sql-text.ts';

/** Definition of an exclusion. */
export interface ExclusionOptions {
  /** Table of the blocking rows, with `tenant_id` and `id`. */
  readonly table: string;
  /** Column of the blocked resource. */
  readonly resource: string;
  /** Column of the start of the blocked range `[from, until)`, buffers included: timestamptz or date. */
  readonly from: string;
  /** Column of its end. */
  readonly until: string;
  /** Values of `status` in which a row blocks. Default: every row blocks. */
  readonly blocking?: readonly string[];
  /** Holds of the same table: lapsed ones don't block. */
  readonly holds?: Holds;
}
/** A blocked range of a resource. */
export interface BlockedRange extends Bounds {
  /** Id of the blocking row. */
  readonly id: string;
  /** Id of the resource. */
  readonly resource: string;
}
/** An exclusion constraint: no two blocking rows of a resource overlap. */
export interface Exclusion extends ExclusionOptions {
  /** Name of the constraint, for `mapConstraintErrors`. */
  readonly constraint: string;
  /** The statement for a migration of the plugin, after the table is created. A test compares the two. */
  readonly migration: string;
}

/**
 * Defines an exclusion: no two blocking rows of a resource overlap. The constraint backs up the check under the lock of the
 * resource.
 */
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
 * Returns the blocked ranges of resources within a window, ordered by start: for the check before an insert (under the lock of
 * the resources), and for busy times. Lapsed holds are left out; `except` are rows to ignore because they are being moved.
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
