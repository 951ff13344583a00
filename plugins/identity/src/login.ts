import { type Audience, f, type PlatformCtx, platformRoute, problem, sql } from '@storeloom/plugin-sdk';
import { givenPassword, hashPassword, verifyPassword } from './password.ts';
import { type Subject, unauthenticated } from './sessions.ts';
import { audienceOrder, audiences, customersToken, type SignedIn, signedIn, startSession, tokensShape } from './sign-in.ts';
import { countTry, forgive, pause, throttleKey } from './throttle.ts';

/** What is stored of a sign-in, and what to do with it once the password has held. */
interface Found {
  passwordHash: string | null;
  /** The subject to open a session for; refuses what must not be said before the password has held. */
  enter(): Promise<{ subject: Subject; user: SignedIn }>;
  rehash(hash: string): Promise<void>;
}

const wrong = (): ReturnType<typeof unauthenticated> => unauthenticated('The e-mail address or the password is wrong.');

interface Membership {
  tenantId: string;
  slug: string;
  name: string;
  userId: string;
}
interface AccountRow {
  id: string;
  passwordHash: string | null;
  sessionVersion: number;
  memberships: Membership[];
}

async function findStaff(ctx: PlatformCtx, email: string, wanted: string | null): Promise<Found | undefined> {
  const account = await ctx.db.first<AccountRow>(
    sql`select id, password_hash as "passwordHash", session_version as "sessionVersion", memberships from identity_sign_in_account(${email})`,
  );
  if (!account) return undefined;
  const { memberships } = account;
  return {
    passwordHash: account.passwordHash,
    async enter() {
      const chosen = wanted === null ? memberships : memberships.filter(({ slug }) => slug === wanted);
      if (chosen.length > 1)
        throw problem('tenant_required', {
          detail: 'Name the tenant to sign in to.',
          tenants: memberships.map(({ slug, name }) => ({ slug, name })),
        });
      const [membership] = chosen;
      if (!membership) throw wrong();
      const subject: Subject = {
        audience: 'admin',
        tenantId: membership.tenantId,
        id: membership.userId,
        sessionVersion: account.sessionVersion,
      };
      const user = await signedIn(ctx, subject);
      if (!user) throw wrong();
      return { subject, user };
    },
    rehash: (hash) =>
      ctx.transaction(async (platform) => {
        await platform.db.run(sql`update identity_account set password_hash = ${hash} where id = ${account.id}`);
      }),
  };
}

async function findOperator(ctx: PlatformCtx, email: string): Promise<Found | undefined> {
  const row = await ctx.db.first<{ id: string; name: string; passwordHash: string; status: string; sessionVersion: number }>(
    sql`select id, name, password_hash as "passwordHash", status, session_version as "sessionVersion" from identity_operator where email = ${email}`,
  );
  if (!row) return undefined;
  return {
    passwordHash: row.passwordHash,
    async enter() {
      if (row.status !== 'active') throw wrong();
      return {
        subject: { audience: 'super-admin', tenantId: null, id: row.id, sessionVersion: row.sessionVersion },
        user: { id: row.id, email, name: row.name, firstName: null, lastName: null },
      };
    },
    rehash: (hash) =>
      ctx.transaction(async (platform) => {
        await platform.db.run(sql`update identity_operator set password_hash = ${hash} where id = ${row.id}`);
      }),
  };
}

const nobody = '00000000-0000-7000-8000-000000000000';

async function findCustomer(ctx: PlatformCtx, tenantId: string, email: string): Promise<Found | undefined> {
  return ctx.withTenant(
    tenantId,
    async (tenant) => {
      const customer = await tenant.require(customersToken).byEmail(email);
      // The same two questions whether somebody is known or not.
      const row = await tenant.db.first<{ passwordHash: string; sessionVersion: number }>(
        sql`select password_hash as "passwordHash", session_version as "sessionVersion" from identity_credential where tenant_id = ${tenantId} and customer_id = ${customer?.id ?? nobody}`,
      );
      if (!customer || !row) return undefined;
      return {
        passwordHash: row.passwordHash,
        async enter() {
          if (customer.status !== 'active') throw wrong();
          const { id, firstName, lastName } = customer;
          return {
            subject: { audience: 'storefront', tenantId, id, sessionVersion: row.sessionVersion },
            user: { id, email: customer.email, name: null, firstName, lastName },
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
  wanted: string | null,
): Promise<Found | undefined> {
  if (tenantId !== null) return findCustomer(ctx, tenantId, email);
  return ctx.transaction(() => (audience === 'admin' ? findStaff(ctx, email, wanted) : findOperator(ctx, email)), {
    readOnly: true,
  });
}

/** The tenant whose shop answers at the host. */
export function shopOf(ctx: PlatformCtx): string {
  const shop = ctx.hostTenant;
  if (!shop || shop.status === 'terminated') throw problem('tenant_not_found', { detail: 'No shop answers at this host.' });
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
      otp: f.text({ max: 20 }).optional(),
      deviceToken: f.text({ max: 200 }).optional(),
    },
    response: tokensShape,
    idempotent: false,
    rateLimit: [
      { name: 'sign-in', points: 60, seconds: 60, by: 'ip' },
      { name: 'sign-in-host', points: 1200, seconds: 60, by: (req) => req.host },
    ],
    problems: ['unauthenticated', 'tenant_required', 'tenant_not_found', 'tenant_suspended', 'rate_limited'],
  },
  async (ctx, req) => {
    const { email, password } = req.body;
    const audience = req.body.audience ?? (audienceOrder(ctx)[0] as 'admin' | 'storefront');
    const tenantId = audience === 'storefront' ? shopOf(ctx) : null;
    const key = throttleKey(ctx, audience, tenantId, email);
    const delay = await ctx.transaction((platform) => countTry(platform, key));
    await pause(delay, ctx.signal);
    const found = await find(ctx, audience, tenantId, email, req.body.tenant);
    const verdict = await verifyPassword(found?.passwordHash, password);
    if (!found || !verdict.ok) {
      ctx.log.warn(
        { event: 'sign_in_failed', audience, account: key.slice(0, 12), ip: ctx.ip, requestId: ctx.requestId },
        'a sign-in failed',
      );
      throw wrong();
    }
    const { subject, user } = await found.enter();
    await ctx.transaction((platform) => forgive(platform, key));
    if (verdict.stale) await found.rehash(await hashPassword(password));
    return startSession(ctx, req.host, subject, user);
  },
);
