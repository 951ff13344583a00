import { contractTest, testShop } from '@storeloom/testing';
import { describe, expect, it } from 'vitest';
import plugin from './index.ts';

contractTest(plugin);

describe('the demo', () => {
  it('creates the categories and current rates of Romania, once', async () => {
    const shop = await testShop({ plugins: ['taxes'], now: '2026-11-27T10:00:00.000Z' });
    try {
      const { admin, run } = shop.a;
      const list = async (path: string) =>
        (await admin.get<{ data: Record<string, unknown>[] }>(`/api/admin/taxes/${path}`)).body.data;
      await run('taxes', async (ctx) => plugin.seeds?.demo?.(ctx));
      const [categories, rates] = [await list('categories'), await list('rates?sort=country')];
      expect(categories.map(({ code, isDefault, kind }) => [code, isDefault, kind])).toEqual([
        ['reduced', false, 'goods'],
        ['standard', true, 'goods'],
      ]);
      expect(rates.map(({ country, ratePpm, validFrom, validTo }) => [country, ratePpm, validFrom, validTo]).sort()).toEqual([
        ['RO', 110_000, '2025-08-01', null],
        ['RO', 210_000, '2025-08-01', null],
      ]);
      await run('taxes', async (ctx) => plugin.seeds?.demo?.(ctx));
      expect([await list('categories'), await list('rates?sort=country')]).toEqual([categories, rates]);
    } finally {
      await shop.stop();
    }
  });
});
