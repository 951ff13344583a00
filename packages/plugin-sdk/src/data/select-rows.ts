import { type RawBuilder, sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { RowOf, Shape } from '../field.ts';
import type { BaseRow, Table } from '../table.ts';
import { tableSql } from './columns.ts';

/**
 * Rows of a table by a condition that `ctx.rows(table).find` can't express: `selectRows(ctx, stay, sql`t.guest_ids ?| ${ids}`)`. The row
 * is `t`; tenant and soft deletion are added.
 *
 * @param options.orderBy SQL of the order, default `t.id`
 * @param options.lock `for update`, in the order of the ids
 */
export function selectRows<S extends Shape>(
  ctx: Ctx,
  table: Table<S>,
  condition: RawBuilder<unknown>,
  { orderBy, lock = false }: { orderBy?: RawBuilder<unknown>; lock?: boolean } = {},
): Promise<(RowOf<S> & BaseRow)[]> {
  const { name, select } = tableSql(table);
  return ctx.db.rows<RowOf<S> & BaseRow>(sql`
    select ${sql.raw(select)} from ${sql.table(name)} t
    where t.tenant_id = ${ctx.tenant.id}${table.softDelete ? sql` and t.deleted_at is null` : sql``} and (${condition})
    order by ${orderBy ?? sql`t.id`}${lock ? sql` for update of t` : sql``}`);
}
