import type { Priced } from '@storeloom/commerce';
import { replay, type Trace } from '@storeloom/plugin-sdk/money';
import { describe, expect, it } from 'vitest';
import {
  address,
  catalogue,
  context,
  discountsCollect,
  FakeTaps,
  fakeHost,
  linesResolve,
  orderDiscount,
  post,
  posted,
  price,
  product,
  shippingQuote,
  taxes,
  taxQuote,
} from '../../test/pricing-host.ts';
import { runPricing } from './pipeline.ts';

describe('promotions through the pipeline', () => {
  it('C20: an order discount is limited to the items and excludes shipping', async () => {
    const taps = catalogue(new FakeTaps(), { v: { price: 10000 } }).on(shippingQuote, () => [post]);
    taps.on(discountsCollect, ({ phase, sheet }) => {
      if (phase === 'order') sheet.add(orderDiscount('minus 200', { amount: 20000 }));
    });
    const free = await price(taps, { lines: [product('l', 'v', 1)] });
    expect(free.totals).toMatchObject({ itemsDiscount: 10000, total: 0 });

    const small = catalogue(new FakeTaps(), { v: { price: 10000 } }).on(shippingQuote, () => [post]);
    small.on(discountsCollect, ({ phase, sheet }) => {
      if (phase === 'order') sheet.add(orderDiscount('minus 10', { amount: 1000 }));
    });
    const priced = await price(small, { lines: [product('l', 'v', 1)] }, posted);
    expect(priced.totals).toMatchObject({ itemsDiscount: 1000, shipping: 1000, shippingDiscount: 0, total: 10000 });
  });

  it('C21: an order percentage applies to the amount after a line percentage', async () => {
    const taps = taxes(catalogue(new FakeTaps(), { v: { price: 155880 } }), { '': 200_000 });
    taps.on(discountsCollect, ({ phase, sheet }) => {
      if (phase === 'lines') sheet.add({ ...orderDiscount('ITEM10', { percentBp: 1000 }), target: 'line', code: 'ITEM10' });
      if (phase === 'order' && sheet.lines()[0]?.running === 140292) sheet.add(orderDiscount('ORDER10', { percentBp: 1000 }));
    });
    const priced = await price(taps, { lines: [product('l', 'v', 1)] }, { priceMode: 'net' });
    expect(priced.lines[0]?.discounts.map((one) => one.amount)).toEqual([15588, 14029]);
    expect(priced.totals).toMatchObject({ itemsSubtotal: 155880, itemsDiscount: 29617, total: 151516 });
  });

  it('C22 and C23: a condition uses the amount after earlier promotions', async () => {
    const make = (unit: number, rate: number) => {
      const taps = taxes(catalogue(new FakeTaps(), { v: { price: unit } }), { '': rate });
      return taps.on(discountsCollect, ({ phase, sheet }) => {
        if (phase !== 'order') return;
        if (sheet.lines().reduce((sum, line) => sum + line.quantity, 0) >= 3)
          sheet.add(orderDiscount('half', { percentBp: 5000 }));
        if (sheet.itemsTotal() >= 1000) sheet.add(orderDiscount('tenth', { percentBp: 1000 }));
      });
    };
    const applied = (priced: Priced) => priced.promotions.map((one) => one.name);
    const two = await price(make(500, 0), { lines: [product('l', 'v', 2)] });
    expect([two.totals.total, applied(two)]).toEqual([900, ['tenth']]);
    const three = await price(make(500, 0), { lines: [product('l', 'v', 3)] });
    expect([three.totals.total, applied(three)]).toEqual([750, ['half']]);
    const net = await price(make(800, 200_000), { lines: [product('l', 'v', 3)] }, { priceMode: 'net' });
    expect(net.totals.total).toBe(1296);
    expect(applied(net)).toEqual(['half', 'tenth']);
  });

  it('C24: shipping promotions use the running total', async () => {
    const make = () =>
      catalogue(new FakeTaps(), { v: { price: 12000 } })
        .on(shippingQuote, () => [post])
        .on(discountsCollect, ({ phase, sheet }) => {
          if (phase === 'order') sheet.add(orderDiscount('half', { percentBp: 5000 }));
          if (phase === 'shipping' && sheet.itemsTotal() >= 10000)
            sheet.add({ ...orderDiscount('free', { percentBp: 10_000 }), target: 'shipping' });
        });
    expect((await price(make(), { lines: [product('l', 'v', 1)] }, posted)).totals.total).toBe(7000);
    const two = await price(make(), { lines: [product('l', 'v', 2)] }, posted);
    expect(two.totals).toMatchObject({ shipping: 1000, shippingDiscount: 1000, total: 12000 });
  });

  it('C38: a full discount gives a total, tax and amount due of 0', async () => {
    const taps = taxes(catalogue(new FakeTaps(), { v: { price: 39900 } }), { '': 190_000 });
    taps.on(discountsCollect, ({ phase, sheet }) => {
      if (phase === 'order') sheet.add(orderDiscount('all', { percentBp: 10_000 }));
    });
    const priced = await price(taps, { lines: [product('l', 'v', 1)] });
    expect(priced.totals).toMatchObject({ total: 0, taxTotal: 0, amountDue: 0 });
    expect(replay(priced.trace as Trace)).toEqual(priced.sheet);
  });

  it('reports for each code whether it applies, else the reason', async () => {
    const taps = catalogue(new FakeTaps(), { v: { price: 1000 } }).on(discountsCollect, ({ phase, sheet }) => {
      if (phase !== 'order') return;
      sheet.add({ ...orderDiscount('Ten', { percentBp: 1000 }), code: 'TEN' });
      sheet.reject('LATE', 'coupon_expired', { promotionId: 'x', name: 'Late' });
      sheet.reject('BIG', 'coupon_min_not_met', { missing: 500 });
    });
    const { promotions } = await price(taps, { lines: [product('l', 'v', 1)] }, { codes: [' ten', 'late', 'BIG', 'what'] });
    expect(promotions).toEqual([
      { promotionId: 'Ten', code: 'TEN', name: 'Ten', applied: true, amount: 100, reason: null },
      { promotionId: 'x', code: 'late', name: 'Late', applied: false, amount: 0, reason: 'coupon_expired' },
      {
        promotionId: '',
        code: 'BIG',
        name: 'BIG',
        applied: false,
        amount: 0,
        reason: 'coupon_min_not_met',
        extra: { missing: 500 },
      },
      { promotionId: '', code: 'what', name: 'what', applied: false, amount: 0, reason: 'coupon_not_eligible' },
    ]);
    const off = catalogue(new FakeTaps(), { v: { price: 1000 } });
    off.plugins.delete('promotions');
    expect((await price(off, { lines: [product('l', 'v', 1)] }, { codes: ['TEN'] })).promotions[0]).toMatchObject({
      applied: false,
      reason: 'coupon_not_found',
    });
  });

  it('adds a gift at 0 in any phase, without discounts on it, and keeps earlier discounts', async () => {
    const taps = catalogue(new FakeTaps(), { v: { price: 1000 }, g: { price: 700 } }).on(
      discountsCollect,
      async ({ phase, sheet }) => {
        if (phase === 'lines') sheet.add({ ...orderDiscount('line', { amount: 100 }), target: 'line', lineIds: ['l'] });
        if (phase === 'order') {
          await sheet.addGift({ promotionId: 'p', variantId: 'g', quantity: 1, name: 'Gift' });
          expect(sheet.lines().map((line) => line.running)).toEqual([1900, 0]);
          sheet.add(orderDiscount('tenth', { percentBp: 1000 }));
        }
      },
    );
    const priced = await price(taps, { lines: [product('l', 'v', 2)] });
    expect(priced.lines.map((line) => [line.id, line.quantity, line.listPrice, line.total])).toEqual([
      ['l', 2, 1000, 1710],
      ['gift:p:g', 1, 700, 0],
    ]);
    expect(replay(priced.trace as Trace)).toEqual(priced.sheet);
  });

  it('gives a warning for an unavailable or sold-out gift', async () => {
    const give = (taps: FakeTaps) =>
      taps.on(discountsCollect, async ({ phase, sheet }) => {
        if (phase === 'order') await sheet.addGift({ promotionId: 'p', variantId: 'g', quantity: 1, name: 'Gift' });
      });
    const gone = await price(give(catalogue(new FakeTaps(), { v: { price: 1000 } })), { lines: [product('l', 'v', 1)] });
    expect(gone.warnings.map((warning) => warning.code)).toEqual(['gift_unavailable']);
    const taps = give(catalogue(new FakeTaps(), { v: { price: 1000 }, g: { price: 5 } }));
    const soldOut = await runPricing(fakeHost(taps, { giftAvailable: async () => false }), {
      context: context(),
      lines: [product('l', 'v', 1)],
    });
    expect([soldOut.lines.length, soldOut.warnings.length]).toEqual([1, 1]);
  });

  it('lets a tap try discounts on a fork without a change to the cart', async () => {
    const taps = catalogue(new FakeTaps(), { v: { price: 1000 } }).on(discountsCollect, ({ phase, sheet }) => {
      if (phase !== 'order') return;
      const trial = sheet.fork();
      expect(trial.add(orderDiscount('half', { percentBp: 5000 }))).toBe(500);
      expect(sheet.itemsTotal()).toBe(1000);
      expect(sheet.preview(orderDiscount('tenth', { percentBp: 1000 }))).toBe(100);
    });
    expect((await price(taps, { lines: [product('l', 'v', 1)] })).totals.total).toBe(1000);
  });
});

