import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { catalog, type ProductImportResult, stock } from '@storeloom/commerce';
import {
  type Ctx,
  databaseProblem,
  dryRun,
  isRetryable,
  Problem,
  problem,
  sql,
  unescapeCsvCell,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { isLink } from '@storeloom/plugin-sdk/public';
import type { ImportReport } from './contract.ts';
import { parseJsonProducts } from './json-products.ts';
import { nativeRequired, parseNative } from './native.ts';
import type { ParsedProduct, ParseOptions, RowWarning } from './parsed.ts';
import { asItem, checkProduct } from './product-shape.ts';
import { type CsvRow, isBad, readRows } from './records.ts';
import { parseShopify, shopifyRequired } from './shopify.ts';

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

const batch = 25;
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
/** How far an earlier attempt came, kept with what it wrote: the next one goes on behind it. */
export interface Progress {
  /** Products of the file that are through. */
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

/**
 * Streams a product file into the catalogue. A bad row is named and skipped, the others go in: each product is a savepoint of its batch's
 * transaction. `created`, `updated`, `unchanged` count products, `rows` and `failed` rows of the file.
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
      if (products.length < batch) continue;
      await one(products);
      products = [];
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

async function importBatch(ctx: Ctx, products: readonly ParsedProduct[], options: ImportOptions, image: ImageOf): Promise<Tally> {
  const tally = noTally();
  for (const parsed of products) {
    for (const fault of parsed.faults) fail(tally, fault);
    const badRows = new Set(parsed.faults.map((fault) => fault.line)).size;
    if (parsed.product.variants.length === 0 || parsed.faults.some((fault) => fault.line === parsed.line)) {
      tally.failed += parsed.rows;
      continue;
    }
    tally.failed += badRows;
    try {
      const { outcome, warnings } = await ctx.savepoint(() => importOne(ctx, parsed, options, image));
      tally[outcome]++;
      tally.warnings.push(...parsed.warnings, ...warnings);
    } catch (error) {
      // A deadlock repeats the whole batch.
      if (isRetryable(error)) throw error;
      const known = error instanceof Problem ? error : databaseProblem(error);
      if (!known || known.code === 'unavailable' || known.code === 'internal_error') throw error;
      for (const fault of faultsOf(known, parsed)) fail(tally, fault);
      tally.failed += parsed.rows - badRows;
    }
  }
  return tally;
}

/** A problem of the catalogue, at the lines that it speaks of. */
function faultsOf(known: Problem, parsed: ParsedProduct): ImportReport['errors'] {
  const errors = known.extra.errors ?? [];
  if (errors.length === 0)
    return [{ line: parsed.line, column: null, code: known.code, message: known.extra.detail ?? known.code }];
  return errors.map(({ pointer, message, code }) => {
    const at = /^\/variants\/(\d+)/.exec(pointer)?.[1];
    return {
      line: (at === undefined ? undefined : parsed.variantLines[Number(at)]) ?? parsed.line,
      column: pointer.split('/').at(-1) ?? null,
      code: code || known.code,
      message,
    };
  });
}

async function importOne(
  ctx: Ctx,
  parsed: ParsedProduct,
  options: ImportOptions,
  image: ImageOf,
): Promise<{ outcome: ProductImportResult['outcome']; warnings: RowWarning[] }> {
  const { product } = await checkProduct(asItem(parsed.product), ctx.tenant);
  // The place of a variant is the file's where it says one.
  for (const [i, variant] of product.variants.entries()) variant.position = parsed.product.variants[i]?.position ?? i;
  const images: typeof product.images = [];
  const warnings: RowWarning[] = [];
  for (const each of product.images) {
    const url = (await keptImage(ctx, each.url, image)) ?? each.url;
    if (isLink(url)) images.push({ ...each, url });
    else warnings.push(invalidImage(parsed, url));
  }
  const featured = options.featuredTag === undefined ? {} : { featured: product.tags.includes(options.featuredTag) };
  const { outcome, createdVariants, variants } = await ctx
    .require(catalog)
    .importProduct({ ...product, images, ...featured }, options.mode);
  const levels = ctx.use(stock);
  let counted = false;
  for (const [sku, quantity] of levels ? parsed.stock : []) {
    const id = options.stock === 'set' ? variants[sku] : createdVariants[sku];
    if (id === undefined) continue;
    if (options.stock === 'set') {
      const present = (await levels?.levels([id]))?.reduce((sum, level) => sum + level.onHand, 0) ?? 0;
      if (present === quantity) continue;
      counted = true;
    } else if (quantity === 0) continue;
    await levels?.set(id, quantity, { reference: 'import', reason: options.stock === 'set' ? 'count' : 'received' });
  }
  return { outcome: outcome === 'unchanged' && counted ? 'updated' : outcome, warnings };
}

const invalidImage = ({ imageLines, line }: ParsedProduct, url: string): RowWarning => ({
  line: imageLines.get(url) ?? line,
  code: 'image_invalid',
  message: `The image ${url.slice(0, 100)} isn't imported: the address must begin with http://, https:// or /.`,
});

async function keptImage(ctx: Ctx, source: string, image: ImageOf): Promise<string | null> {
  const known = await ctx.db.first<{ url: string }>(
    sql`select url from data_exchange_image where tenant_id = ${ctx.tenant.id} and source = ${source}`,
  );
  if (known) return known.url;
  const url = await image(source);
  if (url !== null) await rememberImage(ctx, source, url);
  return url;
}

export async function rememberImage(ctx: Ctx, source: string, url: string): Promise<void> {
  await ctx.db.run(
    sql`insert into data_exchange_image (tenant_id, id, source, url, created_at) values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${source}, ${url}, ${ctx.clock.now()}) on conflict (tenant_id, source) do nothing`,
  );
}
