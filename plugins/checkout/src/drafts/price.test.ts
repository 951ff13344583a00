import { describe, expect, it } from 'vitest';
import { catalogue, context, discountsCollect, FakeTaps, fakeHost } from '../../test/pricing-host.ts';
import { runPricing } from '../pricing/pipeline.ts';
import type { DraftLine, DraftValues } from './fields.ts';
import { draftRequest } from './price.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const line = (more: Partial<DraftLine>): DraftLine => ({
  variantId: null,
  title: null,
  quantity: 1,
  unitPrice: null,
  discount: null,
  note: null,
  ...more,
});
const draft = (lines: DraftLine[], more: Partial<DraftValues> = {}): DraftValues => ({
  customerId: null,
  email: null,
  lines,
  shipping: null,
  discount: null,
  currency: 'EUR',
  applyPromotions: false,
  ...more,
});

function price(values: DraftValues) {
  const taps = catalogue(new FakeTaps(), { v: { price: 1000, minPrice: 900 } }).on(discountsCollect, ({ phase, sheet }) => {
    if (phase === 'order')
      sheet.add({ source: { type: 'promotions.promotion', id: 'p' }, name: 'tenth', target: 'order', percentBp: 1000 });
  });
  const { lines, pricing } = draftRequest('d', values, (i) => `l${i}`);
  return runPricing(fakeHost(taps), { context: context({ purpose: 'draft' }), lines, ...pricing });
}

describe('prices of draft orders', () => {
  it('use staff prices, else catalogue prices, and skip promotions', async () => {
    const priced = await price(
      draft([
        line({ variantId: 'v', unitPrice: eur(700), quantity: 2 }),
        line({ variantId: 'v' }),
        line({ title: 'Fitting', unitPrice: eur(250) }),
      ]),
    );
    expect(priced.lines.map((each) => [each.title, each.total, each.ships])).toEqual([
      ['Variant v', 1400, true],
      ['Variant v', 1000, true],
      ['Fitting', 250, false],
    ]);
    expect(priced.totals.total).toBe(2650);
    expect(priced.promotions).toEqual([]);
  });

  it('apply line discounts before order discounts, also to locked prices', async () => {
    const priced = await price(
      draft(
        [
          line({ variantId: 'v', unitPrice: eur(1000), quantity: 2, discount: { percentBp: 1000, amount: null } }),
          line({ title: 'Fitting', unitPrice: eur(200) }),
        ],
        { discount: { percentBp: null, amount: eur(200) } },
      ),
    );
    expect(priced.lines.map((each) => each.total)).toEqual([1620, 180]);
    expect(priced.totals).toMatchObject({ itemsSubtotal: 2200, itemsDiscount: 400, total: 1800 });
    expect(priced.promotions).toEqual([]);
  });

  it('apply promotions when staff enable them', async () => {
    const lines = [line({ variantId: 'v', unitPrice: eur(2000) })];
    expect((await price(draft(lines))).totals.total).toBe(2000);
    expect((await price(draft(lines, { applyPromotions: true }))).totals.total).toBe(1800);
  });

  it('use the shipping price of staff', async () => {
    const shipping = { methodId: null, name: 'Courier', price: eur(500) };
    const priced = await price(draft([line({ variantId: 'v' })], { shipping }));
    expect([priced.shippingLines[0]?.name, priced.totals.total]).toEqual(['Courier', 1500]);
  });

  it('are 0 without lines, with any discount', async () => {
    expect((await price(draft([], { discount: { percentBp: null, amount: eur(200) } }))).totals.total).toBe(0);
  });
});
