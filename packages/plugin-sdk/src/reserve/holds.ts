import { type RawBuilder, sql } from 'kysely';
import type { Ctx, PlatformCtx } from '../context.ts';
import type { PlatformJob } from '../plugin.ts';
import { nameOf } from './sql-text.ts';

export interface HoldsOptions {
  /** Table of the rows that hold something: `id`, `status` and the columns named here. */
  readonly table: string;
  /** The state that holds and may lapse, `pending`. */
  readonly status: string;
  /** Column of the instant from which it doesn't hold any more; null never lapses. */
  readonly until: string;
  /** Column of the resource that is held, or a condition on the row `t` for some resources. Without it rows lapse by the job alone. */
  readonly resource?: string | ((ids: readonly string[]) => RawBuilder<unknown>);
  /** Moves one row on, with all its effects: `(ctx, id) => appointment.move(ctx, id, 'expire')`. */
  expire(ctx: Ctx, id: string): Promise<unknown>;
}
export interface Holds extends HoldsOptions {
  /** Holds, and not for longer than now: the condition on `alias` that every query for what blocks carries. False for a lapsed row. */
  activeCondition(ctx: Ctx | PlatformCtx, alias?: string): RawBuilder<unknown>;
}

/** Rows that hold something for a time: the database's constraints can't ask for the time, so who comes next moves the lapsed ones on. */
export function defineHolds(options: HoldsOptions): Holds {
  const { status, until } = options;
  nameOf(options.table);
  nameOf(status);
  nameOf(until);
  if (typeof options.resource === 'string') nameOf(options.resource);
  return Object.freeze({
    ...options,
    activeCondition: (ctx: Ctx | PlatformCtx, alias = 't') =>
      sql`(${sql.ref(`${alias}.status`)} <> ${status} or ${sql.ref(`${alias}.${until}`)} is null or ${sql.ref(`${alias}.${until}`)} > ${ctx.clock.now()}::timestamptz)`,
  });
}

/** Rows whose hold is over, in id order. One that somebody is moving at this moment is theirs: it is passed over, never waited for. */
function lapsed(ctx: Ctx, holds: Holds, more: RawBuilder<unknown>): Promise<{ id: string }[]> {
  return ctx.db.rows<{ id: string }>(sql`
    select t.id from ${sql.table(holds.table)} t
    where t.tenant_id = ${ctx.tenant.id} and t.status = ${sql.raw(`'${holds.status}'`)}
      and ${sql.ref(`t.${holds.until}`)} <= ${ctx.clock.now()}::timestamptz ${more}
    order by t.id limit 500 for no key update of t skip locked`);
}

/** The lapsed rows of some resources: to be asked for behind the lock, and moved on with `expireRows`. */
export function findLapsed(ctx: Ctx, holds: Holds, resources: readonly string[]): Promise<{ id: string }[]> {
  const { resource } = holds;
  if (resource === undefined) throw new Error(`the holds of ${holds.table} name no resource`);
  const theirs =
    typeof resource === 'string' ? sql`${sql.ref(`t.${resource}`)} = any(${[...resources]}::uuid[])` : resource(resources);
  return lapsed(ctx, holds, sql`and ${theirs}`);
}
/** Moves the rows on, with all the effects of the move. */
export async function expireRows(ctx: Ctx, holds: Holds, rows: readonly { id: string }[]): Promise<void> {
  for (const { id } of rows) await holds.expire(ctx, id);
}

/**
 * Under a lock of the resources that `withResourceLocks` didn't take (`withKeyLocks`, a lock of the plugin's own), before a row is
 * inserted: moves on what holds them without right. Gives the ids of the rows.
 */
export async function expireHolds(ctx: Ctx, holds: Holds, resources: readonly string[]): Promise<string[]> {
  const rows = resources.length === 0 ? [] : await findLapsed(ctx, holds, resources);
  await expireRows(ctx, holds, rows);
  return rows.map(({ id }) => id);
}

/** Whether a row's hold is over, for the guard of a move that confirms it: 410 `expired` then. */
export function isLapsed(ctx: Ctx, holds: Pick<Holds, 'status'>, row: { status: string; until: string | null }): boolean {
  return row.status === holds.status && row.until !== null && row.until <= ctx.clock.now();
}

/** When a hold that begins now ends: after so many minutes, and never later than `notAfter` (the start of what is held). */
export function holdUntil(ctx: Ctx, minutes: number, notAfter?: string): string {
  const end = ctx.clock.ms() + minutes * 60_000;
  return new Date(notAfter === undefined ? end : Math.min(end, Date.parse(notAfter))).toISOString();
}

/**
 * A job that moves lapsed holds on where nobody comes: one look a minute for the whole installation, so that tenants without any cost
 * nothing, and one transaction a row, so that what each of them frees is locked for itself alone. `seconds`: how long after its end a
 * hold is left to a payment that is on its way; queries count it as over at once.
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
            where t.status = ${sql.raw(`'${holds.status}'`)} and ${sql.ref(`t.${holds.until}`)} <= ${before}::timestamptz
            order by ${sql.ref(`t.${holds.until}`)}, t.id limit 2000`),
        { readOnly: true },
      );
      for (const { tenant, id } of due) {
        if (ctx.signal.aborted) return;
        try {
          await ctx.withTenant(tenant, async (inside) => {
            await expireRows(inside, holds, await lapsed(inside, holds, sql`and t.id = ${id}`));
          });
        } catch (error) {
          // The others go on; this one is looked at again in a minute.
          ctx.log.error({ plugin: ctx.plugin, tenant_id: tenant, id, err: error }, 'a lapsed hold could not be moved on');
        }
      }
    },
  };
}
