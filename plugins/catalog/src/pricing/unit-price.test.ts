import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tier } from '../../test/tier.ts';
import { type Buyer, type PriceSource, tierLadder, unitPrice, type VariantPrice } from './unit-price.ts';

const now = '2026-06-01T12:00:00.000Z';
const ron = (amount: number) => ({ amount, currency: 'RON' });
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const price = (amount: number, more: Partial<VariantPrice> = {}): VariantPrice => ({
  ...ron(amount),
  priceListCode: null,
  startsAt: null,
  endsAt: null,
  ...more,
});
const source = (base: number, more: Partial<PriceSource> = {}): PriceSource => ({
  variantId: 'v',
  productId: 'p',
  base: ron(base),
  prices: [],
  tiers: [],
  ...more,
});
const buyer = (more: Partial<Buyer> = {}): Buyer => ({
  at: now,
  currency: 'RON',
  companyList: null,
  groupList: null,
  groupIds: [],
  groupDiscountBp: null,
  convert: (money) => Math.round(money.amount / 5),
  ...more,
});
const unit = (from: PriceSource, who: Buyer, quantity = 1): number =>
  unitPrice(from, who, { variant: quantity, product: quantity }).unitPrice;

describe('quantity tiers', () => {
  it('C52: tiers 1:3250, 2:3200, 3:3150; add 1, then +2; then set 2', () => {
    const shirt = source(3250, { tiers: [tier(2, { price: ron(3200) }), tier(3, { price: ron(3150) })] });
    expect(unit(shirt, buyer(), 3) * 3).toBe(9450);
    expect(unit(shirt, buyer(), 2) * 2).toBe(6400);
    expect(unit(shirt, buyer(), 1)).toBe(3250);
  });
  it('C53: base 295, 3–5: 273, 6+: 250; quantity 2, 3, 5, 6, back to 5', () => {
    const part = source(295, { tiers: [tier(6, { price: ron(250) }), tier(3, { price: ron(273) })] });
    expect([2, 3, 5, 6, 5].map((n) => unit(part, buyer(), n) * n)).toEqual([590, 819, 1365, 1500, 1365]);
  });
  it('count the units of all variants with aggregate `product`', () => {
    const mixed = source(1000, { tiers: [tier(5, { percentBp: 1000, aggregate: 'product' })] });
    expect(unitPrice(mixed, buyer(), { variant: 2, product: 5 }).unitPrice).toBe(900);
    expect(unitPrice(mixed, buyer(), { variant: 2, product: 4 }).unitPrice).toBe(1000);
  });
  it('prefer a tier of the variant among equal minimums, then the lower price', () => {
    const own = source(1000, { tiers: [tier(2, { price: ron(800) }), tier(2, { price: ron(900), variantId: 'v' })] });
    expect(unit(own, buyer(), 2)).toBe(900);
    const other = source(1000, { tiers: [tier(2, { price: ron(800), variantId: 'w' })] });
    expect(unit(other, buyer(), 2)).toBe(1000);
  });
  it('apply within their period, excluding its end', () => {
    const dated = source(1000, { tiers: [tier(2, { price: ron(800), startsAt: now, endsAt: '2026-06-02T00:00:00.000Z' })] });
    expect(unit(dated, buyer(), 2)).toBe(800);
    expect(unit(dated, buyer({ at: '2026-06-02T00:00:00.000Z' }), 2)).toBe(1000);
    expect(unit(dated, buyer({ at: '2026-05-31T00:00:00.000Z' }), 2)).toBe(1000);
  });
  it('subtract a fixed amount, but not below zero', () => {
    expect(unit(source(1000, { tiers: [tier(2, { fixedOff: ron(300) })] }), buyer(), 2)).toBe(700);
    expect(unit(source(200, { tiers: [tier(2, { fixedOff: ron(300) })] }), buyer(), 2)).toBe(0);
  });
  it('graduated: each unit has the price of its own tier; the unit price is the average', () => {
    const steps = source(100, {
      tiers: [tier(3, { price: ron(90), mode: 'graduated' }), tier(5, { price: ron(80), mode: 'graduated' })],
    });
    expect(unit(steps, buyer(), 2)).toBe(100);
    expect(unit(steps, buyer(), 4) * 4).toBe(380); // 100 + 100 + 90 + 90
    expect(unit(steps, buyer(), 5)).toBe(92); // 460 / 5
    expect(unit(steps, buyer(), 6)).toBe(90); // 540 / 6
    expect(tierLadder(steps, buyer())).toEqual([
      { minQuantity: 3, price: 90 },
      { minQuantity: 5, price: 80 },
    ]);
  });
  it('P24: a monotone function of the quantity, for every sequence of changes', () => {
    const ladder = fc.uniqueArray(fc.tuple(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 0, max: 9000 })), {
      selector: ([min]) => min,
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        ladder,
        fc.constantFrom('all_units' as const, 'graduated' as const),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        (steps, mode, a, b) => {
          const sorted = steps.toSorted(([x], [y]) => x - y);
          let least = 9000;
          const tiers = sorted.map(([min, amount]) => tier(min, { mode, price: ron((least = Math.min(least, amount))) }));
          const from = source(9000, { tiers: tiers.toReversed() });
          const [low, high] = a < b ? [a, b] : [b, a];
          expect(unit(from, buyer(), high)).toBeLessThanOrEqual(unit(from, buyer(), low));
          expect(unit(source(9000, { tiers }), buyer(), high)).toBe(unit(from, buyer(), high));
        },
      ),
    );
  });
});

