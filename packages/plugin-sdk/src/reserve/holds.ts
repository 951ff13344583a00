import { type RawBuilder, sql } from 'kysely';
import type { Ctx, PlatformCtx } from '../context.ts';
import type { PlatformJob } from '../job.ts';
import { snake } from '../names.ts';
import { problem } from '../problem.ts';
import type { Resource } from '../resource.ts';
import { nameOf } from './sql-text.ts';

/** Definition of holds. */
export interface HoldsOptions {
  /** The plugin's resource whose rows hold another resource, `<plugin>.<noun>`. */
  readonly entity: string;
  /** The status that holds and may lapse. Default `pending`. */
  readonly status?: string;
  /** Field of the instant from which the hold has lapsed; null never lapses. Default `holdExpiresAt`. */
  readonly until?: string;
  /** Column of the resource that is held, or a condition on the row `t` for some resources. Without it rows lapse by the job alone. */
  readonly resource?: string | ((ids: readonly string[]) => RawBuilder<unknown>);
  /** The move that ends a lapsed hold. Default `expire`. */
  readonly move?: string;
}
/** Holds of a resource, defined by `defineHolds`. */
export interface Holds extends Required<Omit<HoldsOptions, 'resource'>>, Pick<HoldsOptions, 'resource'> {
  /** Table of the rows. */
  readonly table: string;
  /** The condition on a row of `alias` (default `t`) that its hold hasn't lapsed; also true for every other status. */
  activeCondition(ctx: Ctx | PlatformCtx, alias?: string): RawBuilder<unknown>;
}

/**
 * Rows that hold a resource for a limited time. Constraints of the database can't compare with the clock, so the next caller who locks the
 * resource expires the lapsed rows first (`withResourceLocks(…, { holds })`), and `holdsJob` expires the rest. The resource is found by its
 * name: the holds stand in a file that the machine of the resource may import.
 */
export function defineHolds(options: HoldsOptions): Holds {
  const { entity, status = 'pending', until = 'holdExpiresAt', move = 'expire', resource } = options;
  const table = snake(entity);
  const column = snake(until);
  for (const name of [table, status, column]) nameOf(name);
  if (typeof resource === 'string') nameOf(resource);
  return Object.freeze({
    ...options,
    table,
    status,
    until,
    move,
    activeCondition: (ctx: Ctx | PlatformCtx, alias = 't') =>
      sql`(${sql.ref(`${alias}.status`)} <> ${status} or ${sql.ref(`${alias}.${column}`)} is null or ${sql.ref(`${alias}.${column}`)} > ${ctx.clock.now()}::timestamptz)`,
  });
}

/** Rows whose hold has lapsed, in id order. One that another transaction has locked is skipped: that transaction decides about it. */
function lapsed(ctx: Ctx, holds: Holds, more: RawBuilder<unknown>): Promise<{ id: string }[]> {
  return ctx.db.rows<{ id: string }>(sql`
    select t.id from ${sql.table(holds.table)} t
    where t.tenant_id = ${ctx.tenant.id} and t.status = ${sql.raw(`'${holds.status}'`)}
      and ${sql.ref(`t.${snake(holds.until)}`)} <= ${ctx.clock.now()}::timestamptz ${more}
    order by t.id limit 500 for no key update of t skip locked`);
}

/** The lapsed rows of some resources: to be read behind the lock of the resources, and expired with `expireRows`. */
export function findLapsed(ctx: Ctx, holds: Holds, resources: readonly string[]): Promise<{ id: string }[]> {
  const { resource } = holds;
  if (resource === undefined) throw new Error(`the holds of ${holds.table} name no resource`);
  const ofResources =
    typeof resource === 'string' ? sql`${sql.ref(`t.${resource}`)} = any(${[...resources]}::uuid[])` : resource(resources);
  return lapsed(ctx, holds, sql`and ${ofResources}`);
}
/** Expires the rows, with all the effects of the move. */
export async function expireRows(ctx: Ctx, holds: Holds, rows: readonly { id: string }[]): Promise<void> {
  if (rows.length === 0) return;
  const owner = ctx.entities.find(holds.entity)?.table as Resource | undefined;
  if (!owner?.move) throw new Error(`the holds name ${holds.entity}, which is no resource of ${ctx.plugin}`);
  for (const { id } of rows) await owner.move(ctx, id, holds.move);
}

/**
 * Expires the lapsed holds of some resources and returns the ids of their rows. For locks that `withResourceLocks` didn't take
 * (`withKeyLocks`, a lock of the plugin's own), before a row is inserted.
 */
export async function expireHolds(ctx: Ctx, holds: Holds, resources: readonly string[]): Promise<string[]> {
  const rows = resources.length === 0 ? [] : await findLapsed(ctx, holds, resources);
  await expireRows(ctx, holds, rows);
  return rows.map(({ id }) => id);
}

/** Whether the row's hold has lapsed, expired yet or not. */
export function isLapsed(ctx: Ctx, { status, until }: Pick<Holds, 'status' | 'until'>, row: { status: string }): boolean {
  const end = (row as Record<string, unknown>)[until] as string | null;
  return row.status === status && end !== null && end <= ctx.clock.now();
}

/**
 * Checks that the hold of a row hasn't lapsed.
 *
 * @throws Problem 410 `expired`
 */
export function checkNotLapsed(ctx: Ctx, holds: Pick<Holds, 'status' | 'until'>, row: { status: string }): void {
  if (isLapsed(ctx, holds, row)) throw problem('expired');
}

/** The end of a hold that begins now: after so many minutes, and never later than `notAfter` (the start of what is held). */
export function holdUntil(ctx: Ctx, minutes: number, notAfter?: string): string {
  const end = ctx.clock.ms() + minutes * 60_000;
  return new Date(notAfter === undefined ? end : Math.min(end, Date.parse(notAfter))).toISOString();
}

/**
 * A job that expires lapsed holds: one query a minute for the whole installation, so that tenants without holds cost nothing, and one
 * transaction a row, so that it never locks the resources of two rows. `seconds`: how long after its end a hold is left to a payment that
 * is under way; queries treat it as lapsed immediately.
 */
export function holdsJob(holds: Holds, { seconds = 0 }: { seconds?: number } = {}): PlatformJob {
  return {
    cron: '* * * * *',
    platform: true,
    async run(ctx) {
      const before = new Date(ctx.clock.ms() - seconds * 1000).toISOString();
      const due = await ctx.transaction(
        (inside) =>
          inside.db.rows<{ tenant: string; id: string }>(sql`
            select tenant_id as tenant, id from ${sql.table(holds.table)} t
            where t.status = ${sql.raw(`'${holds.status}'`)} and ${sql.ref(`t.${snake(holds.until)}`)} <= ${before}::timestamptz
            order by ${sql.ref(`t.${snake(holds.until)}`)}, t.id limit 2000`),
        { readOnly: true },
      );
      for (const { tenant, id } of due) {
        if (ctx.signal.aborted) return;
        try {
          await ctx.withTenant(tenant, async (inside) => {
            await expireRows(inside, holds, await lapsed(inside, holds, sql`and t.id = ${id}`));
          });
        } catch (error) {
          // The next run tries it again.
          ctx.log.error({ plugin: ctx.plugin, tenant_id: tenant, id, err: error }, 'a lapsed hold could not be expired');
        }
      }
    },
  };
}
