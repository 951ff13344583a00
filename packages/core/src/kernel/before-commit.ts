import type { Tx } from '@storeloom/data';
import type { Clock, JobToken } from '@storeloom/plugin-sdk';
import { createAuditBuffer } from '../audit/audit.ts';
import { platformAudit } from '../audit/platform.ts';
import { writeHistory } from '../audit/status-history.ts';
import type { ContextHost } from '../context/context.ts';
import type { Scope } from '../context/scope.ts';
import type { Units } from '../context/units.ts';
import { emit } from '../events/outbox.ts';
import type { Subscriptions } from '../events/subscriptions.ts';
import { wantedTypes } from '../events/wanted.ts';
import type { ResponseCache } from '../http/response-cache.ts';
import type { Sender } from '../jobs/sender.ts';
import type { Contributions } from '../plugins/contributions.ts';
import type { Registry } from '../plugins/registry.ts';
import type { UnreadyPlugins } from '../plugins/states.ts';

export interface BeforeCommitOptions {
  registry: Registry;
  contributions: Contributions;
  subscriptions: Subscriptions;
  unready: Pick<UnreadyPlugins, 'subscribersOf'>;
  cache: ResponseCache;
  clock: Clock;
  units: Units;
  sender: Sender;
  wake(queue: 'events', tenantId: string): void;
}

/** Ids of one job for many events. */
const maxBatch = 500;

/** Writes status history, events and audit entries of a unit of work into its transaction. */
export function createBeforeCommit(options: BeforeCommitOptions): ContextHost['beforeCommit'] {
  const { registry, contributions, subscriptions, unready, cache, clock, units, sender, wake } = options;

  async function writeEvents(scope: Scope, tx: Tx, tenantId: string): Promise<void> {
    const wanted = await wantedTypes(scope, subscriptions, registry, (plugin) => units.context(plugin, scope));
    const sent = await emit(
      sender,
      tx.db,
      tenantId,
      scope.events.map(({ plugin, type, aggregate, data }) => {
        const subscription = subscriptions.of(plugin, type);
        return {
          type,
          aggregate,
          data,
          requestId: scope.requestId,
          now: clock.now(),
          public: subscription.public,
          subscribers: [
            ...subscription.plugins.filter((name) => scope.on(name)),
            ...subscription.asked.filter((name) => wanted.get(name)?.includes(type)),
            // Stored for plugins that are temporarily unavailable. Those that are off, or not licensed, miss the event.
            ...unready.subscribersOf(type, subscription.public).filter((name) => scope.unavailable.has(name)),
          ],
        };
      }),
    );
    if (sent > 0) tx.onCommit.push(() => wake('events', tenantId));
  }

  /** Queues one job for all events that a plugin handles together. */
  async function queueBatches(scope: Scope): Promise<void> {
    const found = new Map<string, { plugin: string; job: JobToken<{ ids: string[] }>; ids: Set<string> }>();
    for (const { plugin: emitter, type, data } of scope.events)
      for (const { plugin, job, idOf } of subscriptions.of(emitter, type).batches) {
        if (!scope.on(plugin)) continue;
        const key = `${plugin} ${job.name}`;
        const batch = found.get(key) ?? { plugin, job, ids: new Set() };
        found.set(key, batch);
        batch.ids.add(idOf(data));
      }
    for (const { plugin, job, ids } of found.values()) {
      const all = [...ids];
      for (let i = 0; i < all.length; i += maxBatch)
        await units.context(plugin, scope).enqueue(job, { ids: all.slice(i, i + maxBatch) });
    }
  }

  async function writeAudit(scope: Scope, tx: Tx, tenantId: string): Promise<void> {
    const buffer = createAuditBuffer({ shapeOf: (entity) => contributions.entities.get(entity)?.table.fields });
    for (const { actor, ...entry } of scope.audit)
      buffer.add(entry, {
        actor,
        action: scope.action ?? entry.entity,
        ip: scope.ip,
        requestId: scope.requestId,
        at: clock.now(),
      });
    await buffer.flush(tx.db, tenantId);
  }

  return async (scope, tx) => {
    if (!scope.tenant) {
      if (scope.audit.length > 0) await platformAudit(tx.db, scope, clock.now());
      return;
    }
    const { id } = scope.tenant;
    // Immediately in this process, so that the writer's next request sees its change; others get the notification.
    if (tx.dropTags.size > 0) tx.onCommit.push(() => cache.drop(id, [...tx.dropTags]));
    if (scope.history.length > 0) writeHistory(tx.db, id, scope.history);
    if (scope.events.length > 0) {
      await queueBatches(scope);
      await writeEvents(scope, tx, id);
    }
    // The head of the audit chain is locked last: it orders all audited writes of the tenant.
    if (scope.audit.length > 0) await writeAudit(scope, tx, id);
  };
}
