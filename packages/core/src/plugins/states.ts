import { sql } from '@storeloom/plugin-sdk';
import type { Database } from '../database/database.ts';
import type { Contributions } from './contributions.ts';
import type { Registry } from './registry.ts';

/** What a plugin contributed at the last boot at which it was ready. */
interface StoredContributions {
  /** Ids of the hooks that it taps. */
  hooks: string[];
}

/** Plugins of the installation that aren't ready in this process. */
export interface UnreadyPlugins {
  /**
   * Returns the state of a plugin that isn't ready and taps the hook; undefined for all others. A plugin that has run a migration but whose
   * hooks aren't known counts as tapping every hook. One that is new, and has done nothing yet, counts as tapping none.
   */
  stateOfTap(plugin: string, hook: string): string | undefined;
  /** Returns the state of a plugin that isn't ready; undefined for ready and for new ones. */
  stateOf(plugin: string): string | undefined;
}

/** Stores the state of every plugin with its reason, for the command line and other processes, and returns those that aren't ready. */
export async function saveStates(
  database: Database,
  registry: Registry,
  { taps }: Pick<Contributions, 'taps'>,
): Promise<UnreadyPlugins> {
  const rows = registry.states();
  const hooksOf = (plugin: string): string[] =>
    [...taps].filter(([, list]) => list.some((tap) => tap.plugin === plugin)).map(([hook]) => hook);
  const hooks = new Map<string, readonly string[] | 'all'>();
  if (rows.length > 0)
    await database.withPlatform(async (tx) => {
      const values = rows.map((row) => {
        const contributions: StoredContributions | null = row.state === 'ready' ? { hooks: hooksOf(row.name).sort() } : null;
        return sql`(${row.name}, ${row.package}, ${row.version}, ${row.state}, ${row.reason?.code ?? null}, ${row.reason?.message ?? null},
          ${contributions === null ? null : JSON.stringify(contributions)}::jsonb, now())`;
      });
      await tx.db.run(sql`insert into core_plugin_state as s (name, package, version, state, reason_code, reason_message, contributions, updated_at)
        values ${sql.join(values)}
        on conflict (name) do update set package = excluded.package, version = excluded.version, state = excluded.state,
          reason_code = excluded.reason_code, reason_message = excluded.reason_message,
          contributions = coalesce(excluded.contributions, s.contributions), updated_at = now()
        where (s.state, s.version, s.reason_code, s.contributions)
          is distinct from (excluded.state, excluded.version, excluded.reason_code, coalesce(excluded.contributions, s.contributions))`);
      await tx.db.run(sql`delete from core_plugin_state where name not in (${sql.join(rows.map((row) => row.name))})`);
      for (const { name, contributions, migrated } of await tx.db.rows<{
        name: string;
        contributions: StoredContributions | null;
        migrated: boolean;
      }>(
        sql`select name, contributions, exists (select from core_migration m where m.plugin = s.name) as migrated
          from core_plugin_state s where state <> 'ready'`,
      ))
        if (contributions || migrated) hooks.set(name, contributions?.hooks ?? 'all');
    });
  const states = new Map(rows.filter(({ state }) => state !== 'ready').map(({ name, state }) => [name, state]));
  return {
    stateOfTap(plugin, hook) {
      const tapped = hooks.get(plugin) ?? [];
      return tapped === 'all' || tapped.includes(hook) ? states.get(plugin) : undefined;
    },
    stateOf: (plugin) => (hooks.has(plugin) ? states.get(plugin) : undefined),
  };
}
