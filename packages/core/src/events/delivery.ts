import type { Tx } from '@storeloom/data';
import { ExternalCallPending, Frame, SavepointTimeoutError } from '@storeloom/data';
import {
  type Db,
  type DomainEvent,
  type EventHandler,
  isRetryable,
  type Log,
  type RawBuilder,
  sql,
  withTimeout,
} from '@storeloom/plugin-sdk';
import { type Scope, sharedScope } from '../context/scope.ts';
import { inJob, type Units } from '../context/units.ts';
import type { Sender } from '../jobs/sender.ts';
import type { QueuedJob } from '../jobs/workers.ts';
import { deliveryJob } from './outbox.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface DeliveryOptions {
  units: Units;
  sender: Sender;
  log: Log;
  subscriptions: Subscriptions;
  /** `absent`: no longer part of the installation. `waiting`: installed but not loaded (failed, blocked, unlicensed). */
  pluginState(plugin: string): 'ready' | 'waiting' | 'absent';
  /** Called after a commit with jobs that are due. */
  wake(tenantId: string): void;
}

/** The first waiting event of a plugin. */
interface Waiting extends DomainEvent {
  plugin: string;
  requestId: string | null;
  attempts: number;
  /** Seconds until the next attempt; 0 if it is due. */
  wait: number;
  /** True if this transaction has locked the delivery, false if another worker has, or has handled it. */
  locked: boolean;
}

/** Attempts before a delivery is given up: with the delays between them about a day and a half. */
const maxAttempts = 45;
const maxPause = 3600;
/** Deliveries of one job; the rest is left to another job, so that other tenants get their turn. */
const maxRun = 50;
/** Seconds until a plugin that isn't ready is tried again: as long as the event has waited, within these limits. */
const pluginPause = { least: 300, most: 3600 };
/** Milliseconds for a handler in a transaction that it shares with other plugins. */
const patience = 1000;

/** Milliseconds for which the handlers of an event type run one after the other once they have failed together; each failure doubles them. */
const separateFor = { first: 1000, most: 60_000 };

/** What a job has still to do. A plugin is removed once it has no due event, or another worker or job goes on with it. */
interface Turn {
  readonly tenantId: string;
  readonly aggregate: string;
  readonly plugins: Set<string>;
  left: number;
  readonly failures: unknown[];
}

/** The handlers of an event can't share a transaction without savepoints. */
class JointDeliveryError extends Error {
  override readonly name = 'JointDeliveryError';
  /** Plugins whose handlers took too long. */
  readonly slow: readonly string[];
  constructor(cause: unknown, slow: readonly string[]) {
    super('the handlers of the event failed together', { cause });
    this.slow = slow;
  }
}

/**
 * Delivers the waiting events of one aggregate to the plugins of the job, oldest first. The plugins that wait for an event receive it in one
 * transaction: lock their delivery rows, run the handlers, mark the rows. So a handler takes effect exactly once even if two workers run the
 * same job, and events of an aggregate are handled in order. A worker that finds a row locked leaves this plugin to the other worker, which
 * looks for further events before it ends.
 *
 * The handlers run in parallel, so that their statements share round trips. If one of them fails, needs an external call or takes longer than
 * a second, the transaction is rolled back and repeated with each handler in a savepoint, one after the other. A handler that fails there runs
 * again in a transaction of its own, which counts the attempt, and so does every handler if the common transaction fails. One that takes longer
 * than a second is rolled back and gets another job, so that it delays no other plugin and doesn't prolong their locks.
 */
