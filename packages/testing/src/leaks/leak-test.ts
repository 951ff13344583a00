import type { Plugin } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestShop, testShop } from '../shop/shop.ts';
import { type LeakOptions, type LeakReport, leakFaults } from './leaks.ts';

/** Options of `leakTest`. */
export interface LeakTestOptions extends Pick<LeakOptions, 'sentinels'> {
  /** Short names of further plugins. */
  plugins?: readonly string[];
  /** Creates rows in the first shop, after the plugin's demo: at least one with each private field. */
  fill?(shop: TestShop): Promise<void>;
  /** Returns requests that can't be generated, for instance a booking that succeeds. */
  requests?(shop: TestShop): Promise<LeakOptions['requests']>;
  /** Expected private places without a recognisable value (`booking_staff.active`). */
  unmarked?: readonly string[];
  /** Expected routes without a successful response. */
  silent?: readonly string[];
}

/**
 * What a plugin keeps to itself: every field that is private or sensitive holds a value found nowhere else, every storefront route of the
 * installation is called as a visitor and as a customer, and no answer shows one. Vacuous runs fail too: a private field without a row,
 * a route that only answered problems.
 */
export function leakTest(plugin: Plugin, options: LeakTestOptions = {}): void {
  describe(`what ${plugin.name} keeps to itself`, () => {
    let shop: TestShop;
    let report: LeakReport;
    beforeAll(async () => {
      shop = await testShop({ plugins: [...(options.plugins ?? []), plugin.name] });
      const seed = plugin.seeds?.demo;
      if (seed) await shop.a.run(plugin.name, (ctx) => seed(ctx));
      await options.fill?.(shop);
      await shop.settled();
      const requests = (await options.requests?.(shop)) ?? [];
      report = await leakFaults(shop, { plugins: [plugin.name], requests, sentinels: options.sentinels ?? {} });
    }, 300_000);
    afterAll(() => shop?.stop());

    it('is in no answer to a stranger', () => {
      expect(report.faults).toEqual([]);
    });
    it('was there to be found', () => {
      expect(report.unmarked.toSorted()).toEqual([...(options.unmarked ?? [])].sort());
      expect(report.marked.length).toBeGreaterThan(0);
    });
    it('was looked for in a good answer of every route', () => {
      expect(report.silent.toSorted()).toEqual([...(options.silent ?? [])].sort());
    });
  });
}
