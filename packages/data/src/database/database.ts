import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, isRetryable, Problem, sql } from '@storeloom/plugin-sdk';
import type pg from 'pg';
import { ConnectionShares } from './connection-shares.ts';
import { ExternalCallPending, ExternalCalls } from './external-calls.ts';
import { createPool, sessionSettings } from './pool.ts';
import { isUnanswered } from './refused.ts';
import { scopesWith, type TxKind } from './scopes.ts';
import { Session } from './session.ts';
import type { Tx } from './tx.ts';

/** Code inside a tenant's transaction requested another tenant: a bug of the kernel. */
export class TenantScopeError extends Error {
  constructor(open: string, wanted: string) {
    super(`a transaction of tenant ${open} is open; the work of tenant ${wanted} needs its own`);
    this.name = 'TenantScopeError';
  }
}

export interface DatabaseOptions {
  url: string;
  max?: number;
  /** True for the URL of PgBouncer in transaction mode: no prepared statements, and every transaction sets its own settings. */
  pooled?: boolean;
  /** Milliseconds. Default 5000. */
  statementTimeout?: number;
  /** Lock timeout in milliseconds. Default 3000. */
  lockTimeout?: number;
  /** Milliseconds to wait for a connection. */
  wait?: number;
  onError(error: Error): void;
  onTx?(kind: 'read' | 'write' | 'platform', seconds: number): void;
  onRetry?(sqlstate: string): void;
}

export interface UnitOptions {
  readOnly?: boolean;
  /** True for a read by keys, where planning takes longer than the statement: one plan serves all values. Writes always use one. */
  onePlan?: boolean;
  /** True if the unit of work reads the tenant's configuration and doesn't change it. */
  configured?: boolean;
  /** Expected revision of the tenant; StaleTenantError if it has changed. */
  tenantRevision?: string | null | undefined;
  /** Added as a comment to the statement that opens the transaction. */
  requestId?: string;
}

/** Maximum rounds of external calls of a unit of work. */
const maxRounds = 5;

/** A transaction as the code inside it sees it. */
interface Open {
  readonly tenantId: string | null;
  readonly tx: Tx;
  /** The transaction around it, on another connection. */
  readonly outer: Open | undefined;
  ended: boolean;
}
const uuid = /^[0-9a-f-]{36}$/;

export interface Database {
  /** The only access to a tenant's rows. Joins the open transaction of the same tenant. */
  withTenant<T>(tenantId: string, fn: (tx: Tx) => Promise<T>, options?: UnitOptions): Promise<T>;
  /** Runs `fn` as the platform role, which reads across tenants and writes platform tables. */
  withPlatform<T>(fn: (tx: Tx) => Promise<T>, options?: Pick<UnitOptions, 'readOnly' | 'requestId'>): Promise<T>;
  /** Returns true in code that runs inside the transaction; false in code that runs beside it. */
  isInside(tx: Tx): boolean;
  /** Database time minus local time, in milliseconds. */
  offset(): number;
  sampleClock(): Promise<void>;
  ping(): Promise<void>;
  pool: pg.Pool;
  /** Waits for open transactions; with `immediately` at most half a second. */
  close(options?: { immediately?: boolean }): Promise<void>;
}

