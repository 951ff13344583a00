import { type Inbound, type Log, sql } from '@storeloom/plugin-sdk';
import type { Units } from '../context/units.ts';
import type { Sender } from '../jobs/sender.ts';
import type { QueuedJob } from '../jobs/workers.ts';

export interface HandleOptions {
  units: Units;
  sender: Sender;
  log: Log;
  /** Returns the receiver of a plugin at a path; undefined if there is none (any more) or the plugin isn't loaded. */
  find(plugin: string, path: string): Inbound | undefined;
}

interface Stored {
  eventId: string;
  raw: string;
  headers: Record<string, string>;
  handled: boolean;
}

/**
 * Handles a stored notification. `handle` has no open transaction and can run more than once: it opens its own and must be idempotent. The
 * row is marked in the transaction that completes the job.
 */
export function createInboundHandler({ units, sender, log, find }: HandleOptions): (job: QueuedJob) => Promise<void> {
  return async (job) => {
    const { tenantId, plugin, data } = job;
    if (tenantId === null || typeof data.id !== 'string' || typeof data.path !== 'string')
      throw new Error('an inbound job needs a tenant, a row and a path');
    const inbound = find(plugin, data.path);
    // Retried for a day, in case the plugin is loaded again by then.
    if (!inbound) throw new Error(`the plugin ${plugin} is not loaded, or has no receiver at ${data.path}`);
    const scope = await units.scope(tenantId, {
      actor: { type: 'provider', provider: inbound.provider },
      requestId: job.requestId,
      signal: job.signal,
    });
    if (!scope?.on(plugin)) {
      log.info(
        { plugin, tenant_id: tenantId, provider: inbound.provider },
        'a notification was skipped: its tenant or its plugin is off',
      );
      return;
    }
    const row = await units.transaction(
      scope,
      (db) =>
        db.first<Stored>(sql`select event_id as "eventId", raw, headers, handled_at is not null as handled from core_inbound
          where tenant_id = ${tenantId} and id = ${data.id}`),
      { readOnly: true },
    );
    if (!row || row.handled) return;
    await inbound.handle(units.context(plugin, scope), { eventId: row.eventId, raw: row.raw, headers: row.headers });
    await units.transaction(
      scope,
      (db) =>
        db.run(
          sql`update core_inbound set handled_at = now() where tenant_id = ${tenantId} and id = ${data.id} and handled_at is null`,
        ),
      { last: (db) => sender.completeInside(db, job) },
    );
  };
}
