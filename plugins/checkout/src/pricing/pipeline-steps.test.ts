import type { PricingContext } from '@storeloom/commerce';
import { describe, expect, it } from 'vitest';
import {
  address,
  catalogue,
  context,
  discountsCollect,
  FakeTaps,
  fakeHost,
  orderDiscount,
  post,
  posted,
  price,
  product,
  shippingQuote,
  surchargesCollect,
  taxes,
  taxQuote,
  tendersCollect,
} from '../../test/pricing-host.ts';
import { runPricing } from './pipeline.ts';
import { quoteHash, shippingLines } from './shipping.ts';

describe('shipping', () => {
  const taps = () => catalogue(new FakeTaps(), { v: { price: 1000 }, d: { price: 500, ships: false } });
  const strict = (t: FakeTaps, more: Partial<PricingContext>, variant = 'v') =>
    price(t, { lines: [product('l', variant, 1)], strict: true }, { purpose: 'place', ...more });

  it('requires an address and a method only when items ship', async () => {
    await expect(strict(taps(), {})).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(strict(taps(), { shippingAddress: address })).rejects.toMatchObject({ code: 'shipping_method_required' });
    expect((await strict(taps(), {}, 'd')).totals.total).toBe(500);
  });

  it('distinguishes no available method from an unavailable one', async () => {
    await expect(strict(taps(), posted)).rejects.toMatchObject({ code: 'no_shipping_method' });
    const other = taps().on(shippingQuote, () => [{ ...post, methodId: 'other' }]);
    await expect(strict(other, posted)).rejects.toMatchObject({ code: 'shipping_method_unavailable' });
  });

  it('ships for 0 without a method when no shipping plugin is on', async () => {
    const off = taps();
    off.plugins.delete('shipping');
    const priced = await strict(off, { shippingAddress: address });
    expect([priced.totals.total, priced.shippingLines]).toEqual([1000, []]);
  });

  it('gives a warning for a cart when a carrier fails or the method is unavailable', async () => {
    const failing = taps().on(shippingQuote, () => [{ warning: { code: 'carrier_failed', message: 'away' } }]);
    const priced = await price(failing, { lines: [product('l', 'v', 1)] }, posted);
    expect(priced.warnings.map((warning) => warning.code)).toEqual(['carrier_failed', 'shipping_method_unavailable']);
    expect(priced.totals.shipping).toBe(0);
  });

  it('honours a quoted price only for the same items and location', async () => {
    const t = taps().on(shippingQuote, () => [{ ...post, price: 1500 }]);
    const c = context({ ...posted, quoteToken: 'q' });
    const lines = [product('l', 'v', 2)];
    let hash = '';
    const host = fakeHost(t, { readQuote: () => ({ methodId: post.methodId, price: 1200, currency: 'EUR', hash }) });
    const before = await runPricing(host, { context: c, lines });
    expect(before.totals.shipping).toBe(1500);
    hash = quoteHash(c, shippingLines(before.lines.map((line) => ({ ...line, running: line.total, room: 0 }))));
    expect((await runPricing(host, { context: c, lines })).totals.shipping).toBe(1200);
    expect((await runPricing(host, { context: c, lines: [product('l', 'v', 3)] })).totals.shipping).toBe(1500);
  });
});

describe('fees, tax and tenders', () => {
  it('C16: an untaxed fee with taxed items', async () => {
    const taps = catalogue(new FakeTaps(), { a: { price: 1000, category: '20' }, b: { price: 3499, category: '10' } });
    taxes(taps, { '20': 200_000, '10': 100_000 }).on(surchargesCollect, () => [
      { code: 'fee', name: 'Fee', amount: 240, taxCategoryId: 'none', of: 'payment' },
    ]);
    const lines = [product('1', 'a', 2), product('2', 'b', 1)];
    const net = await price(taps, { lines }, { priceMode: 'net' });
    expect(net.totals).toMatchObject({ surcharges: 240, total: 6489 });
    const gross = await price(taps, { lines });
    expect([gross.totals.total, gross.totals.total - gross.totals.taxTotal]).toEqual([5739, 5088]);
  });

  it('keeps the category code of the tax quote, also at a rate of 0', async () => {
    const taps = catalogue(new FakeTaps(), { v: { price: 1000 } }).on(taxQuote, ({ categoryIds }) => ({
      rates: Object.fromEntries(categoryIds.map((id) => [id, []])),
      categoryCodes: { '': 'AE' },
      treatment: 'reverse_charge',
      reason: 'VAT number DE123',
      countsForOss: false,
    }));
    const priced = await price(taps, { lines: [product('l', 'v', 1)] });
    expect(priced.taxSummary).toEqual([{ ratePpm: 0, categoryCode: 'AE', base: 1000, tax: 0 }]);
    expect([priced.treatment, priced.taxReason]).toEqual(['reverse_charge', 'VAT number DE123']);
  });

  it('leaves items untaxed without a tax quote', async () => {
    const priced = await price(catalogue(new FakeTaps(), { v: { price: 1000 } }), { lines: [product('l', 'v', 1)] });
    expect(priced.taxSummary).toEqual([{ ratePpm: 0, categoryCode: 'O', base: 1000, tax: 0 }]);
    expect(priced.treatment).toBe('untaxed');
  });

  it('limits each tender to the amount due, and rejects unavailable tenders', async () => {
    const taps = catalogue(new FakeTaps(), { v: { price: 3500 } }).on(tendersCollect, ({ requested, add, due }) => {
      for (const request of requested)
        add({ type: request.type, reference: request.code ?? null, amount: request.code === 'A' ? 2000 : 3000, label: 'Card' });
      expect(due()).toBe(0);
    });
    taps.plugins.add('gift-cards');
    const requestedTenders = [
      { type: 'gift_card' as const, code: 'A' },
      { type: 'gift_card' as const, code: 'B' },
    ];
    const priced = await price(taps, { lines: [product('l', 'v', 1)], requestedTenders });
    expect(priced.totals.tenders).toEqual([
      { type: 'gift_card', reference: 'A', amount: 2000, label: 'Card' },
      { type: 'gift_card', reference: 'B', amount: 1500, label: 'Card' },
    ]);
    expect(priced.totals.amountDue).toBe(0);
    await expect(
      price(taps, { lines: [product('l', 'v', 1)], requestedTenders: [{ type: 'loyalty_points', amount: 100 }] }),
    ).rejects.toMatchObject({ code: 'tender_unavailable', extra: { errors: [{ pointer: '/tenders/0' }] } });
  });

  it('P4: gives the same totals in any line order and on a second run', async () => {
    const taps = taxes(
      catalogue(new FakeTaps(), { a: { price: 333, category: 'x' }, b: { price: 1999 }, c: { price: 57, category: 'x' } }),
      {
        '': 210_000,
        x: 110_000,
      },
    ).on(discountsCollect, ({ phase, sheet }) => {
      if (phase === 'order') sheet.add(orderDiscount('some', { amount: 777 }));
    });
    const lines = [product('1', 'a', 3), product('2', 'b', 2), product('3', 'c', 7)];
    const first = await price(taps, { lines });
    const second = await price(taps, { lines });
    const turned = await price(taps, { lines: [...lines].reverse() });
    expect(second).toEqual(first);
    expect(turned.totals.total).toBe(first.totals.total);
    expect(turned.totals.itemsDiscount).toBe(777);
  });

  it('prices an empty cart without calling a tap', async () => {
    const taps = new FakeTaps().on(taxQuote, () => {
      throw new Error('must not be called');
    });
    expect((await price(taps, { lines: [] })).totals).toMatchObject({ total: 0, amountDue: 0 });
  });
});
