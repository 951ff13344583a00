import {
  type Audience,
  type Ctx,
  f,
  keyring,
  type PlatformCtx,
  type Reply,
  type RowOf,
  reply,
  type Shape,
  sql,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { customerDirectory } from '../contract.ts';
import { accessTokenSeconds, accessTokenType } from './authenticator.ts';
import { sessionCookie } from './cookies.ts';
import { openSession, type Subject } from './sessions.ts';

export const audiences = ['admin', 'storefront', 'super-admin'] as const satisfies readonly Audience[];

/** On a shop's host people are its customers; elsewhere they are staff. */
export function audienceOrder(ctx: PlatformCtx): readonly Audience[] {
  return ctx.hostTenant ? ['storefront', 'admin', 'super-admin'] : ['admin', 'super-admin', 'storefront'];
}

/** Who has signed in, as `login`, `refresh` and `me` show it. `name` is of staff and operators, the other two of customers. */
export interface SignedIn {
  id: string;
  email: string;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
}
export const signedInShape = {
  id: f.id(),
  email: f.email(),
  name: f.text().optional(),
  firstName: f.text().optional(),
  lastName: f.text().optional(),
} satisfies Shape;
export const tokensShape = {
  accessToken: f.text({ max: 4000 }),
  tokenType: f.oneOf(['Bearer']),
  /** Seconds. */
  expiresIn: f.int(),
  refreshToken: f.text(),
  user: f.object(signedInShape),
} satisfies Shape;

/** Undefined: gone meanwhile. */
export async function signedIn(
  ctx: PlatformCtx,
  subject: Pick<Subject, 'audience' | 'tenantId' | 'id'>,
): Promise<SignedIn | undefined> {
  switch (subject.audience) {
    case 'storefront':
      return ctx.withTenant(subject.tenantId as string, (tenant) => signedInCustomer(tenant, subject.id), { readOnly: true });
    case 'admin':
      return ctx.withTenant(
        subject.tenantId as string,
        (tenant) =>
          tenant.db.first<SignedIn>(sql`select id, email, name, null as "firstName", null as "lastName" from identity_user
            where tenant_id = ${tenant.tenant.id} and id = ${subject.id} and deleted_at is null`),
        { readOnly: true },
      );
    case 'super-admin':
      return ctx.transaction(
        (platform) =>
          platform.db.first<SignedIn>(
            sql`select id, email, name, null as "firstName", null as "lastName" from identity_operator where id = ${subject.id}`,
          ),
        { readOnly: true },
      );
  }
}
async function signedInCustomer(ctx: Ctx, id: string): Promise<SignedIn | undefined> {
  const found = await ctx.require(customerDirectory).get(id);
  return found && { id: found.id, email: found.email, name: null, firstName: found.firstName, lastName: found.lastName };
}

interface OpenSession {
  sessionId: string;
  authLevel: number;
  refreshToken: string;
}

/** An access token of the session, as its response begins. */
export async function accessTokenOf(
  ctx: Pick<PlatformCtx, 'require' | 'clock'>,
  subject: Subject,
  session: Pick<OpenSession, 'sessionId' | 'authLevel'>,
): Promise<{ accessToken: string; tokenType: 'Bearer'; expiresIn: number }> {
  const accessToken = await ctx.require(keyring).issue(
    subject.audience,
    {
      sub: subject.id,
      tid: subject.tenantId,
      sid: session.sessionId,
      jti: uuidv7(ctx.clock.ms()),
      ver: subject.sessionVersion,
      authLevel: session.authLevel,
    },
    { type: accessTokenType, expiresIn: accessTokenSeconds },
  );
  return { accessToken, tokenType: 'Bearer', expiresIn: accessTokenSeconds };
}

/** The response of `login` and `refresh`: tokens in the body, the refresh token also as a cookie. */
export async function tokensAnswer(
  ctx: PlatformCtx,
  host: string,
  subject: Subject,
  session: OpenSession,
  user: SignedIn,
): Promise<Reply<RowOf<typeof tokensShape>>> {
  const { refreshToken } = session;
  return reply(
    200,
    { ...(await accessTokenOf(ctx, subject, session)), refreshToken, user },
    { 'set-cookie': sessionCookie(host, subject.audience, refreshToken) },
  );
}

/** Creates a session of an authenticated user. */
export async function newSession(ctx: PlatformCtx, subject: Subject, authLevel: number): Promise<OpenSession> {
  const origin = { ip: ctx.ip, userAgent: ctx.userAgent };
  return subject.tenantId === null
    ? ctx.transaction((platform) => openSession(platform, subject, origin, authLevel))
    : ctx.withTenant(subject.tenantId, (tenant) => openSession(tenant, subject, origin, authLevel));
}

/** Creates a session after a correct password. */
export async function startSession(
  ctx: PlatformCtx,
  host: string,
  subject: Subject,
  user: SignedIn,
  authLevel: number,
): Promise<Reply<RowOf<typeof tokensShape>>> {
  return tokensAnswer(ctx, host, subject, await newSession(ctx, subject, authLevel), user);
}
