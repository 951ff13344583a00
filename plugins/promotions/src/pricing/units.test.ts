import { replay, type Trace } from '@storeloom/plugin-sdk/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CartItem, type CartOptions, offer, price, rule } from '../../test/cart.ts';
import type { Offer } from './evaluate.ts';

const all = { productIds: [], categoryIds: [] };
const buyGet = (buy: number, get: number, percentBp: number, more: Parameters<typeof rule>[0] = {}) =>
  rule({
    type: 'buy_x_get_y',
    target: 'items',
    buy: { ...all, quantity: buy },
    get: { ...all, variantIds: [], quantity: get, percentBp },
    ...more,
  });
const halfOfOne = () => rule({ target: 'items', percentBp: 5000, maxUnits: 1 });
const total = async (items: CartItem[], offers: Offer[], options?: CartOptions) =>
  (await price(items, offers, options)).priced.totals.total;

describe('discounts of single units', () => {
  const oneLine: CartItem[] = [{ price: 1000, quantity: 2, productId: 'p' }];
  const twoLines: CartItem[] = [
    { price: 1000, productId: 'p' },
    { price: 1000, productId: 'p' },
  ];

  it('1+1 free used twice on two units discounts one of them, on one line as on two', async () => {
    const twice = () => [offer(buyGet(1, 1, 10_000)), offer(buyGet(1, 1, 10_000))];
    expect(await total(oneLine, twice())).toBe(1000);
    expect(await total(twoLines, twice())).toBe(1000);
    // The first offer can be limited: the units that it leaves pay for the second one.
    const limited = [offer(buyGet(1, 1, 10_000, { maxApplicationsPerOrder: 1 })), offer(buyGet(1, 1, 5000))];
    expect(await total([{ price: 1000, quantity: 4 }], limited)).toBe(2500);
  });
  it('a discount on one unit applies to a unit that is not free', async () => {
    const offers = () => [offer(buyGet(2, 1, 10_000)), offer(halfOfOne())];
    expect(await total([{ price: 1000, quantity: 3 }], offers())).toBe(1500);
    expect(await total([{ price: 1000 }, { price: 1000 }, { price: 1000 }], offers())).toBe(1500);
    for (const stacking of ['sequential', 'parallel'] as const)
      expect(await total([{ price: 1000, quantity: 3 }], offers(), { stacking })).toBe(1500);
  });
  it('a unit that paid for an offer is not free by another one', async () => {
    const offers = [offer(buyGet(2, 1, 10_000)), offer(buyGet(1, 1, 10_000))];
    expect(await total([{ price: 1000, quantity: 4 }], offers)).toBe(3000);
  });
  it('the units that pay for a gift pay for no other offer', async () => {
    const gift = (variantId: string, buy: number) =>
      rule({
        type: 'gift_item',
        target: 'items',
        buy: { ...all, quantity: buy },
        get: { ...all, variantIds: [variantId], quantity: 1, percentBp: 10_000 },
      });
    const gifts = await price([{ price: 1000, quantity: 5 }], [offer(gift('v7', 2)), offer(gift('v8', 2), 'SECOND')]);
    expect(gifts.priced.lines.map(({ id, quantity }) => [id, quantity])).toEqual([
      ['l1', 5],
      ['gift:v7', 2],
    ]);
    expect(gifts.sink.rejected.get('SECOND')?.reason).toBe('coupon_not_eligible');
    const mixed = await price([{ price: 1000, quantity: 4 }], [offer(gift('v7', 3)), offer(buyGet(1, 1, 10_000), 'PAIR')]);
    expect(mixed.priced.totals.total).toBe(4000);
    expect(mixed.sink.rejected.get('PAIR')?.reason).toBe('coupon_not_eligible');
    expect(replay(mixed.priced.trace as Trace)).toEqual(mixed.priced);
  });
  it('a gift that is unavailable leaves its units to other offers', async () => {
    const gone = rule({
      type: 'gift_item',
      target: 'items',
      buy: { ...all, quantity: 2 },
      get: { ...all, variantIds: ['gone'], quantity: 1, percentBp: 10_000 },
    });
    expect(await total([{ price: 1000, quantity: 2 }], [offer(gone), offer(buyGet(1, 1, 10_000))])).toBe(1000);
  });
  it('the minimum price bounds each unit, on one line as on two', async () => {
    const pair = () => [offer(buyGet(1, 1, 10_000))];
    expect(await total([{ price: 1000, quantity: 2, minPrice: 800 }], pair())).toBe(1800);
    expect(
      await total(
        [
          { price: 1000, minPrice: 800 },
          { price: 1000, minPrice: 800 },
        ],
        pair(),
      ),
    ).toBe(1800);
  });
  it('a limit on the discount is spread over the discounted units only', async () => {
    const limited = rule({ target: 'items', percentBp: 10_000, maxUnits: 2, maxDiscount: { amount: 500, currency: 'EUR' } });
    const fixed = rule({ type: 'fixed_price', target: 'items', amount: 900, maxUnits: 1 });
    // One unit costs 1000 still, so that the fixed price takes 100 off it.
    expect(await total([{ price: 1000, quantity: 3 }], [offer(limited), offer(fixed)])).toBe(2400);
  });
});

