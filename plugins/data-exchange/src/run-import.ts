import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { catalog, type ProductImport } from '@storeloom/commerce';
import { type Ctx, dryRun, files, isRetryable, Problem, problem, sql, unescapeCsvCell, uuidv7 } from '@storeloom/plugin-sdk';
import { isLink } from '@storeloom/plugin-sdk/public';
import type { ImportReport } from './contract.ts';
import { parseJsonProducts } from './json-products.ts';
import { nativeRequired, parseNative } from './native.ts';
import type { ParsedProduct, ParseOptions, RowWarning } from './parsed.ts';
import { asItem, checkProduct } from './product-shape.ts';
import { type CsvRow, isBad, readRows } from './records.ts';
import { parseShopify, shopifyColumns, shopifyRequired } from './shopify.ts';

export interface ImportOptions {
  format: 'native' | 'shopify';
  mode: 'create' | 'update' | 'upsert';
  dryRun: boolean;
  decimalComma: boolean;
  stock: 'new' | 'set';
  featuredTag?: string | undefined;
}
/** Where an image of the file is kept; null: it stays where it is. */
export type ImageOf = (src: string) => Promise<string | null>;

/** Limits of one batch, which is one transaction: products, and variants and characters of texts together. */
export const batchLimits = { products: 200, variants: 1000, characters: 4_000_000 };
const maxNamed = 1000;

export const emptyReport = (): ImportReport => ({
  status: 'running',
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
  errors: [],
  warnings: [],
});

/** What one batch adds to the report. A transaction may run again, so a batch counts for itself and is added once it stands. */
export type Tally = Pick<ImportReport, 'created' | 'updated' | 'unchanged' | 'failed' | 'errors' | 'warnings'>;
/** Progress of earlier attempts, stored in the transactions that wrote their products. The next attempt starts after them. */
export interface Progress {
  /** Number of products of the file that were processed. */
  readonly done: number;
  readonly tally: Tally;
  /** In the transaction of the batch that brought it so far. */
  save(ctx: Ctx, done: number, tally: Tally): Promise<void>;
}
export const noTally = (): Tally => ({ created: 0, updated: 0, unchanged: 0, failed: 0, errors: [], warnings: [] });

function add(report: Tally, tally: Tally): void {
  for (const name of ['created', 'updated', 'unchanged', 'failed'] as const) report[name] += tally[name];
  for (const fault of tally.errors) fail(report, fault);
  report.warnings.push(...tally.warnings.slice(0, Math.max(0, maxNamed - report.warnings.length)));
}

/** Characters of the texts of a product. */
function charactersOf({ product: { description, shortDescription } }: ParsedProduct): number {
  let sum = 0;
  for (const text of [...Object.values(description ?? {}), ...Object.values(shortDescription ?? {})]) sum += text.length;
  return sum;
}

/**
 * Streams a product file into the catalogue. A bad row is named and skipped, the others go in. Each batch is one transaction. `created`, `updated`, `unchanged` count products, `rows` and `failed` rows of the file.
 */
export async function runImport(
  ctx: Ctx,
  source: Readable | Buffer,
  options: ImportOptions,
  image: ImageOf,
  kind: 'csv' | 'json' = 'csv',
  /** Filled as the import goes on, so that a caller can say how far one came that broke off. */
  report: ImportReport = emptyReport(),
  progress?: Progress,
): Promise<ImportReport> {
  const key = options.format === 'shopify' ? 'Handle' : 'slug';
  const work = async (one: (products: ParsedProduct[]) => Promise<void>): Promise<void> => {
    let products: ParsedProduct[] = [];
    let size = { variants: 0, characters: 0 };
    let skip = progress?.done ?? 0;
    for await (const product of kind === 'json'
      ? jsonProducts(ctx, source, options, report)
      : productsOf(ctx, source, options, key, report)) {
      if (skip > 0) {
        skip--;
        // It exists already, but its images may not have been fetched.
        for (const { url } of product.product.images) await image(url);
        continue;
      }
      products.push(product);
      size.variants += product.product.variants.length;
      size.characters += charactersOf(product);
      const isFull =
        products.length >= batchLimits.products ||
        size.variants >= batchLimits.variants ||
        size.characters >= batchLimits.characters;
      if (!isFull) continue;
      await one(products);
      products = [];
      size = { variants: 0, characters: 0 };
    }
    await one(products);
  };
  if (options.dryRun) {
    try {
      await dryRun(ctx, (inner) => work(async (products) => add(report, await importBatch(inner, products, options, image))));
    } catch (error) {
      // The file has been read by now: what collided with another request can't be rehearsed again in here.
      throw isRetryable(error) ? problem('conflict') : error;
    }
  } else {
    let done = progress?.done ?? 0;
    let through = progress?.tally ?? noTally();
    add(report, through);
    await work(async (products) => {
      if (products.length === 0) return;
      const { tally, all } = await ctx.transaction(async (inner) => {
        const tally = await importBatch(inner, products, options, image);
        const all = structuredClone(through);
        add(all, tally);
        await progress?.save(inner, done + products.length, all);
        return { tally, all };
      });
      add(report, tally);
      through = all;
      done += products.length;
    });
  }
  report.errors.sort((a, b) => a.line - b.line);
  report.status = report.errors.length > 0 ? 'completed_with_errors' : 'completed';
  return report;
}

