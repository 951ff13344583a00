import type { Database } from '@storeloom/data';
import { everyPublicEvent, type Route, sql } from '@storeloom/plugin-sdk';
import type { Family } from '../http/routes.ts';
import { contributionOf } from './contribution.ts';
import type { Contributions } from './contributions.ts';
import type { PluginRegistry } from './load.ts';

/** What a plugin contributed at the last boot at which it was ready. */
interface StoredContributions {
  /** Ids of the hooks that it taps. */
  hooks: string[];
  /** Ids of the events that it handles, each or many together; `*` for every public one. Absent in records of older versions. */
  events?: string[];
  /** Its routes, `admin GET /api/admin/orders/{id}`. Absent in records of older versions. */
  routes?: string[];
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
  /**
   * Returns the plugins that aren't ready, and that handled events of the type when they last were. A plugin that was never ready handles
   * none: nothing would ever take the events that are stored for it.
   */
  subscribersOf(type: string, isPublic: boolean): readonly string[];
  /**
   * Routes of the plugins that aren't ready, as of the last boot at which they were, or of their code if it was imported. Unknown for a plugin
   * that was never ready and can't be imported.
   */
  readonly routes: readonly UnreadyRoute[];
}

export interface UnreadyRoute {
  readonly plugin: string;
  readonly family: Family;
  readonly method: Route['method'];
  readonly path: string;
}

/** Stores the state of every plugin with its reason, for the command line and other processes, and returns those that aren't ready. */
export async function saveStates(
  database: Database,
  registry: Pick<PluginRegistry, 'states' | 'byName' | 'imported'>,
  contributions: Pick<Contributions, 'taps' | 'handlers' | 'routes' | 'inbound' | 'stats'>,
): Promise<UnreadyPlugins> {
  const { taps, handlers } = contributions;
  const rows = registry.states();
  const hooksOf = (plugin: string): string[] =>
    [...taps].filter(([, list]) => list.some((tap) => tap.plugin === plugin)).map(([hook]) => hook);
  const eventsOf = (plugin: string): string[] => {
    const own = [...handlers].filter(([, list]) => list.some((entry) => entry.plugin === plugin)).map(([type]) => type);
    const many = registry.byName.get(plugin)?.plugin.events?.onMany ?? [];
    return [...new Set([...own, ...many.map(({ event }) => event.id)])];
  };
  const routes = new Map<string, readonly string[]>();
  const hooks = new Map<string, readonly string[] | 'all'>();
  const subscribers = new Map<string, string[]>();
  if (rows.length > 0)
    await database.withPlatform(async (tx) => {
      const values = rows.map((row) => {
        const stored: StoredContributions | null =
          row.state === 'ready'
            ? {
                hooks: hooksOf(row.name).sort(),
                events: eventsOf(row.name).sort(),
                routes: routesOf(row.name, contributions).sort(),
              }
            : null;
        return sql`(${row.name}, ${row.package}, ${row.version}, ${row.state}, ${row.reason?.code ?? null}, ${row.reason?.message ?? null},
          ${stored === null ? null : JSON.stringify(stored)}::jsonb, now())`;
      });
      await tx.db.run(sql`insert into core_plugin_state as s (name, package, version, state, reason_code, reason_message, contributions, updated_at)
        values ${sql.join(values)}
        on conflict (name) do update set package = excluded.package, version = excluded.version, state = excluded.state,
          reason_code = excluded.reason_code, reason_message = excluded.reason_message,
          contributions = coalesce(excluded.contributions, s.contributions), updated_at = now()
        where (s.state, s.version, s.reason_code, s.contributions)
          is distinct from (excluded.state, excluded.version, excluded.reason_code, coalesce(excluded.contributions, s.contributions))`);
      await tx.db.run(sql`delete from core_plugin_state where name not in (${sql.join(rows.map((row) => row.name))})`);
      for (const { name, contributions: known, migrated } of await tx.db.rows<{
        name: string;
        contributions: StoredContributions | null;
        migrated: boolean;
      }>(
        sql`select name, contributions, exists (select from core_migration m where m.plugin = s.name) as migrated
          from core_plugin_state s where state <> 'ready'`,
      )) {
        if (known || migrated) hooks.set(name, known?.hooks ?? 'all');
        if (known?.routes) routes.set(name, known.routes);
        for (const type of known?.events ?? []) subscribers.set(type, [...(subscribers.get(type) ?? []), name]);
      }
    });
  const states = new Map(rows.filter(({ state }) => state !== 'ready').map(({ name, state }) => [name, state]));
  for (const name of states.keys()) {
    const imported = registry.imported(name);
    if (!routes.has(name) && imported) routes.set(name, routesOf(name, contributionOf(imported)));
  }
  return {
    routes: [...routes].flatMap(([plugin, names]) =>
      names.map((name): UnreadyRoute => {
        const [family, method, path] = name.split(' ') as [Family, Route['method'], string];
        return { plugin, family, method, path };
      }),
    ),
    stateOfTap(plugin, hook) {
      const tapped = hooks.get(plugin) ?? [];
      return tapped === 'all' || tapped.includes(hook) ? states.get(plugin) : undefined;
    },
    stateOf: (plugin) => (hooks.has(plugin) ? states.get(plugin) : undefined),
    subscribersOf: (type, isPublic) => [
      ...new Set([...(subscribers.get(type) ?? []), ...(isPublic ? (subscribers.get(everyPublicEvent.id) ?? []) : [])]),
    ],
  };
}

/** Returns the routes of a plugin, figures and receivers of notifications included. */
function routesOf(name: string, { routes, inbound, stats }: Pick<Contributions, 'routes' | 'inbound' | 'stats'>): string[] {
  return [
    ...routes.filter(({ plugin }) => plugin === name).map(({ family, route, path }) => `${family} ${route.method} ${path}`),
    ...stats.filter(({ plugin }) => plugin === name).map(({ path }) => `admin GET ${path}`),
    ...inbound
      .filter(({ plugin }) => plugin === name)
      .flatMap(({ methods, path }) => methods.map((method) => `webhooks ${method} ${path}`)),
  ];
}
