import { slugify } from '@storeloom/plugin-sdk';
import { parseDecimal } from '@storeloom/plugin-sdk/money';
import { decimalText } from './cells.ts';
import type { ParsedProduct, ParseOptions, RowFault } from './parsed.ts';
import type { CsvRow } from './records.ts';

export const shopifyRequired = ['Handle', 'Title'] as const;

const truth = (text: string | undefined): boolean => /^(true|yes|1|da)$/i.test(text?.trim() ?? '');
const some = (text: string | undefined): string | null => text?.trim() || null;

/** Money of a cell; a fault where it is none. */
export function moneyCell(
  row: CsvRow,
  column: string,
  options: ParseOptions,
  faults: RowFault[],
): { amount: number; currency: string } | null {
  const text = some(row.cells[column]);
  if (text === null) return null;
  const decimal = decimalText(text, options.decimalComma);
  const bad = (message: string): null => {
    faults.push({ line: row.line, column, code: 'money_invalid', message });
    return null;
  };
  if (decimal === undefined || decimal.startsWith('-')) return bad(`${text.slice(0, 40)} is no price`);
  try {
    return parseDecimal(decimal.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''), options.currency);
  } catch {
    return bad(`${text.slice(0, 40)} has more decimals than ${options.currency}`);
  }
}

/** A whole number of a cell; null where it is empty. */
export function integerCell(
  row: CsvRow,
  column: string,
  faults: RowFault[],
  options: Pick<ParseOptions, 'decimalComma'>,
): number | null {
  const text = some(row.cells[column]);
  if (text === null) return null;
  const decimal = decimalText(text, options.decimalComma);
  const number = decimal === undefined ? Number.NaN : Number(decimal);
  if (!Number.isFinite(number) || Math.abs(number) > 2_000_000_000) {
    faults.push({ line: row.line, column, code: 'invalid', message: `${text.slice(0, 40)} is no number` });
    return null;
  }
  return Math.round(number);
}

/** Option values of a row, by the names that the product's first row gives. */
function optionsOf(row: CsvRow, names: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    const value = some(row.cells[`Option${i + 1} Value`]);
    if (name && value !== null) values[name] = value;
  }
  return values;
}

/** The format carries one language; further columns such as `Title[en]` carry the others. */
function otherLanguages(row: CsvRow, column: string, { locales, defaultLocale }: ParseOptions): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const locale of locales) {
    const text = some(row.cells[`${column}[${locale}]`]);
    if (locale !== defaultLocale && text !== null) texts[locale] = text;
  }
  return texts;
}

/** The rows of one handle as a product. `Default Title` means no options; an empty SKU gets a stable made-up one. */
export function parseShopify(rows: readonly CsvRow[], options: ParseOptions): ParsedProduct {
  const faults: RowFault[] = [];
  const first = rows.find((row) => some(row.cells.Title)) ?? (rows[0] as CsvRow);
  const handle = some(first.cells.Handle) ?? '';
  const title = some(first.cells.Title);
  if (title === null) faults.push({ line: first.line, column: 'Title', code: 'required', message: 'the product has no title' });
  if (truth(first.cells['Gift Card']))
    faults.push({ line: first.line, column: 'Gift Card', code: 'unsupported', message: 'gift cards are issued, not imported' });
  const single =
    some(first.cells['Option1 Name'])?.toLowerCase() === 'title' && some(first.cells['Option1 Value']) === 'Default Title';
  const names = single ? [] : [1, 2, 3].map((n) => some(first.cells[`Option${n} Name`]) ?? '');
  const locale = options.defaultLocale;
  const parsed: ParsedProduct = {
    product: undefined as never,
    variantLines: [],
    line: first.line,
    rows: rows.length,
    stock: new Map(),
    faults,
  };
  const variants: ParsedProduct['product']['variants'] = [];
  const images = new Map<string, { url: string; alt: string | null; position: number }>();
  for (const row of rows) {
    const src = some(row.cells['Image Src']);
    if (src !== null && !images.has(src))
      images.set(src, {
        url: src,
        alt: some(row.cells['Image Alt Text']),
        position: Number(row.cells['Image Position']) || images.size + 1,
      });
    const ownImage = some(row.cells['Variant Image']);
    if (ownImage !== null && !images.has(ownImage))
      images.set(ownImage, { url: ownImage, alt: null, position: 1000 + images.size });
    const optionValues = optionsOf(row, names);
    const isVariant = some(row.cells['Variant Price']) !== null || Object.keys(optionValues).length > 0;
    if (!isVariant) continue;
    const before = faults.length;
    const price = moneyCell(row, 'Variant Price', options, faults);
    if (price === null && faults.length === before)
      faults.push({ line: row.line, column: 'Variant Price', code: 'required', message: 'the variant has no price' });
    const compareAt = moneyCell(row, 'Variant Compare At Price', options, faults);
    const cost = moneyCell(row, 'Cost per item', options, faults);
    const weight = integerCell(row, 'Variant Grams', faults, options);
    const quantity = integerCell(row, 'Variant Inventory Qty', faults, options);
    // A row with a fault is named and left out; the others of the product go in.
    if (faults.length > before || price === null) continue;
    const sku = some(row.cells['Variant SKU']) ?? `${handle}-${variants.length + 1}`;
    variants.push({
      sku,
      barcode: some(row.cells['Variant Barcode']),
      optionValues,
      price,
      compareAtPrice: compareAt,
      ...(row.cells['Cost per item'] === undefined || cost === null ? {} : { cost }),
      weightG: weight === 0 ? null : weight,
      trackInventory:
        some(row.cells['Variant Inventory Tracker']) !== null ||
        (row.cells['Variant Inventory Qty'] !== undefined && quantity !== null && quantity > 0),
      allowBackorder: row.cells['Variant Inventory Policy']?.trim().toLowerCase() === 'continue',
      position: variants.length,
    });
    parsed.variantLines.push(row.line);
    if (quantity !== null) parsed.stock.set(sku, Math.max(0, quantity));
  }
  if (variants.length === 0 && faults.length === 0)
    faults.push({
      line: first.line,
      column: 'Variant Price',
      code: 'required',
      message: 'the product has no variant with a price',
    });
  const status = some(first.cells.Status)?.toLowerCase();
  const seoTitle = some(first.cells['SEO Title']);
  const seoDescription = some(first.cells['SEO Description']);
  const body = some(first.cells['Body (HTML)']);
  const shipped = rows.map((row) => some(row.cells['Variant Requires Shipping'])).filter((cell) => cell !== null);
  parsed.product = {
    slug: slugify(handle),
    title: { ...otherLanguages(first, 'Title', options), [locale]: title ?? handle },
    description: body === null ? null : { ...otherLanguages(first, 'Body (HTML)', options), [locale]: body },
    status:
      status === 'active' || status === 'draft' || status === 'archived'
        ? status
        : truth(first.cells.Published ?? 'true')
          ? 'active'
          : 'draft',
    type: shipped.length > 0 && shipped.every((cell) => /^false$/i.test(cell as string)) ? 'service' : 'physical',
    brand: some(first.cells.Vendor),
    categoryPath:
      some(first.cells.Type)
        ?.split('>')
        .map((part) => part.trim())
        .filter(Boolean) ?? null,
    tags: (first.cells.Tags ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    options: names.filter(Boolean).map((name) => ({
      name,
      values: [...new Set(variants.map((variant) => variant.optionValues[name]).filter((value) => value !== undefined))],
    })),
    seo: seoTitle === null && seoDescription === null ? null : { title: seoTitle, description: seoDescription },
    images: [...images.values()],
    variants,
  };
  return parsed;
}
