import type { Plugin } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestShop, testShop } from '../shop/shop.ts';
import { type LeakOptions, type LeakReport, leakFaults } from './leaks.ts';

export interface LeakTestOptions extends Pick<LeakOptions, 'sentinels'> {
  /** Plugins beside the tested one, by short name. */
  plugins?: readonly string[];
  /** Fills the first shop, after the plugin's demo: of every thing that has a private field, at least one. */
  fill?(shop: TestShop): Promise<void>;
  /** Requests that nobody could make up, once the shop is full: a booking that goes through. */
  requests?(shop: TestShop): Promise<LeakOptions['requests']>;
  /** Private places that hold nothing by which they could be recognised (`booking_staff.active`). */
  unmarked?: readonly string[];
  /** Routes that answer nobody in the test. */
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
