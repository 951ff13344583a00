import { type Ctx, type PlatformCtx, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { type MailToken, newMailToken } from '../secrets.ts';
import { later } from '../session/sessions.ts';
import { mailToken } from '../tables.ts';

/** Seconds. */
const mailTokenLife = { reset: 3600, verify: 7 * 86_400, invite: 7 * 86_400, join: 7 * 86_400 } as const;
export type Purpose = keyof typeof mailTokenLife;

export async function newTenantToken(
  ctx: Ctx,
  purpose: Purpose,
  subjectId: string,
): Promise<{ token: MailToken; expiresAt: string }> {
  const token = newMailToken(purpose === 'invite' || purpose === 'join' ? 'user' : 'customer', ctx.tenant.id);
  const expiresAt = later(ctx.clock.ms(), mailTokenLife[purpose]);
  await ctx.rows(mailToken).insert({ purpose, subjectId, tokenHash: token.hash, expiresAt });
  return { token, expiresAt };
}

/** Uses the token up, once; undefined when it is unknown, used or too old. */
export async function useTenantToken(
  ctx: Ctx,
  token: MailToken,
  purposes: readonly Purpose[],
): Promise<{ purpose: Purpose; subjectId: string } | undefined> {
  const now = ctx.clock.now();
  return ctx.db.first(sql`update identity_token set used_at = ${now}, updated_at = ${now}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and token_hash = ${token.hash} and used_at is null and expires_at > ${now} and purpose in (${sql.join([...purposes])})
    returning purpose, subject_id as "subjectId"`);
}

/** What a newer mail has replaced, or a new password has made pointless. */
export async function dropTenantTokens(ctx: Ctx, subjectId: string, purpose?: Purpose): Promise<void> {
  await ctx.rows(mailToken).removeWhere({ subjectId, usedAt: null, ...(purpose ? { purpose } : {}) });
}

type Holder = { accountId: string } | { operatorId: string };

/** A password token of an account or operator. */
export async function newPlatformToken(ctx: PlatformCtx, holder: Holder): Promise<MailToken> {
  const ofAccount = 'accountId' in holder;
  const token = newMailToken(ofAccount ? 'account' : 'operator', null);
  const ms = ctx.clock.ms();
  await ctx.db.run(sql`insert into identity_account_token (id, account_id, operator_id, token_hash, expires_at, created_at)
    values (${uuidv7(ms)}, ${ofAccount ? holder.accountId : null}, ${ofAccount ? null : holder.operatorId}, ${token.hash}, ${later(ms, mailTokenLife.reset)}, ${new Date(ms).toISOString()})`);
  return token;
}
export async function usePlatformToken(
  ctx: PlatformCtx,
  token: MailToken,
): Promise<{ accountId: string | null; operatorId: string | null } | undefined> {
  const now = ctx.clock.now();
  return ctx.db.first(sql`update identity_account_token set used_at = ${now} where token_hash = ${token.hash} and used_at is null and expires_at > ${now}
    returning account_id as "accountId", operator_id as "operatorId"`);
}
export async function dropPlatformTokens(ctx: PlatformCtx, holder: Holder): Promise<void> {
  const where = 'accountId' in holder ? sql`account_id = ${holder.accountId}` : sql`operator_id = ${holder.operatorId}`;
  await ctx.db.run(sql`delete from identity_account_token where ${where} and used_at is null`);
}