describe('levels', () => {
  const lists = source(1000, {
    prices: [
      price(700, { priceListCode: 'company' }),
      price(800, { priceListCode: 'group' }),
      price(1, { priceListCode: 'other' }),
    ],
    tiers: [tier(2, { price: ron(600) }), tier(2, { percentBp: 1000, customerGroupId: 'g' })],
  });
  it('use the company price, then the group price, then the general price', () => {
    expect(unitPrice(lists, buyer({ companyList: 'company', groupList: 'group' }), { variant: 9, product: 9 })).toEqual({
      unitPrice: 700,
      listPrice: 700,
      level: 'company',
      tier: null,
    });
    expect(unitPrice(lists, buyer({ groupList: 'group' }), { variant: 2, product: 2 })).toMatchObject({
      unitPrice: 800,
      level: 'group',
    });
    expect(unitPrice(lists, buyer(), { variant: 2, product: 2 })).toMatchObject({
      unitPrice: 600,
      listPrice: 1000,
      level: 'general',
    });
    expect(unit(lists, buyer(), 1)).toBe(1000);
  });
  it('skip a price list that doesn’t contain the variant', () => {
    expect(unitPrice(lists, buyer({ companyList: 'none', groupList: 'none' }), { variant: 1, product: 1 })).toMatchObject({
      unitPrice: 1000,
      level: 'general',
    });
  });
  it('apply a group tier to the list price of the group, or to the general price', () => {
    expect(unit(lists, buyer({ groupList: 'group', groupIds: ['g'] }), 2)).toBe(720);
    expect(unit(lists, buyer({ groupIds: ['g'] }), 2)).toBe(900);
    // Below the minimum of the tier, the group has no price.
    expect(unitPrice(lists, buyer({ groupIds: ['g'] }), { variant: 1, product: 1 })).toMatchObject({
      unitPrice: 1000,
      level: 'general',
    });
  });
  it('don’t apply prices of other groups', () => {
    expect(unit(lists, buyer({ groupIds: ['h'] }), 2)).toBe(600);
    expect(tierLadder(lists, buyer())).toEqual([{ minQuantity: 2, price: 600 }]);
    expect(tierLadder(lists, buyer({ groupIds: ['h'] }))).toEqual([{ minQuantity: 2, price: 600 }]);
    expect(tierLadder(lists, buyer({ groupIds: ['g'] }))).toEqual([{ minQuantity: 2, price: 900 }]);
  });
  it('apply a group discount to general prices and tiers if the group has no price list', () => {
    expect(unitPrice(lists, buyer({ groupDiscountBp: 500 }), { variant: 1, product: 1 })).toEqual({
      unitPrice: 950,
      listPrice: 950,
      level: 'group',
      tier: null,
    });
    expect(unit(lists, buyer({ groupDiscountBp: 500 }), 2)).toBe(570);
    expect(unit(lists, buyer({ groupDiscountBp: 500, groupList: 'none' }), 1)).toBe(1000);
  });
  it('apply a dated price within its period, the latest start first', () => {
    const dated = source(1000, {
      prices: [
        price(900, { startsAt: '2026-05-01T00:00:00.000Z' }),
        price(850, { startsAt: '2026-05-20T00:00:00.000Z', endsAt: '2026-06-10T00:00:00.000Z' }),
      ],
    });
    expect(unit(dated, buyer())).toBe(850);
    expect(unit(dated, buyer({ at: '2026-06-10T00:00:00.000Z' }))).toBe(900);
    expect(unit(dated, buyer({ at: '2026-04-01T00:00:00.000Z' }))).toBe(1000);
  });
});

describe('currencies', () => {
  it('use a price in the buyer’s currency without conversion, else convert the base price once', () => {
    expect(unit(source(1000, { prices: [price(0, eur(210))] }), buyer({ currency: 'EUR' }))).toBe(210);
    expect(unit(source(1000), buyer({ currency: 'EUR' }))).toBe(200);
    expect(unit(source(1000, { prices: [price(900, { endsAt: '2026-07-01T00:00:00.000Z' })] }), buyer({ currency: 'EUR' }))).toBe(
      180,
    );
  });
  it('ignore prices in a third currency', () => {
    const usd = source(1000, {
      prices: [price(5, { currency: 'USD' })],
      tiers: [tier(2, { price: { amount: 5, currency: 'USD' } })],
    });
    expect(unit(usd, buyer({ currency: 'EUR' }), 2)).toBe(200);
  });
  it('prefer a tier in the buyer’s currency to a converted tier with the same minimum', () => {
    const both = source(1000, {
      tiers: [tier(2, { price: ron(900) }), tier(2, { price: eur(190) }), tier(3, { price: ron(800) })],
    });
    expect(unit(both, buyer({ currency: 'EUR' }), 2)).toBe(190);
    expect(unit(both, buyer({ currency: 'EUR' }), 3)).toBe(160);
    expect(unit(both, buyer(), 2)).toBe(900);
  });
});
