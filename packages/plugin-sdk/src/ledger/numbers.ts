import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/**
 * Returns the next number of a series, from a counter row of the plugin's table `(tenant_id, series, value)` with the key
 * (tenant_id, series). The row stays locked until the transaction ends: a rollback leaves no gap, and no number is used twice.
 * Call it last.
 */
export async function nextNumber(ctx: Ctx, table: string, series: string): Promise<number> {
  const next = await ctx.db.first<{ value: number }>(sql`
    insert into ${sql.table(table)} as c (tenant_id, series, value) values (${ctx.tenant.id}, ${series}, 1)
    on conflict (tenant_id, series) do update set value = c.value + 1 returning value`);
  return (next as { value: number }).value;
}

/**
 * Formats a document number: `{YYYY}-{000000}` with 42 in 2026 → `2026-000042`. `{YYYY} {YY} {MM} {DD}` come from the civil date;
 * the zeros give the minimum width.
 */
export function formatNumber(format: string, value: number, date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return format
    .replaceAll('{YYYY}', year)
    .replaceAll('{YY}', year.slice(2))
    .replaceAll('{MM}', month)
    .replaceAll('{DD}', day)
    .replace(/\{(0+)\}/, (_, zeros: string) => String(value).padStart(zeros.length, '0'));
}
