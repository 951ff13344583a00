import { replay, type Trace } from '@storeloom/plugin-sdk/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CartItem, type CartOptions, offer, price, rule } from '../../test/cart.ts';
import type { Offer } from './evaluate.ts';

const condition = (type: 'product' | 'category' | 'brand', op: 'in' | 'not_in', ...value: string[]) => ({ type, op, value });

describe('conditions on goods', () => {
  const items: CartItem[] = [
    { price: 1000, productId: 'a', category: 'shoes', brand: 'x' },
    { price: 2000, productId: 'b', category: 'hats', brand: 'y', onSale: true },
  ];
  const shares = async (more: Parameters<typeof rule>[0]) =>
    (await price(items, [offer(rule({ percentBp: 1000, ...more }))])).priced.lines.map((one) => one.discountTotal);

  it('select the lines of an items promotion', async () => {
    const target = 'items' as const;
    expect(await shares({ target, conditions: [condition('category', 'in', 'shoes')] })).toEqual([100, 0]);
    expect(await shares({ target, conditions: [condition('brand', 'not_in', 'x')] })).toEqual([0, 200]);
    expect(
      await shares({ target, conditions: [condition('product', 'in', 'a', 'b'), condition('category', 'not_in', 'shoes')] }),
    ).toEqual([0, 200]);
    expect(await shares({ target, excludedProductIds: ['a'] })).toEqual([0, 200]);
    expect(await shares({ target, excludeSaleItems: true })).toEqual([100, 0]);
    expect(await shares({ target, conditions: [condition('product', 'in', 'c')] })).toEqual([0, 0]);
  });
  it('apply to the whole cart for an order promotion', async () => {
    expect(await shares({ conditions: [condition('category', 'in', 'shoes')] })).toEqual([100, 200]);
    expect(await shares({ conditions: [condition('category', 'in', 'coats')] })).toEqual([0, 0]);
    expect(await shares({ conditions: [condition('category', 'not_in', 'hats')] })).toEqual([0, 0]);
    expect(await shares({ conditions: [condition('category', 'not_in', 'coats')] })).toEqual([100, 200]);
    expect(await shares({ excludeSaleItems: true })).toEqual([100, 0]);
  });
  it('determine the lines that minimums count', async () => {
    const atLeast = (amount: number) => ({
      type: 'min_subtotal' as const,
      op: 'gte' as const,
      value: { amount, currency: 'EUR' },
    });
    expect(await shares({ conditions: [condition('category', 'in', 'shoes'), atLeast(1001)] })).toEqual([0, 0]);
    expect(await shares({ conditions: [condition('category', 'in', 'shoes'), atLeast(1000)] })).toEqual([100, 200]);
    const { sink } = await price(items, [offer(rule({ percentBp: 1, conditions: [atLeast(3500)] }), 'CODE')]);
    expect(sink.rejected.get('CODE')).toMatchObject({
      reason: 'coupon_min_not_met',
      extra: { missing: { amount: 500, currency: 'EUR' } },
    });
  });
});

describe('values', () => {
  const one = async (
    more: Parameters<typeof rule>[0],
    item: CartItem = { price: 1000, quantity: 3 },
    room: number | null = null,
  ) => (await price([item], [offer(rule({ target: 'items', ...more }), null, room)])).priced.totals.itemsDiscount;

  it('a fixed price never raises the unit price', async () => {
    expect(await one({ type: 'fixed_price', amount: 700 })).toBe(900);
    expect(await one({ type: 'fixed_price', amount: 700, maxUnits: 2 })).toBe(600);
    expect(await one({ type: 'fixed_price', amount: 1500 })).toBe(0);
  });
  it('a percentage with maxUnits discounts the most expensive units', async () => {
    const items = [{ price: 100 }, { price: 1000, quantity: 2 }];
    const { priced } = await price(items, [offer(rule({ target: 'items', percentBp: 5000, maxUnits: 1 }))]);
    expect(priced.lines.map((line) => line.discountTotal)).toEqual([0, 500]);
  });
  it('maxDiscount and the budget limit the discount', async () => {
    expect(await one({ percentBp: 5000, maxDiscount: { amount: 300, currency: 'EUR' } })).toBe(300);
    expect(await one({ percentBp: 5000 }, undefined, 200)).toBe(200);
    expect(await one({ percentBp: 5000, maxDiscount: { amount: 300, currency: 'EUR' } }, undefined, 200)).toBe(200);
  });
  it("final prices don't change", async () => {
    expect(await one({ percentBp: 5000 }, { price: 1000, locked: true })).toBe(0);
    const { priced } = await price([{ price: 1000, locked: true }, { price: 1000 }], [offer(rule({ percentBp: 5000 }))]);
    expect(priced.lines.map((line) => line.discountTotal)).toEqual([0, 500]);
  });
  it('buy X get Y discounts the least expensive eligible unit', async () => {
    const deal = rule({
      type: 'buy_x_get_y',
      target: 'items',
      buy: { productIds: ['shoe'], categoryIds: [], quantity: 1 },
      get: { productIds: [], categoryIds: ['socks'], variantIds: [], quantity: 1, percentBp: 5000 },
      maxApplicationsPerOrder: 1,
    });
    const items = [
      { price: 9000, quantity: 2, productId: 'shoe' },
      { price: 800, category: 'socks' },
      { price: 600, category: 'socks' },
    ];
    expect((await price(items, [offer(deal)])).priced.lines.map((line) => line.discountTotal)).toEqual([0, 0, 300]);
  });
});

