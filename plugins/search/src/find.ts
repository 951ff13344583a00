import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { fold, wordsOf } from './fold.ts';

/** More are neither shown nor counted: the migration `0002_bounded` says which are looked at. */
const most = 1000;

export interface Found {
  /** Best first. */
  productIds: string[];
  /** The query with its misspelt words put right, where that was needed. */
  corrected: string | null;
}

/** Exact SKU or barcode first, then words by rank; the last word may be unfinished. Words that nothing has are put right by up to two edits. */
export async function find(ctx: Ctx, query: string): Promise<Found> {
  const words = [...new Set(wordsOf(query))].slice(0, 12);
  const [exact, found] = await Promise.all([
    ctx.db.rows<{ id: string }>(sql`select id from search_codes(${fold(query.trim())}, 50) id`),
    words.length === 0 ? [] : matches(ctx, words),
  ]);
  let ids = found;
  let corrected: string | null = null;
  if (words.length > 0 && ids.length === 0 && exact.length === 0) {
    const better = await correct(ctx, words);
    if (better) {
      ids = await matches(ctx, better);
      corrected = ids.length > 0 ? better.join(' ') : null;
    }
  }
  const first = exact.map((row) => row.id);
  return { productIds: [...new Set([...first, ...ids])], corrected };
}

/** All words, the last as a prefix. Words are letters and digits only, so nothing of a query is an operator. */
async function matches(ctx: Ctx, words: readonly string[]): Promise<string[]> {
  const whole = words.map((word) => `'${word}'`).join(' & ');
  const rows = await ctx.db.rows<{ id: string }>(
    sql`select product_id as id from search_best(${whole}::tsquery, ${`${whole}:*`}::tsquery, ${most})`,
  );
  return rows.map((row) => row.id);
}

async function correct(ctx: Ctx, words: readonly string[]): Promise<string[] | undefined> {
  const better: string[] = [];
  let changed = false;
  for (const word of words) {
    const [known] = await ctx.db.rows(
      sql`select 1 from search_word where tenant_id = ${ctx.tenant.id} and word >= ${word} and word < ${`${word}\uffff`} limit 1`,
    );
    // Short words have too many similar words: allow one edit from four letters, two from six.
    const distance = word.length >= 6 ? 2 : word.length >= 4 ? 1 : 0;
    if (known || distance === 0) {
      better.push(word);
      continue;
    }
    await ctx.db.run(sql`select set_config('pg_trgm.similarity_threshold', '0.2', true)`);
    const [near] = await ctx.db.rows<{ word: string }>(sql`select word from search_near_words(${word}, ${distance}, 1)`);
    if (!near) return undefined;
    better.push(near.word);
    changed = true;
  }
  return changed ? better : undefined;
}
