import { createHash } from 'node:crypto';
import { type Ctx, sql, uuidv7 } from '@storeloom/plugin-sdk';
import type { SearchLog } from './contract.ts';
import { fold } from './fold.ts';

/** Who searches, without knowing who: changes every day, and can't be turned back. */
export function sessionHash(ctx: Ctx, session?: string): string {
  const who = session ?? ctx.tokens.cart ?? `${ctx.ip ?? ''} ${ctx.userAgent ?? ''}`;
  return createHash('sha256')
    .update(ctx.sign('search.session', `${ctx.clock.now().slice(0, 10)} ${who}`))
    .digest('base64url')
    .slice(0, 22);
}

/** Logs a query with the next statement, without waiting for the result. */
export function logQuery(ctx: Ctx, query: string, results: number, mode: string): void {
  const now = ctx.clock.now();
  ctx.db.later(sql`insert into search_query (tenant_id, id, query, results, mode, session_hash, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${fold(query).trim().slice(0, 200)}, ${results}, ${mode}, ${sessionHash(ctx)}, ${now}, ${now})`);
}

export function searchLogService(ctx: Ctx): SearchLog {
  return {
    top: ({ start, end, limit }) =>
      ctx.db.rows(sql`select query, count(*)::int8 as searches, round(avg(results), 2)::float8 as "resultsAverage", count(clicked_product_id)::int8 as clicks
        from search_query where tenant_id = ${ctx.tenant.id} and created_at >= ${start} and created_at < ${end} group by query order by 2 desc, 1 limit ${Math.min(limit, 1000)}`),
  };
}
