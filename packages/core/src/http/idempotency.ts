import { createHash } from 'node:crypto';
import { type Db, Problem, sql } from '@storeloom/plugin-sdk';

export interface StoredResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | null;
}
export interface IdempotencyHost {
  seal(text: string): string;
  unseal(sealed: string): string;
  now(): string;
}
export interface Claim {
  /** Null for super-admin routes. */
  tenantId: string | null;
  scope: string;
  key: string;
  hash: string;
}

export function requestHash(method: string, url: string, body: Buffer): string {
  return createHash('sha256').update(`${method} ${url}\n`).update(body).digest('base64url');
}

const table = (claim: Claim) => sql.raw(claim.tenantId === null ? 'core_platform_idempotency' : 'core_idempotency');
const tenant = (claim: Claim) => (claim.tenantId === null ? sql`` : sql`tenant_id = ${claim.tenantId} and `);

/** Another request has already used the key: the work of this one is rolled back, and it gets the stored response. */
export class RepeatedRequestError extends Error {
  override readonly name = 'RepeatedRequestError';
  readonly known: KnownResponse;
  constructor(known: KnownResponse) {
    super('the Idempotency-Key is in use');
    this.known = known;
  }
}
export interface KnownResponse {
  stored: StoredResponse;
  final: boolean;
}

/**
 * Claims the key inside the unit of work, until its end. A concurrent request waits and gets the stored response; after the lock timeout it
 * gets 409. A failed transaction leaves no row, so a retry runs again.
 * @returns the response of an earlier request
 */
export async function claim(db: Db, host: IdempotencyHost, wanted: Claim): Promise<KnownResponse | undefined> {
  const id = JSON.stringify(['idempotency', wanted.tenantId, wanted.scope, wanted.key]);
  // A lock and one insert write less than a row that is updated with its response.
  db.later(sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`);
  try {
    return await read(db, host, wanted);
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') throw new Problem('idempotency_in_flight', { retryAfter: 1 });
    throw error;
  }
}

export async function read(db: Db, host: IdempotencyHost, wanted: Claim): Promise<KnownResponse | undefined> {
  const row = await db.first<{ hash: string; state: string; answer: string }>(
    sql`select request_hash as hash, state, answer from ${table(wanted)} where ${tenant(wanted)}scope = ${wanted.scope} and key = ${wanted.key}`,
  );
  if (!row) return undefined;
  if (row.hash !== wanted.hash) throw new Problem('idempotency_key_reused');
  return { stored: JSON.parse(host.unseal(row.answer)) as StoredResponse, final: row.state === 'final' };
}

/**
 * Stores the response with the claimed key. The insert fails if a request has used the key without the lock, in a process of an earlier
 * version.
 */
export function store(db: Db, host: IdempotencyHost, wanted: Claim, answer: StoredResponse, final: boolean): void {
  db.later(sql`insert into ${table(wanted)} (${sql.raw(wanted.tenantId === null ? '' : 'tenant_id, ')}scope, key, request_hash, state, status, answer, created_at)
    values (${wanted.tenantId === null ? sql`` : sql`${wanted.tenantId}, `}${wanted.scope}, ${wanted.key}, ${wanted.hash}, ${final ? 'final' : 'committed'}, ${answer.status}, ${sealed(host, answer)}, ${host.now()})`);
}

/** Replaces the stored response by the one that stands. */
export function finish(db: Db, host: IdempotencyHost, wanted: Claim, answer: StoredResponse): void {
  db.later(
    sql`update ${table(wanted)} set state = 'final', status = ${answer.status}, answer = ${sealed(host, answer)} where ${tenant(wanted)}scope = ${wanted.scope} and key = ${wanted.key}`,
  );
}

const sealed = (host: IdempotencyHost, answer: StoredResponse): string => host.seal(JSON.stringify(answer));
