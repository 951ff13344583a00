import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Ctx, files } from '@storeloom/plugin-sdk';
import type { dataExchange } from '@storeloom/plugin-data-exchange/contract';
import { token } from '@storeloom/plugin-sdk';

/** Fills a demo shop from its folder through the product's own import. A second run changes nothing. */
export function seedShop(folder: URL): (ctx: Ctx) => Promise<void> {
  return async (ctx) => {
    const exchange = ctx.require(token<typeof dataExchange>('data-exchange:data-exchange'));
    const csv = await readFile(new URL('products.csv', folder));
    const keys = new Map<string, string>();
    const report = await exchange.importProducts(csv, {
      format: 'shopify',
      mode: 'upsert',
      async image(src) {
        let url = keys.get(src);
        if (url === undefined) {
          const store = ctx.require(files);
          const stored = await store.put(await readFile(new URL(src, folder)), { name: basename(src), contentType: 'image/svg+xml', public: true, purpose: 'image' });
          url = store.url(stored.key);
          keys.set(src, url);
        }
        return url;
      },
    });
    if (report.failed > 0) throw new Error(`the demo import failed: ${JSON.stringify(report.errors.slice(0, 3))}`);
  };
}