export function createDelivery({
  units,
  sender,
  log,
  subscriptions,
  pluginState,
  wake,
}: DeliveryOptions): (job: QueuedJob) => Promise<void> {
  /** Event types whose handlers have failed together, with the time until which they run one after the other. */
  const separate = new Map<string, { until: number; pause: number }>();
  const scopeOf = (tenantId: string, reason: string, job: QueuedJob, requestId = job.requestId): Promise<Scope | undefined> =>
    units.scope(tenantId, { actor: { type: 'system', reason }, requestId, signal: job.signal });
  const scopeFor = (event: Waiting, tenantId: string, plugins: readonly string[], job: QueuedJob): Promise<Scope | undefined> =>
    scopeOf(tenantId, `event for ${plugins.join(', ')}`, job, event.requestId ?? job.requestId);

  /** Sends another job for the plugins. */
  async function handOver(plugins: readonly string[], { tenantId, aggregate }: Turn, job: QueuedJob): Promise<void> {
    if (plugins.length === 0) return;
    const scope = await scopeOf(tenantId, 'events', job);
    if (!scope) return;
    const { requestId } = job;
    await units.transaction(scope, (db) => sender.send(db, deliveryJob(plugins, { tenantId, aggregate, requestId })));
    wake(tenantId);
  }
  function logSlow(tenantId: string, plugins: readonly string[], { id, type }: Waiting): void {
    log.warn({ tenant_id: tenantId, plugins, event: id, type }, 'an event handler is slow and gets its own job');
  }

  /** Delivers the oldest due event to all plugins that wait for it. */
  async function deliverNext(turn: Turn, job: QueuedJob): Promise<void> {
    const { plugins } = turn;
    const { due, isDone } = await deliverJointly(turn, job);
    // The retry job of the others was sent when the attempt was recorded.
    for (const plugin of plugins) if (!due.some((event) => event.plugin === plugin)) plugins.delete(plugin);
    if (!isDone) await deliverSeparately(turn, job, due);
    else turn.left -= due.filter(({ id }) => id === due[0]?.id).length;
    if (plugins.size > 0 && isDone) await dropDelivered(turn, job);
  }

  /** Removes the plugins that wait for no event of the aggregate. */
  async function dropDelivered({ tenantId, aggregate, plugins }: Turn, job: QueuedJob): Promise<void> {
    const scope = await scopeOf(tenantId, 'events', job);
    const rows = scope
      ? await units.transaction(
          scope,
          (db) =>
            db.rows<{ plugin: string }>(sql`select distinct plugin from core_event_delivery
              where tenant_id = ${tenantId} and plugin = any(${[...plugins]}::text[]) and aggregate = ${aggregate}
                and handled_at is null and failed_at is null`),
          { readOnly: true, onePlan: true },
        )
      : [];
    for (const plugin of plugins) if (!rows.some((row) => row.plugin === plugin)) plugins.delete(plugin);
  }

  /**
   * Finds the due events, and delivers the oldest in the same transaction if all of its receivers are ready and can share it. `isDone` is false
   * if it is still to be delivered.
   */
  async function deliverJointly(turn: Turn, job: QueuedJob): Promise<{ due: readonly Waiting[]; isDone: boolean }> {
    const { tenantId, plugins } = turn;
    const found = await scopeOf(tenantId, `event for ${[...plugins].join(', ')}`, job);
    if (!found) return { due: [], isDone: true };
    let due: readonly Waiting[] = [];
    let receivers: readonly Waiting[] = [];
    const scope: Scope = {
      ...found,
      get requestId() {
        return receivers[0]?.requestId ?? job.requestId;
      },
    };
    try {
      const isDone = await inJob(
        units,
        scope,
        async (db) => {
          receivers = [];
          due = (await firstWaiting(db, turn)).filter(({ wait }) => wait === 0);
          const oldest = due.filter(({ id }) => id === due[0]?.id);
          const canShare = oldest.every(({ plugin, locked }) => locked && pluginState(plugin) !== 'waiting');
          const [first] = oldest;
          if (!first) return true;
          // An only receiver has no other to be isolated from: its own transaction counts its attempts.
          if (!canShare || oldest.length === 1 || (separate.get(first.type)?.until ?? 0) > Date.now()) return false;
          receivers = oldest;
          await runJointly(scope, receivers);
          db.later(
            handled(
              tenantId,
              first.id,
              receivers.map(({ plugin }) => plugin),
            ),
          );
          return true;
        },
        { statementTimeout: patience },
      );
      if (receivers[0]) separate.delete(receivers[0].type);
      return { due, isDone };
    } catch (error) {
      const [first] = receivers;
      // The search itself failed.
      if (due.length === 0) throw error;
      if (!first) {
        log.warn({ tenant_id: tenantId, err: error }, 'the due events could not be delivered together');
        return { due, isDone: false };
      }
      const pause = Math.min(separateFor.most, 2 * (separate.get(first.type)?.pause ?? separateFor.first / 2));
      separate.set(first.type, { until: Date.now() + pause, pause });
      const { cause, slow } = error instanceof JointDeliveryError ? error : new JointDeliveryError(error, []);
      if (slow.length > 0) {
        await handOver(slow, turn, job);
        logSlow(tenantId, slow, first);
        return { due: due.filter(({ plugin }) => !slow.includes(plugin)), isDone: false };
      }
      if (!(cause instanceof ExternalCallPending))
        log.warn(
          { tenant_id: tenantId, event: first.id, type: first.type, err: cause },
          'the handlers of an event failed together and run one after the other',
        );
      return { due, isDone: false };
    }
  }

  /** @throws JointDeliveryError if a handler fails, needs an external call or takes too long; a conflict with another transaction as it is */
  async function runJointly(scope: Scope, receivers: readonly Waiting[]): Promise<void> {
    const { session, externalCalls } = scope.tx as Tx;
    const frame = new Frame({ undoable: false });
    const running = new Set(receivers.map(({ plugin }) => plugin));
    let slow: readonly string[] = [];
    const work = frame.run(() =>
      Promise.all(
        receivers.map(async (event) => {
          const own = sharedScope(scope, { type: 'system', reason: `event for ${event.plugin}` });
          await handlerOf(scope, event)?.(units.context(event.plugin, own), domainEvent(event));
          running.delete(event.plugin);
        }),
      ),
    );
    try {
      await withTimeout(work, patience, () => {
        // While a statement is unanswered, it isn't known whose it is and who waits for it.
        if (session.isIdle) slow = [...running];
        throw new SavepointTimeoutError(patience);
      });
      await session.complete(frame);
      if (externalCalls.hasPending) throw new ExternalCallPending();
    } catch (error) {
      externalCalls.dropPending();
      session.fail(frame, new Error('the transaction was rolled back: its work must be awaited inside it', { cause: error }));
      throw isRetryable(error) ? error : new JointDeliveryError(error, slow);
    }
  }

  /** Delivers the oldest of the due events: several receivers in savepoints of one transaction, an only one in its own. */
  async function deliverSeparately(turn: Turn, job: QueuedJob, due: readonly Waiting[]): Promise<void> {
    const { plugins } = turn;
    const receivers: Waiting[] = [];
    for (const event of due) {
      if (event.id !== due[0]?.id) continue;
      turn.left--;
      await guarded(turn, event.plugin, async () => {
        if (pluginState(event.plugin) !== 'waiting') receivers.push(event);
        else {
          plugins.delete(event.plugin);
          await postpone(turn, job, event);
        }
      });
    }
    const single = receivers.length > 1 ? await deliverTogether(turn, job, receivers) : receivers;
    for (const event of single)
      await guarded(turn, event.plugin, async () => {
        if (!(await deliverAlone(turn, job, event))) plugins.delete(event.plugin);
      });
  }

  /** Leaves a plugin to a retry of the job if its delivery can't even be recorded; the other plugins go on. */
  async function guarded(turn: Turn, plugin: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      turn.plugins.delete(plugin);
      turn.failures.push(error);
    }
  }

  /** Returns the handler; undefined if the plugin is off for the tenant, removed, or no longer subscribed. */
  const handlerOf = (scope: Scope, event: Waiting): EventHandler | undefined =>
    pluginState(event.plugin) === 'ready' && scope.on(event.plugin) ? subscriptions.handler(event.plugin, event) : undefined;

  /** Delivers an event to several plugins in one transaction. Returns the events of those that need a transaction of their own. */
  async function deliverTogether(turn: Turn, job: QueuedJob, receivers: readonly Waiting[]): Promise<readonly Waiting[]> {
    const [event] = receivers as [Waiting];
    const { tenantId, aggregate, plugins } = turn;
    const names = receivers.map(({ plugin }) => plugin);
    const scope = await scopeFor(event, tenantId, names, job);
    if (!scope) {
      for (const plugin of names) plugins.delete(plugin);
      return [];
    }
    try {
      const { held, failed, slow } = await inJob(
        units,
        scope,
        async (db) => {
          const locked = await lock(db, tenantId, event.id, names);
          const failed: Waiting[] = [];
          const slow: string[] = [];
          for (const each of receivers) {
            if (!locked.has(each.plugin)) continue;
            const outcome = await runIsolated(scope, each);
            if (outcome === 'done') continue;
            locked.delete(each.plugin);
            if (outcome === 'failed') failed.push(each);
            else slow.push(each.plugin);
          }
          if (locked.size > 0) db.later(handled(tenantId, event.id, [...locked]));
          const { requestId } = event;
          if (slow.length > 0)
            await sender.sendLater(db, ...slow.map((plugin) => deliveryJob([plugin], { tenantId, aggregate, requestId })));
          return { held: names.filter((plugin) => !locked.has(plugin)), failed, slow };
        },
        { statementTimeout: patience },
      );
      if (slow.length > 0) {
        logSlow(tenantId, slow, event);
        wake(tenantId);
      }
      for (const plugin of held) if (!failed.some((each) => each.plugin === plugin)) plugins.delete(plugin);
      return failed;
    } catch (error) {
      log.warn(
        { tenant_id: tenantId, event: event.id, type: event.type, err: error },
        'an event is delivered to one plugin at a time',
      );
      return receivers;
    }
  }

  /** Runs a handler in a savepoint of a shared transaction. */
  async function runIsolated(scope: Scope, event: Waiting): Promise<'done' | 'failed' | 'slow'> {
    const handler = handlerOf(scope, event);
    if (!handler) return 'done';
    const { session, externalCalls } = scope.tx as Tx;
    const own = sharedScope(scope, { type: 'system', reason: `event for ${event.plugin}` });
    try {
      await session.savepoint(async () => {
        await handler(units.context(event.plugin, own), domainEvent(event));
        if (externalCalls.hasPending) throw new ExternalCallPending();
      }, patience);
      return 'done';
    } catch (error) {
      // The others don't wait for an external call: it is made by the transaction of its own.
      externalCalls.dropPending();
      const isSlow = error instanceof SavepointTimeoutError || (error as { code?: unknown } | undefined)?.code === '57014';
      if (isSlow) return 'slow';
      if (!(error instanceof ExternalCallPending))
        log.warn(
          { tenant_id: scope.tenant?.id, plugin: event.plugin, event: event.id, type: event.type, err: error },
          'an event handler failed and runs again in its own transaction',
        );
      return 'failed';
    }
  }

  /** Delivers an event to one plugin. Returns false if its next event isn't due now or belongs to another worker. */
  async function deliverAlone({ tenantId, aggregate }: Turn, job: QueuedJob, event: Waiting): Promise<boolean> {
    const scope = await scopeFor(event, tenantId, [event.plugin], job);
    if (!scope) return false;
    const handler = handlerOf(scope, event);
    try {
      return await inJob(units, scope, async (db) => {
        if ((await lock(db, tenantId, event.id, [event.plugin])).size === 0) return false;
        if (handler) await handler(units.context(event.plugin, scope), domainEvent(event));
        db.later(handled(tenantId, event.id, [event.plugin]));
        return true;
      });
    } catch (error) {
      return recordFailure(tenantId, aggregate, job, event, error);
    }
  }

  /** The plugin isn't loaded now: retries later, without counting an attempt. */
  async function postpone({ tenantId, aggregate }: Turn, job: QueuedJob, event: Waiting): Promise<void> {
    const { plugin, requestId } = event;
    const scope = await scopeFor(event, tenantId, [plugin], job);
    if (!scope) return;
    const age = Math.round((Date.now() - Date.parse(event.at)) / 1000);
    const pause = Math.min(pluginPause.most, Math.max(pluginPause.least, age));
    await units.transaction(scope, async (db) => {
      if ((await lock(db, tenantId, event.id, [plugin])).size === 0) return;
      await db.run(sql`update core_event_delivery set retry_at = now() + make_interval(secs => ${pause})
        where tenant_id = ${tenantId} and event_id = ${event.id} and plugin = ${plugin}`);
      await sender.send(db, deliveryJob([plugin], { tenantId, aggregate, requestId }, pause));
    });
  }

  /** Counts the attempt and queues the next one; after the last attempt the event is skipped. Returns true if it was the last. */
  async function recordFailure(
    tenantId: string,
    aggregate: string,
    job: QueuedJob,
    event: Waiting,
    error: unknown,
  ): Promise<boolean> {
    const { plugin, requestId } = event;
    const attempt = event.attempts + 1;
    const last = attempt >= maxAttempts;
    const pause = pauseAfter(attempt);
    const fields = { tenant_id: tenantId, plugin, event: event.id, type: event.type, request_id: requestId, attempt };
    log.error(
      { ...fields, err: error, ...(last ? {} : { retry_in_seconds: pause }) },
      last ? 'an event was given up' : 'an event handler failed',
    );
    const scope = await scopeFor(event, tenantId, [plugin], job);
    if (!scope) return false;
    return units.transaction(scope, async (db) => {
      // Another worker holds the row or has handled it: there is no attempt to count.
      if ((await lock(db, tenantId, event.id, [plugin])).size === 0) return false;
      await db.run(sql`update core_event_delivery set attempts = ${attempt}, error = ${nameOf(error)},
          retry_at = ${last ? null : sql`now() + make_interval(secs => ${pause})`}, failed_at = ${last ? sql`now()` : null}
        where tenant_id = ${tenantId} and event_id = ${event.id} and plugin = ${plugin}`);
      if (!last) await sender.send(db, deliveryJob([plugin], { tenantId, aggregate, requestId }, pause));
      return last;
    });
  }

  return async (job) => {
    const turn = turnOf(job);
    while (turn.plugins.size > 0 && turn.left > 0 && !job.signal.aborted) await deliverNext(turn, job);
    const { failures } = turn;
    // The job is retried for the failed plugins; the others have nothing left by then.
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'deliveries failed');
    await handOver([...turn.plugins], turn, job);
  };
}

