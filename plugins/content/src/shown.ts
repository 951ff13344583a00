import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { type Audience, fits, viewerOf } from './audience.ts';
import type { Document } from './document.ts';
import { banner, shownSettings } from './section-settings.ts';
import type { ActiveTheme } from './templates.ts';

/** Public now, whether or not the job that publishes has come by. `t` is a page or post. */
export const isPublic = (ctx: Ctx) =>
  sql`t.tenant_id = ${ctx.tenant.id} and t.status in ('scheduled', 'published') and t.publish_at <= ${ctx.clock.now()}`;

/** How much of a text search engines show. */
const snippet = 160;

/** What the head of a document says: its own words, else the title and the beginning of the text. */
export function seoOf(
  ctx: Ctx,
  { title, body, seo }: Pick<Document, 'title' | 'body' | 'seo'>,
  path: string,
  summary?: string | null,
) {
  const text = (value: Document['body']): string | null => localizedText(value, ctx.locale, ctx.tenant.defaultLocale);
  return {
    title: text(seo?.title ?? null) ?? text(title),
    description: text(seo?.description ?? null) ?? cut(summary ?? plain(text(body) ?? '')),
    canonical: seo?.canonical ?? path,
    noindex: seo?.noindex ?? false,
    /** Languages it is written in, for hreflang. */
    locales: ctx.tenant.locales.filter((locale) => Object.hasOwn(title, locale)),
  };
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};
/** The words of sanitised HTML. */
function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] as string)
    .replace(/\s+/g, ' ')
    .trim();
}
/** On the border of a word. */
function cut(text: string): string | null {
  if (text === '') return null;
  if (text.length <= snippet) return text;
  const part = text.slice(0, snippet - 1);
  const space = part.lastIndexOf(' ');
  return `${(space > 80 ? part.slice(0, space) : part).toWellFormed().replace(/\uFFFD$/, '')}…`;
}

interface StoredSection {
  type: string;
  position: number;
  settings: Record<string, unknown>;
  audience: Audience | null;
}
export interface ShownSection {
  type: string;
  settings: Record<string, unknown>;
  position: number;
}

/** What is saved for a template or page, as this visitor sees it. Undefined: nothing is saved. Kinds that the theme doesn't know stay away. */
export async function sectionsOf(ctx: Ctx, theme: ActiveTheme, place: string): Promise<ShownSection[] | undefined> {
  const rows = await ctx.db.rows<StoredSection & { active: boolean }>(sql`
    select type, position, settings, audience, active from content_section
    where tenant_id = ${ctx.tenant.id} and page = ${place} and type <> ${banner} order by position`);
  if (rows.length === 0) return undefined;
  const active = rows.filter((row) => row.active);
  const viewer = await viewerOf(
    ctx,
    active.map(({ audience }) => audience),
  );
  return active.flatMap(({ type, position, settings, audience }) => {
    const own = fits(audience, viewer) ? shownSettings(ctx, theme, type, settings) : undefined;
    return own ? [{ type, position, settings: own }] : [];
  });
}

/** What a template shows while nothing is saved. */
export function defaultSections(ctx: Ctx, theme: ActiveTheme, template: string): ShownSection[] {
  return (theme.presets[template] ?? []).flatMap(({ type, settings }, position) => {
    const own = shownSettings(ctx, theme, type, settings);
    return own ? [{ type, position, settings: own }] : [];
  });
}