describe('prices of the lines', () => {
  it('rejects a line that no tap fills, with its pointer', async () => {
    const taps = catalogue(new FakeTaps(), { v: { price: 1000 } });
    const lines = [product('a', 'v', 1), product('b', 'unknown', 1)];
    await expect(price(taps, { lines })).rejects.toMatchObject({
      code: 'not_found',
      extra: { errors: [{ pointer: '/lines/1' }] },
    });
  });

  it('locks a fixed price unless promotions apply to it', async () => {
    const taps = () =>
      catalogue(new FakeTaps(), { v: { price: 1000, minPrice: 900 } }).on(discountsCollect, ({ phase, sheet }) => {
        if (phase === 'order') sheet.add(orderDiscount('half', { percentBp: 5000 }));
      });
    const request = { lines: [product('l', 'v', 2)], fixedPrices: { l: 600 } };
    expect((await price(taps(), request)).totals).toMatchObject({ itemsSubtotal: 1200, total: 1200 });
    expect((await price(taps(), { ...request, promoteFixed: true })).totals.total).toBe(600);
  });

  it('C15: constant net prices follow the address and are restored with it', async () => {
    const rates = (country: string | undefined) => (country === 'US' ? { a: 0, b: 0 } : { a: 70_000, b: 190_000 });
    const taps = catalogue(new FakeTaps(), {
      x: { price: 2000, category: 'a' },
      y: { price: 3000, category: 'b' },
      z: { price: 1000, category: 'b' },
    }).on(taxQuote, ({ context: c, categoryIds }) => ({
      rates: Object.fromEntries(
        categoryIds.map((id) => [
          id,
          [{ ratePpm: (rates(c.shippingAddress?.country) as Record<string, number>)[id] ?? 0, name: id }],
        ]),
      ),
      categoryCodes: {},
      treatment: 'domestic',
      countsForOss: false,
    }));
    const lines = [product('1', 'x', 1), product('2', 'y', 1), product('3', 'z', 1)];
    const rules = { ...context().rules, crossBorderPricePolicy: 'constant_net' as const };
    const at = (country: string) => price(taps, { lines }, { rules, shippingAddress: { ...address, country } });
    const home = await at('DE');
    expect(home.lines.map((line) => line.total)).toEqual([2000, 3000, 1000]);
    const abroad = await at('US');
    expect(abroad.lines.map((line) => line.total)).toEqual([1869, 2521, 840]);
    expect(abroad.totals.taxTotal).toBe(0);
    expect((await at('DE')).totals).toEqual(home.totals);
  });
});

