import { catalog, type SearchDocument } from '@storeloom/commerce';
import { type Ctx, type Job, type PlatformJob, sql, uuidv7, work } from '@storeloom/plugin-sdk';
import { fold, wordsOf } from './fold.ts';
import { queued } from './queued.ts';

const batch = 100;

/** Text that `to_tsvector('simple', …)` reads as these words. */
const joined = (...texts: (string | null)[]): string => texts.flatMap((text) => wordsOf(text ?? '')).join(' ');

/** Text with the words of each weight of the index. */
function recordOf(ctx: Ctx, productId: string, document: SearchDocument): Record<string, unknown> {
  const titles = Object.values(document.title);
  return {
    id: uuidv7(ctx.clock.ms()),
    product_id: productId,
    codes: [...document.skus, ...document.barcodes].map(fold),
    names: [...titles, ...(document.brandName === null ? [] : [document.brandName])],
    a: joined(...titles),
    b: joined(
      document.brandName,
      ...document.categoryNames.flatMap((name) => Object.values(name)),
      ...document.tags,
      ...document.extra.flatMap((each) => each.values),
    ),
    c: joined(...Object.values(document.options).flat(), ...document.skus),
    d: joined(...Object.values(document.text)),
  };
}

/** Writes the documents of products, and deletes those of products that shoppers don't see. */
async function indexProducts(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  ctx.dropCache('search');
  // Sorted, so that concurrent jobs lock the documents in the same order.
  const sorted = [...new Set(ids)].sort();
  const documents = await ctx.require(catalog).searchDocuments(sorted);
  const hidden = sorted.filter((id) => !documents.has(id));
  if (hidden.length > 0)
    await ctx.db.run(sql`delete from search_document where tenant_id = ${ctx.tenant.id} and product_id = any(${hidden}::uuid[])`);
  const records = sorted.flatMap((id) => {
    const document = documents.get(id);
    return document ? [recordOf(ctx, id, document)] : [];
  });
  if (records.length === 0) return;
  const now = ctx.clock.now();
  await ctx.db.run(sql`insert into search_document (tenant_id, id, product_id, codes, names, words, created_at, updated_at)
    select ${ctx.tenant.id}, x.id, x.product_id, x.codes, x.names,
      setweight(to_tsvector('simple', x.a), 'A') || setweight(to_tsvector('simple', x.b), 'B')
        || setweight(to_tsvector('simple', x.c), 'C') || setweight(to_tsvector('simple', x.d), 'D'), ${now}::timestamptz, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as x (id uuid, product_id uuid, codes text[], names text[], a text, b text, c text, d text)
    on conflict (tenant_id, product_id) do update set codes = excluded.codes, names = excluded.names, words = excluded.words, updated_at = excluded.updated_at, version = search_document.version + 1`);
}

/** `catalog.product.*`: indexes the products of a transaction together. */
async function productsChanged(ctx: Ctx, { ids }: { ids: string[] }): Promise<void> {
  await indexProducts(ctx, ids);
  await ctx.enqueue(queued.words, {}, { key: 'words', startAfter: 5 });
}

/** Queues the update of all documents with a category or brand, once. */
export async function manyChanged(ctx: Ctx): Promise<void> {
  await ctx.enqueue(queued.reindex, {}, { key: 'reindex', startAfter: 5 });
}

async function reindexAll(ctx: Ctx): Promise<number> {
  let after: string | null = null;
  let count = 0;
  for (;;) {
    const ids: string[] = await ctx.transaction((inner) => inner.require(catalog).productIds(after, batch), { readOnly: true });
    if (ids.length === 0) break;
    await ctx.transaction((inner) => indexProducts(inner, ids));
    count += ids.length;
    after = ids.at(-1) as string;
  }
  await ctx.transaction(refreshWords);
  return count;
}

/** The words that documents have now, with how many have each. */
async function refreshWords(ctx: Ctx): Promise<void> {
  await ctx.db.run(sql`delete from search_word where tenant_id = ${ctx.tenant.id}`);
  await ctx.db.run(sql`insert into search_word (tenant_id, word, documents)
    select ${ctx.tenant.id}, w.lexeme, count(*) from search_document d cross join lateral unnest(d.words) w where d.tenant_id = ${ctx.tenant.id} and length(w.lexeme) between 3 and 40 group by w.lexeme`);
}

export const jobs: Record<string, Job | PlatformJob> = {
  ...work(queued.products, { retryLimit: 40, run: productsChanged }),
  ...work(queued.words, { run: (ctx) => refreshWords(ctx) }),
  ...work(queued.reindex, {
    transaction: 'none',
    async run(ctx: Ctx) {
      await reindexAll(ctx);
    },
  }),
};
