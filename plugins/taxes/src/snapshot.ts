import { type Ctx, type Db, sql } from '@storeloom/plugin-sdk';
import type { CategoryRow, RateRow } from './choose.ts';

export interface OssYearRow {
  year: number;
  /** Minor units of EUR. */
  net: number;
  exceededAt: string | null;
  exceededBy: string | null;
  optedInSince: string | null;
}
/** All that a tax decision reads of the database: one query a unit of work and set of countries. */
export interface Snapshot {
  categories: CategoryRow[];
  /** Of the asked countries, around the asked day. */
  rates: RateRow[];
  /** The shop has rates at all. */
  anyRates: boolean;
  /** The year of the day and the one before. */
  years: OssYearRow[];
}

const snapshots = new WeakMap<Db, Map<string, Promise<Snapshot>>>();

/** `date` is the day in any zone: rates of the days beside it come along. */
export function loadSnapshot(ctx: Ctx, countries: readonly string[], date: string): Promise<Snapshot> {
  const wanted = [...new Set(countries)].sort();
  const key = `${wanted.join()} ${date}`;
  const known = snapshots.get(ctx.db) ?? new Map<string, Promise<Snapshot>>();
  snapshots.set(ctx.db, known);
  const running = known.get(key) ?? query(ctx, wanted, date);
  known.set(key, running);
  return running;
}

/** This unit of work has changed what was read. */
export function forgetSnapshots(ctx: Ctx): void {
  snapshots.delete(ctx.db);
}

async function query(ctx: Ctx, countries: readonly string[], date: string): Promise<Snapshot> {
  const tenantId = ctx.tenant.id;
  const year = Number(date.slice(0, 4));
  const found = await ctx.db.first<Snapshot>(sql`select
    (select coalesce(json_agg(json_build_object('id', c.id, 'code', c.code, 'name', c.name, 'kind', c.kind, 'isDefault', c.is_default,
      'uneceCode', c.unece_code) order by c.code), '[]') from taxes_category c where c.tenant_id = ${tenantId}) as categories,
    (select coalesce(json_agg(json_build_object('id', r.id, 'country', r.country, 'categoryId', r.category_id, 'ratePpm', r.rate_ppm,
      'name', r.name, 'region', r.region, 'postalCode', r.postal_code, 'priority', r.priority, 'compound', r.compound,
      'validFrom', r.valid_from, 'validTo', r.valid_to) order by r.id), '[]') from taxes_rate r
      where r.tenant_id = ${tenantId} and r.country = any(${countries}::text[]) and r.valid_from <= ${date}::date + 1
        and (r.valid_to is null or r.valid_to >= ${date}::date - 1)) as rates,
    exists (select from taxes_rate r where r.tenant_id = ${tenantId}) as "anyRates",
    (select coalesce(json_agg(json_build_object('year', y.year, 'net', y.net_amount, 'exceededAt', y.exceeded_at,
      'exceededBy', y.exceeded_by, 'optedInSince', y.opted_in_since)), '[]') from taxes_oss_year y
      where y.tenant_id = ${tenantId} and y.year in (${year - 1}, ${year}, ${year + 1})) as years`);
  if (!found) throw new Error('a select without from gave no row');
  return found;
}
