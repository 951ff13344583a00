import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { catalog } from '@storeloom/commerce';
import type { dataExchange } from '@storeloom/plugin-data-exchange/contract';
import { type Ctx, files, settingsRegistry, token } from '@storeloom/plugin-sdk';
import { recordsOf, toCsv } from './csv.mjs';

/** Merges the translations into the product file as columns: `Title[en]`, `Body (HTML)[en]`. */
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

interface ShopFile {
  store: Record<string, unknown>;
}

/** Writes the store settings, each with its plugin. Settings of inactive plugins are skipped. */
async function seedStore(ctx: Ctx, folder: URL): Promise<void> {
  const { store } = JSON.parse(await readFile(new URL('shop.json', folder), 'utf8')) as ShopFile;
  const registry = ctx.require(settingsRegistry);
  const byPlugin = new Map<string, Record<string, unknown>>();
  for (const { plugin, name } of registry.storeFields())
    if (name in store && ctx.isOn(plugin)) byPlugin.set(plugin, { ...byPlugin.get(plugin), [name]: store[name] });
  for (const [plugin, values] of byPlugin) await registry.putPlugin(ctx, plugin, values);
}

/** Imports categories (parents before children) and brands with texts in both languages. */
async function seedShelves(ctx: Ctx, folder: URL): Promise<void> {
  const shelves = ctx.require(catalog);
  const records = async (name: string) => recordsOf(await readFile(new URL(name, folder), 'utf8')).records;
  const text = (record: Record<string, string>, member: string) => ({
    ro: record[`${member}_ro`] as string,
    en: record[`${member}_en`] as string,
  });
  for (const record of await records('categories.csv'))
    await shelves.importCategory({
      slug: record.slug as string,
      parent: record.parent || null,
      name: text(record, 'name'),
      description: text(record, 'description'),
      position: Number(record.position),
    });
  for (const record of await records('brands.csv'))
    await shelves.importBrand({
      slug: record.slug as string,
      name: record.name_ro as string,
      description: text(record, 'description'),
    });
}

/** Fills a demo shop from its folder through the product's import. A second run changes nothing. */
export function seedShop(folder: URL): (ctx: Ctx) => Promise<void> {
  return async (ctx) => {
    await ctx.transaction((inner) => seedStore(inner, folder));
    await ctx.transaction((inner) => seedShelves(inner, folder));
    const exchange = ctx.require(token<typeof dataExchange>('data-exchange:data-exchange'));
    const report = await exchange.importProducts(await withTranslations(folder), {
      format: 'shopify',
      featuredTag: 'recomandat',
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