describe('gifts', () => {
  const gift = (more: Partial<ReturnType<typeof rule>> = {}) =>
    rule({
      type: 'gift_item',
      target: 'order',
      get: { productIds: [], categoryIds: [], variantIds: ['v9'], quantity: 1, percentBp: 10_000 },
      ...more,
    });

  it('are added at 0 and count for no condition', async () => {
    const tenth = rule({ percentBp: 1000, conditions: [{ type: 'min_quantity', op: 'gte', value: 2 }] });
    const { priced, off, sink } = await price([{ price: 1000 }], [offer(gift(), 'GIFT'), offer(tenth, 'TEN')]);
    expect(priced.lines.map(({ id, total }) => [id, total])).toEqual([
      ['l1', 1000],
      ['gift:v9', 0],
    ]);
    expect(Object.values(off)).toEqual([0]);
    expect([...sink.rejected.keys()]).toEqual(['TEN']);
  });
  it("are added once a complete set, with the product's variant", async () => {
    const deal = gift({
      buy: { productIds: [], categoryIds: [], quantity: 2 },
      get: { productIds: ['p9'], categoryIds: [], variantIds: [], quantity: 3, percentBp: 10_000 },
    });
    const { priced } = await price([{ price: 1000, quantity: 5 }], [offer(deal)]);
    expect(priced.lines.at(-1)).toMatchObject({ id: 'gift:variant of p9', quantity: 6 });
    expect((await price([{ price: 1000 }], [offer(deal)])).priced.lines).toHaveLength(1);
  });
  it("that are unavailable don't apply the promotion", async () => {
    const none = gift({ get: { productIds: [], categoryIds: [], variantIds: ['gone'], quantity: 1, percentBp: 10_000 } });
    const { off, sink } = await price([{ price: 1000 }], [offer(none, 'GIFT')]);
    expect([off, sink.rejected.get('GIFT')?.reason]).toEqual([{}, 'coupon_not_eligible']);
  });
  it('that are unavailable block no other promotion, however they rank, exclude or stop', async () => {
    const gone = { productIds: [], categoryIds: [], variantIds: ['gone'], quantity: 1, percentBp: 10_000 };
    const tenth = offer(rule({ percentBp: 1000 }));
    const first = { get: gone, priority: 9 };
    for (const more of [{ stopFurther: true }, { exclusive: true }, { combineWith: [] }]) {
      const blocked = offer(gift({ ...first, ...more }), 'GIFT');
      const { priced, sink } = await price([{ price: 1000 }], [blocked, tenth]);
      expect([more, priced.totals.total, sink.rejected.get('GIFT')?.reason]).toEqual([more, 900, 'coupon_not_eligible']);
      const present = offer(gift({ priority: 9, ...more }), 'GIFT');
      const given = await price([{ price: 1000 }], [present, tenth]);
      expect([more, given.priced.totals.total, given.priced.lines.length]).toEqual([more, 1000, 2]);
    }
    // Of two gifts, the first of which is gone, with a discount behind them.
    const two = await price(
      [{ price: 1000 }],
      [offer(gift({ ...first, exclusive: true })), offer(gift({ priority: 5, stopFurther: true })), tenth],
    );
    expect([two.priced.totals.total, two.priced.lines.map(({ id }) => id)]).toEqual([1000, ['l1', 'gift:v9']]);
  });
});

