import type { ProductImport } from '@storeloom/commerce';

export interface RowFault {
  line: number;
  column: string | null;
  code: string;
  message: string;
}

/** A value of a row that was changed or ignored, while the row was imported. */
export interface RowWarning {
  line: number;
  code: string;
  message: string;
}

/** One product of a file, with the lines that it came from. */
export interface ParsedProduct {
  product: ProductImport;
  /** Line of each variant, by its place in `product.variants`. */
  variantLines: number[];
  /** First line. */
  line: number;
  rows: number;
  /** Stock column by SKU. */
  stock: Map<string, number>;
  /** Line of each image, by its address. Without an entry: the first line. */
  imageLines: ReadonlyMap<string, number>;
  faults: RowFault[];
  warnings: RowWarning[];
}

export interface ParseOptions {
  currency: string;
  defaultLocale: string;
  locales: readonly string[];
  decimalComma: boolean;
}
