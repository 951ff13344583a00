import type { Audience, Ctx, PlatformCtx } from '@storeloom/plugin-sdk';
import { Problem, problem, type RawBuilder, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { newRefreshToken } from '../secrets.ts';
import type { RoleGrant } from '../staff/permissions.ts';

/** An open transaction in the scope where the rows lie: the tenant's, or the platform's for operators. */
export type Scoped = Pick<Ctx, 'db' | 'clock' | 'seal' | 'unseal'>;

/** Lifetimes in seconds. `idle`: without a refresh. `longest`: from sign-in in any case. */
export const lifetimes: Readonly<Record<Audience, { idle: number; longest: number }>> = {
  storefront: { idle: 30 * 86_400, longest: 180 * 86_400 },
  admin: { idle: 7 * 86_400, longest: 30 * 86_400 },
  'super-admin': { idle: 12 * 3600, longest: 24 * 3600 },
};

/** Whose session: a user or customer of a tenant, or an operator. */
export interface Subject {
  readonly audience: Audience;
  readonly tenantId: string | null;
  readonly id: string;
  readonly sessionVersion: number;
}
export interface Origin {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

export interface SessionState extends Subject {
  readonly sessionId: string;
  /** Of staff. */
  readonly accountId: string | null;
  readonly authAt: string;
  readonly authLevel: number;
  readonly expiresAt: string;
  readonly roles: readonly RoleGrant[];
}

export function inScope<T>(ctx: PlatformCtx, tenantId: string | null, fn: (scoped: Scoped) => Promise<T>): Promise<T> {
  return tenantId === null ? ctx.transaction(fn) : ctx.withTenant(tenantId, fn);
}

/** Undefined for work in a tenant that isn't there (any more). */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

// Operators' tables have the same columns, less the tenant.
export const sessionTable = (tenantId: string | null): RawBuilder<unknown> =>
  sql.table(tenantId === null ? 'identity_operator_session' : 'identity_session');
export const refreshTable = (tenantId: string | null): RawBuilder<unknown> =>
  sql.table(tenantId === null ? 'identity_operator_refresh_token' : 'identity_refresh_token');
export const owned = (tenantId: string | null): RawBuilder<unknown> =>
  tenantId === null ? sql`` : sql`tenant_id = ${tenantId} and `;
const column = (tenantId: string | null): RawBuilder<unknown> => (tenantId === null ? sql`` : sql`tenant_id, `);
const value = (tenantId: string | null): RawBuilder<unknown> => (tenantId === null ? sql`` : sql`${tenantId}, `);

export const later = (ms: number, seconds: number): string => new Date(ms + seconds * 1000).toISOString();
const earliest = (a: string, b: string): string => (a < b ? a : b);

export async function insertRefreshToken(
  scoped: Scoped,
  session: { tenantId: string | null; id: string; audience: Audience; expiresAt: string },
  tokenHash: string,
): Promise<void> {
  const ms = scoped.clock.ms();
  const now = new Date(ms).toISOString();
  const expiresAt = earliest(later(ms, lifetimes[session.audience].idle), session.expiresAt);
  await scoped.db.run(sql`insert into ${refreshTable(session.tenantId)} (${column(session.tenantId)}id, session_id, token_hash, expires_at, created_at, updated_at)
    values (${value(session.tenantId)}${uuidv7(ms)}, ${session.id}, ${tokenHash}, ${expiresAt}, ${now}, ${now})`);
}

/** A session with its first refresh token. */
export async function openSession(
  scoped: Scoped,
  subject: Subject,
  origin: Origin,
  authLevel: number,
): Promise<{ sessionId: string; authAt: string; authLevel: number; refreshToken: string }> {
  const ms = scoped.clock.ms();
  const now = new Date(ms).toISOString();
  const { tenantId, audience } = subject;
  const sessionId = uuidv7(ms);
  const expiresAt = later(ms, lifetimes[audience].longest);
  await scoped.db.run(sql`insert into ${sessionTable(tenantId)} (${column(tenantId)}id, audience, subject_id, session_version, auth_level, auth_at, last_seen_at, expires_at, ip, user_agent, created_at, updated_at)
    values (${value(tenantId)}${sessionId}, ${audience}, ${subject.id}, ${subject.sessionVersion}, ${authLevel}, ${now}, ${now}, ${expiresAt}, ${origin.ip}, ${origin.userAgent}, ${now}, ${now})`);
  const token = newRefreshToken(tenantId, sessionId);
  await insertRefreshToken(scoped, { tenantId, id: sessionId, audience, expiresAt }, token.hash);
  return { sessionId, authAt: now, authLevel, refreshToken: token.text };
}

type StateRow = Omit<SessionState, 'tenantId' | 'sessionId' | 'id'> & { subjectId: string; live: boolean };

/** The session with the standing of its subject; undefined when it is over in any way. */
export async function sessionState(
  scoped: Pick<Scoped, 'db' | 'clock'>,
  tenantId: string | null,
  sessionId: string,
): Promise<SessionState | undefined> {
  const row = await scoped.db.first<StateRow>(
    tenantId === null
      ? sql`select s.audience, s.subject_id as "subjectId", null as "accountId", s.session_version as "sessionVersion", s.auth_at as "authAt", s.auth_level as "authLevel",
          s.expires_at as "expiresAt", s.revoked_at is null and o.status = 'active' and o.session_version = s.session_version as live, '[]'::jsonb as roles
        from identity_operator_session s join identity_operator o on o.id = s.subject_id where s.id = ${sessionId}`
      : sql`select audience, subject_id as "subjectId", account_id as "accountId", session_version as "sessionVersion", auth_at as "authAt", auth_level as "authLevel",
          expires_at as "expiresAt", live, roles from identity_session_state(${tenantId}::uuid, ${sessionId}::uuid)`,
  );
  if (!row?.live || row.expiresAt <= scoped.clock.now()) return undefined;
  const { subjectId, live: _, ...rest } = row;
  return { ...rest, id: subjectId, tenantId, sessionId };
}

/** Ends one session, with all its refresh tokens. False when it was over. */
export async function endSession(scoped: Scoped, tenantId: string | null, sessionId: string): Promise<boolean> {
  const now = scoped.clock.now();
  const changed = await scoped.db.run(
    sql`update ${sessionTable(tenantId)} set revoked_at = ${now}, updated_at = ${now}, version = version + 1 where ${owned(tenantId)}id = ${sessionId} and revoked_at is null`,
  );
  return changed > 0;
}

/** Ends a user's or customer's sessions in this tenant. */
export async function endSessionsOf(ctx: Ctx, subjectId: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.run(
    sql`update identity_session set revoked_at = ${now}, updated_at = ${now}, version = version + 1 where tenant_id = ${ctx.tenant.id} and subject_id = ${subjectId} and revoked_at is null`,
  );
  ctx.onCommit(() => forget(ctx.tenant.id));
}

/** Every session of the account, credential or operator: they carry an older version from now on. */
export async function endAllSessions(ctx: PlatformCtx, state: SessionState): Promise<void> {
  if (state.audience === 'storefront') {
    await ctx.withTenant(state.tenantId as string, (tenant) => raiseCustomerVersion(tenant, state.id));
    return;
  }
  await ctx.transaction(async (platform) => {
    const table = sql.table(state.audience === 'admin' ? 'identity_account' : 'identity_operator');
    await platform.db.run(
      sql`update ${table} set session_version = session_version + 1, updated_at = ${platform.clock.now()}, version = version + 1 where id = ${state.accountId ?? state.id}`,
    );
    platform.onCommit(() => forget(null));
  });
}
export async function raiseCustomerVersion(ctx: Ctx, customerId: string): Promise<void> {
  await ctx.db.run(
    sql`update identity_credential set session_version = session_version + 1, updated_at = ${ctx.clock.now()}, version = version + 1 where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}`,
  );
  ctx.onCommit(() => forget(ctx.tenant.id));
}
/** What a new session of the customer must carry. */
export async function customerVersion(ctx: Ctx, customerId: string): Promise<number> {
  const row = await ctx.db.first<{ sessionVersion: number }>(
    sql`select session_version as "sessionVersion" from identity_credential where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}`,
  );
  if (!row) throw unauthenticated('The account is gone.');
  return row.sessionVersion;
}

// What this process has cached of sessions is stale after a change made here; other processes see it when their second is over.
let everything = 0;
const changes = new Map<string, number>();
export function forget(tenantId: string | null): void {
  if (tenantId === null) everything++;
  else changes.set(tenantId, (changes.get(tenantId) ?? 0) + 1);
}
/** Differs after each `forget` that concerns the tenant. */
export function epochOf(tenantId: string | null): string {
  return `${everything}.${tenantId === null ? 0 : (changes.get(tenantId) ?? 0)}`;
}

export function unauthenticated(detail = 'A valid bearer token is needed.'): ReturnType<typeof problem> {
  return problem('unauthenticated', { detail });
}
