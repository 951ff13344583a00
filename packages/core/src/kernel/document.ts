import { buildOpenApi, type OpenApiDocument } from '@storeloom/openapi';
import type { PluginStateRecord } from '@storeloom/plugin-sdk';
import { coreRoutes } from '../http/core-routes.ts';
import { problemTable } from '../http/problems.ts';
import type { MountedRoute } from '../http/routes.ts';
import { statsRoutes } from '../http/stats-routes.ts';
import { webhookRoutes } from '../http/webhook-routes.ts';
import type { Installation } from '../installation/installation.ts';
import { version } from '../installation/version.ts';
import { type Contributions, collectContributions } from '../plugins/contributions.ts';
import { loadPlugins } from '../plugins/load.ts';
import type { Registry } from '../plugins/registry.ts';

/** Returns the routes of plugins and kernel. */
export function mountedRoutes(contributions: Contributions): MountedRoute[] {
  return [...contributions.routes, ...statsRoutes(contributions), ...webhookRoutes(contributions), ...coreRoutes()];
}

/** Returns the OpenAPI document, of one plugin or of all. Takes some hundred milliseconds for a thousand routes. */
export function documentOf(
  registry: Pick<Registry, 'loaded'>,
  contributions: Contributions,
  routes: readonly MountedRoute[],
  plugin?: string,
): OpenApiDocument {
  return buildOpenApi({
    ...(plugin === undefined ? {} : { plugin }),
    routes,
    contributions,
    version,
    errors: problemTable(contributions.errors),
    descriptions: new Map(
      registry.loaded.map(({ manifest }) => [manifest.name, manifest.description ?? `Routes of the plugin ${manifest.name}.`]),
    ),
    events: contributions.events.values(),
  });
}

/** What the plugins of an installation declare. */
export interface Description {
  readonly document: OpenApiDocument;
  /** The document of one plugin, `core` for the kernel: its names don't depend on the other plugins. */
  documentOf(plugin: string): OpenApiDocument;
  /** The loaded plugins in dependency order. */
  readonly plugins: readonly {
    readonly name: string;
    readonly dir: string;
    /** Codes of its errors. */
    readonly problems: readonly string[];
    /** Names of its migrations, in order. */
    readonly migrations: readonly string[];
  }[];
}

/**
 * Loads every plugin of an installation, without a database and without a licence, and returns their states: nothing is served.
 * @throws RouteConflict if two plugins have the same route
 */
export async function checkInstallation({
  dir,
  plugins,
}: Pick<Installation, 'dir' | 'plugins'>): Promise<readonly PluginStateRecord[]> {
  const { registry } = await readPlugins({ dir, plugins });
  return registry.states();
}

/** Loads the plugins as if the licence covered all of them, and collects what they contribute. */
async function readPlugins({ dir, plugins }: Pick<Installation, 'dir' | 'plugins'>) {
  const registry = await loadPlugins({ dir, list: plugins, licence: { covers: () => ({ ok: true }) } });
  return { registry, contributions: collectContributions(registry) };
}

/**
 * Reads what the plugins of an installation declare, without a database and without a licence: nothing is served.
 * @throws Error that names each plugin that can't be loaded, with the reason
 */
export async function describeInstallation({ dir, plugins }: Pick<Installation, 'dir' | 'plugins'>): Promise<Description> {
  const { registry, contributions } = await readPlugins({ dir, plugins });
  const unready = registry.states().filter(({ state }) => state !== 'ready');
  if (unready.length > 0)
    throw new Error(unready.map(({ name, state, reason }) => `${name} is ${state}: ${reason?.message ?? ''}`).join('\n'));
  const routes = mountedRoutes(contributions);
  return {
    document: documentOf(registry, contributions, routes),
    documentOf: (plugin) => documentOf(registry, contributions, routes, plugin),
    plugins: registry.loaded.map(({ manifest, plugin }) => ({
      name: manifest.name,
      dir: manifest.dir,
      problems: Object.keys(plugin.errors ?? {}),
      migrations: (plugin.migrations ?? []).map(({ name }) => name),
    })),
  };
}
