import type { Ctx } from '../context.ts';
import { service } from '../token.ts';

/** A plugin's figures for the dashboard. */
export interface StatsEntry {
  /** `abandoned-cart`: the route is `/dashboard/abandoned-cart-stats`. */
  name: string;
  plugin: string;
  permission: string;
  /** The plugin's message `stats.<name>.title`, else its title. */
  title: Record<string, string>;
}

export interface StatsCatalogue {
  /** Of every loaded plugin, also of those that are off. */
  all(): readonly StatsEntry[];
  /** What the figure's route answers. Undefined: there is none of the name, its plugin is off, or the caller may not see it. */
  read(
    ctx: Ctx,
    name: string,
    query: { from: string | null; to: string | null },
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
}
export const statsCatalogue = service<StatsCatalogue>('kernel:stats-catalogue');
