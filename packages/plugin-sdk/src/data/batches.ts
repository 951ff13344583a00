import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/** Range of ids of a batch: above `after`, up to `last`. */
export interface IdRange {
  /** Id before the first one. */
  after: string;
  /** Last id of the iteration. */
  last: string;
}

/**
 * Reads the rows of a tenant's table (its SQL name, `catalog_product`) in id order, in batches. Each batch has a short read-only transaction of its own, so no connection is held while
 * the consumer works or waits for a slow client. Rows created after the first batch are left out, so the iteration ends.
 *
 * `read` returns the rows of a range, at most `size`, ordered by id.
 */
export async function* idBatches<R extends { id: string }>(
  ctx: Ctx,
  table: string,
  size: number,
  read: (ctx: Ctx, range: IdRange) => Promise<R[]>,
): AsyncGenerator<R[], void> {
  let range: IdRange | undefined;
  for (let more = true; more; ) {
    const rows: R[] = await ctx.transaction(
      async (inner) => {
        if (!range) {
          const newest = await inner.db.first<{ id: string }>(
            sql`select id from ${sql.id(table)} where tenant_id = ${inner.tenant.id} order by id desc limit 1`,
          );
          range = { after: '00000000-0000-0000-0000-000000000000', last: newest?.id ?? '00000000-0000-0000-0000-000000000000' };
        }
        return read(inner, range);
      },
      { readOnly: true },
    );
    const end = rows.at(-1);
    if (end && range) range = { ...range, after: end.id };
    more = rows.length === size;
    if (rows.length > 0) yield rows;
  }
}
