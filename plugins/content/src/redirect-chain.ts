import { type Ctx, problem, sql } from '@storeloom/plugin-sdk';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';

const longest = 5;

/** Serialises changes of redirects, before a row is locked: two simultaneous ones could create a loop. */
export const lockRedirects = (ctx: Ctx): Promise<void> => lockKeys(ctx, 'redirect');

/** 409 `redirect_loop` where the redirect leads back to itself, or stands in a chain of more than five. After it was written. */
export async function checkChain(ctx: Ctx, fromPath: string): Promise<void> {
  const tenant = ctx.tenant.id;
  const row = await ctx.db.first<{ down: number; up: number; loops: boolean }>(sql`
    with recursive down (path, n) as (
      select ${fromPath}::text, 0
      union all
      select r.to_path, down.n + 1 from down join content_redirect r on r.tenant_id = ${tenant} and r.from_path = down.path and r.active
      where down.n <= ${longest}
    ), up (path, n) as (
      select ${fromPath}::text, 0
      union all
      select r.from_path, up.n + 1 from up join content_redirect r on r.tenant_id = ${tenant} and r.to_path = up.path and r.active
      where up.n <= ${longest} and not (up.n > 0 and up.path = ${fromPath})
    )
    select (select max(n) from down) as down, (select max(n) from up) as up, exists (select from down where n > 0 and path = ${fromPath}) as loops`);
  if (!row) return;
  if (row.loops) throw problem('redirect_loop', { detail: `${fromPath} would redirect to itself.` });
  // The last step may leave the shop: it counts like any other.
  if (row.down + row.up > longest)
    throw problem('redirect_loop', { detail: `The chain would have more than ${longest} redirects.` });
}
