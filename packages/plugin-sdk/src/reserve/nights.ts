import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { nameOf } from './sql-text.ts';

/** Definition of a table of nights. */
export interface NightsOptions {
  /** Table of the nights, created by the migration. */
  readonly table: string;
  /** Column of the room, bed or pitch. */
  readonly resource: string;
  /** The plugin's table that it refers to. */
  readonly resources: string;
  /** Column of the reservation. */
  readonly holder: string;
  /** The plugin's table that it refers to. */
  readonly holders: string;
}
/** A table of reserved nights. */
export interface Nights extends NightsOptions {
  /** Name of the primary key, for `mapConstraintErrors`. */
  readonly constraint: string;
  /** The statement for a migration of the plugin. It creates the table; the two tables that it refers to must exist. */
  readonly migration: string;
}
/** A night of a resource. */
export interface Night {
  /** Id of the resource. */
  readonly resource: string;
  /** Civil date on which the night begins. */
  readonly night: string;
}

/**
 * Defines a table of nights with the key (tenant, resource, night): each night has one holder, and clock changes don't matter.
 */
export function defineNights(options: NightsOptions): Nights {
  const { table, resource, resources, holder, holders } = options;
  for (const name of [table, resource, resources, holder, holders]) nameOf(name);
  return Object.freeze({
    ...options,
    constraint: nameOf(`${table}_pkey`),
    migration: `select core_nights('${table}', '${resource}', '${resources}', '${holder}', '${holders}');`,
  });
}

/**
 * Reserves exactly these nights of these resources for the holder, and releases its others. Rows are written in order, so that
 * two callers who want the same nights can't deadlock. Returns the nights that belong to others, in order; then nothing has
 * changed.
 *
 * @param wanted `nights` are civil dates; the departure date is not one of them
 */
export async function reserveNights(
  ctx: Ctx,
  nights: Nights,
  wanted: { holder: string; resources: readonly string[]; nights: readonly string[] },
): Promise<Night[]> {
  const tenant = ctx.tenant.id;
  const table = sql.table(nights.table);
  const [resource, holder] = [sql.ref(nights.resource), sql.ref(nights.holder)];
  const pairs = sql`(select r, n from unnest(${[...new Set(wanted.resources)]}::uuid[]) r, unnest(${[...new Set(wanted.nights)]}::date[]) n) w`;
  const fresh = await ctx.db.rows<Night>(sql`
    insert into ${table} as t (tenant_id, ${resource}, night, ${holder})
    select ${tenant}, r, n, ${wanted.holder} from ${pairs} order by r, n
    on conflict (tenant_id, ${resource}, night) do nothing returning ${resource} as resource, night`);
  const others = await ctx.db.rows<Night>(sql`
    select r as resource, n as night from ${pairs} join ${table} t on t.tenant_id = ${tenant} and t.${resource} = r and t.night = n
    where t.${holder} <> ${wanted.holder} order by r, n`);
  if (others.length > 0) {
    await ctx.db.run(sql`
      delete from ${table} t using unnest(${fresh.map((each) => each.resource)}::uuid[], ${fresh.map((each) => each.night)}::date[]) as w (r, n)
      where t.tenant_id = ${tenant} and t.${resource} = w.r and t.night = w.n`);
    return others;
  }
  await ctx.db.run(sql`
    delete from ${table} t where t.tenant_id = ${tenant} and t.${holder} = ${wanted.holder}
      and not exists (select from ${pairs} where w.r = t.${resource} and w.n = t.night)`);
  return [];
}

/** Releases the nights of a holder, all or from a date on. Returns their number. */
export function releaseNights(ctx: Ctx, nights: Nights, holder: string, from?: string): Promise<number> {
  return ctx.db.run(sql`
    delete from ${sql.table(nights.table)} where tenant_id = ${ctx.tenant.id} and ${sql.ref(nights.holder)} = ${holder}
      ${from === undefined ? sql`` : sql`and night >= ${from}::date`}`);
}

/** Returns the reserved nights within `[from, to)` with their holders, ordered by resource and night. */
export function reservedNights(
  ctx: Ctx,
  nights: Nights,
  { resources, from, to }: { resources?: readonly string[]; from: string; to: string },
): Promise<(Night & { holder: string })[]> {
  const [resource, holder] = [sql.ref(nights.resource), sql.ref(nights.holder)];
  return ctx.db.rows(sql`
    select ${resource} as resource, night, ${holder} as holder from ${sql.table(nights.table)}
    where tenant_id = ${ctx.tenant.id} and night >= ${from}::date and night < ${to}::date
      ${resources ? sql`and ${resource} = any(${[...resources]}::uuid[])` : sql``} order by 1, 2`);
}