export function createDatabase(options: DatabaseOptions): Database {
  const { pooled = false, statementTimeout = 5000, lockTimeout } = options;
  const timeouts = { statementTimeout, ...(lockTimeout === undefined ? {} : { lockTimeout }) };
  const scopes = scopesWith(pooled ? sessionSettings(timeouts) : {});
  const max = options.max ?? 10;
  const shares = new ConnectionShares(max, options.wait ?? 10_000);
  const pool = createPool(
    {
      url: options.url,
      max,
      ...timeouts,
      pooled,
      ...(options.wait === undefined ? {} : { wait: options.wait }),
    },
    options.onError,
  );
  const scope = new AsyncLocalStorage<Open>();
  const current = (): Open | undefined => {
    const open = scope.getStore();
    return open?.ended ? undefined : open;
  };
  let clockOffset = 0;

  type How = Pick<UnitOptions, 'onePlan' | 'configured' | 'tenantRevision' | 'requestId'>;
  async function once<T>(
    tenantId: string | null,
    fn: (tx: Tx) => Promise<T>,
    kind: TxKind,
    how: How,
    externalCalls: ExternalCalls,
    outer: Open | undefined,
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
      externalCalls,
      revision: session.revision,
      memo: session.revision && new Map(),
      onCommit: [],
      dropTags: new Set(),
      entities: undefined,
    };
    const open: Open = { tenantId, tx, outer, ended: false };
    let broken: Error | undefined;
    try {
      const result = await scope.run(open, () => fn(tx));
      if (externalCalls.hasPending) throw new ExternalCallPending();
      if (!readOnly && tx.dropTags.size > 0)
        session.later(sql`select pg_notify('storeloom_cache', ${JSON.stringify({ tenant: tenantId, tags: [...tx.dropTags] })})`);
      await session.commit();
      client.release(session.isTainted);
      return result;
    } catch (error) {
      // The connection has an outstanding response, and later statements would wait for it.
      if (isUnanswered(error)) broken = error;
      else
        await session.rollback().catch((rollback: Error) => {
          broken = rollback;
        });
      // Prepared statements no longer match the tables (0A000): drop the connection, on which they would always fail.
      client.release(broken ?? (session.isTainted || (error as { code?: string }).code === '0A000'));
      throw error;
    } finally {
      open.ended = true;
      options.onTx?.(tenantId === null ? 'platform' : readOnly ? 'read' : 'write', (performance.now() - started) / 1000);
    }
  }

  async function unit<T>(
    tenantId: string | null,
    fn: (tx: Tx) => Promise<T>,
    kind: TxKind,
    how: How = {},
    outer?: Open,
  ): Promise<T> {
    const externalCalls = new ExternalCalls();
    for (let failures = 0, rounds = 0; ; ) {
      let committed: Tx | undefined;
      let result: T;
      try {
        const attempt = (): Promise<T> =>
          once(
            tenantId,
            (tx) => {
              committed = tx;
              return fn(tx);
            },
            kind,
            how,
            externalCalls,
            outer,
          );
        result = tenantId === null ? await attempt() : await shares.run(tenantId, attempt);
      } catch (error) {
        if (error instanceof ExternalCallPending) {
          if (++rounds > maxRounds)
            throw new Problem('conflict', {
              detail: 'The input of the external calls changes faster than they respond.',
              retryAfter: 1,
            });
          await externalCalls.runPending();
          continue;
        }
        if (!isRetryable(error) || ++failures >= 3) throw error;
        options.onRetry?.((error as { code: string }).code);
        await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40 * failures));
        continue;
      }
      // Committed: errors of the callbacks neither roll back nor repeat it.
      for (const after of committed?.onCommit ?? []) await after();
      return result;
    }
  }

  return {
    pool,
    withTenant(tenantId, fn, { readOnly = false, ...how } = {}) {
      if (!uuid.test(tenantId)) throw new Error('not a tenant id');
      const open = current();
      if (open && open.tenantId !== null) {
        if (open.tenantId !== tenantId) throw new TenantScopeError(open.tenantId, tenantId);
        return fn(open.tx);
      }
      return unit(tenantId, fn, readOnly ? 'read' : 'write', how, open);
    },
    withPlatform(fn, { readOnly = false, requestId } = {}) {
      const open = current();
      if (open && open.tenantId === null) return fn(open.tx);
      // Inside a tenant's transaction this uses a second connection with its own transaction.
      return scope.exit(() => unit(null, fn, readOnly ? 'read' : 'write', { requestId }, open));
    },
    isInside(tx) {
      for (let open = scope.getStore(); open; open = open.outer) if (open.tx === tx) return true;
      return false;
    },
    offset: () => clockOffset,
    async sampleClock() {
      const before = Date.now();
      const { rows } = await pool.query(withoutWaiting('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms'));
      const after = Date.now();
      clockOffset = Math.round(Number((rows[0] as { ms: number }).ms) - (before + after) / 2);
    },
    async ping() {
      await pool.query(withoutWaiting('select 1'));
    },
    async close({ immediately = false } = {}) {
      const closed = pool.end();
      // Open transactions are rolled back when their connections end.
      await (immediately ? Promise.race([closed, sleep(500, undefined, { ref: false })]) : closed);
    },
  };
}

/** A trivial statement: after three seconds the database counts as unreachable. */
const withoutWaiting = (text: string): pg.QueryConfig & { query_timeout: number } => ({ text, query_timeout: 3000 });

export function databaseClock(database: Pick<Database, 'offset'>): Clock {
  const ms = (): number => Date.now() + database.offset();
  return { ms, now: () => new Date(ms()).toISOString() };
}
