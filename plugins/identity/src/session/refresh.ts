import { f, type PlatformCtx, platformRoute, sql } from '@storeloom/plugin-sdk';
import { newRefreshToken, type RefreshToken, readRefreshToken } from '../secrets.ts';
import { requireCsrf, tokenOfCookies } from './cookies.ts';
import {
  endSession,
  forget,
  ifThere,
  inScope,
  insertRefreshToken,
  owned,
  refreshTable,
  type Scoped,
  type SessionState,
  sessionState,
  sessionTable,
  unauthenticated,
} from './sessions.ts';
import { audienceOrder, audiences, signedIn, tokensAnswer, tokensShape } from './sign-in.ts';

/** How long racing callers still get the successor of a token that was just rotated. Milliseconds. */
export const replayFor = 30_000;

export type Rotation = { kind: 'live'; session: SessionState; refreshToken: string } | { kind: 'over' } | { kind: 'reused' };

/**
 * One use of a refresh token. `rotated_at is null` in the update is the claim: of racing callers one wins, and the others, who have
 * waited for its row, read the successor it left. A token that comes back later was stolen, or its thief was first: the family ends.
 */
async function rotate(
  scoped: Scoped,
  token: RefreshToken,
  origin: { ip: string | null; userAgent: string | null },
): Promise<Rotation> {
  const { tenantId, sessionId } = token;
  const session = await sessionState(scoped, tenantId, sessionId);
  if (!session) return { kind: 'over' };
  const now = scoped.clock.now();
  const next = newRefreshToken(tenantId, sessionId);
  const mine = sql`${owned(tenantId)}token_hash = ${token.hash} and session_id = ${sessionId}`;
  const claimed =
    await scoped.db.run(sql`update ${refreshTable(tenantId)} set rotated_at = ${now}, successor = ${scoped.seal(next.text)}, updated_at = ${now}, version = version + 1
    where ${mine} and rotated_at is null and expires_at > ${now}`);
  if (claimed === 1) {
    await insertRefreshToken(scoped, { ...session, id: sessionId }, next.hash);
    await scoped.db.run(sql`update ${sessionTable(tenantId)} set last_seen_at = ${now}, ip = ${origin.ip}, user_agent = ${origin.userAgent}, updated_at = ${now}, version = version + 1
      where ${owned(tenantId)}id = ${sessionId}`);
    await scoped.db.run(sql`update ${refreshTable(tenantId)} set successor = null where ${owned(tenantId)}session_id = ${sessionId} and successor is not null
      and rotated_at < ${new Date(Date.parse(now) - replayFor).toISOString()}`);
    return { kind: 'live', session, refreshToken: next.text };
  }
  const used = await scoped.db.first<{ rotatedAt: string | null; successor: string | null }>(
    sql`select rotated_at as "rotatedAt", successor from ${refreshTable(tenantId)} where ${mine}`,
  );
  // Unknown, or its time was over before it was ever used.
  if (!used || used.rotatedAt === null) return { kind: 'over' };
  if (used.successor !== null && scoped.clock.ms() - Date.parse(used.rotatedAt) <= replayFor)
    return { kind: 'live', session, refreshToken: scoped.unseal(used.successor) };
  await endSession(scoped, tenantId, sessionId);
  return { kind: 'reused' };
}

async function useToken(ctx: PlatformCtx, token: RefreshToken): Promise<Rotation> {
  const rotation = await ifThere(
    inScope(ctx, token.tenantId, (scoped) => rotate(scoped, token, { ip: ctx.ip, userAgent: ctx.userAgent })),
  );
  return rotation ?? { kind: 'over' };
}

export const refresh = platformRoute(
  'POST',
  '/refresh',
  {
    summary: 'Rotate the refresh token and get a new access token',
    // `audience` chooses among the cookies of several applications on one host.
    body: { refreshToken: f.text().optional(), audience: f.oneOf(audiences).optional() },
    response: tokensShape,
    idempotent: false,
    rateLimit: { points: 600, seconds: 60, by: 'ip' },
    problems: ['unauthenticated', 'csrf_failed'],
  },
  async (ctx, req) => {
    const { refreshToken, audience } = req.body;
    let token = refreshToken === null ? undefined : readRefreshToken(refreshToken);
    if (refreshToken === null) {
      const carried = tokenOfCookies(req.cookies, audience === null ? audienceOrder(ctx) : [audience]);
      if (carried) requireCsrf(ctx, req, carried.audience);
      token = carried?.token;
    }
    if (!token) throw unauthenticated('There is no refresh token.');
    const rotation = await useToken(ctx, token);
    if (rotation.kind === 'reused') {
      forget(token.tenantId);
      ctx.log.warn(
        {
          event: 'refresh_token_reused',
          sessionId: token.sessionId,
          tenantId: token.tenantId,
          ip: ctx.ip,
          requestId: ctx.requestId,
        },
        'a used refresh token came back; its session has ended',
      );
    }
    if (rotation.kind !== 'live') throw unauthenticated('The session is over.');
    const { session } = rotation;
    const user = await signedIn(ctx, session);
    if (!user) throw unauthenticated('The session is over.');
    return tokensAnswer(ctx, req.host, session, { ...session, refreshToken: rotation.refreshToken }, user);
  },
);
