import { type Db, type PlatformJob, sql } from '@storeloom/plugin-sdk';
import { anchorChains } from '../audit/anchors.ts';
import type { Units } from '../context/units.ts';
import { deliveryJob } from '../events/outbox.ts';
import type { Sender } from './sender.ts';

const days = 90;
const batch = 2000;

/** Retention periods. Events stay until they are delivered to every subscriber. */
const terms: readonly { table: string; old: string; kept?: string }[] = [
  {
    table: 'core_event',
    old: `created_at < now() - interval '${days} days'`,
    kept: `exists (select 1 from core_event_delivery d
      where d.tenant_id = t.tenant_id and d.event_id = t.id and d.handled_at is null and d.failed_at is null)`,
  },
  { table: 'core_mail', old: `created_at < now() - interval '${days} days'` },
  { table: 'core_inbound', old: `created_at < now() - interval '${days} days'` },
  { table: 'core_idempotency', old: `created_at < now() - interval '24 hours'` },
];

export interface RetentionOptions {
  units: Units;
  sender: Sender;
  /** Removes stored files without a row. */
  sweepFiles(tenantId: string, signal: AbortSignal): Promise<void>;
  /** Deletes expired rate limit buckets. */
  purgeRates(): Promise<unknown>;
}

/** The kernel's own jobs. */
export function kernelJobs({ units, sender, sweepFiles, purgeRates }: RetentionOptions): Readonly<Record<string, PlatformJob>> {
  const platform = (signal: AbortSignal) =>
    units.platformScope({ actor: { type: 'system', reason: 'core' }, requestId: crypto.randomUUID(), signal });

  /** Runs `fn` in a tenant's scope: the platform role only reads across tenants. */
  async function inTenant(tenantId: string, signal: AbortSignal, fn: (db: Db) => Promise<number>): Promise<number> {
    const scope = await units.scope(tenantId, {
      actor: { type: 'system', reason: 'core' },
      requestId: crypto.randomUUID(),
      signal,
    });
    return scope ? units.transaction(scope, fn) : 0;
  }

  return {
    retention: {
      platform: true,
      cron: '17 * * * *',
      async run({ signal }) {
        for (const { table, old, kept } of terms) {
          const expired = sql`${sql.raw(old)}${kept ? sql` and not ${sql.raw(kept)}` : sql``}`;
          const tenants = await units.transaction(
            platform(signal),
            (db) => db.rows<{ id: string }>(sql`select distinct tenant_id as id from ${sql.table(table)} t where ${expired}`),
            { readOnly: true },
          );
          for (const { id } of tenants) {
            let removed = batch;
            while (removed === batch && !signal.aborted)
              removed = await inTenant(id, signal, (db) =>
                db.run(sql`delete from ${sql.table(table)} where ctid in (select t.ctid from ${sql.table(table)} t
                  where t.tenant_id = ${id} and ${expired} limit ${batch})`),
              );
          }
        }
        await units.transaction(platform(signal), (db) =>
          db.run(sql`delete from core_platform_idempotency where created_at < now() - interval '24 hours'`),
        );
        await purgeRates();
      },
    },
    // Kept permanently: 24 short rows a day for an active shop.
    audit: {
      platform: true,
      cron: '7 * * * *',
      async run({ signal }) {
        await units.transaction(platform(signal), anchorChains);
      },
    },
    files: {
      platform: true,
      cron: '43 2 * * *',
      async run({ signal }) {
        const tenants = await units.transaction(
          platform(signal),
          (db) => db.rows<{ id: string }>(sql`select id from core_tenant`),
          { readOnly: true },
        );
        for (const { id } of tenants) if (!signal.aborted) await sweepFiles(id, signal);
      },
    },
    // Queues a new job for deliveries that lost theirs (a worker died, or the job schema was restored).
    deliveries: {
      platform: true,
      cron: '*/10 * * * *',
      async run({ signal }) {
        await units.transaction(platform(signal), async (db) => {
          const lines = await db.rows<{ tenantId: string; plugin: string; aggregate: string }>(sql`
            select tenant_id as "tenantId", plugin, aggregate from core_event_delivery
            where handled_at is null and failed_at is null and created_at < now() - interval '10 minutes'
            group by tenant_id, plugin, aggregate
            having coalesce(max(retry_at), '-infinity') < now() - interval '10 minutes' limit 10000`);
          for (let from = 0; from < lines.length; from += 500)
            await sender.send(
              db,
              ...lines.slice(from, from + 500).map((line) => deliveryJob([line.plugin], { ...line, requestId: null })),
            );
        });
      },
    },
  };
}
