import { type Db, type DomainEvent, type Log, sql, withTimeout } from '@storeloom/plugin-sdk';
import type { Scope } from '../context/scope.ts';
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
}

interface Waiting extends DomainEvent {
  requestId: string | null;
  attempts: number;
  /** Seconds until the next attempt; 0 if it is due. */
  wait: number;
}

/** Attempts before a delivery is given up: with the delays between them about a day and a half. */
const maxAttempts = 45;
const maxPause = 3600;
/** Deliveries of one job; the rest is left to another job, so that other tenants get their turn. */
const maxRun = 50;
const pluginPause = 300;
/** Milliseconds that the other plugins of a job wait for a slow one. */
const patience = 1000;

/** The events of one aggregate to deliver to one plugin. */
interface Line {
  tenantId: string;
  plugin: string;
  aggregate: string;
}

type Step = 'delivered' | 'empty' | 'held' | 'later';

/**
 * Delivers the waiting events of one aggregate to the plugins of the job, oldest first. Each event is one transaction: lock the delivery
 * row, run the handler, mark the row. So the handler takes effect exactly once even if two workers run the same job, and events of an
 * aggregate are handled in order. A worker that finds the row locked leaves the line to the other worker, which looks for further events
 * before it ends. A failing plugin doesn't delay the others; after a second, another job takes over the plugins behind a slow one.
 */
