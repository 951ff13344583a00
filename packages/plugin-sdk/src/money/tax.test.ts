import { describe, expect, test } from 'vitest';
import { calculateTax, grossOf, netOf, rateSet, summarizeTax, type TaxStep, taxOf } from './index.ts';
import { type ShippedGoods, shippingShares, shippingWeights } from './shipping-tax.ts';

const vat = (percent: number) => rateSet([{ ratePpm: percent * 10_000 }]);

describe('R3 one amount', () => {
  test('the tax is rounded, the other side is the remainder', () => {
    expect(taxOf(100, vat(20), 'gross')).toEqual({ tax: 17, parts: [17] });
    expect([netOf(100, vat(20)), grossOf(83, vat(20))]).toEqual([83, 100]);
    expect(taxOf(-100, vat(20), 'gross').tax).toBe(-17);
    expect(taxOf(99, rateSet([]), 'net')).toEqual({ tax: 0, parts: [] });
    expect(taxOf(100, rateSet([{ ratePpm: 88_750 }]), 'net').tax).toBe(9);
  });

  test('several rates: net rounds each, gross splits one tax (R4)', () => {
    const set = rateSet([{ ratePpm: 50_000 }, { ratePpm: 50_000 }]);
    expect(taxOf(10, set, 'net')).toEqual({ tax: 2, parts: [1, 1] });
    expect(taxOf(10, set, 'gross')).toEqual({ tax: 1, parts: [1, 0] });
    expect(taxOf(-10, set, 'gross')).toEqual({ tax: -1, parts: [-1, 0] });
  });

  test('a compound rate is charged on the taxes before it', () => {
    const set = rateSet([{ ratePpm: 50_000 }, { ratePpm: 100_000, compound: true }]);
    expect(set.ratePpm).toBe(155_000);
    expect(taxOf(10_000, set, 'net')).toEqual({ tax: 1550, parts: [500, 1050] });
    expect(taxOf(11_550, set, 'gross')).toEqual({ tax: 1550, parts: [500, 1050] });
    const twice = rateSet([
      { ratePpm: 100_000, compound: true },
      { ratePpm: 100_000, compound: true },
    ]);
    expect(taxOf(10_000, twice, 'net').parts).toEqual([1000, 1100]);
    expect(rateSet([{ ratePpm: 50_000 }, { ratePpm: 99_750, compound: true }]).ratePpm).toBe(154_738);
  });

  test('the category of a group', () => {
    expect([vat(20), vat(0), rateSet([])].map((set) => set.categoryCode)).toEqual(['S', 'Z', 'Z']);
    expect(rateSet([{ ratePpm: 0, categoryCode: 'AE' }]).categoryCode).toBe('AE');
    expect(rateSet([{ ratePpm: 200_000, name: 'A' }]).key).toBe(rateSet([{ ratePpm: 200_000, name: 'B' }]).key);
    expect(rateSet([{ ratePpm: 200_000 }]).key).not.toBe(rateSet([{ ratePpm: 200_000, compound: true }]).key);
  });

  test.each([-1, 1_000_001, 0.5])('%d is not a rate', (ratePpm) => {
    expect(() => rateSet([{ ratePpm }])).toThrow(RangeError);
  });
});

