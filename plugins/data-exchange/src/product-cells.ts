import type { ProductImport } from '@storeloom/commerce';
import { parseDecimal } from '@storeloom/plugin-sdk/money';
import { decimalText } from './cells.ts';
import type { ParseOptions, RowFault } from './parsed.ts';
import type { CsvRow } from './records.ts';

export const some = (text: string | undefined): string | null => text?.trim() || null;

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
  if (decimal === undefined || decimal.startsWith('-')) return bad(`${text.slice(0, 40)} is not a price`);
  try {
    return parseDecimal(decimal.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''), options.currency);
  } catch {
    return bad(`${text.slice(0, 40)} has too many decimals for ${options.currency}`);
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
    faults.push({ line: row.line, column, code: 'invalid', message: `${text.slice(0, 40)} is not a number` });
    return null;
  }
  return Math.round(number);
}

/** Option values of a row, by the names that the product's first row gives. */
export function optionCells(row: CsvRow, names: readonly string[], column: (n: number) => string): Record<string, string> {
  // A file names what it likes, `__proto__` too.
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [i, name] of names.entries()) {
    const value = some(row.cells[column(i + 1)]);
    if (name && value !== null) values[name] = value;
  }
  return values;
}

/** Names in one cell; as a JSON list where one of them has the separator in it. */
export function listCell(names: readonly string[], separator: string): string {
  const ambiguous = names.some((name) => name.includes(separator.trim()) || name.startsWith('['));
  return ambiguous ? JSON.stringify(names) : names.join(separator);
}
function parts(text: string, separator: string): string[] {
  const names = jsonList(text) ?? text.split(separator);
  return names.map((name) => name.trim()).filter(Boolean);
}
function jsonList(text: string): string[] | undefined {
  if (!text.trim().startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((name) => typeof name === 'string') ? list : undefined;
  } catch {
    // A name that begins with a bracket.
    return undefined;
  }
}

/** What both formats write alike: the category as a path of `>`, tags parted by commas, options with the values that variants have. */
export function commonParts(
  cells: Partial<Record<'category' | 'tags' | 'seoTitle' | 'seoDescription' | 'seoCanonical', string>>,
  names: readonly string[],
  variants: ProductImport['variants'],
): Pick<ProductImport, 'categoryPath' | 'tags' | 'options' | 'seo'> {
  const category = some(cells.category);
  const [title, description, canonical] = [some(cells.seoTitle), some(cells.seoDescription), some(cells.seoCanonical)];
  return {
    categoryPath: category === null ? null : parts(category, '>'),
    tags: parts(cells.tags ?? '', ','),
    options: optionsOf(names.filter(Boolean), variants),
    seo: title === null && description === null && canonical === null ? null : { title, description, canonical },
  };
}

/** Options with the values that variants have, in the order of the variants. */
export const optionsOf = (
  names: readonly string[],
  variants: readonly Pick<ProductImport['variants'][number], 'optionValues'>[],
): ProductImport['options'] =>
  names.map((name) => ({
    name,
    values: [...new Set(variants.map((variant) => variant.optionValues[name]).filter((value) => value !== undefined))],
  }));