export function createDelivery({
  units,
  sender,
  log,
  subscriptions,
  pluginState,
}: DeliveryOptions): (job: QueuedJob) => Promise<void> {
  const scopeOf = (line: Line, job: QueuedJob, requestId: string): Promise<Scope | undefined> =>
    units.scope(line.tenantId, { actor: { type: 'system', reason: `event for ${line.plugin}` }, requestId, signal: job.signal });

  async function goOn(lines: readonly Line[], job: QueuedJob): Promise<void> {
    const [line] = lines;
    const scope = line && (await scopeOf(line, job, job.requestId));
    if (!scope) return;
    const plugins = lines.map(({ plugin }) => plugin);
    await units.transaction(scope, (db) => sender.send(db, deliveryJob(plugins, { ...line, requestId: job.requestId })));
  }

  async function next(line: Line, job: QueuedJob): Promise<Step> {
    const looking = await scopeOf(line, job, job.requestId);
    if (!looking) return 'empty';
    const event = await units.transaction(looking, (db) => firstWaiting(db, line), { readOnly: true });
    if (!event) return 'empty';
    // The retry job was sent when the attempt was recorded.
    if (event.wait > 0) return 'later';
    const scope = await scopeOf(line, job, event.requestId ?? job.requestId);
    if (!scope) return 'empty';
    // The plugin is off for the tenant, removed, or no longer subscribed.
    const state = pluginState(line.plugin);
    if (state === 'waiting') {
      await postpone(scope, line, event);
      return 'later';
    }
    const handler = state === 'ready' && scope.on(line.plugin) ? subscriptions.handler(line.plugin, event) : undefined;
    try {
      const mine = await inJob(units, scope, async (db) => {
        if (!(await lock(db, line, event.id))) return false;
        if (handler) await handler(units.context(line.plugin, scope), domainEvent(event));
        await db.run(sql`update core_event_delivery set handled_at = now(), error = null
          where tenant_id = ${line.tenantId} and event_id = ${event.id} and plugin = ${line.plugin}`);
        return true;
      });
      return mine ? 'delivered' : 'held';
    } catch (error) {
      return failed(line, job, event, error);
    }
  }

  /** The plugin isn't loaded now: retries later, without counting an attempt. */
  async function postpone(scope: Scope, line: Line, event: Waiting): Promise<void> {
    await units.transaction(scope, async (db) => {
      if (!(await lock(db, line, event.id))) return;
      await db.run(sql`update core_event_delivery set retry_at = now() + make_interval(secs => ${pluginPause})
        where tenant_id = ${line.tenantId} and event_id = ${event.id} and plugin = ${line.plugin}`);
      await sender.send(db, deliveryJob([line.plugin], { ...line, requestId: event.requestId }, pluginPause));
    });
  }

  /** Counts the attempt and queues the next one; after the last attempt the event is skipped. */
  async function failed(line: Line, job: QueuedJob, event: Waiting, error: unknown): Promise<Step> {
    const attempt = event.attempts + 1;
    const last = attempt >= maxAttempts;
    const pause = pauseAfter(attempt);
    const fields = {
      tenant_id: line.tenantId,
      plugin: line.plugin,
      event: event.id,
      type: event.type,
      request_id: event.requestId,
      attempt,
    };
    log.error(
      { ...fields, err: error, ...(last ? {} : { retry_in_seconds: pause }) },
      last ? 'an event was given up' : 'an event handler failed',
    );
    const scope = await scopeOf(line, job, event.requestId ?? job.requestId);
    if (!scope) return 'empty';
    const counted = await units.transaction(scope, async (db) => {
      // Another worker holds the row or has handled it: there is no attempt to count.
      if (!(await lock(db, line, event.id))) return false;
      await db.run(sql`update core_event_delivery set attempts = ${attempt}, error = ${nameOf(error)},
          retry_at = ${last ? null : sql`now() + make_interval(secs => ${pause})`}, failed_at = ${last ? sql`now()` : null}
        where tenant_id = ${line.tenantId} and event_id = ${event.id} and plugin = ${line.plugin}`);
      if (!last) await sender.send(db, deliveryJob([line.plugin], { ...line, requestId: event.requestId }, pause));
      return true;
    });
    if (!counted) return 'held';
    return last ? 'delivered' : 'later';
  }

  async function firstWaiting(db: Db, line: Line): Promise<Waiting | undefined> {
    return db.first<Waiting>(sql`
      select e.id, e.type, e.created_at as at, e.aggregate, e.sequence, e.data, e.request_id as "requestId", d.attempts,
        greatest(0, coalesce(extract(epoch from d.retry_at - now()), 0))::float8 as wait
      from core_event_delivery d join core_event e on e.tenant_id = d.tenant_id and e.id = d.event_id
      where d.tenant_id = ${line.tenantId} and d.plugin = ${line.plugin} and d.aggregate = ${line.aggregate}
        and d.handled_at is null and d.failed_at is null
      order by d.sequence limit 1`);
  }

  async function lock(db: Db, line: Line, eventId: string): Promise<boolean> {
    const row = await db.first(sql`select from core_event_delivery
      where tenant_id = ${line.tenantId} and event_id = ${eventId} and plugin = ${line.plugin} and handled_at is null and failed_at is null
      for update skip locked`);
    return row !== undefined;
  }

  /** Returns false if the limit of the job was reached before the end of the line. */
  async function workOff(line: Line, job: QueuedJob, turn: { left: number }): Promise<boolean> {
    while (turn.left > 0 && !job.signal.aborted) {
      turn.left--;
      if ((await next(line, job)) !== 'delivered') return true;
    }
    return false;
  }

  return async (job) => {
    const lines = linesOf(job);
    const turn = { left: maxRun };
    const cut: Line[] = [];
    const failures: unknown[] = [];
    const note = (error: unknown): void => void failures.push(error);
    for (const [at, line] of lines.entries()) {
      const working = workOff(line, job, turn).then((through) => {
        if (!through) cut.push(line);
      });
      const others = lines.slice(at + 1);
      const isSlow = others.length > 0 && !(await isOver(working, patience));
      // Another job delivers to the other plugins while this one is slow.
      if (isSlow) await goOn(others, job).catch(note);
      await working.catch(note);
      if (isSlow) break;
    }
    // The job is retried for the failed lines; the finished lines are empty by then.
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'deliveries failed');
    await goOn(cut, job);
  };
}

/** Returns true if the work ends, successfully or not, within `ms` milliseconds. */
function isOver(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = work.then(
    () => true,
    () => true,
  );
  return withTimeout(over, ms, () => false);
}

function linesOf({ tenantId, data: { aggregate, plugins } }: QueuedJob): Line[] {
  if (tenantId === null || typeof aggregate !== 'string' || !Array.isArray(plugins))
    throw new Error('a delivery job needs a tenant, an aggregate and plugins');
  return plugins.map((plugin: string) => ({ tenantId, plugin, aggregate }));
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
