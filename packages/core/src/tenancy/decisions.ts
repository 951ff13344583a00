import type { Tx } from '@storeloom/data';
import { type Decision, type Decisions, Problem, sql } from '@storeloom/plugin-sdk';
import { tenantChanged } from './tenants.ts';

export interface DecisionsDeps {
  platform<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  /** Decides from the database, not the cache, including the uncommitted changes of the transaction. */
  decide(tenantId: string, tx: Tx): Promise<ReadonlyMap<string, { on: boolean; why: string }>>;
  now(): string;
  /** Drops a tenant from this process's caches. */
  forget(tenantId: string): void;
}

/** Reads and writes switches and overrides of tenants. Every process uses a change immediately. */
export function createDecisions(deps: DecisionsDeps): Decisions {
  const changed = async (tx: Tx, tenantId: string): Promise<void> => {
    if ((await tx.db.run(sql`select from core_tenant where id = ${tenantId}`)) === 0) throw new Problem('not_found');
    await tenantChanged(tx, tenantId, deps.forget);
  };
  return {
    async all(tenantId) {
      const choices = await deps.platform((tx) => deps.decide(tenantId, tx));
      return [...choices].map(([plugin, { on, why }]): Decision => ({ plugin, on, why }));
    },
    setSwitch: (tenantId, plugin, enabled) =>
      deps.platform(async (tx) => {
        if (enabled === null) await tx.db.run(sql`delete from core_switch where tenant_id = ${tenantId} and plugin = ${plugin}`);
        else
          await tx.db.run(sql`insert into core_switch (tenant_id, plugin, enabled, updated_at) values (${tenantId}, ${plugin}, ${enabled}, ${deps.now()})
        on conflict (tenant_id, plugin) do update set enabled = excluded.enabled, updated_at = excluded.updated_at`);
        await changed(tx, tenantId);
      }),
    switches: (tenantId) =>
      deps.platform(async (tx) =>
        Object.fromEntries(
          (
            await tx.db.rows<{ plugin: string; enabled: boolean }>(
              sql`select plugin, enabled from core_switch where tenant_id = ${tenantId} order by plugin`,
            )
          ).map((row) => [row.plugin, row.enabled]),
        ),
      ),
    overrides: (tenantId) =>
      deps.platform((tx) =>
        tx.db.rows(sql`select plugin, enabled, reason from core_override where tenant_id = ${tenantId} order by plugin`),
      ),
    setOverride: (tenantId, plugin, enabled, reason) =>
      deps.platform(async (tx) => {
        await tx.db.run(sql`insert into core_override (tenant_id, plugin, enabled, reason, created_at) values (${tenantId}, ${plugin}, ${enabled}, ${reason}, ${deps.now()})
        on conflict (tenant_id, plugin) do update set enabled = excluded.enabled, reason = excluded.reason, created_at = excluded.created_at`);
        await changed(tx, tenantId);
      }),
    removeOverride: (tenantId, plugin) =>
      deps.platform(async (tx) => {
        const removed = await tx.db.run(sql`delete from core_override where tenant_id = ${tenantId} and plugin = ${plugin}`);
        await changed(tx, tenantId);
        return removed > 0;
      }),
  };
}
