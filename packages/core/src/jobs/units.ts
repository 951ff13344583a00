import type { Actor, Ctx, Db, PlatformCtx } from '@storeloom/plugin-sdk';
import type { Scope } from '../context.ts';

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
