import type { ProductImport } from '@storeloom/commerce';
import { escapeCsvCell, type LocalText, slugPattern } from '@storeloom/plugin-sdk';
import { toDecimalString } from '@storeloom/plugin-sdk/money';
import { decimalText } from './cells.ts';
import { productColumns, readCells, variantColumns, writeCells } from './native-columns.ts';
import type { ParsedProduct, ParseOptions, RowFault } from './parsed.ts';
import { commonParts, integerCell, listCell, moneyCell, optionCells, optionsOf, some } from './product-cells.ts';
import type { CsvRow } from './records.ts';

export const nativeRequired = ['slug', 'sku', 'price'] as const;
const maxOptions = 3;

/** Columns of the native file, in their fixed order: what an export writes and an import reads back unchanged. */
export function nativeColumns(locales: readonly string[]): string[] {
  const texts = (name: string): string[] => locales.map((locale) => `${name}[${locale}]`);
  const options = Array.from({ length: maxOptions }, (_, i) => [`option${i + 1}Name`, `option${i + 1}Value`]).flat();
  return [
    'slug',
    'status',
    'type',
    ...texts('title'),
    ...texts('description'),
    ...texts('shortDescription'),
    'brand',
    'category',
    'tags',
    'seoTitle',
    'seoDescription',
    'images',
    ...options,
    'sku',
    'barcode',
    'price',
    'compareAtPrice',
    'cost',
    'currency',
    'weightG',
    'trackInventory',
    'allowBackorder',
    'position',
    'stock',
    'seoCanonical',
    ...[...productColumns, ...variantColumns].map(({ name }) => name),
  ];
}

/** What an import takes, with what it leaves to other plugins. */
export interface ExportedProduct extends Required<Omit<ProductImport, 'variants'>> {
  variants: (Required<ProductImport['variants'][number]> & { stock: number | null })[];
}

/** Whether the columns for three options say all about the options: their number, their values and the order of these. */
function isPlain({ options, variants }: ExportedProduct): boolean {
  const derived = optionsOf(
    options.map(({ name }) => name),
    variants,
  );
  return (
    options.length <= maxOptions &&
    JSON.stringify(derived) === JSON.stringify(options.map(({ name, values }) => ({ name, values })))
  );
}

/** One row a variant; what belongs to the product stands in each of its rows. Texts can't be formulas. */
export function nativeRows(product: ExportedProduct, locales: readonly string[]): string[][] {
  const plain = isPlain(product);
  const more = writeCells(productColumns, {
    ...product,
    options: plain ? null : product.options.map(({ name, values }) => ({ name, values })),
  });
  return product.variants.map((variant) => {
    const options = Array.from({ length: maxOptions }, (_, i) => {
      const name = product.options[i]?.name;
      return name === undefined ? ['', ''] : [escapeCsvCell(name), escapeCsvCell(variant.optionValues[name] ?? '')];
    }).flat();
    const texts = (values: Record<string, string> | null): string[] =>
      locales.map((locale) => escapeCsvCell(values?.[locale] ?? ''));
    const money = (value: { amount: number; currency: string } | null): string => (value ? toDecimalString(value) : '');
    return [
      product.slug,
      product.status,
      product.type,
      ...texts(product.title),
      ...texts(product.description),
      ...texts(product.shortDescription),
      escapeCsvCell(product.brand ?? ''),
      escapeCsvCell(listCell(product.categoryPath ?? [], ' > ')),
      escapeCsvCell(listCell(product.tags, ', ')),
      escapeCsvCell(product.seo?.title ?? ''),
      escapeCsvCell(product.seo?.description ?? ''),
      product.images.length === 0 ? '' : escapeCsvCell(JSON.stringify(product.images.map(({ url, alt }) => ({ url, alt })))),
      ...options,
      escapeCsvCell(variant.sku),
      escapeCsvCell(variant.barcode ?? ''),
      money(variant.price),
      money(variant.compareAtPrice),
      money(variant.cost),
      variant.price.currency,
      variant.weightG === null ? '' : String(variant.weightG),
      String(variant.trackInventory),
      String(variant.allowBackorder),
      String(variant.position),
      variant.stock === null ? '' : String(variant.stock),
      escapeCsvCell(product.seo?.canonical ?? ''),
      ...more,
      ...writeCells(variantColumns, {
        ...variant,
        optionValues: product.options.length > maxOptions ? variant.optionValues : null,
      }),
    ];
  });
}

