import type { Ctx } from '../context.ts';
import { service } from '../token.ts';

/** The dashboard figures of a plugin. */
export interface StatsEntry {
  /** `abandoned-cart`: the route is `/dashboard/abandoned-cart-stats`. */
  name: string;
  /** Name of the plugin. */
  plugin: string;
  /** Permission to read them. */
  permission: string;
  /** Title by locale: the plugin's message `stats.<name>.title`, otherwise its title. */
  title: Record<string, string>;
}

/** Lists and reads dashboard figures. For foundation plugins. */
export interface StatsCatalogue {
  /** Returns the figures of every loaded plugin, including those that are off. */
  all(): readonly StatsEntry[];
  /**
   * Returns the response of a figure's route; undefined if it doesn't exist, its plugin is off, or the caller lacks the
   * permission.
   */
  read(
    ctx: Ctx,
    name: string,
    query: { from: string | null; to: string | null },
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
}
/** Service token of `StatsCatalogue`. */
export const statsCatalogue = service<StatsCatalogue>('kernel:stats-catalogue');
