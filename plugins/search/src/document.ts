import { catalog } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, type Job, type PlatformJob, sql, uuidv7, work } from '@storeloom/plugin-sdk';
import { fold, wordsOf } from './fold.ts';
import { queued } from './queued.ts';

const batch = 100;

/** Text that `to_tsvector('simple', …)` reads as these words. */
const joined = (...texts: (string | null)[]): string => texts.flatMap((text) => wordsOf(text ?? '')).join(' ');

/** Writes the document of a product, or takes it out when shoppers don't see it. */
async function indexProduct(ctx: Ctx, productId: string): Promise<void> {
  ctx.dropCache('search');
  const document = await ctx.require(catalog).searchDocument(productId);
  if (!document) {
    await ctx.db.run(sql`delete from search_document where tenant_id = ${ctx.tenant.id} and product_id = ${productId}`);
    return;
  }
  const titles = Object.values(document.title);
  const codes = [...document.skus, ...document.barcodes].map(fold);
  const names = [...titles, ...(document.brandName === null ? [] : [document.brandName])];
  const second = [
    document.brandName,
    ...document.categoryNames.flatMap((name) => Object.values(name)),
    ...document.tags,
    ...document.extra.flatMap((each) => each.values),
  ];
  const third = [...Object.values(document.options).flat(), ...document.skus];
  const now = ctx.clock.now();
  await ctx.db.run(sql`insert into search_document (tenant_id, id, product_id, codes, names, words, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${productId}, ${codes}::text[], ${names}::text[],
      setweight(to_tsvector('simple', ${joined(...titles)}), 'A') || setweight(to_tsvector('simple', ${joined(...second)}), 'B')
        || setweight(to_tsvector('simple', ${joined(...third)}), 'C') || setweight(to_tsvector('simple', ${joined(...Object.values(document.text))}), 'D'), ${now}, ${now})
    on conflict (tenant_id, product_id) do update set codes = excluded.codes, names = excluded.names, words = excluded.words, updated_at = excluded.updated_at, version = search_document.version + 1`);
}

/** `catalog.product.*`: the event names the product. */
export async function productChanged(ctx: Ctx, { data: { id } }: DomainEvent<{ id: string }>): Promise<void> {
  await indexProduct(ctx, id);
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
    await ctx.transaction(async (inner) => {
      for (const id of ids) await indexProduct(inner, id);
    });
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
  ...work(queued.words, { run: (ctx) => refreshWords(ctx) }),
  ...work(queued.reindex, {
    transaction: 'none',
    async run(ctx: Ctx) {
      await reindexAll(ctx);
    },
  }),
};
