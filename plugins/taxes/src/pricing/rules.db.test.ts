import { type PricingContext, pricing } from '@storeloom/commerce';
import { sql } from '@storeloom/plugin-sdk';
import type { TestShop } from '@storeloom/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { line, place, price, shipping } from '../../test/sale.ts';
import { type Json, makeCategory, makeRate, romanianRates, setTaxes, taxShop } from '../../test/tax-shop.ts';

let shop: TestShop;
let standard: string;
let reduced: string;
beforeAll(async () => {
  shop = await taxShop();
  ({ standard, reduced } = await romanianRates(shop.a));
});
afterAll(() => shop?.stop());

describe('rules of the shop', () => {
  const net: Partial<PricingContext> = { priceMode: 'net', shippingAddress: place('RO') };
  let seven: string;
  let nineteen: string;
  beforeAll(async () => {
    seven = (await makeCategory(shop.a, 'seven')).id;
    nineteen = (await makeCategory(shop.a, 'nineteen')).id;
    await makeRate(shop.a, seven, 70_000);
    await makeRate(shop.a, nineteen, 190_000);
  });

  it('C13 and B36: shipping is taxed in proportion to the goods', async () => {
    const priced = await price(
      shop.a,
      [line('a', 1000, { taxCategoryId: seven }), line('b', 2000, { taxCategoryId: nineteen })],
      net,
      shipping(600),
    );
    expect(priced.sheet.shippingLines[0]?.taxGroups.map((group) => [group.ratePpm, group.base, group.tax])).toEqual([
      [190_000, 400, 76],
      [70_000, 200, 14],
    ]);
  });

  it('C14: goods of 7 % only: shipping has 7 %', async () => {
    const priced = await price(shop.a, [line('a', 5000, { taxCategoryId: seven })], net, shipping(1000));
    expect(priced.shippingLines[0]?.tax).toBe(70);
  });

  it('C15: constant_net to a place without tax', async () => {
    await setTaxes(shop.a, { crossBorderPricePolicy: 'constant_net' });
    const lines = [
      line('a', 2000, { taxCategoryId: seven, locked: false }),
      line('b', 3000, { taxCategoryId: nineteen, locked: false }),
      line('c', 1000, { taxCategoryId: nineteen, locked: false }),
    ];
    // Without a tax the prices don't change.
    const given = lines.map((one) => ({ ...one, kind: 'test.given' }));
    const abroad = await price(shop.a, given, { shippingAddress: place('US') });
    expect(abroad.lines.map((one) => one.total)).toEqual([1869, 2521, 840]);
    expect(abroad.totals.taxTotal).toBe(0);
    const home = await price(shop.a, given, { shippingAddress: place('RO') });
    expect(home.lines.map((one) => one.total)).toEqual([2000, 3000, 1000]);
    await setTaxes(shop.a, { crossBorderPricePolicy: 'constant_gross' });
  });

  it('shippingTaxMode and its category', async () => {
    const lines = [line('a', 1000, { taxCategoryId: seven }), line('b', 2000, { taxCategoryId: nineteen })];
    const tax = async () => (await price(shop.a, lines, net, shipping(1000))).shippingLines[0]?.tax;
    await setTaxes(shop.a, { shippingTaxMode: 'highest_rate' });
    expect(await tax()).toBe(190);
    await setTaxes(shop.a, { shippingTaxMode: 'fixed_category', shippingTaxCategoryId: reduced });
    expect(await tax()).toBe(110);
    await setTaxes(shop.a, { shippingTaxCategoryId: null });
    expect(await tax()).toBe(210);
    await setTaxes(shop.a, { shippingTaxMode: 'proportional' });
    expect((await shop.a.admin.get<Json>('/api/admin/settings/store')).body).toMatchObject({
      taxRoundingLevel: 'line',
      crossBorderPricePolicy: 'constant_gross',
      shippingTaxMode: 'proportional',
    });
    expect((await shop.a.admin.put('/api/admin/settings/store', { shippingTaxMode: 'least_expensive' })).status).toBe(422);
  });

  it('taxRoundingLevel (C03)', async () => {
    const lines = [line('a', 108, { quantity: 3, taxCategoryId: nineteen })];
    expect((await price(shop.a, lines, net)).totals.total).toBe(386);
    await setTaxes(shop.a, { taxRoundingLevel: 'unit' });
    expect((await price(shop.a, lines, net)).totals.total).toBe(387);
    // An edit keeps the rules of its order.
    const kept = {
      purpose: 'edit' as const,
      rules: { ...(await price(shop.a, lines, net)).context.rules, taxRoundingLevel: 'line' as const },
    };
    expect((await price(shop.a, lines, { ...net, ...kept })).totals.total).toBe(386);
    await setTaxes(shop.a, { taxRoundingLevel: 'line' });
  });

  it('P2: bases and taxes of the summary add up to the total for any sale and place', async () => {
    const categories = () => [undefined, standard, reduced, seven, nineteen];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ price: fc.nat(50_000), quantity: fc.integer({ min: 1, max: 5 }), category: fc.nat(4) }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.constantFrom('RO', 'DE', 'US'),
        fc.constantFrom('gross' as const, 'net' as const),
        fc.nat(3000),
        fc.integer({ min: 0, max: 10_000 }),
        async (items, country, priceMode, postage, percentBp) => {
          const lines = items.map((item, i) => {
            const taxCategoryId = categories()[item.category];
            return line(`l${i}`, item.price, {
              quantity: item.quantity,
              ...(taxCategoryId === undefined ? {} : { taxCategoryId }),
            });
          });
          const discount = {
            source: { type: 'test', id: 't' },
            name: 't',
            target: 'order' as const,
            lineIds: lines.map(({ id }) => id),
            percentBp,
          };
          const priced = await price(
            shop.a,
            lines,
            { priceMode, shippingAddress: place(country) },
            { ...shipping(postage), manualDiscounts: [discount] },
          );
          const { sheet } = priced;
          const sum = (of: { tax: number }[]) => of.reduce((total, one) => total + one.tax, 0);
          const taxed = sum(sheet.taxSummary);
          expect(taxed).toBe(sum([...sheet.lines, ...sheet.shippingLines, ...sheet.surcharges]));
          expect(taxed + sheet.taxSummary.reduce((total, row) => total + row.base, 0)).toBe(sheet.totals.total);
          if (country === 'US') expect(taxed).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reads its tables once in a pricing run, and not again for the next one of the same places', async () => {
    const scans = await shop.a.run('taxes', async (ctx) => {
      // PostgreSQL's own count, which goes on from one transaction of a connection to the next.
      const count = async () => {
        const row = await ctx.db.first<{ n: number }>(sql`
          select (pg_stat_get_xact_numscans('taxes_category'::regclass) + (select sum(pg_stat_get_xact_numscans(indexrelid))
            from pg_index where indrelid = 'taxes_category'::regclass))::int as n`);
        return row?.n ?? 0;
      };
      const before = await count();
      const service = ctx.require(pricing);
      const context = await service.context({ purpose: 'cart', shippingAddress: place('DE') });
      const given = [line('a', 1000, { kind: 'test.given', locked: false })];
      // Constant net asks for the taxes of both places besides those of the sale.
      context.rules.crossBorderPricePolicy = 'constant_net';
      await service.price({ context, lines: given });
      await service.price({ context, lines: given });
      return (await count()) - before;
    });
    expect(scans).toBe(1);
  });
});
