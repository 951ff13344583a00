import { catalog, type OrderEvent, type ProductCard, productCardSchema } from '@storeloom/commerce';
import { accepted, type Ctx, type DomainEvent, f, notFound, route, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { sessionHash } from './query-log.ts';

type Strategy = 'bought_together' | 'similar' | 'popular' | 'recently_viewed';
const wanted = 12;
const answer = z.strictObject({
  data: z.array(productCardSchema),
  strategy: z.enum(['bought_together', 'similar', 'popular', 'recently_viewed']),
});

const ids = async (ctx: Ctx, statement: ReturnType<typeof sql>): Promise<string[]> =>
  (await ctx.db.rows<{ id: string }>(statement)).map((row) => row.id);

const together = (ctx: Ctx, productIds: readonly string[]): Promise<string[]> =>
  ids(
    ctx,
    sql`select other_id as id from search_pair where tenant_id = ${ctx.tenant.id} and product_id = any(${[...productIds]}::uuid[]) group by other_id order by sum(orders) desc, other_id limit 60`,
  );
const popular = (ctx: Ctx): Promise<string[]> =>
  ids(
    ctx,
    sql`select product_id as id from search_document where tenant_id = ${ctx.tenant.id} order by popularity desc, product_id limit 60`,
  );
const recent = (ctx: Ctx, session: string): Promise<string[]> =>
  ids(
    ctx,
    sql`select product_id as id from search_signal where tenant_id = ${ctx.tenant.id} and session_hash = ${session} and event = 'view' group by product_id order by max(created_at) desc limit 60`,
  );
/** Documents that share the most telling words: those that few documents have, as many of them as find no more than can be ranked. */
const similar = (ctx: Ctx, productId: string): Promise<string[]> =>
  ids(
    ctx,
    sql`select m.product_id as id from (
      select string_agg(quote_literal(w.lexeme), ' | ')::tsquery as words from (
        select x.lexeme, sum(k.documents) over (order by k.documents, x.lexeme) as found, row_number() over (order by k.documents, x.lexeme) as n
        from search_document d cross join lateral unnest(d.words) x join search_word k on k.tenant_id = d.tenant_id and k.word = x.lexeme
        where d.tenant_id = ${ctx.tenant.id} and d.product_id = ${productId} and x.weights && '{A,B}') w
      where w.n <= 12 and (w.n = 1 or w.found <= 1000)) q
    cross join lateral search_best(q.words, q.words, 60) m where m.product_id <> ${productId} order by m.rank desc, m.product_id`,
  );

/** Available, visible, none twice, none of those asked about. */
async function shown(ctx: Ctx, candidates: readonly string[], without: readonly string[]): Promise<ProductCard[]> {
  const asked = [...new Set(candidates)].filter((id) => !without.includes(id)).slice(0, 60);
  const cards = await ctx.require(catalog).cards(asked);
  return cards.filter((card) => card.availability !== 'out_of_stock').slice(0, wanted);
}

async function firstOf(ctx: Ctx, ways: readonly [Strategy, () => Promise<string[]>][], without: readonly string[]) {
  for (const [strategy, find] of ways) {
    const data = await shown(ctx, await find(), without);
    if (data.length > 0 || strategy === 'popular') return { data, strategy };
  }
  return { data: [], strategy: 'popular' as const };
}

export const recommendations = route(
  'GET',
  '/recommendations/',
  {
    summary: 'What may please next',
    query: {
      context: f.oneOf(['home', 'cart', 'product']).default('home'),
      productIds: f.list(f.id(), { max: 50 }).default([]),
      session: f.text({ max: 100 }).optional(),
    },
    response: answer,
  },
  (ctx, req) => {
    const { context, productIds, session } = req.query;
    const [first] = productIds;
    const seen = (): Promise<string[]> => recent(ctx, sessionHash(ctx, session ?? undefined));
    const ways: [Strategy, () => Promise<string[]>][] = [];
    if (context !== 'home' && first !== undefined) {
      ways.push(['bought_together', () => together(ctx, productIds)]);
      if (context === 'product') ways.push(['similar', () => similar(ctx, first)]);
    }
    if (context === 'home') ways.push(['recently_viewed', seen]);
    ways.push(['popular', () => popular(ctx)]);
    return firstOf(ctx, ways, productIds);
  },
);

export const similarTo = route(
  'GET',
  '/recommendations/similar/{productId}',
  { summary: 'Products like this one', response: answer },
  async (ctx, req) => {
    const id = req.params.productId as string;
    if (!(await ctx.require(catalog).visibleProducts([id])).has(id)) throw notFound();
    return firstOf(
      ctx,
      [
        ['similar', () => similar(ctx, id)],
        ['popular', () => popular(ctx)],
      ],
      [id],
    );
  },
);

export const track = route(
  'POST',
  '/recommendations/track',
  {
    summary: 'A visitor looked at, clicked or took a product',
    body: { event: f.oneOf(['view', 'click', 'add', 'purchase']), productId: f.id(), session: f.text({ max: 100 }) },
    response: { status: f.text() },
    status: 202,
    rateLimit: { points: 120, seconds: 60 },
  },
  async (ctx, req) => {
    const { event, productId, session } = req.body;
    // The response doesn't reveal whether a product exists; unknown ones are not counted.
    if ((await ctx.require(catalog).visibleProducts([productId])).has(productId)) {
      const hash = sessionHash(ctx, session);
      await ctx.db.run(
        sql`insert into search_signal (tenant_id, id, session_hash, event, product_id, created_at) values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${hash}, ${event}, ${productId}, ${ctx.clock.now()})`,
      );
      if (event === 'click')
        await ctx.db.run(sql`update search_query set clicked_product_id = ${productId}, updated_at = ${ctx.clock.now()}, version = version + 1 where tenant_id = ${ctx.tenant.id}
          and id = (select id from search_query where tenant_id = ${ctx.tenant.id} and session_hash in (${hash}, ${sessionHash(ctx)}) and clicked_product_id is null order by created_at desc limit 1)`);
    }
    return accepted({ status: 'accepted' });
  },
);

/** `orders.order.placed`: what sells, and what sells together; each order once. */
export async function orderPlaced(ctx: Ctx, event: DomainEvent<OrderEvent>): Promise<void> {
  const order = event.data;
  const first = await ctx.db.run(
    sql`insert into search_counted_order (tenant_id, order_id) values (${ctx.tenant.id}, ${order.id}) on conflict do nothing`,
  );
  if (first === 0) return;
  const units = new Map<string, number>();
  for (const { productId, quantity } of order.lines)
    if (productId !== null) units.set(productId, (units.get(productId) ?? 0) + quantity);
  const products = [...units.keys()].sort().slice(0, 50);
  for (const id of products)
    await ctx.db.run(
      sql`update search_document set popularity = popularity + ${units.get(id)} where tenant_id = ${ctx.tenant.id} and product_id = ${id}`,
    );
  if (products.length < 2) return;
  await ctx.db.run(sql`insert into search_pair (tenant_id, product_id, other_id, orders)
    select ${ctx.tenant.id}, a, b, 1 from unnest(${products}::uuid[]) a cross join unnest(${products}::uuid[]) b where a <> b order by a, b
    on conflict (tenant_id, product_id, other_id) do update set orders = search_pair.orders + 1`);
}
