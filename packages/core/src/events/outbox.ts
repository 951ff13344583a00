import { type Db, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { kernel } from '../jobs/run-job.ts';
import type { NewJob, Sender } from '../jobs/sender.ts';

/** An event to publish with a unit of work. */
export interface Emission {
  type: string;
  /** Id of the changed row; its events are delivered in order. */
  aggregate: string;
  data: Record<string, unknown>;
  requestId: string | null;
  /** Instant of the unit of work. */
  now: string;
  /** Stored for webhooks and the event log even without a subscriber. */
  public: boolean;
  /** Subscribed plugins that are on for the tenant. */
  subscribers: readonly string[];
}

/**
 * Writes events into the transaction of the change: outbox rows with the next sequence numbers of their aggregates, a delivery row for each
 * subscriber, and one job for each aggregate.
 *
 * The counter row of an aggregate stays locked until the end of the transaction, so sequence numbers have no gaps and follow the order of
 * the commits. A unit of work calls this once, with all its events, right before the commit, and locks aggregates in a fixed order:
 * transactions that hold a counter wait only for other counters, and can't deadlock.
 * @returns the number of jobs sent; if there are any, wake the queue `events` after the commit
 */
export async function emit(sender: Sender, db: Db, tenantId: string, events: readonly Emission[]): Promise<number> {
  const kept = events.filter((event) => event.public || event.subscribers.length > 0);
  if (kept.length === 0) return 0;
  // Ids are compared without regard to case.
  const byAggregate = Map.groupBy(kept, ({ aggregate }) => aggregate.toLowerCase());
  write(db, tenantId, byAggregate);
  const jobs = [...byAggregate].flatMap(([aggregate, own]) => {
    const plugins = [...new Set(own.flatMap(({ subscribers }) => subscribers))];
    return plugins.length === 0 ? [] : [deliveryJob(plugins, { tenantId, aggregate, requestId: own[0]?.requestId ?? null })];
  });
  if (jobs.length > 0) await sender.sendLater(db, ...jobs);
  return jobs.length;
}

function write(db: Db, tenantId: string, byAggregate: ReadonlyMap<string, readonly Emission[]>): void {
  // `behind`: how many events of the aggregate follow in this unit of work.
  const rows = [...byAggregate.values()].flatMap((own) =>
    own.map((event, i) => ({ ...event, id: uuidv7(Date.parse(event.now)), behind: own.length - 1 - i })),
  );
  const heard = rows.flatMap(({ id, subscribers }) => subscribers.map((plugin) => ({ id, plugin })));
  db.later(sql`
    with announced as (
      select * from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ type }) => type)}::text[],
        ${rows.map(({ aggregate }) => aggregate)}::uuid[], ${rows.map(({ behind }) => behind)}::int[],
        ${rows.map(({ data }) => JSON.stringify(data))}::text[], ${rows.map(({ requestId }) => requestId)}::text[],
        ${rows.map(({ now }) => now)}::timestamptz[]) as t (id, type, aggregate, behind, data, request_id, created_at)
    ), counter as (
      insert into core_event_counter (tenant_id, aggregate, last)
      select ${tenantId}::uuid, aggregate, count(*) from announced group by aggregate order by aggregate
      on conflict (tenant_id, aggregate) do update set last = core_event_counter.last + excluded.last
      returning aggregate, last
    ), event as (
      insert into core_event (tenant_id, id, type, aggregate, sequence, data, request_id, created_at)
      select ${tenantId}::uuid, id, type, aggregate, last - behind, data::jsonb, request_id, created_at
      from announced join counter using (aggregate)
      returning id, aggregate, sequence, created_at
    )
    insert into core_event_delivery (tenant_id, event_id, plugin, aggregate, sequence, created_at)
    select ${tenantId}::uuid, id, plugin, aggregate, sequence, created_at
    from event join unnest(${heard.map(({ id }) => id)}::uuid[], ${heard.map(({ plugin }) => plugin)}::text[]) as heard (id, plugin) using (id)`);
}

/** Returns a job that delivers all waiting events of an aggregate, in order. `startAfter` is in seconds. */
export function deliveryJob(
  plugins: readonly string[],
  { tenantId, aggregate, requestId }: { tenantId: string; aggregate: string; requestId: string | null },
  startAfter?: number,
): NewJob & { queue: 'events' } {
  return {
    queue: 'events',
    plugin: kernel,
    name: 'deliver',
    tenantId,
    requestId,
    data: { aggregate, plugins },
    ...(startAfter === undefined ? {} : { startAfter }),
  };
}
