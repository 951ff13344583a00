import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, isRetryable, Problem, sql } from '@storeloom/plugin-sdk';
import type pg from 'pg';
import { Outside, OutsideNeeded } from './outside.ts';
import { createPool, sessionSettings } from './pool.ts';
import { isUnanswered } from './refused.ts';
import { Session, scopesWith, type TxKind } from './session.ts';
import type { Tx } from './tx.ts';

/** Thrown when code inside one tenant's transaction asks for another tenant: always a bug of ours. */
export class TenantScopeError extends Error {
  constructor(open: string, wanted: string) {
    super(`a transaction of tenant ${open} is open; the work of tenant ${wanted} needs its own`);
    this.name = 'TenantScopeError';
  }
}

export interface DatabaseOptions {
  url: string;
  max?: number;
  /** The URL leads to PgBouncer in transaction mode: no statement is prepared by name, every transaction makes its own settings. */
  pooled?: boolean;
  /** Milliseconds. Default 5000. */
  statementTimeout?: number;
  /** Milliseconds that somebody waits for a lock. Default 3000. */
  lockTimeout?: number;
  /** Milliseconds that somebody waits for a connection. */
  wait?: number;
  onError(error: Error): void;
  onTx?(kind: 'read' | 'write' | 'platform', seconds: number): void;
  onRetry?(sqlstate: string): void;
}

export interface UnitOptions {
  readOnly?: boolean;
  /** A write that somebody waits for. */
  request?: boolean;
  /** The unit of work reads the tenant's configuration and never changes it. */
  configured?: boolean;
  /** Revision of the tenant that the unit of work goes by; TenantMoved where it has another by now. */
  tenantRevision?: string | null | undefined;
  /** Stands in a comment of the statement that opens a transaction. */
  requestId?: string;
}

/** How often a unit of work may ask outside for something else than before. */
const maxRounds = 5;

type Open = { tenantId: string | null; tx: Tx };
const uuid = /^[0-9a-f-]{36}$/;

export interface Database {
  /** The only way into a tenant's rows. Joins the open transaction of the same tenant. */
  withTenant<T>(tenantId: string, fn: (tx: Tx) => Promise<T>, options?: UnitOptions): Promise<T>;
  /** The platform role: reads over all tenants, writes platform tables. */
  withPlatform<T>(fn: (tx: Tx) => Promise<T>, options?: Pick<UnitOptions, 'readOnly' | 'requestId'>): Promise<T>;
  /** Database time minus local time, in milliseconds. */
  offset(): number;
  sampleClock(): Promise<void>;
  ping(): Promise<void>;
  pool: pg.Pool;
  /** Waits for the transactions that are under way; half a second at most where it has to be at once. */
  close(options?: { immediately?: boolean }): Promise<void>;
}