function imagesOf(row: CsvRow, faults: RowFault[]): ParsedProduct['product']['images'] {
  const text = some(row.cells.images);
  if (text === null) return [];
  try {
    const list = (text.startsWith('[') ? JSON.parse(text) : text.split('|').map((url) => ({ url: url.trim(), alt: null }))) as {
      url?: unknown;
      alt?: unknown;
    }[];
    return list.map(({ url, alt }, i) => {
      if (typeof url !== 'string' || url === '') throw new Error('no address');
      return { url, alt: altOf(alt), position: i };
    });
  } catch {
    faults.push({
      line: row.line,
      column: 'images',
      code: 'invalid',
      message: 'must be URLs separated by |, or a list as in an export',
    });
    return [];
  }
}

/** A text, or texts by locale. */
function altOf(alt: unknown): string | LocalText | null {
  if (typeof alt === 'object' && alt !== null && Object.values(alt).every((text) => typeof text === 'string'))
    return alt as LocalText;
  return typeof alt === 'string' && alt !== '' ? alt : null;
}

/** The rows of one slug as a product. */
export function parseNative(rows: readonly CsvRow[], options: ParseOptions): ParsedProduct {
  const faults: RowFault[] = [];
  const first = rows[0] as CsvRow;
  const slug = some(first.cells.slug) ?? '';
  if (!slugPattern.test(slug))
    faults.push({ line: first.line, column: 'slug', code: 'invalid', message: 'must be words of a-z and 0-9 separated by -' });
  const texts = (name: string): Record<string, string> | null => {
    const found: Record<string, string> = {};
    for (const locale of options.locales) {
      const value = some(first.cells[`${name}[${locale}]`]);
      if (value !== null) found[locale] = value;
    }
    const plain = some(first.cells[name]);
    if (plain !== null) found[options.defaultLocale] ??= plain;
    return Object.keys(found).length > 0 ? found : null;
  };
  const title = texts('title');
  if (!title?.[options.defaultLocale])
    faults.push({
      line: first.line,
      column: `title[${options.defaultLocale}]`,
      code: 'required',
      message: 'the product has no title in the default language',
    });
  const oneOf = <V extends string>(column: string, values: readonly V[], fallback: V): V => {
    const text = some(first.cells[column]);
    if (text === null) return fallback;
    if (!(values as readonly string[]).includes(text))
      faults.push({ line: first.line, column, code: 'invalid', message: `must be one of ${values.join(', ')}` });
    return text as V;
  };
  const status = oneOf('status', ['draft', 'active', 'archived'], 'draft');
  const type = oneOf('type', ['physical', 'digital', 'service'], 'physical');
  const names = [1, 2, 3].map((n) => some(first.cells[`option${n}Name`]) ?? '');
  const variants: ParsedProduct['product']['variants'] = [];
  const variantLines: number[] = [];
  const units = new Map<string, number>();
  for (const row of rows) {
    const before = faults.length;
    const sku = some(row.cells.sku);
    if (sku === null) faults.push({ line: row.line, column: 'sku', code: 'required', message: 'the variant has no SKU' });
    const currency = some(row.cells.currency) ?? options.currency;
    const inCurrency = { ...options, currency };
    const price = moneyCell(row, 'price', inCurrency, faults);
    if (price === null && some(row.cells.price) === null)
      faults.push({ line: row.line, column: 'price', code: 'required', message: 'the variant has no price' });
    const compareAtPrice = moneyCell(row, 'compareAtPrice', inCurrency, faults);
    const cost = moneyCell(row, 'cost', inCurrency, faults);
    const weightG = integerCell(row, 'weightG', faults, options);
    const stock = integerCell(row, 'stock', faults, options);
    const more = readCells(variantColumns, row, inCurrency, faults);
    if (faults.length > before || price === null || sku === null) continue;
    const position = decimalText(row.cells.position ?? '', false);
    variants.push({
      sku,
      barcode: some(row.cells.barcode),
      optionValues: optionCells(row, names, (n) => `option${n}Value`),
      price,
      compareAtPrice,
      ...(cost === null ? {} : { cost }),
      weightG,
      trackInventory: some(row.cells.trackInventory) !== 'false',
      allowBackorder: some(row.cells.allowBackorder) === 'true',
      position: position === undefined ? variants.length : Number(position),
      ...more,
    });
    variantLines.push(row.line);
    if (stock !== null) units.set(sku, Math.max(0, stock));
  }
  const product: ParsedProduct['product'] = {
    slug,
    title: title ?? {},
    description: texts('description'),
    shortDescription: texts('shortDescription'),
    status,
    type,
    brand: some(first.cells.brand),
    ...commonParts(first.cells, names, variants),
    images: imagesOf(first, faults),
    ...readCells(productColumns, first, options, faults),
    variants,
  };
  return {
    product,
    variantLines,
    line: first.line,
    rows: rows.length,
    stock: units,
    imageLines: new Map(),
    faults,
    warnings: [],
  };
}
