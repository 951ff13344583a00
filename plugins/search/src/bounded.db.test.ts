import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { find } from './find.ts';

/** A tenant with many documents, beside one with others: what a search reads doesn't grow with them. */
const many = 20_000;
let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'search'], workers: false });
  for (const { id } of [shop.a, shop.b])
    await shop.rows(
      `insert into search_document (tenant_id, id, product_id, codes, words, popularity, created_at, updated_at)
       select $1, gen_random_uuid(), gen_random_uuid(), array['code-' || n],
         setweight(to_tsvector('simple', case when n % 400 = 0 then 'lantern' else 'lamp' end || ' model' || n || ' ' || case when n % 2 = 0 then 'even' else 'odd' end), 'A')
           || setweight(to_tsvector('simple', 'brass lantern'), 'B'),
         case when n = $2 then 90 else 0 end, now(), now()
       from generate_series(1, $2::int) n`,
      [id, many],
    );
  await shop.rows('analyze search_document');
});
afterAll(() => shop?.stop());

/** What the search finds, and how many documents it reads for that. */
const found = (query: string, tenant = shop.a): Promise<{ ids: string[]; read: number }> =>
  tenant.run('search', async (ctx) => {
    const before = await documentsRead(ctx);
    const { productIds } = await find(ctx, query);
    return { ids: productIds, read: (await documentsRead(ctx)) - before };
  });
async function documentsRead(ctx: Ctx): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(
    sql`select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 as n from pg_stat_xact_user_tables where relname = 'search_document'`,
  );
  return row?.n ?? 0;
}
const ofOthers = async (ids: readonly string[], tenant = shop.a): Promise<unknown[]> =>
  shop.rows('select product_id from search_document where tenant_id <> $1 and product_id = any($2)', [tenant.id, ids]);
const wordsOf = async (ids: readonly string[]): Promise<string[]> =>
  (
    await shop.rows<{ title: string }>(
      `select array_to_string(tsvector_to_array(ts_filter(d.words, '{a}')), ' ') as title
       from unnest($1::uuid[]) with ordinality as x (id, n) join search_document d on d.product_id = x.id order by x.n`,
      [ids],
    )
  ).map(({ title }) => title);

it('reads no more than it may rank for a word that every document has, and has the best seller among them', async () => {
  // The documents of one stand before those of the other in every index.
  for (const tenant of [shop.a, shop.b])
    for (const query of ['brass', 'bra', 'even', 'lamp', 'brass lamp', 'm']) {
      const { ids, read } = await found(query, tenant);
      expect([query, ids.length]).toEqual([query, 1000]);
      expect(read, `${query} in ${tenant.slug}`).toBeLessThan(6000);
      expect(await ofOthers(ids, tenant)).toEqual([]);
    }
  const { ids } = await found('brass');
  expect((await wordsOf(ids.slice(0, 1)))[0]).toContain(`model${many}`);
});

it('puts those that have the words in their title before all that have them elsewhere, and misses none', async () => {
  const { ids, read } = await found('lantern');
  const titled = (await wordsOf(ids)).map((title) => title.includes('lantern'));
  expect(titled.filter(Boolean)).toHaveLength(many / 400);
  expect(titled.slice(0, many / 400)).not.toContain(false);
  expect(read).toBeLessThan(6000);
});

it('finds one by its code or its own word without a look at the others', async () => {
  for (const query of ['CODE-777', 'model777', 'brass model777 odd']) {
    const { ids, read } = await found(query);
    expect((await wordsOf(ids.slice(0, 1)))[0], query).toContain('model777');
    expect(read, query).toBeLessThan(2100);
    expect(await ofOthers(ids)).toEqual([]);
  }
});

it('finds nothing outside a tenant', async () => {
  await shop.kernel.asPlatform('platform', (ctx) =>
    ctx.transaction(async (inside) => {
      await expect(inside.db.rows(sql`select * from search_best('brass'::tsquery, 'brass'::tsquery, 10)`)).resolves.toEqual([]);
    }),
  );
});