export function createDatabase(options: DatabaseOptions): Database {
  const { pooled = false, statementTimeout = 5000, lockTimeout } = options;
  const timeouts = { statementTimeout, ...(lockTimeout === undefined ? {} : { lockTimeout }) };
  const scopes = scopesWith(pooled ? sessionSettings(timeouts) : {});
  const pool = createPool(
    {
      url: options.url,
      max: options.max ?? 10,
      ...timeouts,
      pooled,
      ...(options.wait === undefined ? {} : { wait: options.wait }),
    },
    options.onError,
  );
  const scope = new AsyncLocalStorage<Open>();
  let clockOffset = 0;

  type How = Pick<UnitOptions, 'configured' | 'tenantRevision' | 'requestId'>;
  async function once<T>(
    tenantId: string | null,
    fn: (tx: Tx) => Promise<T>,
    kind: TxKind,
    how: How,
    outside: Outside,
  ): Promise<T> {
    const started = performance.now();
    const client = await pool.connect();
    const session = new Session(client, tenantId, kind, { prepare: !pooled, scopes, ...how });
    const readOnly = kind === 'read';
    const tx: Tx = {
      db: session,
      session,
      execute: (statement) => session.execute(statement),
      savepoint: (work) => session.savepoint(work),
      readOnly,
      outside,
      revision: session.revision,
      memo: session.revision && new Map(),
      onCommit: [],
      dropTags: new Set(),
      entities: undefined,
    };
    let broken: Error | undefined;
    try {
      const result = await scope.run({ tenantId, tx }, () => fn(tx));
      if (outside.waits) throw new OutsideNeeded();
      if (!readOnly && tx.dropTags.size > 0)
        session.later(sql`select pg_notify('storeloom_cache', ${JSON.stringify({ tenant: tenantId, tags: [...tx.dropTags] })})`);
      await session.commit();
      client.release();
      return result;
    } catch (error) {
      // The answer is still to come: what is sent on this connection would wait behind it.
      if (isUnanswered(error)) broken = error;
      else
        await session.rollback().catch((rollback: Error) => {
          broken = rollback;
        });
      // What the connection has prepared no longer fits the tables (0A000): it would fail for ever.
      client.release(broken ?? (error as { code?: string }).code === '0A000');
      throw error;
    } finally {
      options.onTx?.(tenantId === null ? 'platform' : readOnly ? 'read' : 'write', (performance.now() - started) / 1000);
    }
  }

  async function unit<T>(tenantId: string | null, fn: (tx: Tx) => Promise<T>, kind: TxKind, how: How = {}): Promise<T> {
    const outside = new Outside();
    for (let failures = 0, rounds = 0; ; ) {
      let committed: Tx | undefined;
      let result: T;
      try {
        result = await once(
          tenantId,
          (tx) => {
            committed = tx;
            return fn(tx);
          },
          kind,
          how,
          outside,
        );
      } catch (error) {
        if (error instanceof OutsideNeeded) {
          if (++rounds > maxRounds)
            throw new Problem('conflict', {
              detail: 'What this must ask for changes faster than it can be asked.',
              retryAfter: 1,
            });
          await outside.ask();
          continue;
        }
        if (!isRetryable(error) || ++failures >= 3) throw error;
        options.onRetry?.((error as { code: string }).code);
        await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40 * failures));
        continue;
      }
      // It is committed: what follows from that neither undoes nor repeats it.
      for (const after of committed?.onCommit ?? []) await after();
      return result;
    }
  }

  return {
    pool,
    withTenant(tenantId, fn, { readOnly = false, request = false, ...how } = {}) {
      if (!uuid.test(tenantId)) throw new Error('not a tenant id');
      const open = scope.getStore();
      if (open && open.tenantId !== null) {
        if (open.tenantId !== tenantId) throw new TenantScopeError(open.tenantId, tenantId);
        return fn(open.tx);
      }
      return unit(tenantId, fn, readOnly ? 'read' : request ? 'request' : 'write', how);
    },
    withPlatform(fn, { readOnly = false, requestId } = {}) {
      const open = scope.getStore();
      if (open && open.tenantId === null) return fn(open.tx);
      // From inside a tenant's transaction this is a second connection and a transaction of its own.
      return scope.exit(() => unit(null, fn, readOnly ? 'read' : 'write', { requestId }));
    },
    offset: () => clockOffset,
    async sampleClock() {
      const before = Date.now();
      const { rows } = await pool.query(atOnce('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms'));
      const after = Date.now();
      clockOffset = Math.round(Number((rows[0] as { ms: number }).ms) - (before + after) / 2);
    },
    async ping() {
      await pool.query(atOnce('select 1'));
    },
    async close({ immediately = false } = {}) {
      const closed = pool.end();
      // What is under way is rolled back where its connection ends, with the process or with the server.
      await (immediately ? Promise.race([closed, sleep(500, undefined, { ref: false })]) : closed);
    },
  };
}

/** A statement that takes no time: after three seconds the database counts as away. */
const atOnce = (text: string): pg.QueryConfig & { query_timeout: number } => ({ text, query_timeout: 3000 });

export function databaseClock(database: Pick<Database, 'offset'>): Clock {
  const ms = (): number => Date.now() + database.offset();
  return { ms, now: () => new Date(ms()).toISOString() };
}
