import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';

/** Who changes the order of a page does so alone, and before a row is locked. */
export const lockPages = (ctx: Ctx, ...pages: string[]): Promise<void> =>
  lockKeys(ctx, ...pages.map((page) => `section ${page}`));

/** Makes room at a place of the page; gives the place, which is at most the end. */
export async function openGap(ctx: Ctx, page: string, wanted: number): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(
    sql`select count(*)::int8 as n from content_section where tenant_id = ${ctx.tenant.id} and page = ${page}`,
  );
  const at = Math.min(wanted, row?.n ?? 0);
  await shift(ctx, page, 1, sql`position >= ${at}`);
  return at;
}

export async function closeGap(ctx: Ctx, page: string, at: number): Promise<void> {
  await shift(ctx, page, -1, sql`position > ${at}`);
}

/** From one place to another of the same page: those between make way. The section itself is written by the caller. */
export async function move(ctx: Ctx, page: string, id: string, from: number, wanted: number): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(
    sql`select count(*)::int8 as n from content_section where tenant_id = ${ctx.tenant.id} and page = ${page}`,
  );
  const to = Math.min(wanted, (row?.n ?? 1) - 1);
  if (to > from) await shift(ctx, page, -1, sql`position > ${from} and position <= ${to} and id <> ${id}`);
  if (to < from) await shift(ctx, page, 1, sql`position >= ${to} and position < ${from} and id <> ${id}`);
  return to;
}

async function shift(ctx: Ctx, page: string, by: number, which: ReturnType<typeof sql>): Promise<void> {
  await ctx.db.run(sql`update content_section set position = position + ${by}, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and page = ${page} and ${which}`);
}

export async function removeSectionsOf(ctx: Ctx, page: string): Promise<void> {
  await ctx.db.run(sql`delete from content_section where tenant_id = ${ctx.tenant.id} and page = ${page}`);
}
