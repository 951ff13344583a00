import { draftMigration } from '@storeloom/migration-draft';
import type { Plugin } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestPlugin } from '../shop/plugins.ts';
import { type TestShop, testShop } from '../shop/shop.ts';
import { badInputs } from './bad-input.ts';
import { isolationFaults } from './isolation.ts';
import { keyFaults } from './keys.ts';
import { listFaults } from './lists.ts';
import { tenancyFaults } from './schema.ts';

/** Options of `contractTest`. */
export interface ContractTestOptions {
  /** Further plugins; those that the tested one requires must be among them. */
  plugins?: readonly TestPlugin[];
  /** Creates rows in both tenants before the isolation probes. */
  fill?(shop: TestShop): Promise<void>;
}

/**
 * What every plugin keeps: it loads, its migrations make what its fields say, its tables are behind row-level security, no route gives away
 * or changes another tenant's rows, bad input is answered with 4xx, its messages are complete, its routes are documented.
 */
export function contractTest(plugin: Plugin, options: ContractTestOptions = {}): void {
  describe(`contract of ${plugin.name}`, () => {
    let shop: TestShop;
    beforeAll(async () => {
      shop = await testShop({ plugins: [...(options.plugins ?? []), plugin] });
      for (const tenant of [shop.a, shop.b]) {
        const seed = plugin.seeds?.demo;
        if (seed) await tenant.run(plugin.name, (ctx) => seed(ctx));
      }
      await options.fill?.(shop);
    });
    afterAll(() => shop?.stop());

    it('loads', () => {
      const state = shop.kernel.registry.states().find((record) => record.name === plugin.name);
      expect(state).toMatchObject({ state: 'ready', reason: null });
    });

    it('has the tables, columns, keys and checks that its tables declare', async () => {
      const lacking = await draftMigration(shop.prepared.ownerUrl, shop.prepared.tablesOf(plugin.name));
      expect(lacking, `draft the migration with \`storeloom migrate diff ${plugin.name}\``).toBe('');
    });

    it('declares its indexes and unique keys, or names them as SQL-only with a reason', async () => {
      const entities = [...shop.kernel.contributions.entities.values()].filter((entity) => entity.plugin === plugin.name);
      const tables = entities.map(({ table }) => table);
      expect(await keyFaults(shop.prepared.ownerUrl, tables)).toEqual([]);
    });

    it('keeps tenants apart in the schema', async () => {
      expect(await tenancyFaults(shop)).toEqual([]);
    });

    it('answers another tenant as if its things did not exist', async () => {
      expect((await isolationFaults(shop, plugin.name)).faults).toEqual([]);
    });

    it('filters, sorts and searches its lists', async () => {
      expect(await listFaults(shop, plugin.name)).toEqual([]);
    });

    it('answers bad input with a problem and never with 5xx', async () => {
      const { faults } = await badInputs(shop, { count: 300, plugins: [plugin.name] });
      expect(faults).toEqual([]);
    });

    it('has every message in ro and en', () => {
      const keys = (locale: 'ro' | 'en'): string[] => Object.keys(plugin.locales?.[locale] ?? {}).sort();
      expect(keys('ro'), 'messages that only one of locales/ro.json and locales/en.json has').toEqual(keys('en'));
    });

    it('documents its routes', async () => {
      const document = (await shop.kernel.openapi()) as {
        paths: Record<string, Record<string, { operationId?: string; 'x-plugin'?: string }>>;
      };
      // OpenAPI knows one template a shape: parameters of routes that share one may be named differently there.
      const shapeOf = (path: string): string => path.replace(/\{\w+\}/g, '{}');
      const documented = new Map(Object.entries(document.paths).map(([path, item]) => [shapeOf(path), item]));
      const undocumented = shop.kernel.routes.filter(
        (route) =>
          route.plugin === plugin.name &&
          documented.get(shapeOf(route.path))?.[route.route.method.toLowerCase()]?.operationId === undefined,
      );
      expect(undocumented.map((route) => `${route.route.method} ${route.path}`)).toEqual([]);
    });
  });
}
