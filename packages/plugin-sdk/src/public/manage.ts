import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { tableSql } from '../data/columns.ts';
import type { RowOf, Shape } from '../field.ts';
import { notFound } from '../problem.ts';
import type { BaseRow, Table } from '../table.ts';
import { generateToken, hashToken } from './public.ts';

/**
 * Issues a token of 192 bits that lets a guest change rows created together. Returns it once and stores its hash in the column
 * `manage_token_hash` (text, with an index on (tenant_id, manage_token_hash)). A new token replaces the previous one.
 */
export function issueManageToken<S extends Shape>(ctx: Ctx, table: Table<S>, ids: string | readonly string[]): string {
  const token = generateToken();
  const { name } = tableSql(table);
  ctx.db.later(sql`update ${sql.table(name)} set manage_token_hash = ${hashToken(token)}
    where tenant_id = ${ctx.tenant.id} and id = any(${typeof ids === 'string' ? [ids] : [...ids]}::uuid[])`);
  return token;
}

/**
 * Returns the rows of a token, locked, in id order.
 *
 * @throws Problem 404 `not_found` for an unknown or missing token
 */
export async function findByManageToken<S extends Shape>(
  ctx: Ctx,
  table: Table<S>,
  token: string | null | undefined,
): Promise<(RowOf<S> & BaseRow)[]> {
  const { name, select } = tableSql(table);
  const rows =
    token === undefined || token === null || token === ''
      ? []
      : await ctx.db.rows<RowOf<S> & BaseRow>(sql`
          select ${sql.raw(select)} from ${sql.table(name)} t where t.tenant_id = ${ctx.tenant.id} and t.manage_token_hash = ${hashToken(token)}
            ${table.softDelete ? sql`and t.deleted_at is null` : sql``} order by t.id for update of t`);
  if (rows.length === 0) throw notFound();
  return rows;
}
