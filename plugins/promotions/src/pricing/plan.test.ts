import { describe, expect, it } from 'vitest';
import { type CartOptions, offer, price, rule } from '../../test/cart.ts';
import { combiningSets } from '../promotion/rule.ts';

const goods = [{ price: 10_000 }];
const names = async (offers: ReturnType<typeof offer>[], options: CartOptions = {}) => {
  const { off, priced, sink } = await price(goods, offers, options);
  const reasons = Object.fromEntries([...sink.rejected].map(([code, { reason }]) => [code, reason]));
  return {
    applied: offers.filter(({ rule: one }) => one.id in off).map(({ rule: one }) => one.name),
    total: priced.totals.total,
    reasons,
  };
};

describe('exclusive promotions', () => {
  const small = () => rule({ name: 'small', exclusive: true, priority: 5, type: 'fixed_amount', amount: 100 });
  const large = () => rule({ name: 'large', percentBp: 5000 });

  it('apply alone by priority, even if they save less', async () => {
    expect(await names([offer(small()), offer(large(), 'LARGE')])).toEqual({
      applied: ['small'],
      total: 9900,
      reasons: { LARGE: 'coupon_not_combinable' },
    });
  });
  it('apply with best_deal only if they save most', async () => {
    expect(await names([offer(small()), offer(large())], { mode: 'best_deal' })).toEqual({
      applied: ['large'],
      total: 5000,
      reasons: {},
    });
  });
  it("don't block others while they don't apply", async () => {
    const waiting = { ...small(), minimums: [{ type: 'min_quantity' as const, op: 'gte' as const, value: 2 }] };
    expect(await names([offer(waiting, 'SMALL'), offer(large())])).toEqual({
      applied: ['large'],
      total: 5000,
      reasons: { SMALL: 'coupon_min_not_met' },
    });
  });
  it('with equal savings are ordered by priority with best_deal', async () => {
    const one = rule({ name: 'one', exclusive: true, priority: 1, percentBp: 1000 });
    const two = rule({ name: 'two', exclusive: true, priority: 2, type: 'fixed_amount', amount: 1000 });
    expect((await names([offer(one), offer(two)], { mode: 'best_deal' })).applied).toEqual(['two']);
  });
});

describe("promotions that don't combine", () => {
  it('are chosen by rank within a target', async () => {
    const first = rule({ name: 'first', percentBp: 1000, combineWith: ['items'] });
    const second = rule({ name: 'second', percentBp: 2000 });
    expect((await names([offer(first), offer(second)])).applied).toEqual(['first']);
  });
  it('of a later target displace lower-ranked ones of earlier targets', async () => {
    const item = rule({ name: 'item', target: 'items', percentBp: 1000 });
    const order = rule({ name: 'order', percentBp: 500, combineWith: [], priority: 1 });
    expect(await names([offer(item, 'ITEM'), offer(order)])).toEqual({
      applied: ['order'],
      total: 9500,
      reasons: { ITEM: 'coupon_not_combinable' },
    });
    const weaker = { ...order, priority: -1 };
    expect((await names([offer(item), offer(weaker)])).applied).toEqual(['item']);
  });
  it('combine only if each lists the other', async () => {
    const item = rule({ name: 'item', target: 'items', percentBp: 1000, combineWith: ['order'] });
    const order = rule({ name: 'order', percentBp: 500, combineWith: ['shipping'] });
    expect((await names([offer(item), offer(order)])).applied).toEqual(['item']);
    expect((await names([offer(item), offer({ ...order, combineWith: ['items'] })])).applied).toEqual(['item', 'order']);
  });
  it('are chosen by their total savings with best_deal', async () => {
    const a = rule({ name: 'a', percentBp: 1000, combineWith: ['items'], priority: 9 });
    const b = rule({ name: 'b', target: 'items', percentBp: 500, combineWith: ['order', 'items'] });
    const c = rule({ name: 'c', target: 'items', percentBp: 4000, combineWith: [] });
    expect((await names([offer(a), offer(b), offer(c)])).applied).toEqual(['a', 'b']);
    expect((await names([offer(a), offer(b), offer(c)], { mode: 'best_deal' })).applied).toEqual(['c']);
  });
  it('ignore a shipping promotion while no shipping method is chosen', async () => {
    const free = rule({ name: 'free', type: 'free_shipping', target: 'shipping', combineWith: [], priority: 9 });
    const order = rule({ name: 'order', percentBp: 1000 });
    expect((await names([offer(free), offer(order)])).applied).toEqual(['order']);
    expect(await names([offer(free), offer(order)], { shipping: 500 })).toEqual({
      applied: ['free'],
      total: 10_000,
      reasons: {},
    });
    expect((await names([offer(free, 'FREE'), offer(order)])).applied).toEqual(['free']);
  });
});

describe('stopFurther', () => {
  it('ends the promotions of its target', async () => {
    const first = rule({ name: 'first', percentBp: 1000, stopFurther: true, priority: 2 });
    const second = rule({ name: 'second', percentBp: 1000 });
    const item = rule({ name: 'item', target: 'items', percentBp: 1000 });
    expect(await names([offer(first), offer(second, 'TWO'), offer(item)])).toEqual({
      applied: ['first', 'item'],
      total: 8100,
      reasons: { TWO: 'coupon_not_combinable' },
    });
  });
  it("doesn't end them while it doesn't apply", async () => {
    const first = rule({
      percentBp: 1000,
      stopFurther: true,
      priority: 2,
      conditions: [{ type: 'min_quantity', op: 'gte', value: 5 }],
    });
    expect((await names([offer(first), offer(rule({ name: 'second', percentBp: 1000 }))])).applied).toEqual(['second']);
  });
});

describe('combining', () => {
  it('finds every maximal set once', () => {
    const make = (target: 'order' | 'items' | 'shipping', combineWith: ('order' | 'items' | 'shipping')[]) =>
      rule({ target, combineWith });
    const a = make('order', ['items', 'shipping']);
    const b = make('order', ['items', 'shipping']);
    const c = make('items', ['order', 'items', 'shipping']);
    const d = make('items', []);
    const e = make('shipping', ['order', 'items']);
    const sets = combiningSets([a, b, c, d, e]).map((set) => set.map(({ id }) => id));
    expect(sets.sort()).toEqual([[a, c, e], [b, c, e], [d]].map((set) => set.map(({ id }) => id)).sort());
    expect(combiningSets([])).toEqual([]);
    // For hundreds of mutually exclusive rules, a bounded number of sets is compared.
    expect(combiningSets(Array.from({ length: 300 }, () => make('order', []))).length).toBe(64);
  });
});