describe('splitting a line', () => {
  // Prices are multiples of 10^6 and percentages of 10 %, so that up to six of them need no rounding: what rounding a line moves
  // is a matter of R3 and R5.
  const scale = 1_000_000;
  const item = fc.record(
    {
      price: fc.integer({ min: 0, max: 50 }).map((each) => each * scale),
      quantity: fc.integer({ min: 1, max: 6 }),
      category: fc.constantFrom('a', 'b'),
      minPrice: fc.integer({ min: 0, max: 20 }).map((each) => each * scale),
    },
    { requiredKeys: ['price', 'quantity'] },
  );
  let gifts = 0;
  const promotion = fc
    .record({
      kind: fc.constantFrom('percent', 'amount', 'price', 'sets', 'sets', 'gift', 'order'),
      tenths: fc.integer({ min: 1, max: 10 }),
      amount: fc.integer({ min: 1, max: 30 }).map((each) => each * scale),
      buy: fc.integer({ min: 1, max: 3 }),
      get: fc.integer({ min: 1, max: 2 }),
      priority: fc.integer({ min: -2, max: 2 }),
      category: fc.option(fc.constantFrom('a', 'b')),
      max: fc.option(fc.integer({ min: 1, max: 4 })),
      stopFurther: fc.boolean(),
      coded: fc.boolean(),
    })
    .map(({ kind, tenths, amount, buy, get, priority, category, max, stopFurther, coded }): Offer => {
      const conditions = category === null ? [] : [{ type: 'category' as const, op: 'in' as const, value: [category] }];
      const common = { priority, conditions, stopFurther, target: 'items' as const };
      const percentBp = tenths * 1000;
      const created = {
        percent: () => rule({ ...common, percentBp, maxUnits: max }),
        amount: () => rule({ ...common, type: 'fixed_amount', amount, maxUnits: max }),
        price: () => rule({ ...common, type: 'fixed_price', amount, maxUnits: max }),
        sets: () => buyGet(buy, get, percentBp, { ...common, maxApplicationsPerOrder: max }),
        gift: () =>
          rule({
            ...common,
            type: 'gift_item',
            buy: { ...all, quantity: buy },
            get: { ...all, variantIds: [`gift ${(gifts += 1)}`], quantity: 1, percentBp: 10_000 },
            maxApplicationsPerOrder: max,
          }),
        order: () => rule({ priority, conditions, stopFurther, target: 'order', percentBp }),
      }[kind]();
      return offer(created, coded ? `CODE-${created.id}` : null);
    });
  const cart = fc.record({
    items: fc.array(item, { minLength: 1, maxLength: 4 }),
    offers: fc.array(promotion, { maxLength: 6 }),
    mode: fc.constantFrom('priority' as const, 'best_deal' as const),
    stacking: fc.constantFrom('sequential' as const, 'parallel' as const),
    cuts: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 12 }),
  });

  it('changes no total, whichever offers meet on its units', async () => {
    let discounted = 0;
    await fc.assert(
      fc.asyncProperty(cart, async ({ items, offers, cuts, ...options }) => {
        const products = items.map((one, i) => ({ ...one, productId: `p${i}` }));
        const lengths = [...cuts];
        const pieces = products.flatMap((one) => {
          const split: CartItem[] = [];
          for (let left = one.quantity; left > 0; ) {
            const quantity = Math.min(left, lengths.shift() ?? left);
            split.push({ ...one, quantity });
            left -= quantity;
          }
          return split;
        });
        const [whole, split] = [await price(products, offers, options), await price(pieces, offers, options)];
        expect(split.priced.totals).toEqual(whole.priced.totals);
        expect(split.off).toEqual(whole.off);
        expect([...split.sink.rejected].sort()).toEqual([...whole.sink.rejected].sort());
        expect(replay(whole.priced.trace as Trace)).toEqual(whole.priced);
        if (whole.priced.totals.itemsDiscount > 0 && pieces.length > products.length) discounted += 1;
      }),
      { numRuns: 1000 },
    );
    expect(discounted).toBeGreaterThan(200);
  });
});
