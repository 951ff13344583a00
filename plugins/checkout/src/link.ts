import { type Ctx, problem, sql, type TableRow } from '@storeloom/plugin-sdk';
import { generateToken, hashToken, storefrontUrl } from '@storeloom/plugin-sdk/public';
import { link } from './link-table.ts';

export type LinkRow = TableRow<typeof link>;

const draftPath = (token: string): string => `/checkout/draft/${token}`;

export interface NewLink {
  url: string;
  token: string;
  expiresAt: string;
}

/** Creates a link to a draft order or abandoned cart, and ends the previous one. */
export async function createLink(ctx: Ctx, kind: LinkRow['kind'], targetId: string, expiresAt: string): Promise<NewLink> {
  await endLinks(ctx, [targetId]);
  const token = generateToken();
  await ctx.rows(link).insert({ kind, targetId, tokenHash: hashToken(token), tokenSealed: ctx.seal(token), expiresAt });
  return { url: storefrontUrl(ctx, draftPath(token)), token, expiresAt };
}

export async function endLinks(ctx: Ctx, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length > 0)
    await ctx.rows(link).updateWhere({ targetId: targetIds, endedAt: null }, { endedAt: ctx.clock.now() });
}

/** Active links by target id. */
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

/** Finds the link of a token, including an ended or expired one. */
export function findLink(ctx: Ctx, token: string): Promise<LinkRow | undefined> {
  return ctx.rows(link).first({ tokenHash: hashToken(token) });
}
export const hasEnded = (ctx: Ctx, row: LinkRow): boolean => row.endedAt !== null || row.expiresAt <= ctx.clock.now();

/** Deletes links that ended or expired before an instant. Their tokens then get 404 instead of 410. */
export async function deleteOldLinks(ctx: Ctx, before: string): Promise<void> {
  await ctx.db.run(
    sql`delete from checkout_link where tenant_id = ${ctx.tenant.id} and least(coalesce(ended_at, expires_at), expires_at) < ${before}`,
  );
}

/** The problem of a link that can't be used any more. */
export function linkExpired() {
  return problem('expired', { detail: 'The link has expired or has already been used.' });
}
