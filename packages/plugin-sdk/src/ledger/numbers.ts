import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';

/** Numbers of a series that are in use already, though its counter didn't give them. */
export interface NumbersInUse {
  /** A condition on the value. */
  taken(value: RawBuilder<unknown>): RawBuilder<unknown>;
  /** The greatest of them, or null; asked for only where one is met. */
  greatest: RawBuilder<unknown>;
}

/**
 * The next number of a series, from a counter row of the plugin's table `(tenant_id, series, value)` with key (tenant_id, series).
 * The row stays locked until the transaction ends, so a rolled-back one leaves no gap and no number is given twice. Take it last.
 * With `inUse`, a number that is taken is passed over, and all up to the greatest in use with it.
 */
export async function nextNumber(ctx: Ctx, table: string, series: string, inUse?: NumbersInUse): Promise<number> {
  const next = (value: RawBuilder<unknown>) => sql`
    insert into ${sql.table(table)} as c (tenant_id, series, value) values (${ctx.tenant.id}, ${series}, 1)
    on conflict (tenant_id, series) do update set value = ${value} + 1 returning value`;
  const own = sql`c.value`;
  const first = await ctx.db.first<{ value: number; taken: boolean }>(
    sql`with next as (${next(own)}) select value, ${inUse ? inUse.taken(sql`next.value`) : sql`false`} as taken from next`,
  );
  if (!first?.taken) return (first as { value: number }).value;
  const further = await ctx.db.first<{ value: number }>(next(sql`greatest(${own}, (${(inUse as NumbersInUse).greatest}))`));
  return (further as { value: number }).value;
}

/** `{YYYY}-{000000}` with 42 in 2026 → `2026-000042`. `{YYYY} {YY} {MM} {DD}` from the civil date, zeros give the least width. */
export function formatNumber(format: string, value: number, date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return format
    .replaceAll('{YYYY}', year)
    .replaceAll('{YY}', year.slice(2))
    .replaceAll('{MM}', month)
    .replaceAll('{DD}', day)
    .replace(/\{(0+)\}/, (_, zeros: string) => String(value).padStart(zeros.length, '0'));
}