async function* jsonProducts(
  ctx: Ctx,
  source: Readable | Buffer,
  { decimalComma }: ImportOptions,
  report: ImportReport,
): AsyncIterable<ParsedProduct> {
  const { currency, defaultLocale, locales } = ctx.tenant;
  for await (const product of parseJsonProducts(Buffer.isBuffer(source) ? source.toString('utf8') : await text(source), {
    currency,
    defaultLocale,
    locales,
    decimalComma,
  })) {
    report.rows++;
    yield product;
  }
}

/** Rows that follow each other with one key are one product. */
async function* productsOf(
  ctx: Ctx,
  source: Readable | Buffer,
  options: ImportOptions,
  key: string,
  report: ImportReport,
): AsyncIterable<ParsedProduct> {
  const { currency, defaultLocale, locales } = ctx.tenant;
  const parseOptions: ParseOptions = { currency, defaultLocale, locales, decimalComma: options.decimalComma };
  const parse = (rows: readonly CsvRow[]): ParsedProduct =>
    options.format === 'shopify' ? parseShopify(rows, parseOptions) : parseNative(rows, parseOptions);
  let rows: CsvRow[] = [];
  let current: string | undefined;
  for await (const row of readRows(source, headerCheck(options.format), cellReader(options.format))) {
    report.rows++;
    if (isBad(row)) {
      fail(report, { line: row.line, column: null, code: 'row_invalid', message: row.fault });
      report.failed++;
      continue;
    }
    const name = row.cells[key]?.trim() ?? '';
    if (name === '') {
      fail(report, { line: row.line, column: key, code: 'required', message: `the row has no ${key}` });
      report.failed++;
      continue;
    }
    if (name !== current && rows.length > 0) {
      yield parse(rows);
      rows = [];
    }
    current = name;
    rows.push(row);
  }
  if (rows.length > 0) yield parse(rows);
}

/** Files of our own format mark what a spreadsheet would run (`escapeCsvCell`); another shop's texts are as they stand. */
export const cellReader = (format: ImportOptions['format']): ((cell: string) => string) =>
  format === 'native' ? unescapeCsvCell : (cell) => cell;

/** The columns without which a file is none of the format. */
export const headerCheck =
  (format: ImportOptions['format']) =>
  (columns: readonly string[]): void => {
    const required: readonly string[] = format === 'shopify' ? shopifyRequired : nativeRequired;
    const missing = required.filter((column) => !columns.includes(column));
    if (missing.length > 0)
      throw problem('validation_failed', {
        detail: `The file lacks the columns ${missing.join(', ')} of the format ${format}.`,
        errors: missing.map((column) => ({ pointer: `/${column}`, code: 'required', message: 'the column is missing' })),
      });
  };

function fail(report: Pick<ImportReport, 'errors'>, fault: ImportReport['errors'][number]): void {
  if (report.errors.length < maxNamed) report.errors.push(fault);
}

/** A product of the file that is ready for the catalogue. */
interface Ready {
  parsed: ParsedProduct;
  item: ProductImport;
  warnings: RowWarning[];
  /** Rows that were reported already. */
  badRows: number;
}

async function importBatch(ctx: Ctx, products: readonly ParsedProduct[], options: ImportOptions, image: ImageOf): Promise<Tally> {
  const tally = noTally();
  const ready: Ready[] = [];
  const refuse = (parsed: ParsedProduct, error: Problem, badRows: number): void => {
    for (const fault of faultsOf(error, parsed, options.format)) fail(tally, fault);
    tally.failed += parsed.rows - badRows;
  };
  for (const parsed of products) {
    for (const fault of parsed.faults) fail(tally, fault);
    const badRows = new Set(parsed.faults.map((fault) => fault.line)).size;
    if (parsed.product.variants.length === 0 || parsed.faults.some((fault) => fault.line === parsed.line)) {
      tally.failed += parsed.rows;
      continue;
    }
    tally.failed += badRows;
    try {
      ready.push({ parsed, item: await itemOf(ctx, parsed, options), warnings: [...parsed.warnings], badRows });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refuse(parsed, error, badRows);
    }
  }
  await keepImages(ctx, ready, image);
  await keepFiles(ctx, ready);
  const results = await ctx.require(catalog).importProducts(
    ready.map(({ item }) => item),
    { mode: options.mode, stock: options.stock },
  );
  for (const [i, result] of results.entries()) {
    const { parsed, warnings, badRows } = ready[i] as Ready;
    if (result instanceof Problem) refuse(parsed, result, badRows);
    else {
      tally[result.outcome]++;
      tally.warnings.push(...warnings);
    }
  }
  return tally;
}