describe('R3 levels', () => {
  const entries = [
    { id: 'a', amount: 333, quantity: 3, set: vat(19) },
    { id: 'b', amount: 333, quantity: 1, set: vat(19) },
    { id: 'c', amount: 0, quantity: 1, set: vat(19) },
    { id: 'd', amount: 333, quantity: 2, set: vat(7) },
  ];
  const taxes = (level: 'line' | 'unit' | 'rate_group', steps?: TaxStep[]) =>
    calculateTax(entries, { priceMode: 'net', level }, steps).map((one) => one.tax);

  test('line, unit, rate group', () => {
    expect(taxes('line')).toEqual([63, 63, 0, 23]);
    expect(taxes('unit')).toEqual([63, 63, 0, 24]);
    // 666 at 19 % is 126.54 → 127, spread evenly with the odd cent to the first.
    expect(taxes('rate_group')).toEqual([64, 63, 0, 23]);
  });

  test('each rounding is a step of the trace', () => {
    const steps: TaxStep[] = [];
    taxes('rate_group', steps);
    expect(steps).toEqual([
      {
        rule: 'R3',
        ids: ['a', 'b', 'c'],
        ratePpm: 190_000,
        categoryCode: 'S',
        base: 666,
        units: 1,
        rate: '190000/1000000',
        rounding: '23/50',
        tax: 127,
        shares: [64, 63, 0],
      },
      {
        rule: 'R3',
        ids: ['d'],
        ratePpm: 70_000,
        categoryCode: 'S',
        base: 333,
        units: 1,
        rate: '70000/1000000',
        rounding: '-31/100',
        tax: 23,
        shares: [23],
      },
    ]);
    const units: TaxStep[] = [];
    taxes('unit', units);
    expect(units.filter((step) => step.ids[0] === 'd').map(({ base, units: count, tax }) => [base, count, tax])).toEqual([
      [167, 1, 12],
      [166, 1, 12],
    ]);
  });

  test('a group of several rates, net: each rate is rounded and allocated separately', () => {
    const set = rateSet([{ ratePpm: 50_000 }, { ratePpm: 88_750 }]);
    const two = [
      { id: 'a', amount: 105, quantity: 1, set },
      { id: 'b', amount: 105, quantity: 1, set },
    ];
    expect(calculateTax(two, { priceMode: 'net', level: 'rate_group' })).toEqual([
      { tax: 16, parts: [6, 10] },
      { tax: 14, parts: [5, 9] },
    ]);
  });

  test('summary rows: one a group, the highest first, empty ones left out', () => {
    const row = (ratePpm: number, categoryCode: string, base: number, tax: number) => ({ ratePpm, categoryCode, base, tax });
    const rows = [
      row(0, 'Z', 0, 0),
      row(70_000, 'S', 100, 7),
      row(190_000, 'S', 100, 19),
      row(70_000, 'S', 50, 4),
      row(0, 'E', 5, 0),
    ];
    expect(summarizeTax(rows)).toEqual([row(190_000, 'S', 100, 19), row(70_000, 'S', 150, 11), row(0, 'E', 5, 0)]);
    expect(summarizeTax([row(0, 'Z', 0, 0)])).toEqual([row(0, 'Z', 0, 0)]);
  });
});

describe('R10 shipping', () => {
  const goods = (amount: number, percent: number, listAmount = amount): ShippedGoods => ({
    set: vat(percent),
    amount,
    listAmount,
  });
  const split = (amount: number, weights: ReturnType<typeof shippingWeights>) =>
    shippingShares(amount, weights).map((share) => [share.set.ratePpm / 10_000, share.amount]);

  test('proportional, with zero-rated goods as a group of their own', () => {
    const weights = shippingWeights('proportional', [goods(1000, 7), goods(1000, 0), goods(2000, 19)], vat(19));
    expect(split(400, weights)).toEqual([
      [19, 200],
      [7, 100],
      [0, 100],
    ]);
  });

  test('a remainder goes to the higher rate for any order of the lines', () => {
    for (const lines of [
      [goods(100, 7), goods(100, 19)],
      [goods(100, 19), goods(100, 7)],
    ]) {
      expect(split(1, shippingWeights('proportional', lines, vat(19)))).toEqual([[19, 1]]);
    }
  });

  test('free goods weigh by list price, and nothing at all takes the default category', () => {
    expect(split(300, shippingWeights('proportional', [goods(0, 7, 100), goods(0, 19, 200)], vat(19)))).toEqual([
      [19, 200],
      [7, 100],
    ]);
    expect(split(300, shippingWeights('proportional', [goods(0, 7, 0)], vat(19)))).toEqual([[19, 300]]);
    expect(split(300, shippingWeights('proportional', [], vat(19)))).toEqual([[19, 300]]);
  });

  test('highest rate of the lines with a price above 0', () => {
    expect(split(300, shippingWeights('highest_rate', [goods(5000, 7), goods(1, 9), goods(0, 19)], vat(21)))).toEqual([[9, 300]]);
    expect(split(300, shippingWeights('highest_rate', [], vat(21)))).toEqual([[21, 300]]);
  });

  test('fixed category', () => {
    expect(split(300, shippingWeights('fixed_category', [goods(5000, 7)], vat(21), vat(5)))).toEqual([[5, 300]]);
    expect(split(300, shippingWeights('fixed_category', [goods(5000, 7)], vat(21)))).toEqual([[21, 300]]);
  });

  test('free shipping stays with one group', () => {
    expect(split(0, shippingWeights('proportional', [goods(100, 7), goods(100, 19)], vat(21)))).toEqual([[19, 0]]);
  });
});
