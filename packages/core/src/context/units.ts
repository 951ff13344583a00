import { type Actor, type Ctx, type Db, type PlatformCtx, sql } from '@storeloom/plugin-sdk';
import type { Scope } from './scope.ts';

/** The origin of a unit of work in the background. */
export interface Work {
  actor: Actor;
  requestId: string;
  signal: AbortSignal;
  ip?: string | null;
}

/** Opens units of work for jobs, events, inbound notifications and services. */
export interface Units {
  /** Returns a scope of the tenant without a transaction; undefined if the tenant doesn't exist or is terminated. */
  scope(tenantId: string, work: Work): Promise<Scope | undefined>;
  /** Returns a scope without a tenant; its transactions use the platform role. */
  platformScope(work: Work): Scope;
  /**
   * Runs `fn` in a transaction of the scope, with events, audit entries and `onCommit` callbacks. `last` runs immediately before the
   * commit; no write may follow it, since it can change the role.
   */
  transaction<T>(
    scope: Scope,
    fn: (db: Db) => Promise<T>,
    options?: { readOnly?: boolean; onePlan?: boolean; last?: (db: Db) => Promise<void> },
  ): Promise<T>;
  context(plugin: string, scope: Scope): Ctx;
  platformContext(plugin: string, scope: Scope): PlatformCtx;
}

/** Statement timeout of jobs in milliseconds; that of requests is seconds. */
const jobTimeout = 60_000;

/** Runs `fn` in a transaction with the statement timeout of jobs, or another one in milliseconds. */
export function inJob<T>(
  units: Units,
  scope: Scope,
  fn: (db: Db) => Promise<T>,
  { statementTimeout = jobTimeout, ...options }: Parameters<Units['transaction']>[2] & { statementTimeout?: number } = {},
): Promise<T> {
  return units.transaction(
    scope,
    (db) => {
      db.later(sql`select set_config('statement_timeout', ${String(statementTimeout)}, true)`);
      return fn(db);
    },
    options,
  );
}
