import { service } from '../token.ts';

/** A theme of the installation, with what it takes from its parents. */
export interface ThemeRecord {
  name: string;
  package: string;
  version: string | null;
  /** Key in the licence's themes. */
  entitlement: string;
  /** The storefront's own, which needs no licence. */
  foundation: boolean;
  /** What a shop has before it chooses. */
  isDefault: boolean;
  title: Record<string, string>;
  /** Design tokens in groups, each with a `$value`. */
  tokens: Record<string, unknown>;
  /** JSON Schema of its settings. */
  settings: Record<string, unknown>;
  templates: string[];
  /** Sections that staff may place, each with the JSON Schema of its settings and the templates that it may stand on (null: all). */
  sections: Record<string, { settings: Record<string, unknown>; enabledOn: string[] | null }>;
  /** Sections that a template shows while nothing is saved for it. */
  presets: Record<string, { type: string; settings: Record<string, unknown> }[]>;
  /** Why it can't be put on; empty where it can. */
  problems: readonly { code: string; message: string }[];
}

export interface ThemeCatalogue {
  all(): readonly ThemeRecord[];
}
export const themeCatalogue = service<ThemeCatalogue>('kernel:theme-catalogue');