/**
 * Returns the first waiting event of each plugin, oldest first, and locks its delivery if it is due, unless another worker has. One that waits
 * for a retry stays unlocked: its own job may find it due before this transaction ends.
 */
function firstWaiting(db: Db, { tenantId, aggregate, plugins }: Turn): Promise<Waiting[]> {
  return db.rows<Waiting>(sql`
    select e.id, e.type, e.created_at as at, e.aggregate, e.sequence, e.data, e.request_id as "requestId", d.plugin, d.attempts,
      greatest(0, coalesce(extract(epoch from d.retry_at - now()), 0))::float8 as wait, l.plugin is not null as locked
    from unnest(${[...plugins]}::text[]) as p (plugin)
    cross join lateral (
      select d.event_id, d.plugin, d.attempts, d.retry_at from core_event_delivery d
      where d.tenant_id = ${tenantId} and d.plugin = p.plugin and d.aggregate = ${aggregate} and d.handled_at is null and d.failed_at is null
      order by d.sequence limit 1
    ) d
    join core_event e on e.tenant_id = ${tenantId} and e.id = d.event_id
    left join lateral (
      select l.plugin from core_event_delivery l
      where l.tenant_id = ${tenantId} and l.event_id = d.event_id and l.plugin = d.plugin and l.handled_at is null and l.failed_at is null
        and (l.retry_at is null or l.retry_at <= now())
      for update skip locked
    ) l on true
    order by e.sequence`);
}

