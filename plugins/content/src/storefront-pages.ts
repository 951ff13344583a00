import { type Ctx, f, invalidParameter, list, notFound, route, sql, type TableRow } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { pagePath } from './addresses.ts';
import type { page } from './page.ts';
import { find } from './redirect.ts';
import { normalPath } from './redirect-path.ts';
import { defaultSections, isPublic, sectionsOf, seoOf } from './shown.ts';
import { pageCard, pageDetail, sectionShape, seoShape } from './storefront-shapes.ts';
import { activeTheme, hasTemplate, nameField } from './templates.ts';

/** What is shown depends on the theme, which platform drops when another one is put on. */
const cache = { tags: ['content', 'theme'], maxAge: 60 };
/** A published one has an instant of publication. */
type Page = TableRow<typeof page> & { publishAt: string };

const columns = sql`t.id, t.slug, t.title, t.template, t.show_in_menu as "showInMenu", t.position, t.publish_at as "publishAt", t.updated_at as "updatedAt"`;

function card(ctx: Ctx, row: Page) {
  const { id, slug, title, template, showInMenu, position, publishAt, updatedAt } = row;
  return {
    id,
    slug,
    path: pagePath(slug),
    title: localizedText(title, ctx.locale, ctx.tenant.defaultLocale),
    template: template ?? 'page',
    showInMenu,
    position,
    publishAt,
    updatedAt,
  };
}

const shelf = list({
  filters: { showInMenu: { field: f.bool(), operators: ['eq'] } },
  sorts: {
    position: { column: 't.position', type: 'int8' },
    publishAt: { column: 't.publish_at', type: 'timestamptz' },
  },
  defaultSort: 'position',
});

async function detail(ctx: Ctx, slug: string) {
  const row = await ctx.db.first<Page>(
    sql`select ${columns}, t.body, t.seo from content_page t where ${isPublic(ctx)} and t.slug = ${slug}`,
  );
  if (!row) return undefined;
  const sections = (await sectionsOf(ctx, await activeTheme(ctx), row.id)) ?? [];
  return {
    ...card(ctx, row),
    body: localizedText(row.body, ctx.locale, ctx.tenant.defaultLocale),
    sections,
    seo: seoOf(ctx, row, pagePath(slug)),
  };
}

export const pages = route(
  'GET',
  '/pages/',
  { cache, query: shelf, response: pageCard, list: true, summary: 'Published pages' },
  (ctx, req) =>
    shelf.run<Page, ReturnType<typeof card>>(
      ctx,
      req.query,
      { select: columns, from: sql`content_page t`, where: isPublic(ctx) },
      (rows) => rows.map((row) => card(ctx, row)),
    ),
);

export const pageBySlug = route(
  'GET',
  '/pages/{slug}',
  { cache, params: { slug: f.slug() }, response: pageDetail, summary: 'A page with its sections' },
  async (ctx, req) => {
    const found = await detail(ctx, req.params.slug);
    if (!found) throw notFound();
    return found;
  },
);

export const cmsPage = route(
  'GET',
  '/cms-page',
  {
    cache,
    query: { path: f.text({ max: 1000 }).example('/pages/about').describe('`/pages/about` or `/about`') },
    summary: 'What a path of the shop shows: a page, or where it has moved',
    response: {
      page: f.object(pageDetail).optional(),
      sections: f.list(f.object(sectionShape)),
      seo: f.object(seoShape).optional(),
      redirect: f.object({ to: f.text({ max: 2000 }), code: f.int() }).optional(),
    },
  },
  async (ctx, req) => {
    const path = normalPath(req.query.path);
    if (path === undefined) throw invalidParameter('path', 'must be a path that begins with /, without query');
    const slug = /^\/(?:pages\/)?([a-z0-9]+(?:-[a-z0-9]+)*)$/.exec(path)?.[1];
    const page = slug === undefined ? undefined : await detail(ctx, slug);
    if (page) return { page, sections: page.sections, seo: page.seo, redirect: null };
    const redirect = await find(ctx, path);
    if (!redirect) throw notFound();
    return { page: null, sections: [], seo: null, redirect };
  },
);

export const pageConfig = route(
  'GET',
  '/page-config/',
  {
    cache,
    query: { template: nameField().example('home') },
    summary: 'Sections of a template',
    response: { template: f.text({ max: 120 }), sections: f.list(f.object(sectionShape)) },
  },
  async (ctx, req) => {
    const { template } = req.query;
    const theme = await activeTheme(ctx);
    if (!hasTemplate(theme, template)) throw invalidParameter('template', `is none of ${theme.templates.join(', ')}`);
    return { template, sections: (await sectionsOf(ctx, theme, template)) ?? defaultSections(ctx, theme, template) };
  },
);
