import { type Ctx, f, list, notFound, route, sql, type TableRow } from '@storeloom/plugin-sdk';
import { localizedText } from '@storeloom/plugin-sdk/public';
import { postPath } from './addresses.ts';
import type { post } from './post.ts';
import { isPublic, seoOf } from './shown.ts';
import { postCard, postDetail } from './storefront-shapes.ts';

const cache = { tags: ['content'], maxAge: 60 };
/** A published one has an instant of publication. */
type Post = TableRow<typeof post> & { publishAt: string };

const columns = sql`t.id, t.slug, t.title, t.excerpt, t.cover, t.cover_alt as "coverAlt", t.tags, t.author_name as "authorName",
  t.publish_at as "publishAt", t.updated_at as "updatedAt"`;

function card(ctx: Ctx, { id, slug, title, excerpt, cover, coverAlt, tags, authorName, publishAt, updatedAt }: Post) {
  const text = (value: Post['excerpt']) => localizedText(value, ctx.locale, ctx.tenant.defaultLocale);
  return {
    id,
    slug,
    path: postPath(slug),
    title: localizedText(title, ctx.locale, ctx.tenant.defaultLocale),
    excerpt: text(excerpt),
    cover,
    coverAlt: text(coverAlt),
    tags,
    authorName,
    publishAt,
    updatedAt,
  };
}

const shelf = list({
  filters: {
    tag: {
      field: f.text({ max: 60 }),
      operators: ['eq'],
      where: (_, value) => sql`t.tags @> ${JSON.stringify([value])}::jsonb`,
    },
  },
  sorts: { publishAt: { column: 't.publish_at', type: 'timestamptz' } },
  defaultSort: '-publishAt',
});

export const posts = route(
  'GET',
  '/blog/posts',
  { cache, query: shelf, response: postCard, list: true, summary: 'Published posts, newest first' },
  (ctx, req) =>
    shelf.run<Post, ReturnType<typeof card>>(
      ctx,
      req.query,
      { select: columns, from: sql`content_post t`, where: isPublic(ctx) },
      (rows) => rows.map((row) => card(ctx, row)),
    ),
);

export const postBySlug = route(
  'GET',
  '/blog/posts/{slug}',
  { cache, params: { slug: f.slug() }, response: postDetail, summary: 'A post' },
  async (ctx, req) => {
    const row = await ctx.db.first<Post>(
      sql`select ${columns}, t.body, t.seo, t.template from content_post t where ${isPublic(ctx)} and t.slug = ${req.params.slug}`,
    );
    if (!row) throw notFound();
    const shown = card(ctx, row);
    return {
      ...shown,
      template: row.template ?? 'article',
      body: localizedText(row.body, ctx.locale, ctx.tenant.defaultLocale),
      seo: seoOf(ctx, row, shown.path, shown.excerpt),
    };
  },
);
