import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { nameOf } from './sql-text.ts';

export interface NightsOptions {
  /** Table of its own, made by the migration. */
  readonly table: string;
  /** Column of what is slept in, and the plugin's table it names. */
  readonly resource: string;
  readonly resources: string;
  /** Column of what has the night, and the plugin's table it names. */
  readonly holder: string;
  readonly holders: string;
}
export interface Nights extends NightsOptions {
  /** The key's name, for `mapConstraintErrors`. */
  readonly constraint: string;
  /** The statement that a migration of the plugin runs. It makes the table; the two that it names must be there. */
  readonly migration: string;
}
/** A night of a resource: the civil date on which it begins. */
export interface Night {
  readonly resource: string;
  readonly night: string;
}

/** Nights as rows with the key (tenant, resource, night): each is one holder's, and clock changes don't touch them. */
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
 * Gives the holder exactly these nights of these resources, and takes those away that it had besides. Written sorted, so that two who want
 * the same nights wait for each other in one order. Nights that are another's are given back in order, and then nothing has changed.
 * None: the holder has them.
 *
 * @param nights civil dates; the departure day is none of them
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

/** The holder's nights from a date on, or all of them, are free again. Gives their number; a second time there is none. */
export function releaseNights(ctx: Ctx, nights: Nights, holder: string, from?: string): Promise<number> {
  return ctx.db.run(sql`
    delete from ${sql.table(nights.table)} where tenant_id = ${ctx.tenant.id} and ${sql.ref(nights.holder)} = ${holder}
      ${from === undefined ? sql`` : sql`and night >= ${from}::date`}`);
}

/** Nights within `[from, to)` that are taken, with their holders, by resource and night. */
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
