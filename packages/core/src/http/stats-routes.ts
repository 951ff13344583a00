import { type Ctx, f, type RowOf, route, type StatsCatalogue } from '@storeloom/plugin-sdk';
import { statsPeriod } from '@storeloom/plugin-sdk/stats';
import { LRUCache } from 'lru-cache';
import { contextOf, type PluginContext } from '../context/context.ts';
import type { ContributedStats } from '../plugins/contributed.ts';
import type { Contributions } from '../plugins/contributions.ts';
import type { Registry } from '../plugins/registry.ts';
import type { MountedRoute } from './routes.ts';

const cachedFor = 30_000;
const responses = new LRUCache<string, Figures>({ max: 2000, ttl: cachedFor });

const figuresShape = {
  period: f.object({ from: f.date(), to: f.date(), timezone: f.text() }),
  generatedAt: f.instant(),
  currency: f.text(),
  metrics: f.json().describe('Figures by name.'),
  series: f.json().describe('Figures by day.'),
  lists: f.json().describe('Rows by the name of their list.'),
  masked: f.list(f.text()),
};
type Figures = Readonly<RowOf<typeof figuresShape>>;

interface PeriodQuery {
  from: string | null;
  to: string | null;
}

/** Wraps the figures of a plugin's provider in the response of `GET /dashboard/<x>-stats`. Cached for 30 s. */
async function response(
  ctx: Ctx,
  { name, provider }: ContributedStats,
  query: PeriodQuery,
  permissions: readonly string[],
): Promise<Figures> {
  const period = statsPeriod(query, ctx.clock.now(), ctx.tenant.timezone);
  // The caller's permissions decide which figures are visible, so they are part of the key.
  const seen = permissions.filter((permission) => ctx.can(permission)).join();
  const key = `${ctx.tenant.id} ${name} ${period.from} ${period.to} ${ctx.sign('stats', seen)}`;
  const known = responses.get(key);
  if (known) return known;
  const { metrics, series = {}, lists = {}, masked = [] } = await provider(ctx, period);
  const made = {
    period: { from: period.from, to: period.to, timezone: period.timezone },
    generatedAt: ctx.clock.now(),
    currency: ctx.tenant.currency,
    metrics,
    series,
    lists,
    masked: [...masked],
  };
  responses.set(key, made);
  return made;
}

const ownPermissions = (contributions: Contributions, plugin: string): string[] =>
  contributions.permissions.filter((entry) => entry.plugin === plugin).map((entry) => entry.name);

export function statsRoutes(contributions: Contributions): MountedRoute[] {
  return contributions.stats.map((stats) => {
    const { plugin, name, path, permission } = stats;
    const own = ownPermissions(contributions, plugin);
    const made = route(
      'GET',
      path,
      {
        permission,
        summary: `Figures of ${name}`,
        query: { from: f.date().optional().example(null), to: f.date().optional().example(null) },
        response: figuresShape,
      },
      (ctx, req) => response(ctx, stats, req.query, own),
    );
    return { family: 'admin' as const, plugin, route: made, path };
  });
}

/** Gives the dashboard plugin the figures of all plugins. */
export function createStatsCatalogue(contributions: Contributions, registry: Pick<Registry, 'byName'>): StatsCatalogue {
  const titleOf = (plugin: string, name: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(registry.byName.get(plugin)?.plugin.locales ?? {}).map(([locale, messages]) => [
        locale,
        messages[`stats.${name}.title`] ?? messages['plugin.title'] ?? name,
      ]),
    );
  const entries = contributions.stats.map(({ name, plugin, permission }) => ({
    name,
    plugin,
    permission,
    title: titleOf(plugin, name),
  }));
  return {
    all: () => entries,
    async read(ctx, name, query) {
      const stats = contributions.stats.find((entry) => entry.name === name);
      if (!stats || !ctx.isOn(stats.plugin) || !ctx.can(stats.permission)) return undefined;
      const { host, scope } = ctx as PluginContext;
      const own = contextOf(host, stats.plugin, scope) as Ctx;
      return response(own, stats, query, ownPermissions(contributions, stats.plugin));
    },
  };
}
