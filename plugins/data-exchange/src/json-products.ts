import { Problem, problem } from '@storeloom/plugin-sdk';
import type { ParsedProduct, ParseOptions } from './parsed.ts';
import { checkProduct } from './product-shape.ts';

/** Products of a JSON body: a list of them. A product with a fault is named by its place and skipped. */
export async function* parseJsonProducts(text: string, options: ParseOptions): AsyncIterable<ParsedProduct> {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw problem('malformed_request', { detail: 'The file is not valid JSON.' });
  }
  if (!Array.isArray(list))
    throw problem('validation_failed', {
      detail: 'The file must be a list of products.',
      errors: [{ pointer: '', code: 'invalid_type', message: 'must be a list' }],
    });
  for (const [i, item] of list.entries()) yield one(item, i + 1, options);
}

const noFaults = (): Pick<ParsedProduct, 'imageLines' | 'faults' | 'warnings'> => ({
  imageLines: new Map(),
  faults: [],
  warnings: [],
});

async function one(item: unknown, line: number, options: ParseOptions): Promise<ParsedProduct> {
  try {
    const { product, stock } = await checkProduct(item, options);
    return { product, variantLines: product.variants.map(() => line), line, rows: 1, stock, ...noFaults() };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const faults = (error.extra.errors ?? [{ pointer: '', code: error.code, message: error.message }]).map(
      ({ pointer, code, message }) => ({ line, column: pointer || null, code, message }),
    );
    // cast: a product with faults is reported and never imported; nothing reads the rest of it.
    const product = { variants: [] } as unknown as ParsedProduct['product'];
    return { product, variantLines: [], line, rows: 1, stock: new Map(), ...noFaults(), faults };
  }
}
