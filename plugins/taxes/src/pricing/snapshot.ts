import { type Ctx, type Db, sql } from '@storeloom/plugin-sdk';
import type { CategoryRow, RateRow } from './choose.ts';

/** What the shop has set up for a day and some countries. */
export interface Snapshot {
  categories: CategoryRow[];
  /** Of the asked countries, around the asked day. */
  rates: RateRow[];
  /** The shop has rates at all. */
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

const snapshots = new WeakMap<Db, Map<string, Promise<Snapshot>>>();
const outdated = new WeakSet<Db>();

/** Read once a unit of work. `date` is the day in any zone: rates of the days beside it come along. */
export function loadSnapshot(ctx: Ctx, countries: readonly string[], date: string): Promise<Snapshot> {
  const wanted = [...new Set(countries)].sort();
  const key = `${wanted.join()} ${date}`;
  const known = snapshots.get(ctx.db) ?? new Map<string, Promise<Snapshot>>();
  snapshots.set(ctx.db, known);
  const read = () => query(ctx, wanted, date);
  const running = known.get(key) ?? (outdated.has(ctx.db) ? read() : ctx.remember(key, read));
  known.set(key, running);
  return running;
}
/** Somebody has changed rates since this unit of work read them: from here on it reads them anew, past what is remembered. */
export function forgetRates(ctx: Ctx): void {
  snapshots.delete(ctx.db);
  outdated.add(ctx.db);
}

async function query(ctx: Ctx, countries: readonly string[], date: string): Promise<Snapshot> {
  const tenantId = ctx.tenant.id;
  const found = await ctx.db.first<Snapshot>(sql`select
    (select coalesce(json_agg(json_build_object('id', c.id, 'code', c.code, 'name', c.name, 'kind', c.kind, 'isDefault', c.is_default,
      'uneceCode', c.unece_code) order by c.code), '[]') from taxes_category c where c.tenant_id = ${tenantId}) as categories,
    (select coalesce(json_agg(json_build_object('id', r.id, 'country', r.country, 'categoryId', r.category_id, 'ratePpm', r.rate_ppm,
      'name', r.name, 'region', r.region, 'postalCode', r.postal_code, 'priority', r.priority, 'compound', r.compound,
      'validFrom', r.valid_from, 'validTo', r.valid_to) order by r.id), '[]') from taxes_rate r
      where r.tenant_id = ${tenantId} and r.country = any(${countries}::text[]) and r.valid_from <= ${date}::date + 1
        and (r.valid_to is null or r.valid_to >= ${date}::date - 1)) as rates,
    exists (select from taxes_rate r where r.tenant_id = ${tenantId}) as "anyRates"`);
  if (!found) throw new Error('a select without from gave no row');
  return found;
}

const years = new WeakMap<Db, Map<number, Promise<OssYearRow[]>>>();

/** What cross-border sales of the year, and of those beside it, have come to: read once a unit of work. */
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
/** This unit of work has changed what was read. */
export function forgetYears(ctx: Ctx): void {
  years.delete(ctx.db);
}