describe('invariants', () => {
  const item = fc.record(
    {
      price: fc.integer({ min: 0, max: 5000 }),
      quantity: fc.integer({ min: 1, max: 5 }),
      category: fc.constantFrom('a', 'b'),
      minPrice: fc.integer({ min: 0, max: 2000 }),
    },
    { requiredKeys: ['price', 'quantity'] },
  );
  const any = { productIds: [], categoryIds: [] };
  const promotion = fc
    .record({
      kind: fc.constantFrom('percent', 'fixed', 'price', 'pair', 'tiers', 'free'),
      target: fc.constantFrom('order', 'items', 'shipping'),
      bp: fc.integer({ min: 1, max: 10_000 }),
      amount: fc.integer({ min: 1, max: 8000 }),
      priority: fc.integer({ min: -2, max: 2 }),
      category: fc.option(fc.constantFrom('a', 'b')),
      max: fc.option(fc.integer({ min: 1, max: 4 })),
      exclusive: fc.boolean(),
      alone: fc.boolean(),
      coded: fc.boolean(),
    })
    .map(({ kind, target, bp, amount, priority, category, max, exclusive, alone, coded }): Offer => {
      const conditions = category === null ? [] : [condition('category', 'in', category)];
      const common = { priority, conditions, exclusive, ...(alone ? { combineWith: [] } : {}) };
      const created = {
        percent: () => rule({ ...common, target, percentBp: bp, ...(target === 'items' ? { maxUnits: max } : {}) }),
        fixed: () => rule({ ...common, type: 'fixed_amount', target, amount }),
        price: () => rule({ ...common, type: 'fixed_price', target: 'items', amount, maxUnits: max }),
        pair: () =>
          rule({
            ...common,
            type: 'buy_x_get_y',
            target: 'items',
            buy: { ...any, quantity: 1 },
            get: { ...any, variantIds: [], quantity: 1, percentBp: bp },
          }),
        tiers: () =>
          rule({
            ...common,
            type: 'tiered',
            target,
            basis: 'amount',
            tiers: [
              { min: 1000, percentBp: bp },
              { min: 4000, amount },
            ],
          }),
        free: () => rule({ ...common, type: 'free_shipping', target: 'shipping' }),
      }[kind]();
      return offer(created, coded ? `CODE-${created.id}` : null);
    });
  const cart = fc.record({
    items: fc.array(item, { minLength: 1, maxLength: 5 }),
    offers: fc.array(promotion, { maxLength: 5 }),
    mode: fc.constantFrom('priority' as const, 'best_deal' as const),
    stacking: fc.constantFrom('sequential' as const, 'parallel' as const),
    shipping: fc.option(fc.integer({ min: 0, max: 2000 })),
  });
  const optionsOf = ({
    mode,
    stacking,
    shipping,
  }: {
    mode: 'priority' | 'best_deal';
    stacking: 'sequential' | 'parallel';
    shipping: number | null;
  }): CartOptions => ({
    mode,
    stacking,
    ...(shipping === null ? {} : { shipping }),
  });

  it('P3: allocations sum to their discount, none exceeds its line, minimum prices hold, totals are at least 0', async () => {
    await fc.assert(
      fc.asyncProperty(cart, async ({ items, offers, ...rest }) => {
        const { priced } = await price(items as CartItem[], offers, optionsOf(rest));
        for (const discount of priced.discounts)
          expect(discount.shares.reduce((sum, share) => sum + share.amount, 0)).toBe(discount.amount);
        for (const [i, line] of priced.lines.entries()) {
          expect(line.total).toBeGreaterThanOrEqual(Math.min((items[i]!.minPrice ?? 0) * items[i]!.quantity, line.lineSubtotal));
          expect(line.discountTotal).toBeLessThanOrEqual(line.lineSubtotal);
        }
        expect(priced.totals.shippingDiscount).toBeLessThanOrEqual(priced.totals.shipping);
        expect(priced.totals.total).toBeGreaterThanOrEqual(0);
        expect(replay(priced.trace as Trace)).toEqual(priced);
      }),
      { numRuns: 300 },
    );
  });
  it('P4: pricing is idempotent and independent of the order of promotions', async () => {
    await fc.assert(
      fc.asyncProperty(cart, async ({ items, offers, ...rest }) => {
        const once = await price(items as CartItem[], offers, optionsOf(rest));
        const again = await price(items as CartItem[], [...offers].reverse(), optionsOf(rest));
        expect(again.priced.totals).toEqual(once.priced.totals);
      }),
      { numRuns: 150 },
    );
  });
  it('P5: a line at 0 changes no amount', async () => {
    const noThreshold = cart.map(({ offers, ...rest }) => ({
      ...rest,
      offers: offers.filter(({ rule: one }) => one.goods.length === 0),
    }));
    await fc.assert(
      fc.asyncProperty(noThreshold, async ({ items, offers, ...rest }) => {
        const once = await price(items as CartItem[], offers, optionsOf(rest));
        const more = await price([...(items as CartItem[]), { price: 0, quantity: 2 }], offers, optionsOf(rest));
        expect(more.priced.totals.total).toBe(once.priced.totals.total);
      }),
      { numRuns: 150 },
    );
  });
  it('R7: applied promotions combine with each other, and an exclusive one applies alone', async () => {
    await fc.assert(
      fc.asyncProperty(cart, async ({ items, offers, ...rest }) => {
        const { priced } = await price(items as CartItem[], offers, optionsOf(rest));
        const applied = [...new Set(priced.discounts.map(({ source }) => source.id))].map(
          (id) => offers.find(({ rule: one }) => one.id === id)!.rule,
        );
        if (applied.some(({ exclusive }) => exclusive)) expect(applied).toHaveLength(1);
        for (const a of applied) for (const b of applied) if (a !== b) expect(a.combineWith.includes(b.target)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
  it('best_deal never saves less on goods than priority', async () => {
    await fc.assert(
      fc.asyncProperty(cart, async ({ items, offers, stacking }) => {
        const goods = offers.filter(({ rule: one }) => one.target !== 'shipping');
        const [byPriority, best] = await Promise.all(
          (['priority', 'best_deal'] as const).map((mode) => price(items as CartItem[], goods, { mode, stacking })),
        );
        expect(best!.priced.totals.total).toBeLessThanOrEqual(byPriority!.priced.totals.total);
      }),
      { numRuns: 150 },
    );
  });
});
