import { catalog, type ProductCard, productCardSchema } from '@storeloom/commerce';
import { type Ctx, f, invalidParameter, type Page, type QueryParser, route, sql } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { find } from './find.ts';
import { fold } from './fold.ts';
import { logQuery } from './query-log.ts';

interface Asked {
  q: string;
  /** The filters and sorts of the product list, read by the catalogue. */
  rest: URLSearchParams;
}

/** `q` and the filters of storefront products. */
export const searchQuery: QueryParser<Asked> = {
  describes: { q: f.text({ max: 200 }).optional().describe('Words, a SKU or a barcode.') },
  parse(params) {
    const given = params.getAll('q');
    if (given.length > 1) throw invalidParameter('q', 'is specified more than once');
    const q = (given[0] ?? '').normalize('NFC').trim();
    if (q.length > 200) throw invalidParameter('q', 'has at most 200 characters');
    const rest = new URLSearchParams(params);
    rest.delete('q');
    return { q: q.toWellFormed(), rest };
  },
};

type Result = Page<ProductCard> & { didYouMean: string | null; mode: 'full_text' | 'semantic' | 'lexical' };

/** A page of what was found: by relevance, where no other order is asked for. */
async function search(ctx: Ctx, { q, rest }: Asked, mode: Result['mode']): Promise<Result> {
  const byRelevance = !rest.has('sort');
  const after = byRelevance ? readCursor(rest.get('cursor')) : null;
  // The catalogue doesn't know cursors by relevance.
  const filters = new URLSearchParams(rest);
  if (byRelevance) filters.delete('cursor');
  const shelf = ctx.require(catalog).parseProductList(filters);
  const none: Result = { data: [], page: { limit: shelf.limit, nextCursor: null, total: 0 }, didYouMean: null, mode };
  if (q === '') return none;
  const { productIds, corrected } = await find(ctx, q);
  const ids = await ctx.require(catalog).filterProducts(shelf, productIds);
  if (rest.get('cursor') === null) logQuery(ctx, q, ids.length, mode);
  if (!byRelevance) {
    const page = await ctx.require(catalog).listProducts(shelf, ids);
    return { ...page, page: { ...page.page, total: ids.length }, didYouMean: corrected, mode };
  }
  // The cursor names the last product that was shown; the order is the same for the same words. Where that product has vanished since,
  // the ones behind it have moved up by one.
  const at = after === null ? -1 : ids.indexOf(after.id);
  const start = after === null ? 0 : at === -1 ? after.shown - 1 : at + 1;
  const shown = ids.slice(start, start + shelf.limit);
  const more = shown.length > 0 && start + shown.length < ids.length;
  const data = await ctx.require(catalog).cards(shown, shelf);
  return {
    data,
    page: {
      limit: shelf.limit,
      nextCursor: more ? Buffer.from(`after ${shown.at(-1)} ${start + shown.length}`).toString('base64url') : null,
      total: ids.length,
    },
    didYouMean: corrected,
    mode,
  };
}

function readCursor(text: string | null): { id: string; shown: number } | null {
  if (text === null) return null;
  const match = /^after ([0-9a-f-]{36}) ([1-9]\d{0,8})$/.exec(Buffer.from(text, 'base64url').toString('utf8'));
  if (!match) throw invalidParameter('cursor', 'is not a cursor of this list');
  return { id: match[1] as string, shown: Number(match[2]) };
}

/** The filters and sorts are those of the product list. */
export const sameAs = { query: 'GET /api/storefront/products/' };

const answer = z.strictObject({
  data: z.array(productCardSchema),
  page: z.strictObject({ limit: z.int(), nextCursor: z.string().nullable(), total: z.int().optional() }),
  didYouMean: z.string().nullable(),
  mode: z.enum(['full_text', 'semantic', 'lexical']),
});
const limit = { points: 120, seconds: 60 };

export const searchRoutes = [
  route(
    'GET',
    '/search/',
    { summary: 'Search products', query: searchQuery, sameAs, response: answer, writes: true, rateLimit: limit },
    (ctx, req) => search(ctx, req.query as Asked, 'full_text'),
  ),
  // No plugin of this repository provides embeddings: it answers by words, and says so.
  route(
    'GET',
    '/search/semantic',
    {
      summary: 'Search by meaning, by words where no provider is configured',
      query: searchQuery,
      sameAs,
      response: answer,
      writes: true,
      rateLimit: limit,
    },
    (ctx, req) => search(ctx, req.query as Asked, 'lexical'),
  ),
  route(
    'GET',
    '/search/suggest',
    {
      summary: 'What the words may become',
      query: searchQuery,
      sameAs,
      response: z.strictObject({
        products: z.array(productCardSchema.pick({ id: true, slug: true, title: true, image: true, price: true })),
        categories: z.array(z.strictObject({ slug: z.string(), name: z.string(), productCount: z.int() })),
        queries: z.array(z.string()),
      }),
      rateLimit: { points: 300, seconds: 60 },
    },
    (ctx, req) => suggest(ctx, req.query as Asked),
  ),
];

/** Ten in all: products first, then categories and what others searched for. */
async function suggest(ctx: Ctx, { q, rest }: Asked) {
  const shelf = ctx.require(catalog).parseProductList(rest);
  if (q === '') return { products: [], categories: [], queries: [] };
  const { productIds } = await find(ctx, q);
  const ids = (await ctx.require(catalog).filterProducts(shelf, productIds.slice(0, 200))).slice(0, 5);
  const products = (await ctx.require(catalog).cards(ids, shelf)).map(({ id, slug, title, image, price }) => ({
    id,
    slug,
    title,
    image,
    price,
  }));
  const { facets } = await ctx
    .require(catalog)
    .facets(ctx.require(catalog).parseProductList(new URLSearchParams()), productIds.slice(0, 200));
  const folded = fold(q);
  const categories = (facets.find((facet) => facet.code === 'category')?.values ?? [])
    .toSorted((a, b) => Number(fold(b.label).includes(folded)) - Number(fold(a.label).includes(folded)) || b.count - a.count)
    .slice(0, 3)
    .map(({ value, label, count }) => ({ slug: value, name: label, productCount: count }));
  const queries = await ctx.db.rows<{
    query: string;
  }>(sql`select query from search_query where tenant_id = ${ctx.tenant.id} and query like ${`${folded.replace(/[\\%_]/g, '\\$&')}%`} and query <> ${folded} and results > 0 and created_at > ${ctx.clock.now()}::timestamptz - interval '90 days'
    group by query having count(distinct session_hash) > 1 order by count(*) desc, query limit 5`);
  const room = 10 - products.length - categories.length;
  return { products, categories, queries: queries.slice(0, room).map((row) => row.query) };
}
