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

/**
 * Claims the key inside the unit of work. A concurrent request waits on the row and gets the stored response; after the lock timeout
 * it gets 409. A failed transaction leaves no row, so a retry runs again.
 */
export async function claim(
  db: Db,
  host: IdempotencyHost,
  wanted: Claim,
): Promise<{ stored: StoredResponse; final: boolean } | undefined> {
  let inserted: number;
  try {
    inserted =
      await db.run(sql`insert into ${table(wanted)} (${sql.raw(wanted.tenantId === null ? '' : 'tenant_id, ')}scope, key, request_hash, state, status, answer, created_at)
      values (${wanted.tenantId === null ? sql`` : sql`${wanted.tenantId}, `}${wanted.scope}, ${wanted.key}, ${wanted.hash}, 'committed', 0, '', ${host.now()}) on conflict do nothing`);
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') throw new Problem('idempotency_in_flight', { retryAfter: 1 });
    throw error;
  }
  return inserted === 1 ? undefined : read(db, host, wanted);
}

export async function read(
  db: Db,
  host: IdempotencyHost,
  wanted: Claim,
): Promise<{ stored: StoredResponse; final: boolean } | undefined> {
  const row = await db.first<{ hash: string; state: string; answer: string }>(
    sql`select request_hash as hash, state, answer from ${table(wanted)} where ${tenant(wanted)}scope = ${wanted.scope} and key = ${wanted.key}`,
  );
  if (!row) throw new Problem('idempotency_in_flight', { retryAfter: 1 });
  if (row.hash !== wanted.hash) throw new Problem('idempotency_key_reused');
  return { stored: JSON.parse(host.unseal(row.answer)) as StoredResponse, final: row.state === 'final' };
}

export function store(db: Db, host: IdempotencyHost, wanted: Claim, answer: StoredResponse, final: boolean): void {
  db.later(
    sql`update ${table(wanted)} set state = ${final ? 'final' : 'committed'}, status = ${answer.status}, answer = ${host.seal(JSON.stringify(answer))} where ${tenant(wanted)}scope = ${wanted.scope} and key = ${wanted.key}`,
  );
}
