import { service } from '../token.ts';

/** Names of the templates that every theme has. A plugin adds templates of its own, `<plugin>/<page>`. */
export const themeTemplates = [
  'home',
  'listing',
  'product',
  'cart',
  'checkout',
  'order-confirmation',
  'account',
  'search',
  'page',
  'article',
  '404',
  '410',
  '500',
  'maintenance',
] as const;

/** A theme of the installation, with what it inherits from its parents. */
export interface ThemeRecord {
  name: string;
  /** npm package. */
  package: string;
  version: string | null;
  /** Entitlement of the licence that it needs. */
  entitlement: string;
  /** True for the storefront's own theme, which needs no licence. */
  foundation: boolean;
  /** True if shops have it until they choose another. */
  isDefault: boolean;
  /** Title by locale. */
  title: Record<string, string>;
  /** Design tokens in groups, each with a `$value`. */
  tokens: Record<string, unknown>;
  /** JSON Schema of its settings. */
  settings: Record<string, unknown>;
  /** Names of its templates. */
  templates: string[];
  /**
   * Sections that staff can place, each with the JSON Schema of its settings and the templates it can be placed in (null: all).
   */
  sections: Record<string, { settings: Record<string, unknown>; enabledOn: string[] | null }>;
  /** Sections of a template for which nothing is saved. */
  presets: Record<string, { type: string; settings: Record<string, unknown> }[]>;
  /** Why it can't be activated; empty if it can. */
  problems: readonly { code: string; message: string }[];
}

/** Lists the themes of the installation. For foundation plugins. */
export interface ThemeCatalogue {
  /** Returns every theme. */
  all(): readonly ThemeRecord[];
}
/** Service token of `ThemeCatalogue`. */
export const themeCatalogue = service<ThemeCatalogue>('kernel:theme-catalogue');