describe('bundles', () => {
  it('are taxed by their components and not by their own category', async () => {
    const part = (variantId: string, listPrice: number, quantity: number, taxCategoryId?: string) => ({
      variantId,
      quantity,
      listPrice,
      title: variantId,
      sku: variantId,
      weightG: 0,
      ships: true,
      ...(taxCategoryId === undefined ? {} : { taxCategoryId }),
    });
    const taps = taxes(new FakeTaps(), { '': 210_000, food: 110_000 }).on(linesResolve, ({ context: c, lines }) => ({
      context: c,
      lines: lines.map((line) => ({
        ...line,
        title: 'Kit',
        listPrice: 4000,
        unitPrice: 4000,
        children: [part('a', 1500, 2), part('b', 1000, 1, 'food')],
      })),
    }));
    const priced = await price(taps, { lines: [product('l', 'kit', 1)] });
    expect(priced.taxSummary.map(({ ratePpm, base, tax }) => [ratePpm, base + tax])).toEqual([
      [210_000, 3000],
      [110_000, 1000],
    ]);
    expect(priced.lines[0]?.taxLines.map(({ ratePpm }) => ratePpm)).toEqual([210_000, 110_000]);
    expect(replay(priced.trace as Trace)).toEqual(priced.sheet);
  });
});
