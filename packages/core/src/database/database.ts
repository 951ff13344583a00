import { AsyncLocalStorage } from 'node:async_hooks';
import { type AnyDatabase, type Clock, type Db, isRetryable } from '@storeloom/plugin-sdk';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
} from 'kysely';
import type pg from 'pg';
import type { Tx } from '../runtime.ts';
import { compile, createPool, statementName } from './pool.ts';

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
  prepare?: boolean;
  statementTimeout?: number;
  onError(error: Error): void;
  onTx?(kind: 'read' | 'write' | 'platform', seconds: number): void;
  onRetry?(sqlstate: string): void;
}

type Open = { tenantId: string | null; tx: Tx };
const uuid = /^[0-9a-f-]{36}$/;

/** Statements of one connection. A request waits for each of its own in turn, so a queue per connection is right. */
function dbOf(client: pg.PoolClient, prepare: boolean): Db {
  const run = (statement: RawBuilder<unknown>): Promise<pg.QueryResult> => {
    const { text, values } = compile(statement);
    const name = prepare ? statementName(text) : undefined;
    return client.query(name ? { name, text, values } : { text, values });
  };
  let query: Kysely<AnyDatabase> | undefined;
  return {
    get query() {
      return (query ??= new Kysely<AnyDatabase>({
        dialect: {
          createAdapter: () => new PostgresAdapter(),
          createDriver: () => new ClientDriver(client),
          createIntrospector: (db) => new PostgresIntrospector(db),
          createQueryCompiler: () => new PostgresQueryCompiler(),
        },
      }));
    },
    async rows<R>(statement: RawBuilder<unknown>) {
      return (await run(statement)).rows as R[];
    },
    async first<R>(statement: RawBuilder<unknown>) {
      return (await run(statement)).rows[0] as R | undefined;
    },
    async run(statement) {
      return (await run(statement)).rowCount ?? 0;
    },
  };
}

/** Kysely over the open connection: the transaction is ours, not Kysely's. */
class ClientDriver implements Driver {
  readonly client: pg.PoolClient;
  constructor(client: pg.PoolClient) {
    this.client = client;
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    const { client } = this;
    return {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        const result = await client.query(query.sql, query.parameters as unknown[]);
        return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) };
      },
      // biome-ignore lint/correctness/useYield: refusing is the point
      async *streamQuery(): AsyncIterableIterator<never> {
        throw new Error('streams are not taken inside a unit of work');
      },
    };
  }
  async beginTransaction(): Promise<void> {
    throw new Error('the unit of work is the transaction; use ctx.transaction');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

export interface Database {
  /** The only way into a tenant's rows. Joins the open transaction of the same tenant. */
  withTenant<T>(tenantId: string, fn: (tx: Tx) => Promise<T>, options?: { readOnly?: boolean; system?: boolean }): Promise<T>;
  /** The platform role: reads over all tenants, writes platform tables. */
  withPlatform<T>(fn: (tx: Tx) => Promise<T>, options?: { readOnly?: boolean }): Promise<T>;
  /** Database time minus local time, in milliseconds. */
  offset(): number;
  sampleClock(): Promise<void>;
  ping(): Promise<void>;
  pool: pg.Pool;
  close(): Promise<void>;
}

export function createDatabase(options: DatabaseOptions): Database {
  const prepare = options.prepare ?? true;
  const pool = createPool(
    { url: options.url, max: options.max ?? 10, statementTimeout: options.statementTimeout ?? 5000 },
    options.onError,
  );
  const scope = new AsyncLocalStorage<Open>();
  let clockOffset = 0;

  async function once<T>(tenantId: string | null, fn: (tx: Tx) => Promise<T>, readOnly: boolean): Promise<T> {
    const started = performance.now();
    const client = await pool.connect();
    const tx: Tx = { db: dbOf(client, prepare), client, readOnly, onCommit: [], dropTags: new Set() };
    let broken: Error | undefined;
    // The first statement waits behind this one on the connection; a failure here fails that statement too.
    const opening = client.query(
      tenantId === null
        ? `begin${readOnly ? ' read only' : ''}; set local role storeloom_platform`
        : `begin${readOnly ? ' read only' : ''}; select set_config('app.tenant_id', '${tenantId}', true), set_config('role', 'storeloom_app', true)`,
    );
    opening.catch(() => undefined);
    try {
      const result = await scope.run({ tenantId, tx }, () => fn(tx));
      await opening;
      if (readOnly) {
        // Nothing to lose: the answer needn't wait for the end of a read.
        client.query('commit').then(
          () => client.release(),
          (error: Error) => client.release(error),
        );
        return result;
      }
      if (tx.dropTags.size > 0)
        await client.query('select pg_notify($1, $2)', [
          'storeloom_cache',
          JSON.stringify({ tenant: tenantId, tags: [...tx.dropTags] }),
        ]);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      await client.query('rollback').catch((rollback: Error) => {
        broken = rollback;
      });
      client.release(broken);
      throw error;
    } finally {
      options.onTx?.(tenantId === null ? 'platform' : readOnly ? 'read' : 'write', (performance.now() - started) / 1000);
    }
  }

  async function unit<T>(tenantId: string | null, fn: (tx: Tx) => Promise<T>, readOnly: boolean): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        let committed: Tx | undefined;
        const result = await once(
          tenantId,
          (tx) => {
            committed = tx;
            return fn(tx);
          },
          readOnly,
        );
        for (const after of committed?.onCommit ?? []) await after();
        return result;
      } catch (error) {
        if (!isRetryable(error) || attempt >= 3) throw error;
        options.onRetry?.((error as { code: string }).code);
        await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40 * attempt));
      }
    }
  }

  return {
    pool,
    withTenant(tenantId, fn, { readOnly = false } = {}) {
      if (!uuid.test(tenantId)) throw new Error('not a tenant id');
      const open = scope.getStore();
      if (open && open.tenantId !== null) {
        if (open.tenantId !== tenantId) throw new TenantScopeError(open.tenantId, tenantId);
        return fn(open.tx);
      }
      return unit(tenantId, fn, readOnly);
    },
    withPlatform(fn, { readOnly = false } = {}) {
      const open = scope.getStore();
      if (open && open.tenantId === null) return fn(open.tx);
      // From inside a tenant's transaction this is a second connection and a transaction of its own.
      return scope.exit(() => unit(null, fn, readOnly));
    },
    offset: () => clockOffset,
    async sampleClock() {
      const before = Date.now();
      const { rows } = await pool.query('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms');
      const after = Date.now();
      clockOffset = Math.round(Number((rows[0] as { ms: number }).ms) - (before + after) / 2);
    },
    async ping() {
      await pool.query('select 1');
    },
    async close() {
      await pool.end();
    },
  };
}

export function databaseClock(database: Pick<Database, 'offset'>): Clock {
  const ms = (): number => Date.now() + database.offset();
  return { ms, now: () => new Date(ms()).toISOString() };
}
