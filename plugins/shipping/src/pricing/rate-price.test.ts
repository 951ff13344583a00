import { describe, expect, it } from 'vitest';
import { gapsOf } from '../method/rate-gaps.ts';
import type { OfferedMethod, OfferedRate } from './offers.ts';
import { type Exchange, ratePrice, shipmentOf } from './rate-price.ts';

const ron = (amount: number) => ({ amount, currency: 'RON' });
const rate = (min: number, max: number | null, price: number, freeOver: number | null = null): OfferedRate => ({
  min,
  max,
  price: ron(price),
  freeOver: freeOver === null ? null : ron(freeOver),
});
const method = (more: Partial<OfferedMethod>): OfferedMethod => ({
  id: 'm',
  code: 'm',
  name: { ro: 'M' },
  type: 'flat',
  zoneIds: [],
  carrier: null,
  serviceCode: null,
  taxCategoryId: null,
  handlingDays: null,
  etaMinDays: null,
  etaMaxDays: null,
  price: null,
  freeOver: null,
  valueBasis: 'before_discounts',
  rates: [],
  ...more,
});
const same: Exchange = (money) => (money.amount === 0 || money.currency === 'RON' ? money.amount : undefined);
const shipment = (items: number, weightG: number, itemsTotal: number) => ({
  items,
  weightG,
  itemsTotal,
  itemsSubtotal: itemsTotal,
});
const price = (own: OfferedMethod, given = shipment(1, 1000, 5000), exchange = same) => ratePrice(own, given, 'RON', exchange);

describe('prices of rates', () => {
  it('flat, free from a threshold on', () => {
    const flat = method({ price: ron(1999), freeOver: ron(30_000) });
    expect([price(flat, shipment(1, 1, 29_999)), price(flat, shipment(1, 1, 30_000))]).toEqual([1999, 0]);
  });

  it('by weight: ranges include min and exclude max; without a matching range nothing is offered', () => {
    const byWeight = method({ type: 'weight', rates: [rate(0, 1000, 1500), rate(1000, 5000, 2500)] });
    expect([999, 1000, 4999, 5000].map((grams) => price(byWeight, shipment(1, grams, 1)))).toEqual([1500, 2500, 2500, undefined]);
    expect(price(method({ type: 'weight' }))).toBeUndefined();
  });

  it('the price of a method does not apply if its rates exclude the shipment', () => {
    expect(price(method({ type: 'weight', price: ron(900), rates: [rate(0, 500, 500)] }), shipment(1, 600, 1))).toBeUndefined();
    expect(price(method({ type: 'weight', price: ron(900) }), shipment(1, 600, 1))).toBe(900);
  });

  it('per item: the price times the items', () => {
    const byItem = method({ type: 'per_item', rates: [rate(1, 5, 500), rate(5, null, 300)] });
    expect([1, 4, 5, 10].map((items) => price(byItem, shipment(items, 1, 1)))).toEqual([500, 2000, 1500, 3000]);
    expect(price(method({ type: 'per_item', price: ron(250) }), shipment(3, 1, 1))).toBe(750);
  });

  it('by the total of the items, with the rate’s threshold for free shipping', () => {
    const byTotal = method({ type: 'price', freeOver: ron(1), rates: [rate(0, 10_000, 2000), rate(10_000, null, 1000, 20_000)] });
    expect([9999, 10_000, 19_999, 20_000].map((total) => price(byTotal, shipment(1, 1, total)))).toEqual([0, 1000, 1000, 0]);
  });

  it('pickup is free unless it has a price', () => {
    expect([price(method({ type: 'pickup' })), price(method({ type: 'pickup', price: ron(500) }))]).toEqual([0, 500]);
  });

  it('in another currency: rates in it first, then converted ones, otherwise none', () => {
    const both = method({
      type: 'weight',
      rates: [rate(0, null, 2000), { ...rate(0, null, 0), price: { amount: 400, currency: 'EUR' } }],
    });
    expect(ratePrice(both, shipment(1, 1, 1), 'EUR', (money) => money.amount)).toBe(400);
    const flat = method({ price: { amount: 400, currency: 'EUR' } });
    expect(price(flat)).toBeUndefined();
    expect(price(flat, shipment(1, 1, 1), ({ amount }) => amount * 5)).toBe(2000);
  });

  it('counts only shipped goods', () => {
    const line = { id: 'l', kind: 'product', running: 0, quantity: 2, weightG: 300, ships: true };
    expect(shipmentOf([line, { ...line, quantity: 5, ships: false }], { itemsTotal: 900, itemsSubtotal: 1000 })).toEqual({
      items: 2,
      weightG: 600,
      itemsTotal: 900,
      itemsSubtotal: 1000,
    });
  });
});

describe('gaps between rates', () => {
  const of = (min: number, max: number | null, methodId = 'm') => ({ methodId, min, max, price: ron(1) });
  it.each<[string, ReturnType<typeof of>[], number]>([
    ['none', [of(0, 10), of(10, null)], 0],
    ['before the first', [of(5, null)], 1],
    ['between', [of(20, null), of(0, 10)], 1],
    ['a limit above is none', [of(0, 10)], 0],
    ['each method separately', [of(0, 10), of(10, null, 'n')], 1],
  ])('%s', (_, rates, count) => {
    expect(gapsOf(rates)).toHaveLength(count);
  });
});
