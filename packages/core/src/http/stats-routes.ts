import { type Ctx, f, route, type StatsProvider } from '@storeloom/plugin-sdk';
import { statsPeriod } from '@storeloom/plugin-sdk/stats';
import { LRUCache } from 'lru-cache';
import type { Contributions } from '../plugins/contributions.ts';
import type { MountedRoute } from './routes.ts';

const cachedFor = 30_000;
const answers = new LRUCache<string, object>({ max: 2000, ttl: cachedFor });

/** The envelope of every `GET /dashboard/<x>-stats`, around what the plugin's provider counts. */
async function answer(
  ctx: Ctx,
  name: string,
  provider: StatsProvider,
  query: { from: string | null; to: string | null },
  permissions: readonly string[],
): Promise<object> {
  const period = statsPeriod(query, ctx.clock.now(), ctx.tenant.timezone);
  // What the caller may see decides the figures, so it is part of the key.
  const seen = permissions.filter((permission) => ctx.can(permission)).join();
  const key = `${ctx.tenant.id} ${name} ${period.from} ${period.to} ${ctx.sign('stats', seen)}`;
  const known = answers.get(key);
  if (known) return known;
  const { metrics, series = {}, lists = {}, masked = [] } = await provider(ctx, period);
  const made = {
    period: { from: period.from, to: period.to, timezone: period.timezone },
    generatedAt: ctx.clock.now(),
    currency: ctx.tenant.currency,
    metrics,
    series,
    lists,
    masked,
  };
  answers.set(key, made);
  return made;
}

export function statsRoutes(contributions: Contributions): MountedRoute[] {
  return contributions.stats.map(({ plugin, name, path, permission, provider }) => {
    const own = contributions.permissions.filter((entry) => entry.plugin === plugin).map((entry) => entry.name);
    const made = route(
      'GET',
      path,
      {
        permission,
        summary: `Figures of ${name}`,
        query: { from: f.date().optional(), to: f.date().optional() },
        response: {
          period: f.object({ from: f.date(), to: f.date(), timezone: f.text() }),
          generatedAt: f.instant(),
          currency: f.text(),
          metrics: f.json(),
          series: f.json(),
          lists: f.json(),
          masked: f.list(f.text()),
        },
      },
      (ctx, req) => answer(ctx, name, provider, req.query, own),
    );
    return { family: 'admin' as const, plugin, route: made, path };
  });
}
