import {
  type Audience,
  type Authenticated,
  type Authenticator,
  authenticator,
  keyring,
  type PlatformCtx,
  permissions,
  provide,
  sessionCookieNames,
} from '@storeloom/plugin-sdk';
import { LRUCache } from 'lru-cache';
import { unionOf } from '../staff/permissions.ts';
import { csrfMatches } from './cookies.ts';
import { epochOf, ifThere, type Scoped, type SessionState, sessionState, unauthenticated } from './sessions.ts';

export const accessTokenSeconds = 600;
export const accessTokenType = 'at+jwt';
/** How long the standing of a session is believed; another process's revocation is felt after at most this. Milliseconds. */
const believedFor = 800;

const uuid = /^[0-9a-f-]{36}$/;

interface Claims {
  subjectId: string;
  tenantId: string | null;
  sessionId: string;
  version: number;
}

/** Claims of an access token of this audience that is genuine and hasn't run out; its session may be over. */
async function readAccessToken(
  ctx: Pick<PlatformCtx, 'require'>,
  token: string,
  audience: Audience,
): Promise<Claims | undefined> {
  const claims = await ctx.require(keyring).verify(audience, token, { type: accessTokenType });
  if (!claims) return undefined;
  const { sub, tid, sid, ver } = claims;
  if (typeof sub !== 'string' || typeof sid !== 'string' || !uuid.test(sid) || typeof ver !== 'number') return undefined;
  if (audience === 'super-admin' ? tid !== null : typeof tid !== 'string' || !uuid.test(tid)) return undefined;
  return { subjectId: sub, tenantId: tid as string | null, sessionId: sid, version: ver };
}

/** The token of an `Authorization` header; undefined without one, null for one that is malformed. */
export function bearerToken(header: string | undefined): string | null | undefined {
  if (header === undefined) return undefined;
  return /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header.trim())?.[1] ?? null;
}
/** The session of a bearer whom the pipeline has let in. */
export async function sessionIdOf(
  ctx: Pick<PlatformCtx, 'require'>,
  header: string | undefined,
  audience: Audience,
): Promise<string> {
  const token = bearerToken(header);
  const claims = token ? await readAccessToken(ctx, token, audience) : undefined;
  if (!claims) throw unauthenticated();
  return claims.sessionId;
}

/** Units of work on one platform context wait for each other: it has room for one transaction. */
const turns = new WeakMap<object, Promise<unknown>>();
function inTurn<T>(ctx: PlatformCtx, work: () => Promise<T>): Promise<T> {
  const done = (turns.get(ctx) ?? Promise.resolve()).then(work, work);
  turns.set(ctx, done);
  return done;
}

async function checkSession(ctx: PlatformCtx, claims: Claims, audience: Audience): Promise<SessionState | undefined> {
  const read = (scoped: Pick<Scoped, 'db' | 'clock'>) => sessionState(scoped, claims.tenantId, claims.sessionId);
  const state =
    claims.tenantId === null
      ? await inTurn(ctx, () => ctx.transaction(read, { readOnly: true }))
      : await ifThere(ctx.withTenant(claims.tenantId, read, { readOnly: true }));
  return state && state.audience === audience && state.id === claims.subjectId && state.sessionVersion === claims.version
    ? state
    : undefined;
}

/** The live session behind a token of any of the audiences, asked of the database. */
export async function sessionOfToken(
  ctx: PlatformCtx,
  token: string,
  audiences: readonly Audience[],
): Promise<SessionState | undefined> {
  for (const audience of audiences) {
    const claims = await readAccessToken(ctx, token, audience);
    if (claims) return checkSession(ctx, claims, audience);
  }
  return undefined;
}

function answerOf(state: SessionState, grants: (state: SessionState) => readonly string[]): Authenticated {
  const { tenantId, sessionId, authAt } = state;
  switch (state.audience) {
    case 'admin':
      return { tenantId, sessionId, actor: { type: 'staff', userId: state.id, permissions: grants(state), authAt } };
    case 'storefront':
      return { tenantId, sessionId, actor: { type: 'customer', customerId: state.id, authAt } };
    case 'super-admin':
      return { tenantId: null, sessionId, actor: { type: 'operator', userId: state.id } };
  }
}

function makeAuthenticator(ctx: PlatformCtx): Authenticator {
  const sessions = new LRUCache<string, { at: number; epoch: string; answer: Promise<Authenticated | undefined> }>({
    max: 50_000,
  });
  // One list for all who hold the same roles: the kernel keeps what it derives from a list beside it.
  const lists = new LRUCache<string, readonly string[]>({ max: 1000 });
  const grants = (state: SessionState): readonly string[] => {
    const key = JSON.stringify(state.roles);
    let list = lists.get(key);
    if (!list) {
      list = unionOf(state.roles, ctx.require(permissions).all());
      lists.set(key, list);
    }
    return list;
  };
  return {
    async authenticate(token, audience) {
      const claims = await readAccessToken(ctx, token, audience);
      if (!claims) return undefined;
      const key = `${claims.sessionId} ${claims.version} ${claims.subjectId} ${audience}`;
      const epoch = epochOf(claims.tenantId);
      const known = sessions.get(key);
      if (known && performance.now() - known.at < believedFor && known.epoch === epoch) return known.answer;
      const answer = checkSession(ctx, claims, audience).then((state) => state && answerOf(state, grants));
      sessions.set(key, { at: performance.now(), epoch, answer });
      answer.catch(() => sessions.delete(key));
      return answer;
    },
    checkCsrf: (cookies, header) => csrfMatches(ctx, cookies, header, Object.keys(sessionCookieNames) as Audience[]),
  };
}

/** Called by the pipeline outside any transaction, without a tenant. */
export const authenticatorProvider = provide(authenticator, (ctx: PlatformCtx) => makeAuthenticator(ctx));