/** Locks the waiting deliveries of an event. Returns the plugins whose row isn't held by another worker. */
async function lock(db: Db, tenantId: string, eventId: string, plugins: readonly string[]): Promise<Set<string>> {
  const rows = await db.rows<{ plugin: string }>(sql`select plugin from core_event_delivery
    where tenant_id = ${tenantId} and event_id = ${eventId} and plugin = any(${plugins}) and handled_at is null and failed_at is null
    for update skip locked`);
  return new Set(rows.map(({ plugin }) => plugin));
}

const handled = (tenantId: string, eventId: string, plugins: readonly string[]): RawBuilder<unknown> =>
  sql`update core_event_delivery set handled_at = now(), error = null
    where tenant_id = ${tenantId} and event_id = ${eventId} and plugin = any(${plugins})`;

function turnOf({ tenantId, data: { aggregate, plugins } }: QueuedJob): Turn {
  if (tenantId === null || typeof aggregate !== 'string' || !Array.isArray(plugins))
    throw new Error('a delivery job needs a tenant, an aggregate and plugins');
  return { tenantId, aggregate, plugins: new Set(plugins as string[]), left: maxRun, failures: [] };
}

/** Returns the delay in seconds: 1, 2, 4 …, at most an hour. */
function pauseAfter(attempt: number): number {
  return Math.min(maxPause, 2 ** Math.min(attempt - 1, 12));
}

function domainEvent({ id, type, at, aggregate, sequence, data }: Waiting): DomainEvent {
  return Object.freeze({ id, type, at, aggregate, sequence, data });
}

/** Returns the kind of an error: messages contain values, so only the log has them. */
function nameOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return (typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown').slice(0, 100);
}
