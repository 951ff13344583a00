import { escapeCsvCell } from '@storeloom/plugin-sdk';
import { toDecimalString } from '@storeloom/plugin-sdk/money';
import type { ParseOptions, RowFault } from './parsed.ts';
import { integerCell, moneyCell, some } from './product-cells.ts';
import type { CsvRow } from './records.ts';

/** A column whose cell is one value. An empty cell leaves the value as it is. */
interface Column {
  name: string;
  /** Property of the product or variant; default: the name. */
  property?: string;
  kind: 'text' | 'integer' | 'boolean' | 'money' | 'json';
}

/** Columns of the product, in each of its rows. */
export const productColumns = [
  { name: 'featured', kind: 'boolean' },
  { name: 'returnable', kind: 'boolean' },
  { name: 'minAge', kind: 'integer' },
  { name: 'productWeightG', property: 'weightG', kind: 'integer' },
  { name: 'hsCode', kind: 'text' },
  { name: 'countryOfOrigin', kind: 'text' },
  { name: 'taxCategory', kind: 'text' },
  { name: 'publishedAt', kind: 'text' },
  { name: 'productPosition', property: 'position', kind: 'integer' },
  { name: 'otherCategories', property: 'otherCategoryPaths', kind: 'json' },
  { name: 'options', kind: 'json' },
  { name: 'metadata', kind: 'json' },
] as const satisfies readonly Column[];

export const variantColumns = [
  { name: 'minPrice', kind: 'money' },
  { name: 'dimsMm', kind: 'json' },
  { name: 'backorderLimit', kind: 'integer' },
  { name: 'minPerOrder', kind: 'integer' },
  { name: 'maxPerOrder', kind: 'integer' },
  { name: 'step', kind: 'integer' },
  { name: 'active', kind: 'boolean' },
  { name: 'optionValues', kind: 'json' },
  { name: 'digitalFiles', kind: 'json' },
  { name: 'prices', kind: 'json' },
  { name: 'variantImage', property: 'image', kind: 'text' },
  { name: 'variantMetadata', property: 'metadata', kind: 'json' },
] as const satisfies readonly Column[];

/** Cells of the columns. Empty for null, and for empty lists. */
export function writeCells(columns: readonly Column[], item: object): string[] {
  return columns.map(({ name, property = name, kind }) => {
    const value = (item as Record<string, unknown>)[property] ?? null;
    if (value === null || (Array.isArray(value) && value.length === 0)) return '';
    if (kind === 'json') return escapeCsvCell(JSON.stringify(value));
    if (kind === 'money') return toDecimalString(value as { amount: number; currency: string });
    return kind === 'text' ? escapeCsvCell(String(value)) : String(value);
  });
}

/** Values of the cells that aren't empty, by property. `checkProduct` checks them. */
export function readCells(
  columns: readonly Column[],
  row: CsvRow,
  options: ParseOptions,
  faults: RowFault[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, property = name, kind } of columns) {
    const cell = some(row.cells[name]);
    if (cell === null) continue;
    const value = readCell(kind, cell, row, name, options, faults);
    if (value !== null) values[property] = value;
  }
  return values;
}

function readCell(
  kind: Column['kind'],
  cell: string,
  row: CsvRow,
  column: string,
  options: ParseOptions,
  faults: RowFault[],
): unknown {
  const invalid = (message: string): null => {
    faults.push({ line: row.line, column, code: 'invalid', message });
    return null;
  };
  switch (kind) {
    case 'integer':
      return integerCell(row, column, faults, options);
    case 'money':
      return moneyCell(row, column, options, faults);
    case 'boolean':
      return /^(true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : invalid('must be true or false');
    case 'json':
      try {
        return JSON.parse(cell) as unknown;
      } catch {
        return invalid('must be JSON as in an export');
      }
    default:
      return cell;
  }
}
