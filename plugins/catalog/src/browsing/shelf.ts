import type { ProductCard } from '@storeloom/commerce';
import { type Ctx, type Page, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import { type CardRow, cardSelect, cardViews, wholeCards } from './card.ts';
import { metafieldCondition } from './metafield-filter.ts';
import {
  localSort,
  namesSeveral,
  onePage,
  planOnce,
  pricedSource,
  productSource,
  type ShelfQuery,
  type ShelfSource,
  shelf,
  shelfSource,
} from './shelf-query.ts';
import { dependsOnPrices, pricedProducts, variantCondition } from './variant-filter.ts';
import { type Viewer, viewerOf } from './viewer.ts';
import { hiddenAmong, isShown } from './visible.ts';

/** A page of a storefront list: one query for the rows, then the queries of `cardViews`. */
export async function shelfPage(ctx: Ctx, asked: ShelfQuery, scope: RawBuilder<unknown> = sql`true`): Promise<Page<ProductCard>> {
  const all = localSort(ctx, asked);
  const oneShelf = shelfSource(ctx, all);
  const loading = viewerOf(ctx, asked.extra.currency);
  const select = await selection(ctx, asked, () => loading, scope);
  // Unless the query depends on prices, the viewer doesn't determine the rows, so both load concurrently.
  let [viewer, found] = await Promise.all([loading, firstRows(ctx, select(oneShelf ?? productSource(all)))]);
  if (oneShelf && found.page.data.length === 0 && (await namesSeveral(ctx, all)))
    found = await firstRows(ctx, select(productSource(all)));
  const { query, from, where } = found;
  let { page } = found;
  let rows = await withoutHidden(ctx, page.data);
  // Hidden products leave gaps. Read further rows, so that only the last page is shorter than the limit.
  for (let round = 0; round < 5 && rows.length < query.limit && page.page.nextCursor !== null; round++) {
    const next = resumed(query, page.page.nextCursor, query.limit - rows.length);
    page = await shelf.run<CardRow>(ctx, next, { select: cardSelect, from, where });
    rows = [...rows, ...(await withoutHidden(ctx, page.data))];
  }
  const total = query.total ? { total: await count(ctx, from, sql.join([where, ...query.conditions], sql` and `)) } : {};
  return { data: await cardViews(ctx, rows, viewer), page: { limit: query.limit, nextCursor: page.page.nextCursor, ...total } };
}

/** Restricts a source to the visible products that match the query at the viewer's prices. */
async function selection(
  ctx: Ctx,
  asked: ShelfQuery,
  viewerOfQuery: () => Promise<Viewer>,
  scope: RawBuilder<unknown>,
): Promise<(source: ShelfSource) => ShelfSource> {
  const shown = sql`${isShown(ctx)} and ${scope} and ${await metafieldCondition(ctx, asked.metafields, true)}`;
  const viewer = dependsOnPrices(asked) ? await viewerOfQuery() : undefined;
  if (!viewer || viewer.general) {
    const where = sql`${shown} and ${variantCondition(ctx, asked)}`;
    return (source) => ({ ...source, where: sql`${source.where} and ${where}` });
  }
  const products = await pricedProducts(ctx, asked, viewer, sql.join([shown, ...asked.conditions], sql` and `));
  return (source) => pricedSource({ ...source, where: sql`${source.where} and ${shown}` }, products);
}

async function firstRows(ctx: Ctx, { query, from, where, priced }: ShelfSource) {
  // Without filters only tenant, time and cursor vary, so a generic plan fits all pages and the joins need no planning per page.
  const plain = query.conditions.length === 0 && query.options.size === 0 && query.metafields.length === 0 && !priced;
  const [, page] = await Promise.all([
    ctx.db.rows(plain ? planOnce : onePage),
    shelf.run<CardRow>(
      ctx,
      { ...query, total: false },
      plain ? { ...wholeCards(ctx, from), where } : { select: cardSelect, from, where },
    ),
  ]);
  return { page, query, from, where };
}

/** The query continued after the cursor. */
function resumed(query: ShelfQuery, cursor: string, limit: number): ShelfQuery {
  const params = new URLSearchParams(query.params);
  params.set('cursor', cursor);
  return { ...query, cursor: shelf.parse(params).cursor, limit, total: false };
}

async function withoutHidden<R extends { id: string }>(ctx: Ctx, rows: readonly R[]): Promise<R[]> {
  const hidden = await hiddenAmong(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.filter(({ id }) => !hidden.has(id));
}

/** Counts visible products. Only vendor products can be hidden, so only their ids are checked. */
async function count(ctx: Ctx, from: RawBuilder<unknown>, where: RawBuilder<unknown>): Promise<number> {
  const row = await ctx.db.first<{ n: number; ids: string[] | null }>(
    sql`select count(*) as n, array_agg(t.id) filter (where t.vendor_id is not null) as ids from ${from} where ${where}`,
  );
  return (row?.n ?? 0) - (await hiddenAmong(ctx, row?.ids ?? [])).size;
}

/** Cards of products by id, in the given order. Omits products that aren't visible. */
export async function cardsOf(ctx: Ctx, productIds: readonly string[], currency: string | null = null): Promise<ProductCard[]> {
  if (productIds.length === 0) return [];
  const [viewer, rows] = await Promise.all([
    viewerOf(ctx, currency),
    ctx.db.rows<CardRow>(
      sql`select ${cardSelect} from catalog_product t where ${isShown(ctx)} and t.id = any(${[...productIds]}::uuid[])`,
    ),
  ]);
  const views = await cardViews(ctx, await withoutHidden(ctx, rows), viewer);
  const byId = new Map(views.map((card) => [card.id, card] as const));
  return [...new Set(productIds)].map((id) => byId.get(id)).filter((card) => card !== undefined);
}

/** Filters the ids of products that shoppers see now. */
export async function visibleProducts(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await ctx.db.rows<{ id: string }>(
    sql`select t.id from catalog_product t where ${isShown(ctx)} and t.id = any(${[...ids]}::uuid[])`,
  );
  return new Set((await withoutHidden(ctx, rows)).map(({ id }) => id));
}

/** Filters the ids of visible products that match the query, in the given order. */
export async function matching(ctx: Ctx, query: ShelfQuery, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const among = sql`t.id = any(${[...ids]}::uuid[])`;
  const select = await selection(ctx, query, () => viewerOf(ctx, query.extra.currency), among);
  const { from, where } = select(productSource(query));
  const rows = await ctx.db.rows<{ id: string }>(
    sql`select t.id from ${from} where ${sql.join([where, ...query.conditions], sql` and `)}`,
  );
  const kept = new Set((await withoutHidden(ctx, rows)).map(({ id }) => id));
  return ids.filter((id) => kept.has(id));
}
