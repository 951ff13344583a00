import { slugify } from '@storeloom/plugin-sdk';
import type { ParsedProduct, ParseOptions, RowFault, RowWarning } from './parsed.ts';
import { commonParts, integerCell, moneyCell, optionCells, some } from './product-cells.ts';
import type { CsvRow } from './records.ts';

export const shopifyRequired = ['Handle', 'Title'] as const;

/** Columns of the fields of products and variants, for errors. */
export const shopifyColumns: Readonly<Record<string, string>> = Object.assign(Object.create(null) as Record<string, string>, {
  slug: 'Handle',
  title: 'Title',
  description: 'Body (HTML)',
  brand: 'Vendor',
  categoryPath: 'Type',
  tags: 'Tags',
  status: 'Status',
  sku: 'Variant SKU',
  barcode: 'Variant Barcode',
  price: 'Variant Price',
  compareAtPrice: 'Variant Compare At Price',
  cost: 'Cost per item',
  weightG: 'Variant Grams',
  stock: 'Variant Inventory Qty',
});

const truth = (text: string | undefined): boolean => /^(true|yes|1|da)$/i.test(text?.trim() ?? '');

/** The format carries one language; further columns such as `Title[en]` carry the others. */
function otherLanguages(row: CsvRow, column: string, { locales, defaultLocale }: ParseOptions): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const locale of locales) {
    const text = some(row.cells[`${column}[${locale}]`]);
    if (locale !== defaultLocale && text !== null) texts[locale] = text;
  }
  return texts;
}

/** A variant is tracked if the file names a tracker or units. Without a tracker column also if it has 0 units. */
function isTracked({ cells }: CsvRow, quantity: number | null): boolean {
  const column = cells['Variant Inventory Tracker'];
  return some(column) !== null || (quantity !== null && (quantity > 0 || column === undefined));
}

/** The rows of one handle as a product. `Default Title` means no options; an empty SKU gets a stable made-up one. */
export function parseShopify(rows: readonly CsvRow[], options: ParseOptions): ParsedProduct {
  const faults: RowFault[] = [];
  const warnings: RowWarning[] = [];
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
  const variants: ParsedProduct['product']['variants'] = [];
  const variantLines: number[] = [];
  const units = new Map<string, number>();
  const images = new Map<string, { url: string; alt: string | null; position: number }>();
  const imageLines = new Map<string, number>();
  for (const row of rows) {
    const src = some(row.cells['Image Src']);
    const ownImage = some(row.cells['Variant Image']);
    for (const url of [src, ownImage]) if (url !== null && !imageLines.has(url)) imageLines.set(url, row.line);
    if (src !== null && !images.has(src))
      images.set(src, {
        url: src,
        alt: some(row.cells['Image Alt Text']),
        position: Number(row.cells['Image Position']) || images.size + 1,
      });
    if (ownImage !== null && !images.has(ownImage))
      images.set(ownImage, { url: ownImage, alt: null, position: 1000 + images.size });
    const optionValues = optionCells(row, names, (n) => `Option${n} Value`);
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
      ...(ownImage === null ? {} : { image: ownImage }),
      ...(row.cells['Cost per item'] === undefined || cost === null ? {} : { cost }),
      weightG: weight === 0 ? null : weight,
      trackInventory: isTracked(row, quantity),
      allowBackorder: row.cells['Variant Inventory Policy']?.trim().toLowerCase() === 'continue',
      position: variants.length,
    });
    variantLines.push(row.line);
    if (quantity !== null) units.set(sku, Math.max(0, quantity));
    if (/^(false|no|0|nu)$/i.test(some(row.cells['Variant Taxable']) ?? ''))
      warnings.push({
        line: row.line,
        code: 'taxable_ignored',
        message: `Variant Taxable of ${sku} is ignored: the tax depends on the tax category of the product. Assign a category with the rate 0.`,
      });
  }
  if (variants.some(({ trackInventory }) => trackInventory))
    for (const [i, variant] of variants.entries()) {
      if (variant.trackInventory) continue;
      variant.trackInventory = true;
      warnings.push({
        line: variantLines[i] as number,
        code: 'inventory_tracked',
        message: `The stock of ${variant.sku} is tracked although its Variant Inventory Tracker is empty, because that of other variants of the product is tracked.`,
      });
    }
  if (variants.length === 0 && faults.length === 0)
    faults.push({
      line: first.line,
      column: 'Variant Price',
      code: 'required',
      message: 'the product has no variant with a price',
    });
  const status = some(first.cells.Status)?.toLowerCase();
  const body = some(first.cells['Body (HTML)']);
  const shipped = rows.map((row) => some(row.cells['Variant Requires Shipping'])).filter((cell) => cell !== null);
  const product: ParsedProduct['product'] = {
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
    ...commonParts(
      {
        category: first.cells.Type,
        tags: first.cells.Tags,
        seoTitle: first.cells['SEO Title'],
        seoDescription: first.cells['SEO Description'],
      },
      names,
      variants,
    ),
    images: [...images.values()],
    variants,
  };
  return { product, variantLines, line: first.line, rows: rows.length, stock: units, imageLines, faults, warnings };
}
