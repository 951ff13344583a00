import { type Audience, f, type PlatformCtx, platformRoute, problem, sql } from '@storeloom/plugin-sdk';
import { givenPassword, hashPassword, verifyPassword } from '../account/password.ts';
import { customerDirectory } from '../contract.ts';
import {
  countCode,
  eitherCode,
  eitherCodeField,
  logWrongCode,
  secondFactorOf,
  trustedDevice,
  useCode,
} from '../second-factor/second-factor.ts';
import { tellRecovery } from '../second-factor/two-factor-mail.ts';
import { type StaffAccount, staffAccount, subjectOf, wrongSignIn } from '../staff/staff.ts';
import { twoFactorRequired } from './challenge.ts';
import { type Subject, unauthenticated } from './sessions.ts';
import { audienceOrder, audiences, type SignedIn, signedIn, startSession, tokensShape } from './sign-in.ts';
import { countTry, forgive, nextBeat, pause, throttleKey } from './throttle.ts';

/** What is stored of a sign-in, and what to do with it once the password has held. */
interface Found {
  passwordHash: string | null;
  /** The subject to open a session for; refuses what must not be said before the password has held. */
  enter(): Promise<{ subject: Subject; user: SignedIn; authLevel: number }>;
  rehash(hash: string): Promise<void>;
}

async function findStaff(ctx: PlatformCtx, email: string, given: SecondStep): Promise<Found | undefined> {
  const account = await staffAccount(ctx, email);
  if (!account) return undefined;
  return {
    passwordHash: account.passwordHash,
    async enter() {
      const { subject, authLevel } = await passSecondFactor(ctx, account, given);
      const user = await signedIn(ctx, subject);
      if (!user) throw wrongSignIn();
      return { subject, user, authLevel };
    },
    rehash: (hash) =>
      ctx.transaction(async (platform) => {
        await platform.db.run(sql`update identity_account set password_hash = ${hash} where id = ${account.id}`);
      }),
  };
}

/** What a sign-in brings beside address and password. */
interface SecondStep {
  readonly tenant: string | null;
  readonly otp: string | null;
  readonly deviceToken: string | null;
}

/** 401 `two_factor_required` where the account wants a code and has got neither one nor a device that is trusted. */
async function passSecondFactor(
  ctx: PlatformCtx,
  account: StaffAccount,
  { tenant, otp, deviceToken }: SecondStep,
): Promise<{ subject: Subject; authLevel: number }> {
  const { factor, device } = await ctx.transaction(
    async (open) => ({
      factor: await secondFactorOf(open, account.id),
      device: deviceToken === null ? undefined : await trustedDevice(open, deviceToken, ctx.userAgent),
    }),
    { readOnly: true },
  );
  if (!factor || factor.secret === null || (otp === null && device?.accountId === account.id))
    return { subject: subjectOf(account, tenant), authLevel: 1 };
  if (otp === null) throw await twoFactorRequired(ctx, { accountId: account.id, sessionVersion: account.sessionVersion, tenant });
  const given = eitherCode(otp);
  if (given.code !== null) await ctx.transaction((open) => countCode(open, account.id));
  // Where a tenant must still be named, the code stays unused for the next call.
  const subject = await ctx.transaction(async (open) =>
    (await useCode(open, factor, given)) ? subjectOf(account, tenant) : undefined,
  );
  if (!subject) {
    logWrongCode(ctx, account.id);
    throw unauthenticated('The code is wrong or was used.');
  }
  if (given.code === null) await ctx.withTenant(subject.tenantId as string, (tenant) => tellRecovery(tenant, factor));
  return { subject, authLevel: 2 };
}

async function findOperator(ctx: PlatformCtx, email: string): Promise<Found | undefined> {
  const row = await ctx.db.first<{ id: string; name: string; passwordHash: string; status: string; sessionVersion: number }>(
    sql`select id, name, password_hash as "passwordHash", status, session_version as "sessionVersion" from identity_operator where email = ${email}`,
  );
  if (!row) return undefined;
  return {
    passwordHash: row.passwordHash,
    async enter() {
      if (row.status !== 'active') throw wrongSignIn();
      return {
        subject: { audience: 'super-admin', tenantId: null, id: row.id, sessionVersion: row.sessionVersion },
        user: { id: row.id, email, name: row.name, firstName: null, lastName: null },
        authLevel: 1,
      };
    },
    rehash: (hash) =>
      ctx.transaction(async (platform) => {
        await platform.db.run(sql`update identity_operator set password_hash = ${hash} where id = ${row.id}`);
      }),
  };
}

