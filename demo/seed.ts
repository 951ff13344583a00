import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { dataExchange } from '@storeloom/plugin-data-exchange/contract';
import { type Ctx, files, token } from '@storeloom/plugin-sdk';
import { recordsOf, toCsv } from './csv.mjs';

/** The product file with the other language's texts in columns of their own: `Title[en]`, `Body (HTML)[en]`. */
async function withTranslations(folder: URL): Promise<Buffer> {
  const read = (name: string): Promise<string> => readFile(new URL(name, folder), 'utf8');
  const products = recordsOf(await read('products.csv'));
  const english = new Map(recordsOf(await read('translations.en.csv')).records.map((record) => [record.Handle, record]));
  const texts = ['Title', 'Body (HTML)'];
  const rows = products.records.map((record) => {
    const other = record.Title === '' ? undefined : english.get(record.Handle);
    return [...products.head.map((column) => record[column] ?? ''), ...texts.map((column) => other?.[column] ?? '')];
  });
  return Buffer.from(toCsv([[...products.head, ...texts.map((column) => `${column}[en]`)], ...rows]));
}

/** Fills a demo shop from its folder through the product's own import. A second run changes nothing. */
export function seedShop(folder: URL): (ctx: Ctx) => Promise<void> {
  return async (ctx) => {
    const exchange = ctx.require(token<typeof dataExchange>('data-exchange:data-exchange'));
    const report = await exchange.importProducts(await withTranslations(folder), {
      format: 'shopify',
      image: (src) =>
        ctx.transaction(async (inner) => {
          const store = inner.require(files);
          const content = await readFile(new URL(src, folder));
          const kept = await store.put(content, {
            name: basename(src),
            contentType: 'image/svg+xml',
            public: true,
            purpose: 'image',
          });
          return store.url(kept.key);
        }),
    });
    if (report.failed > 0) throw new Error(`the demo import failed: ${JSON.stringify(report.errors.slice(0, 3))}`);
  };
}
