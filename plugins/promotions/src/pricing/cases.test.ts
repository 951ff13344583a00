import { describe, expect, it } from 'vitest';
import { type CartItem, line, offer, price, rule } from '../../test/cart.ts';
import { catalogPrice } from './catalog-price.ts';
import { goodsOf } from './matching.ts';

const minQuantity = (value: number) => ({ type: 'min_quantity' as const, op: 'gte' as const, value });
const minSubtotal = (amount: number) => ({
  type: 'min_subtotal' as const,
  op: 'gte' as const,
  value: { amount, currency: 'EUR' },
});
const amounts = ({ priced }: Awaited<ReturnType<typeof price>>) => priced.discounts.map((one) => one.amount);

describe('cases of the pricing rules', () => {
  it('C11: a percentage off shipping', async () => {
    const tenth = () => offer(rule({ target: 'shipping', percentBp: 1000 }));
    const options = { priceMode: 'net' as const, taxes: { shipping: 100_000 } };
    const first = await price([{ price: 1000 }], [tenth()], { ...options, shipping: 5106 });
    expect(first.priced.totals).toMatchObject({ shipping: 5106, shippingDiscount: 511, taxTotal: 460, total: 6055 });
    const second = await price([{ price: 1000 }], [tenth()], { ...options, shipping: 5104 });
    expect(second.priced.totals).toMatchObject({ shippingDiscount: 510, taxTotal: 459, total: 6053 });
  });

  it('C12: a percentage off shipping with a taxed item', async () => {
    const { priced } = await price([{ price: 1000 }], [offer(rule({ target: 'shipping', percentBp: 1000 }))], {
      priceMode: 'net',
      shipping: 5104,
      taxes: { '': 230_000, shipping: 100_000 },
    });
    expect([priced.lines[0]!.tax, priced.shippingLines[0]!.tax]).toEqual([230, 459]);
    expect(priced.totals).toMatchObject({ taxTotal: 689, total: 6283 });
  });

  it("C20: an order discount is capped at the items and doesn't affect shipping", async () => {
    const large = await price([{ price: 10_000 }], [offer(rule({ type: 'fixed_amount', amount: 20_000 }))]);
    expect(large.priced.totals).toMatchObject({ itemsDiscount: 10_000, total: 0 });
    const small = await price([{ price: 10_000 }], [offer(rule({ type: 'fixed_amount', amount: 1000 }))], { shipping: 1000 });
    expect(small.priced.totals).toMatchObject({ itemsDiscount: 1000, shippingDiscount: 0, total: 10_000 });
  });

  it('C21: a code on items, then a code on the order', async () => {
    const item = offer(rule({ target: 'items', percentBp: 1000 }), 'ITEM10');
    const order = offer(rule({ percentBp: 1000 }), 'ORDER10');
    const options = { priceMode: 'net' as const, taxes: { '': 200_000 } };
    const one = await price([{ price: 155_880 }], [item], options);
    expect([one.priced.totals.itemsSubtotal - one.priced.totals.itemsDiscount, one.priced.totals.total]).toEqual([
      140_292, 168_350,
    ]);
    const both = await price([{ price: 155_880 }], [order, item], options);
    expect([both.priced.totals.itemsSubtotal - both.priced.totals.itemsDiscount, both.priced.totals.total]).toEqual([
      126_263, 151_516,
    ]);
  });

  it('C22: a condition compares the total after earlier promotions', async () => {
    const half = rule({ percentBp: 5000, conditions: [minQuantity(3)] });
    const tenth = rule({ percentBp: 1000, conditions: [minSubtotal(1000)] });
    const two = await price([{ price: 500, quantity: 2 }], [offer(half), offer(tenth)]);
    expect([two.priced.totals.total, Object.keys(two.off)]).toEqual([900, [tenth.id]]);
    const three = await price([{ price: 500, quantity: 3 }], [offer(tenth), offer(half)]);
    expect([three.priced.totals.total, Object.keys(three.off)]).toEqual([750, [half.id]]);
  });

  it('C23: both apply if the remaining total reaches the minimum', async () => {
    const half = rule({ percentBp: 5000, conditions: [minQuantity(3)] });
    const tenth = rule({ percentBp: 1000, conditions: [minSubtotal(1000)] });
    const { priced, off } = await price([{ price: 800, quantity: 3 }], [offer(half), offer(tenth)], {
      priceMode: 'net',
      taxes: { '': 200_000 },
    });
    expect(priced.totals.itemsSubtotal - priced.totals.itemsDiscount).toBe(1080);
    expect(priced.totals.total).toBe(1296);
    expect(Object.keys(off)).toEqual([half.id, tenth.id]);
  });

  it('C24: free shipping compares the discounted goods', async () => {
    const half = rule({ percentBp: 5000, priority: 1 });
    const free = rule({ type: 'free_shipping', target: 'shipping', conditions: [minSubtotal(10_000)] });
    const offers = [offer(half), offer(free)];
    expect((await price([{ price: 12_000 }], offers, { shipping: 1000 })).priced.totals.total).toBe(7000);
    expect((await price([{ price: 12_000, quantity: 2 }], offers, { shipping: 1000 })).priced.totals.total).toBe(12_000);
  });

  const shelf = (rules: ReturnType<typeof rule>[], mode: 'priority' | 'best_deal' = 'priority') =>
    catalogPrice(10_000, undefined, goodsOf(line({ price: 10_000 })), rules, {
      currency: 'EUR',
      mode,
      percentStacking: 'sequential',
    })?.unitPrice;
  const onShelf = (more: Parameters<typeof rule>[0]) => rule({ stage: 'catalog', target: 'items', ...more });

  it('C25: the exclusive catalogue promotion of the highest priority applies alone', () => {
    const half = onShelf({ percentBp: 5000, priority: 100 });
    const third = onShelf({ percentBp: 3000, priority: 500, exclusive: true });
    const most = onShelf({ percentBp: 7000, priority: 1000, exclusive: true });
    expect(shelf([half, third])).toBe(7000);
    expect(shelf([half, third, most])).toBe(3000);
    expect(shelf([half, third], 'best_deal')).toBe(5000);
  });

  it('C26: catalogue promotions apply in order of priority', () => {
    const rules = [
      onShelf({ percentBp: 2500, priority: 10 }),
      onShelf({ type: 'fixed_amount', amount: 500, priority: 20 }),
      onShelf({ percentBp: 5000, priority: 30 }),
      onShelf({ type: 'fixed_amount', amount: 1000, priority: 40 }),
    ];
    expect(shelf(rules)).toBe(3000);
  });

  it('C27: a fixed amount across items', async () => {
    const across = (amount: number) => offer(rule({ type: 'fixed_amount', target: 'items', allocation: 'across', amount }));
    const shares = async (items: CartItem[], amount: number) =>
      (await price(items, [across(amount)])).priced.lines.map((one) => one.discountTotal);
    expect(await shares([{ price: 200 }, { price: 600 }], 400)).toEqual([100, 300]);
    expect(await shares([{ price: 5000 }, { price: 15_000 }], 3000)).toEqual([750, 2250]);
    expect(await shares([{ price: 5000 }, { price: 15_000 }], 5000)).toEqual([1250, 3750]);
  });

  it('C28: a fixed amount a unit, most expensive first, capped at the unit price', async () => {
    const items = [
      { price: 1395, quantity: 3 },
      { price: 180, quantity: 5 },
    ];
    const each = (amount: number, maxUnits: number | null) =>
      offer(rule({ type: 'fixed_amount', target: 'items', amount, maxUnits }));
    expect(amounts(await price(items, [each(1000, null)]))).toEqual([3900]);
    expect(amounts(await price(items, [each(1000, 5)]))).toEqual([3360]);
    expect(amounts(await price(items, [each(1500, 1)]))).toEqual([1395]);
  });

  it('C29: a fixed amount on the cart is exact for any allocation', async () => {
    const ten = () => [offer(rule({ type: 'fixed_amount', amount: 1000 }))];
    expect(
      amounts(
        await price(
          Array.from({ length: 11 }, () => ({ price: 1000 })),
          ten(),
        ),
      ),
    ).toEqual([1000]);
    expect(
      amounts(
        await price(
          Array.from({ length: 3 }, () => ({ price: 1000 })),
          ten(),
        ),
      ),
    ).toEqual([1000]);
    expect(amounts(await price([{ price: 1000, quantity: 7 }], ten()))).toEqual([1000]);
  });

  it('C30: percentages apply sequentially or in parallel', async () => {
    const items = [{ price: 1000, quantity: 2 }, { price: 500 }];
    const codes = () => [offer(rule({ percentBp: 1000 }), 'TEN'), offer(rule({ percentBp: 2000 }), 'TWENTY')];
    expect((await price(items, codes())).priced.totals.itemsDiscount).toBe(700);
    expect((await price(items, codes(), { stacking: 'parallel' })).priced.totals.itemsDiscount).toBe(750);
  });

  it('C31: buy 2 get 2', async () => {
    const any = { productIds: [], categoryIds: [] };
    const deal = () => [
      offer(
        rule({
          type: 'buy_x_get_y',
          target: 'items',
          buy: { ...any, quantity: 2 },
          get: { ...any, variantIds: [], quantity: 2, percentBp: 10_000 },
        }),
      ),
    ];
    const saved = async (items: CartItem[]) => (await price(items, deal())).priced.totals.itemsDiscount;
    expect(await saved([{ price: 250, quantity: 4 }])).toBe(500);
    expect(await saved([{ price: 250, quantity: 3 }])).toBe(0);
    const four = await price([{ price: 500 }, { price: 500 }, { price: 1000 }, { price: 1000 }], deal());
    expect(four.priced.lines.map((one) => one.discountTotal)).toEqual([500, 500, 0, 0]);
  });

  it('C32: tiers by amount on the order', async () => {
    const tiers = [
      { min: 0, percentBp: 1000 },
      { min: 2000, percentBp: 1500 },
      { min: 3000, percentBp: 2000 },
    ];
    const saved = async (quantity: number) =>
      (await price([{ price: 1000, quantity }], [offer(rule({ type: 'tiered', basis: 'amount', tiers }))])).priced.totals
        .itemsDiscount;
    expect([await saved(1), await saved(2), await saved(3)]).toEqual([100, 300, 600]);
  });

  it('C33: tiers by the quantity of a category', async () => {
    const apparel = { type: 'category' as const, op: 'in' as const, value: ['apparel'] };
    const tiers = [
      { min: 0, percentBp: 1000 },
      { min: 10, percentBp: 1500 },
    ];
    const deal = () => [offer(rule({ type: 'tiered', target: 'items', basis: 'quantity', tiers, conditions: [apparel] }))];
    const goods = (shirts: number, pants: number) => [
      { price: 5000, quantity: shirts, category: 'apparel' },
      { price: 5000, quantity: pants, category: 'apparel' },
      { price: 1500, category: 'mugs' },
    ];
    expect((await price(goods(2, 3), deal())).priced.lines.map((one) => one.discountTotal)).toEqual([1000, 1500, 0]);
    expect((await price(goods(7, 5), deal())).priced.lines[0]!.discountTotal).toBe(5250);
  });

  it('C34: the minimum price bounds every discount', async () => {
    const items = [{ price: 5000, minPrice: 4500 }, { price: 2000 }];
    const fixed = await price(items, [offer(rule({ type: 'fixed_amount', amount: 2000 }))]);
    expect(fixed.priced.lines.map((one) => one.discountTotal)).toEqual([500, 1500]);
    expect(fixed.priced.totals.total).toBe(5000);
    const percent = await price(items, [offer(rule({ percentBp: 2000 }))]);
    expect(percent.priced.lines.map((one) => one.discountTotal)).toEqual([500, 900]);
    expect(percent.priced.totals.total).toBe(5600);
  });
});
