import { createHash } from 'node:crypto';
import type { AnyDatabase, SqlStatement } from '@storeloom/plugin-sdk';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';

const { Pool, types } = pg;

/** `2026-11-27 20:12:00.5+00` → `2026-11-27T20:12:00.500Z`. Sessions run in UTC, so the offset is always zero. */
function parseInstant(text: string): string {
  if (text === 'infinity' || text === '-infinity') return text;
  const dot = text.indexOf('.');
  const plus = text.lastIndexOf('+');
  const fraction =
    dot === -1
      ? '000'
      : text
          .slice(dot + 1, plus)
          .padEnd(3, '0')
          .slice(0, 3);
  return `${text.slice(0, 10)}T${text.slice(11, dot === -1 ? plus : dot)}.${fraction}Z`;
}

const parsers: Record<number, (text: string) => unknown> = {
  [types.builtins.INT8]: Number,
  [types.builtins.TIMESTAMPTZ]: parseInstant,
  [types.builtins.DATE]: (text) => text,
  [types.builtins.TIME]: (text) => text,
  [types.builtins.NUMERIC]: (text) => text,
  1016: (text) => text,
};
/** Returns the parser of a type's text format. */
export function typeParser(oid: number, format: 'text' | 'binary' = 'text'): (text: string) => unknown {
  return parsers[oid] ?? (types.getTypeParser(oid, format as 'text') as (text: string) => unknown);
}
const customTypes = { getTypeParser: typeParser };

export interface PoolOptions {
  url: string;
  max: number;
  /** Milliseconds. */
  statementTimeout: number;
  /** Lock timeout in milliseconds. Default 3000. */
  lockTimeout?: number;
  /** Milliseconds to wait for a connection. Default 10000. */
  wait?: number;
  /** Role of statements outside a transaction. Default: the login itself, which has no privileges. */
  role?: string;
  /** True behind PgBouncer in transaction mode, which ignores connection settings: each transaction sets them. */
  pooled?: boolean;
  applicationName?: string;
}

/** Settings of every session. */
export const sessionSettings = ({
  statementTimeout,
  lockTimeout = 3000,
}: Pick<PoolOptions, 'statementTimeout' | 'lockTimeout'>): Record<string, string> => ({
  statement_timeout: String(statementTimeout),
  lock_timeout: String(lockTimeout),
  idle_in_transaction_session_timeout: '10000',
  timezone: 'UTC',
  // Statements of requests are short: compiling one takes longer than executing it.
  jit: 'off',
});

export function createPool(options: PoolOptions, onError: (error: Error) => void): pg.Pool {
  const settings = { ...sessionSettings(options), ...(options.role ? { role: options.role } : {}) };
  const pool = new Pool({
    connectionString: options.url,
    max: options.max,
    // Requests for one row queue here; the limit exceeds the lock timeout, so that contention isn't reported as an outage.
    connectionTimeoutMillis: options.wait ?? 10_000,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: false,
    application_name: options.applicationName ?? 'storeloom',
    ...(options.pooled
      ? // PgBouncer queues statements until a server is free: allow the time of waiting for a connection and of the statement.
        { query_timeout: (options.wait ?? 10_000) + options.statementTimeout }
      : {
          options: Object.entries(settings)
            .map(([name, value]) => `-c ${name}=${value}`)
            .join(' '),
        }),
    types: customTypes as pg.CustomTypesConfig,
  });
  pool.on('error', onError);
  // The pool only handles errors of idle clients: one inside a transaction would end the process.
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/** Compiles `sql` fragments; never runs anything. */
const compiler = new Kysely<AnyDatabase>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Maximum number of prepared statements, for frequent texts. Bounded, so that lists with many filters don't fill the server.
 */
const maxNames = 400;
const counts = new Map<string, number>();
const names = new Map<string, string>();
export function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known) return known;
  if (names.size >= maxNames) return undefined;
  const count = (counts.get(text) ?? 0) + 1;
  if (count < 8) {
    if (counts.size > 4000) counts.clear();
    counts.set(text, count);
    return undefined;
  }
  counts.delete(text);
  const name = `s${createHash('sha1').update(text).digest('base64url').slice(0, 16)}`;
  names.set(text, name);
  return name;
}

export function compile(statement: SqlStatement): { text: string; values: unknown[] } {
  const { sql, parameters } = statement.compile(compiler);
  return { text: sql, values: parameters as unknown[] };
}
