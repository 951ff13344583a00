import { accepted, type Ctx, f, noContent, type PlatformCtx, platformRoute, problem, sql, tenants } from '@storeloom/plugin-sdk';
import { customerDirectory } from '../contract.ts';
import { unlinkAll } from '../external/identity.ts';
import { queued } from '../queued.ts';
import { type MailToken, readMailToken } from '../secrets.ts';
import { bearerSession } from '../session/caller.ts';
import { shopOf } from '../session/login.ts';
import { endSessionsOf, forget, raiseCustomerVersion, unauthenticated } from '../session/sessions.ts';
import { audienceOrder, audiences } from '../session/sign-in.ts';
import { evenly } from '../session/throttle.ts';
import { dropPlatformTokens, dropTenantTokens, usePlatformToken, useTenantToken } from './mail-tokens.ts';
import { checkNewPassword, hashPassword, newPassword } from './password.ts';
import { acceptedShape, addCredential } from './register.ts';

const expired = (detail = 'The link has expired or was used.'): ReturnType<typeof problem> => problem('expired', { detail });

/** Says nothing about the address: what follows is a job's work. */
export const forgotPassword = platformRoute(
  'POST',
  '/forgot-password',
  {
    summary: 'Ask for a mail to set a new password',
    body: { email: f.email(), audience: f.oneOf(audiences).optional() },
    response: acceptedShape,
    status: 202,
    idempotent: false,
    rateLimit: [
      { name: 'forgot-password', points: 60, seconds: 3600, by: 'ip' },
      {
        name: 'forgot-password-address',
        points: 5,
        seconds: 3600,
        by: (req) => `${req.host} ${(req.body as { email: string }).email}`,
      },
    ],
    problems: ['tenant_not_found', 'tenant_suspended', 'rate_limited'],
  },
  async (ctx, req) => {
    const audience = req.body.audience ?? (audienceOrder(ctx)[0] as 'admin' | 'storefront');
    const tenantId = audience === 'storefront' ? shopOf(ctx) : null;
    const { locale } = ctx;
    return evenly(50, async () => {
      await ctx.transaction((platform) =>
        platform.enqueue(queued.passwordMail, { audience, tenantId, email: req.body.email, locale }),
      );
      return accepted({ status: 'accepted' });
    });
  },
);

async function resetCustomer(ctx: Ctx, token: MailToken, passwordHash: string): Promise<void> {
  const used = await useTenantToken(ctx, token, ['reset']);
  if (!used) throw expired();
  const { subjectId } = used;
  const customers = ctx.require(customerDirectory);
  if ((await customers.get(subjectId))?.status !== 'active') throw expired();
  if (!(await addCredential(ctx, subjectId, passwordHash))) {
    await ctx.db.run(
      sql`update identity_credential set password_hash = ${passwordHash} where tenant_id = ${ctx.tenant.id} and customer_id = ${subjectId}`,
    );
    await raiseCustomerVersion(ctx, subjectId);
  }
  // An intruder could have linked an identity of their own.
  await unlinkAll(ctx, subjectId);
  await endSessionsOf(ctx, subjectId);
  await dropTenantTokens(ctx, subjectId);
  // The registration can be an intruder's: its names go with its password.
  await customers.markVerified(subjectId, { acceptRegistration: false });
}

/** The e-mail of an invitation, by which an account gets its first password: its token proves the mailbox. */
async function acceptWithPassword(ctx: Ctx, token: MailToken, passwordHash: string): Promise<void> {
  const used = await useTenantToken(ctx, token, ['invite']);
  const invited = used && (await invitedUser(ctx, used.subjectId));
  if (!invited) throw expired();
  const set = await ctx.db.first<{ set: boolean }>(
    sql`select identity_account_first_proof(${invited.accountId}::uuid, ${passwordHash}, ${ctx.clock.now()}) as set`,
  );
  if (!set?.set) throw expired('The account has a password already: sign in, then accept the invitation.');
  await join(ctx, used.subjectId);
}
async function invitedUser(ctx: Ctx, id: string): Promise<{ accountId: string } | undefined> {
  return ctx.db.first(
    sql`select account_id as "accountId" from identity_user where tenant_id = ${ctx.tenant.id} and id = ${id} and deleted_at is null and joined_at is null for update`,
  );
}
async function join(ctx: Ctx, userId: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.run(
    sql`update identity_user set joined_at = ${now}, updated_at = ${now}, version = version + 1 where tenant_id = ${ctx.tenant.id} and id = ${userId}`,
  );
  await dropTenantTokens(ctx, userId);
  ctx.onCommit(() => forget(ctx.tenant.id));
}

