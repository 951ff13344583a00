import type { Page } from './values.ts';

/**
 * A list. Nothing is requested until it is read:
 *
 * ```ts
 * for await (const product of client.admin.products.list()) console.log(product.title);
 * const { data, page } = await client.admin.products.list({ limit: 50, total: true }).page();
 * const all = await client.admin.products.list().toArray({ max: 1000 });
 * ```
 */
export class Pages<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T>>;
  /** @internal */
  constructor(read: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#read = read;
  }
  /** Requests the page of the query's `cursor`: without one the first. */
  page(): Promise<Page<T>> {
    return this.#read(undefined);
  }
  /** Iterates the pages, each requested when the loop reaches it. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#read(cursor);
      yield page;
      cursor = page.page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  /** Iterates the rows of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
  /** Returns the rows of all pages, at most `max`. */
  async toArray({ max }: { max: number }): Promise<T[]> {
    const rows: T[] = [];
    if (max <= 0) return rows;
    for await (const row of this) if (rows.push(row) >= max) break;
    return rows;
  }
}