/** The product as the catalogue imports it, checked by the same limits as a request. @throws Problem with pointers */
async function itemOf(ctx: Ctx, parsed: ParsedProduct, { featuredTag }: ImportOptions): Promise<ProductImport> {
  const { product } = await checkProduct(asItem(parsed.product), ctx.tenant);
  for (const [i, variant] of product.variants.entries()) {
    // The place of a variant is the file's where it says one.
    const { position = i, sku = variant.sku } = parsed.product.variants[i] ?? {};
    variant.position = position;
    variant.stock = parsed.stock.get(sku) ?? null;
  }
  return featuredTag === undefined ? product : { ...product, featured: product.tags.includes(featuredTag) };
}

/** Replaces the addresses of images by those where they are kept. Images with an invalid address are left out with a warning. */
async function keepImages(ctx: Ctx, ready: readonly Ready[], image: ImageOf): Promise<void> {
  const sources = [...new Set(ready.flatMap(({ item }) => item.images.map(({ url }) => url)))];
  const ofVariants = ready.flatMap(({ item }) => item.variants.flatMap(({ image: url }) => url ?? []));
  if (sources.length + ofVariants.length === 0) return;
  const kept = new Map(
    (
      await ctx.db.rows<{ source: string; url: string }>(
        sql`select source, url from data_exchange_image where tenant_id = ${ctx.tenant.id} and source = any(${[...sources, ...ofVariants]}::text[])`,
      )
    ).map(({ source, url }) => [source, url]),
  );
  for (const source of sources) {
    if (kept.has(source)) continue;
    const url = await image(source);
    if (url === null) continue;
    await rememberImage(ctx, source, url);
    kept.set(source, url);
  }
  for (const { item, parsed, warnings } of ready) {
    item.images = item.images.flatMap((each) => {
      const url = kept.get(each.url) ?? each.url;
      if (isLink(url)) return [{ ...each, url }];
      warnings.push(invalidImage(parsed, url));
      return [];
    });
    for (const variant of item.variants) {
      if (!variant.image) continue;
      const url = kept.get(variant.image) ?? variant.image;
      // An image with an invalid address has been left out, with a warning.
      variant.image = isLink(url) ? url : null;
    }
  }
}

/** Leaves out files that the shop doesn't have, with a warning: a file of rows brings no files of digital products. */
async function keepFiles(ctx: Ctx, ready: readonly Ready[]): Promise<void> {
  const store = ctx.use(files);
  const known = new Map<string, boolean>();
  for (const { item, parsed, warnings } of ready)
    for (const [i, variant] of item.variants.entries()) {
      if (!variant.digitalFiles) continue;
      const kept: typeof variant.digitalFiles = [];
      for (const file of variant.digitalFiles) {
        const { uploadKey } = file;
        if (!known.has(uploadKey)) known.set(uploadKey, (await store?.exists(uploadKey)) ?? false);
        if (known.get(uploadKey)) kept.push(file);
        else warnings.push(missingFile(parsed, i, uploadKey));
      }
      variant.digitalFiles = kept.length > 0 ? kept : null;
    }
}

const missingFile = ({ variantLines, line }: ParsedProduct, variant: number, key: string): RowWarning => ({
  line: variantLines[variant] ?? line,
  code: 'file_missing',
  message: `The file ${key.slice(0, 100)} isn't in the shop and is left out. Upload it and add it to the variant.`,
});

const invalidImage = ({ imageLines, line }: ParsedProduct, url: string): RowWarning => ({
  line: imageLines.get(url) ?? line,
  code: 'image_invalid',
  message: `The image ${url.slice(0, 100)} isn't imported: the address must begin with http://, https:// or /.`,
});

/** A problem of the catalogue, at the lines and columns of the file. */
function faultsOf(known: Problem, parsed: ParsedProduct, format: ImportOptions['format']): ImportReport['errors'] {
  const errors = known.extra.errors ?? [];
  if (errors.length === 0)
    return [{ line: parsed.line, column: null, code: known.code, message: known.extra.detail ?? known.code }];
  return errors.map(({ pointer, message, code }) => {
    const at = /^\/variants\/(\d+)/.exec(pointer)?.[1];
    const name = pointer.split('/').at(-1) ?? null;
    return {
      line: (at === undefined ? undefined : parsed.variantLines[Number(at)]) ?? parsed.line,
      column: (format === 'shopify' && name !== null ? shopifyColumns[name] : undefined) ?? name,
      code: code || known.code,
      message,
    };
  });
}

export async function rememberImage(ctx: Ctx, source: string, url: string): Promise<void> {
  await ctx.db.run(
    sql`insert into data_exchange_image (tenant_id, id, source, url, created_at) values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${source}, ${url}, ${ctx.clock.now()}) on conflict (tenant_id, source) do nothing`,
  );
}