/** Milliseconds. A refusal comes at a whole number of them, in which the little that a look-up takes more or less is lost. */
const refusalBeat = 50;

const unknownId = '00000000-0000-7000-8000-000000000000';

async function findCustomer(ctx: PlatformCtx, tenantId: string, email: string): Promise<Found | undefined> {
  return ctx.withTenant(
    tenantId,
    async (tenant) => {
      const customer = await tenant.require(customerDirectory).byEmail(email);
      // The same two queries for known and unknown users, so that the duration reveals nothing.
      const row = await tenant.db.first<{ passwordHash: string; sessionVersion: number }>(
        sql`select password_hash as "passwordHash", session_version as "sessionVersion" from identity_credential where tenant_id = ${tenantId} and customer_id = ${customer?.id ?? unknownId}`,
      );
      if (!customer || !row) return undefined;
      return {
        passwordHash: row.passwordHash,
        async enter() {
          if (customer.status !== 'active') throw wrongSignIn();
          const { id, firstName, lastName } = customer;
          return {
            subject: { audience: 'storefront', tenantId, id, sessionVersion: row.sessionVersion },
            user: { id, email: customer.email, name: null, firstName, lastName },
            authLevel: 1,
          };
        },
        rehash: (hash) =>
          ctx.withTenant(tenantId, async (again) => {
            await again.db.run(
              sql`update identity_credential set password_hash = ${hash} where tenant_id = ${tenantId} and customer_id = ${customer.id}`,
            );
          }),
      };
    },
    { readOnly: true },
  );
}

function find(
  ctx: PlatformCtx,
  audience: Audience,
  tenantId: string | null,
  email: string,
  second: SecondStep,
): Promise<Found | undefined> {
  if (tenantId !== null) return findCustomer(ctx, tenantId, email);
  return ctx.transaction(() => (audience === 'admin' ? findStaff(ctx, email, second) : findOperator(ctx, email)), {
    readOnly: true,
  });
}

/** The tenant whose shop answers at the host. */
export function shopOf(ctx: PlatformCtx): string {
  const shop = ctx.hostTenant;
  if (!shop || shop.status === 'terminated')
    throw problem('tenant_not_found', { detail: 'No shop is registered for this host.' });
  if (shop.status === 'suspended') throw problem('tenant_suspended', { retryAfter: 3600 });
  return shop.id;
}

export const login = platformRoute(
  'POST',
  '/login',
  {
    summary: 'Sign in with e-mail address and password',
    body: {
      email: f.email(),
      password: givenPassword,
      audience: f.oneOf(audiences).optional(),
      tenant: f.slug().optional(),
      /** A code of the authenticator app, or a recovery code. */
      otp: eitherCodeField.optional(),
      /** From `2fa/verify`: takes the place of the code on a device that is trusted. */
      deviceToken: f.text({ max: 200 }).optional(),
    },
    response: tokensShape,
    idempotent: false,
    rateLimit: [
      { name: 'sign-in', points: 60, seconds: 60, by: 'ip' },
      { name: 'sign-in-host', points: 1200, seconds: 60, by: (req) => req.host },
    ],
    problems: [
      'unauthenticated',
      'two_factor_required',
      'tenant_required',
      'tenant_not_found',
      'tenant_suspended',
      'rate_limited',
    ],
  },
  async (ctx, req) => {
    const { email, password, ...second } = req.body;
    const audience = req.body.audience ?? (audienceOrder(ctx)[0] as 'admin' | 'storefront');
    const tenantId = audience === 'storefront' ? shopOf(ctx) : null;
    const key = throttleKey(ctx, audience, tenantId, email);
    const delay = await ctx.transaction((platform) => countTry(platform, key));
    await pause(delay, ctx.signal);
    const started = performance.now();
    const found = await find(ctx, audience, tenantId, email, second);
    const verdict = await verifyPassword(found?.passwordHash, password);
    if (!found || !verdict.ok) {
      ctx.log.warn(
        { event: 'sign_in_failed', audience, account: key.slice(0, 12), ip: ctx.ip, requestId: ctx.requestId },
        'a sign-in failed',
      );
      await nextBeat(started, refusalBeat);
      throw wrongSignIn();
    }
    await ctx.transaction((platform) => forgive(platform, key));
    const { subject, user, authLevel } = await found.enter();
    if (verdict.stale) await found.rehash(await hashPassword(password));
    return startSession(ctx, req.host, subject, user, authLevel);
  },
);
