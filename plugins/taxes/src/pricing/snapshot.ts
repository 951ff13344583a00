import { type Ctx, type Db, sql } from '@storeloom/plugin-sdk';
import type { CategoryRow, RateRow } from './choose.ts';

/** The shop's tax configuration for a day and some countries. */
export interface TaxConfiguration {
  categories: CategoryRow[];
  /** Rates of the requested countries around the requested day. */
  rates: RateRow[];
  /** Whether the shop has any rate. */
  anyRates: boolean;
}
export interface OssYearRow {
  year: number;
  /** Minor units of EUR. */
  net: number;
  exceededAt: string | null;
  exceededBy: string | null;
  optedInSince: string | null;
}

const snapshots = new WeakMap<Db, Map<string, Promise<TaxConfiguration>>>();
const outdated = new WeakSet<Db>();

/** Read once a unit of work. `date` may be in any time zone: rates of adjacent days are included. */
export function loadSnapshot(ctx: Ctx, countries: readonly string[], date: string): Promise<TaxConfiguration> {
  const wanted = [...new Set(countries)].sort();
  const key = `${wanted.join()} ${date}`;
  const known = snapshots.get(ctx.db) ?? new Map<string, Promise<TaxConfiguration>>();
  snapshots.set(ctx.db, known);
  const read = () => query(ctx, wanted, date);
  const running = known.get(key) ?? (outdated.has(ctx.db) ? read() : ctx.remember(key, read));
  known.set(key, running);
  return running;
}
/** Rates have changed since this unit of work read them: it reads them again, bypassing the cache. */
export function forgetRates(ctx: Ctx): void {
  snapshots.delete(ctx.db);
  outdated.add(ctx.db);
}

async function query(ctx: Ctx, countries: readonly string[], date: string): Promise<TaxConfiguration> {
  const tenantId = ctx.tenant.id;
  const found = await ctx.db.first<TaxConfiguration>(sql`select
    (select coalesce(json_agg(json_build_object('id', c.id, 'code', c.code, 'name', c.name, 'kind', c.kind, 'isDefault', c.is_default,
      'uneceCode', c.unece_code) order by c.code), '[]') from taxes_category c where c.tenant_id = ${tenantId}) as categories,
    (select coalesce(json_agg(json_build_object('id', r.id, 'country', r.country, 'categoryId', r.category_id, 'ratePpm', r.rate_ppm,
      'name', r.name, 'region', r.region, 'postalCode', r.postal_code, 'priority', r.priority, 'compound', r.compound,
      'validFrom', r.valid_from, 'validTo', r.valid_to) order by r.id), '[]') from taxes_rate r
      where r.tenant_id = ${tenantId} and r.country = any(${countries}::text[]) and r.valid_from <= ${date}::date + 1
        and (r.valid_to is null or r.valid_to >= ${date}::date - 1)) as rates,
    exists (select from taxes_rate r where r.tenant_id = ${tenantId}) as "anyRates"`);
  if (!found) throw new Error('The configuration query returned no row');
  return found;
}

const years = new WeakMap<Db, Map<number, Promise<OssYearRow[]>>>();

/** Totals of cross-border sales of the year and the adjacent ones, read once a unit of work. */
export function loadYears(ctx: Ctx, year: number): Promise<OssYearRow[]> {
  const known = years.get(ctx.db) ?? new Map<number, Promise<OssYearRow[]>>();
  years.set(ctx.db, known);
  const running =
    known.get(year) ??
    ctx.db.rows<OssYearRow>(sql`select year, net_amount as net, exceeded_at as "exceededAt", exceeded_by as "exceededBy",
      opted_in_since as "optedInSince" from taxes_oss_year where tenant_id = ${ctx.tenant.id} and year in (${year - 1}, ${year}, ${year + 1})`);
  known.set(year, running);
  return running;
}
/** Discards totals that this unit of work has changed. */
export function forgetYears(ctx: Ctx): void {
  years.delete(ctx.db);
}
