import { type Shape, service } from '@storeloom/plugin-sdk';

/** Addresses of the shop that have moved. Paths begin with `/`, without query. */
export interface Redirects {
  /**
   * The page at `fromPath` is at `to` now: 301. What leads to `fromPath` leads to `to` from now on, and a redirect away from `to` goes.
   * Replaces what there was for `fromPath`.
   */
  add(redirect: { fromPath: string; to: string }): Promise<void>;
  /** Counted as a hit. */
  find(path: string): Promise<{ to: string; code: number } | undefined>;
}
export const redirects = service<Redirects>('content:redirects');

/** A kind of section that a theme can draw. */
export interface ThemeSection {
  /** Fields of its settings, by which they are checked and translated. */
  settings: Shape;
  /** Templates that it may stand on; null: all. */
  templates: readonly string[] | null;
}
export interface ActiveTheme {
  sections: Readonly<Record<string, ThemeSection>>;
  /** Its templates, with the sections that each shows while nothing is saved. */
  templates: Readonly<Record<string, readonly { type: string; settings: Record<string, unknown> }[]>>;
}
/**
 * Provided by whoever serves themes. Without one, or without an active theme, pages, posts and banners work; the templates are the required
 * ones, none has sections, and no kind of section is known but `banner`.
 */
export interface Theme {
  active(): Promise<ActiveTheme | undefined>;
}
export const theme = service<Theme>('content:theme');
