import { type Ctx, sql, type TableRow } from '@storeloom/plugin-sdk';
import { generateToken, hashToken, storefrontUrl } from '@storeloom/plugin-sdk/public';
import { link } from './link-table.ts';

export type LinkRow = TableRow<typeof link>;

const draftPath = (token: string): string => `/checkout/draft/${token}`;

export interface NewLink {
  url: string;
  token: string;
  expiresAt: string;
}

/** A new link to the thing; the one before opens nothing any more. */
export async function makeLink(ctx: Ctx, kind: LinkRow['kind'], targetId: string, expiresAt: string): Promise<NewLink> {
  await endLinks(ctx, [targetId]);
  const token = generateToken();
  await ctx.rows(link).insert({ kind, targetId, tokenHash: hashToken(token), tokenSealed: ctx.seal(token), expiresAt });
  return { url: storefrontUrl(ctx, draftPath(token)), token, expiresAt };
}

export async function endLinks(ctx: Ctx, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length > 0)
    await ctx.rows(link).updateWhere({ targetId: targetIds, endedAt: null }, { endedAt: ctx.clock.now() });
}

/** The live links of things, by target. */
export async function liveLinks(ctx: Ctx, targetIds: readonly string[]): Promise<Map<string, NewLink>> {
  const links = new Map<string, NewLink>();
  if (targetIds.length === 0) return links;
  for (const row of await ctx.rows(link).find({ targetId: targetIds, endedAt: null })) {
    if (row.expiresAt <= ctx.clock.now()) continue;
    const token = ctx.unseal(row.tokenSealed);
    links.set(row.targetId, { url: storefrontUrl(ctx, draftPath(token)), token, expiresAt: row.expiresAt });
  }
  return links;
}

/** The link of a token, also one that is used up or has expired. */
export function linkOf(ctx: Ctx, token: string): Promise<LinkRow | undefined> {
  return ctx.rows(link).first({ tokenHash: hashToken(token) });
}
export const isOver = (ctx: Ctx, row: LinkRow): boolean => row.endedAt !== null || row.expiresAt <= ctx.clock.now();

/** Links that nobody can use any more are forgotten after a while: their tokens are 404 then. */
export async function forgetLinks(ctx: Ctx, before: string): Promise<void> {
  await ctx.db.run(
    sql`delete from checkout_link where tenant_id = ${ctx.tenant.id} and least(coalesce(ended_at, expires_at), expires_at) < ${before}`,
  );
}