/** Removes the second factor of an account whose mailbox is proven for the first time: another person can have set it up. */
async function dropUnprovenFactor({ db }: PlatformCtx, accountId: string): Promise<void> {
  const dropped =
    await db.run(sql`update identity_account set totp_secret = null, totp_step = null, totp_enabled_at = null, totp_pending = null,
    totp_pending_at = null, second_factor_tries = 0, second_factor_since = null where id = ${accountId} and email_verified_at is null`);
  if (dropped === 0) return;
  await db.run(sql`delete from identity_recovery_code where account_id = ${accountId}`);
  await db.run(sql`delete from identity_trusted_device where account_id = ${accountId}`);
}

async function resetOnPlatform(ctx: PlatformCtx, token: MailToken, passwordHash: string): Promise<void> {
  const used = await usePlatformToken(ctx, token);
  if (!used) throw expired();
  const now = ctx.clock.now();
  const { accountId, operatorId } = used;
  if (accountId !== null) await dropUnprovenFactor(ctx, accountId);
  const table = sql.table(accountId === null ? 'identity_operator' : 'identity_account');
  await ctx.db.run(sql`update ${table} set password_hash = ${passwordHash}, session_version = session_version + 1, email_verified_at = coalesce(email_verified_at, ${now}::timestamptz),
    updated_at = ${now}, version = version + 1 where id = ${accountId ?? operatorId}`);
  await dropPlatformTokens(ctx, accountId === null ? { operatorId: operatorId as string } : { accountId });
  ctx.onCommit(() => forget(null));
}

async function knownTenant(ctx: PlatformCtx, token: MailToken): Promise<string> {
  const tenantId = token.tenantId as string;
  if (!(await ctx.require(tenants).get(tenantId))) throw expired();
  return tenantId;
}

export const resetPassword = platformRoute(
  'POST',
  '/reset-password',
  {
    summary: 'Set a new password with the token of a mail',
    body: { token: f.text(), password: newPassword },
    status: 204,
    idempotent: false,
    rateLimit: { name: 'mail-token', points: 60, seconds: 600, by: 'ip' },
    problems: ['expired', 'rate_limited'],
  },
  async (ctx, req) => {
    const token = readMailToken(req.body.token);
    if (!token) throw expired();
    checkNewPassword(req.body.password, '');
    const tenantId = token.tenantId === null ? null : await knownTenant(ctx, token);
    const passwordHash = await hashPassword(req.body.password);
    if (tenantId === null) await ctx.transaction((platform) => resetOnPlatform(platform, token, passwordHash));
    else
      await ctx.withTenant(tenantId, (tenant) =>
        token.kind === 'user' ? acceptWithPassword(tenant, token, passwordHash) : resetCustomer(tenant, token, passwordHash),
      );
    return noContent();
  },
);

/** A user with an existing account signs in before accepting an invitation, since the inviter knows the token too. */
async function acceptSignedIn(ctx: PlatformCtx, token: MailToken, accountId: string | null): Promise<void> {
  await ctx.withTenant(await knownTenant(ctx, token), async (tenant) => {
    const used = await useTenantToken(tenant, token, ['invite', 'join']);
    const invited = used && (await invitedUser(tenant, used.subjectId));
    if (!invited) throw expired();
    if (invited.accountId !== accountId) throw unauthenticated('Sign in with the invited address first.');
    await join(tenant, used.subjectId);
  });
}

export const verifyEmail = platformRoute(
  'POST',
  '/verify-email',
  {
    summary: 'Confirm an address, or accept an invitation, with the token of a mail',
    body: { token: f.text() },
    status: 204,
    additive: true,
    idempotent: false,
    rateLimit: { name: 'mail-token', points: 60, seconds: 600, by: 'ip' },
    problems: ['expired', 'unauthenticated', 'rate_limited'],
  },
  async (ctx, req) => {
    const token = readMailToken(req.body.token);
    if (token?.kind === 'user') {
      const session = await bearerSession(ctx, req);
      await acceptSignedIn(ctx, token, session?.audience === 'admin' ? session.accountId : null);
    } else if (token?.kind === 'customer') {
      await ctx.withTenant(await knownTenant(ctx, token), async (tenant) => {
        const used = await useTenantToken(tenant, token, ['verify']);
        if (!used) throw expired();
        await tenant.require(customerDirectory).markVerified(used.subjectId, { acceptRegistration: true });
      });
    } else throw expired();
    return noContent();
  },
);
