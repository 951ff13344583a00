import { fileURLToPath } from 'node:url';
import { type TestShop, type TestShopOptions, testShop } from '../src/index.ts';
import gallery from './gallery/src/index.ts';
import studio from './studio/src/index.ts';

const folder = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A shop with a plugin that has a column of each kind, and one that uses what it offers. */
export function studioShop(options: Partial<TestShopOptions> = {}): Promise<TestShop> {
  return testShop({ plugins: [folder('studio'), folder('gallery')], modules: { studio, gallery }, workers: false, ...options });
}
