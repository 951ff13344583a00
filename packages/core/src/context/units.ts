import { type Actor, type Ctx, type Db, type PlatformCtx, sql } from '@storeloom/plugin-sdk';
import type { Scope } from './scope.ts';

/** What starts a unit of work in the background. */
export interface Work {
  actor: Actor;
  requestId: string;
  signal: AbortSignal;
  ip?: string | null;
}

/** What jobs, events, inbound notifications and the services need of the kernel to open units of work. */
export interface Units {
  /** A scope of the tenant with no transaction open; undefined when there is no such tenant or it takes no work any more. */
  scope(tenantId: string, work: Work): Promise<Scope | undefined>;
  /** A scope of no tenant; its transactions take the platform role. */
  platformScope(work: Work): Scope;
  /**
   * Runs `fn` in a transaction of the scope, with everything that a commit brings along (events, audit rows, what runs after it).
   * `last` is the very last thing before the commit: nothing of the scope may be written after it, since it may change the role.
   */
  transaction<T>(
    scope: Scope,
    fn: (db: Db) => Promise<T>,
    options?: { readOnly?: boolean; last?: (db: Db) => Promise<void> },
  ): Promise<T>;
  context(plugin: string, scope: Scope): Ctx;
  platformContext(plugin: string, scope: Scope): PlatformCtx;
}

/** A transaction of a job: its statements may take a minute, those of requests only seconds. */
export function inJob<T>(
  units: Units,
  scope: Scope,
  fn: (db: Db) => Promise<T>,
  options?: Parameters<Units['transaction']>[2],
): Promise<T> {
  return units.transaction(
    scope,
    async (db) => {
      await db.run(sql`select set_config('statement_timeout', '60000', true)`);
      return fn(db);
    },
    options,
  );
}
