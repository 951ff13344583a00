import { type Db, sql, uuidv7 } from '@storeloom/plugin-sdk';
import type { NewJob, Sender } from '../jobs/sender.ts';

/** An event that a unit of work has announced. */
export interface Emission {
  tenantId: string;
  type: string;
  /** Id of the thing that changed; its events are delivered in order. */
  aggregate: string;
  data: Record<string, unknown>;
  requestId: string | null;
  /** Business time, an instant. */
  now: string;
  /** Kept for webhooks and readers of the log even if no plugin listens. */
  public: boolean;
  /** Plugins that listen and are on for the tenant. */
  subscribers: readonly string[];
}

/**
 * Writes events and what follows from them into the transaction of the change: the outbox row with the next number of its aggregate, a
 * delivery row and a job for each subscriber. They come with the commit and vanish with a rollback.
 *
 * The counter row of an aggregate stays locked until the end of the transaction, so numbers have no gap and are given in the order of
 * the commits. A unit of work calls this once, with all its events, right before it commits: aggregates are taken in one order, and
 * nobody who holds a counter waits for anything but another counter.
 * @returns the number of jobs sent: with any, the queue `events` is to be woken after the commit
 */
export async function emit(sender: Sender, db: Db, events: readonly Emission[]): Promise<number> {
  const kept = events.filter((event) => event.public || event.subscribers.length > 0);
  // A stable sort: events of one aggregate keep the order in which they were announced.
  const ordered = kept.toSorted((a, b) => (a.aggregate < b.aggregate ? -1 : a.aggregate > b.aggregate ? 1 : 0));
  for (const event of ordered) write(db, event);
  const jobs = ordered.flatMap((event) => event.subscribers.map((plugin) => deliveryJob(plugin, event)));
  if (jobs.length > 0) await sender.send(db, ...jobs);
  return jobs.length;
}

function write(db: Db, event: Emission): void {
  const { tenantId, type, aggregate, now } = event;
  const id = uuidv7(Date.parse(now));
  db.later(sql`
    with counter as (
      insert into core_event_counter (tenant_id, aggregate, last) values (${tenantId}, ${aggregate}, 1)
      on conflict (tenant_id, aggregate) do update set last = core_event_counter.last + 1
      returning last
    ), event as (
      insert into core_event (tenant_id, id, type, aggregate, sequence, data, request_id, created_at)
      select ${tenantId}, ${id}, ${type}, ${aggregate}, last, ${JSON.stringify(event.data)}::jsonb, ${event.requestId}, ${now}::timestamptz from counter
      returning sequence
    )
    insert into core_event_delivery (tenant_id, event_id, plugin, aggregate, sequence, created_at)
    select ${tenantId}, ${id}, plugin, ${aggregate}, sequence, ${now}::timestamptz from event, unnest(${[...event.subscribers]}::text[]) as plugin`);
}

/**
 * The job says only whose deliveries wait, not which one: it works off all of them in order. `startAfter` in seconds.
 */
export function deliveryJob(
  plugin: string,
  { tenantId, aggregate, requestId }: Pick<Emission, 'tenantId' | 'aggregate' | 'requestId'>,
  startAfter?: number,
): NewJob {
  return {
    queue: 'events',
    plugin,
    name: 'deliver',
    tenantId,
    requestId,
    data: { aggregate },
    ...(startAfter === undefined ? {} : { startAfter }),
  };
}
