import { type Audience, f, type PlatformCtx, permissions, platformRoute, type Req, reply, sql } from '@storeloom/plugin-sdk';
import { expand, unionOf } from '../staff/permissions.ts';
import { bearerToken, sessionOfToken } from './authenticator.ts';
import { csrfToken, requireCsrf, sessionCookie, tokenOfCookies } from './cookies.ts';
import {
  endAllSessions,
  endSession,
  forget,
  inScope,
  owned,
  refreshTable,
  type SessionState,
  sessionState,
  unauthenticated,
} from './sessions.ts';
import { audienceOrder, audiences, signedIn, signedInShape } from './sign-in.ts';

type AnyReq = Pick<Req<unknown, unknown, unknown>, 'host' | 'headers' | 'cookies'>;

/** The session behind the bearer token of an `/api/auth` route; any audience will do. Undefined without a token. */
export async function bearerSession(ctx: PlatformCtx, req: Pick<AnyReq, 'headers'>): Promise<SessionState | undefined> {
  const token = bearerToken(req.headers.authorization);
  if (token === undefined) return undefined;
  const session = token === null ? undefined : await sessionOfToken(ctx, token, audiences);
  if (!session) throw unauthenticated();
  return session;
}

/** Returns the session of a cookie; 401 without a valid one. Check the origin of the request before acting on it. */
export async function cookieSession(ctx: PlatformCtx, req: AnyReq, order: readonly Audience[]): Promise<SessionState> {
  const carried = tokenOfCookies(req.cookies, order);
  if (!carried) throw unauthenticated();
  const { tenantId, sessionId, hash } = carried.token;
  const session = await ctx.transaction(
    async (platform) => {
      const known = await platform.db.first(
        sql`select id from ${refreshTable(tenantId)} where ${owned(tenantId)}token_hash = ${hash} and session_id = ${sessionId} and expires_at > ${platform.clock.now()}`,
      );
      return known ? sessionState(platform, tenantId, sessionId) : undefined;
    },
    { readOnly: true },
  );
  if (!session) throw unauthenticated('The session is over.');
  return session;
}

/** The caller's session by bearer, else by cookie with its CSRF token; 401 without either. */
async function callerSession(ctx: PlatformCtx, req: AnyReq): Promise<SessionState> {
  const bearer = await bearerSession(ctx, req);
  if (bearer) return bearer;
  const order = audienceOrder(ctx);
  const carried = tokenOfCookies(req.cookies, order);
  if (!carried) throw unauthenticated();
  requireCsrf(ctx, req, carried.audience);
  return cookieSession(ctx, req, [carried.audience]);
}

const gone = (host: string, audience: Audience) =>
  reply(204, undefined, { 'set-cookie': sessionCookie(host, audience, undefined) });

export const logout = platformRoute(
  'POST',
  '/logout',
  { summary: 'End this session', status: 204, idempotent: false, problems: ['unauthenticated', 'csrf_failed'] },
  async (ctx, req) => {
    const session = await callerSession(ctx, req);
    await inScope(ctx, session.tenantId, (scoped) => endSession(scoped, session.tenantId, session.sessionId));
    forget(session.tenantId);
    return gone(req.host, session.audience);
  },
);

export const logoutAll = platformRoute(
  'POST',
  '/logout/all',
  { summary: 'End every session of the account', status: 204, idempotent: false, problems: ['unauthenticated', 'csrf_failed'] },
  async (ctx, req) => {
    const session = await callerSession(ctx, req);
    await endAllSessions(ctx, session);
    return gone(req.host, session.audience);
  },
);

/** Names of the permissions that the session's roles give, of plugins that are on for its tenant. Operators have no roles. */
async function permissionsOf(ctx: PlatformCtx, session: SessionState): Promise<string[]> {
  if (session.audience === 'super-admin') return ['*'];
  if (session.audience === 'storefront') return [];
  const declared = ctx.require(permissions).all();
  const granted = unionOf(session.roles, declared);
  return ctx.withTenant(
    session.tenantId as string,
    async (tenant) =>
      expand(
        granted,
        declared.filter(({ plugin }) => tenant.isOn(plugin)),
      ),
    { readOnly: true },
  );
}

export const me = platformRoute(
  'GET',
  '/me',
  {
    summary: 'Who is signed in',
    response: {
      user: f.object(signedInShape),
      tenant: f.object({ id: f.id(), slug: f.slug(), name: f.text() }).optional(),
      audience: f.oneOf(audiences),
      permissions: f.list(f.text(), { max: 5000 }),
    },
    problems: ['unauthenticated'],
  },
  async (ctx, req) => {
    const session = await bearerSession(ctx, req);
    const user = session && (await signedIn(ctx, session));
    if (!session || !user) throw unauthenticated();
    const tenant =
      session.tenantId === null
        ? null
        : await ctx.withTenant(session.tenantId, async ({ tenant: { id, slug, name } }) => ({ id, slug, name }), {
            readOnly: true,
          });
    return { user, tenant, audience: session.audience, permissions: await permissionsOf(ctx, session) };
  },
);

export const csrf = platformRoute(
  'GET',
  '/api/csrf-token',
  {
    summary: 'The token that writes with cookies must carry',
    query: { audience: f.oneOf(audiences).optional() },
    response: { csrfToken: f.text() },
  },
  async (ctx, req) => {
    const order = audienceOrder(ctx);
    const { audience } = req.query;
    return {
      csrfToken: csrfToken(
        ctx,
        req.cookies,
        audience === null ? order : [audience, ...order.filter((other) => other !== audience)],
      ),
    };
  },
);
