import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discountedUnits } from './buy-get.ts';

const run = (lineId: string, amount: number, count: number) => ({ lineId, amount, count });
const ask = (
  units: ReturnType<typeof run>[],
  buy: string[],
  get: string[],
  buyQuantity: number,
  getQuantity: number,
  maxSets?: number,
) =>
  discountedUnits(units, {
    buy: new Set(buy),
    get: new Set(get),
    buyQuantity,
    getQuantity,
    ...(maxSets === undefined ? {} : { maxSets }),
  });

describe('buy X get Y', () => {
  it('counts complete sets of disjoint units; the least expensive ones are free', () => {
    const both = (units: number, bought: number) => ({
      units: [{ lineId: 'a', quantity: units }],
      bought: [{ lineId: 'a', quantity: bought }],
    });
    expect(ask([run('a', 250, 4)], ['a'], ['a'], 2, 2)).toEqual({ sets: 1, ...both(2, 2) });
    expect(ask([run('a', 250, 3)], ['a'], ['a'], 2, 2)).toEqual({ sets: 0, units: [], bought: [] });
    expect(ask([run('a', 250, 9)], ['a'], ['a'], 2, 1)).toEqual({ sets: 3, ...both(3, 6) });
    expect(ask([run('a', 250, 9)], ['a'], ['a'], 2, 1, 2)).toEqual({ sets: 2, ...both(2, 4) });
  });
  it('supports different products to buy and to get', () => {
    const units = [run('cheap', 100, 1), run('gift', 300, 5), run('shoe', 900, 4)];
    expect(ask(units, ['shoe'], ['gift'], 2, 1)).toEqual({
      sets: 2,
      units: [{ lineId: 'gift', quantity: 2 }],
      bought: [{ lineId: 'shoe', quantity: 4 }],
    });
    expect(ask(units, ['shoe'], ['cheap', 'gift'], 2, 1).units).toEqual([
      { lineId: 'cheap', quantity: 1 },
      { lineId: 'gift', quantity: 1 },
    ]);
  });
  it('reserves units that must count as bought', () => {
    // The less expensive unit could be either, but must count as bought to complete a set.
    const units = [run('either', 100, 2), run('free', 500, 3)];
    expect(ask(units, ['either'], ['either', 'free'], 1, 1)).toEqual({
      sets: 2,
      units: [{ lineId: 'free', quantity: 2 }],
      bought: [{ lineId: 'either', quantity: 2 }],
    });
    expect(ask([run('either', 100, 3), run('free', 500, 1)], ['either'], ['either', 'free'], 1, 1)).toEqual({
      sets: 2,
      units: [
        { lineId: 'either', quantity: 1 },
        { lineId: 'free', quantity: 1 },
      ],
      bought: [{ lineId: 'either', quantity: 2 }],
    });
  });
  it('buys the most expensive units, first those that it cannot discount', () => {
    const units = [run('cheap', 100, 2), run('shoe', 300, 1), run('dear', 900, 2)];
    expect(ask(units, ['cheap', 'shoe', 'dear'], ['cheap', 'dear'], 2, 1)).toEqual({
      sets: 1,
      units: [{ lineId: 'cheap', quantity: 1 }],
      bought: [
        { lineId: 'shoe', quantity: 1 },
        { lineId: 'dear', quantity: 1 },
      ],
    });
  });
  it('never discounts more units than exist, nor without enough bought units', () => {
    const line = fc.record({
      amount: fc.integer({ min: 1, max: 1000 }),
      count: fc.integer({ min: 1, max: 6 }),
      kind: fc.constantFrom('buy', 'get', 'both', 'none'),
    });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 3 }),
        (lines, b, g) => {
          const units = lines.map((one, i) => ({ ...one, lineId: `l${i}` })).sort((x, y) => x.amount - y.amount);
          const of = (...kinds: string[]) => units.filter(({ kind }) => kinds.includes(kind)).map(({ lineId }) => lineId);
          const [buy, get] = [of('buy', 'both'), of('get', 'both')];
          const result = ask(units, buy, get, b, g);
          const free = new Map(result.units.map(({ lineId, quantity }) => [lineId, quantity]));
          const given = result.units.reduce((sum, { quantity }) => sum + quantity, 0);
          expect(given).toBe(result.sets * g);
          for (const { lineId, count } of units) expect(free.get(lineId) ?? 0).toBeLessThanOrEqual(count);
          for (const lineId of free.keys()) expect(get).toContain(lineId);
          const paying = new Map(result.bought.map(({ lineId, quantity }) => [lineId, quantity]));
          expect([...paying.values()].reduce((sum, quantity) => sum + quantity, 0)).toBe(result.sets * b);
          for (const { lineId, count } of units)
            expect((free.get(lineId) ?? 0) + (paying.get(lineId) ?? 0)).toBeLessThanOrEqual(count);
          for (const lineId of paying.keys()) expect(buy).toContain(lineId);
          const left = units
            .filter(({ lineId }) => buy.includes(lineId))
            .reduce((sum, { lineId, count }) => sum + count - (free.get(lineId) ?? 0), 0);
          expect(left).toBeGreaterThanOrEqual(result.sets * b);
          // One more set would be impossible.
          const count = (ids: string[]) =>
            units.filter(({ lineId }) => ids.includes(lineId)).reduce((sum, one) => sum + one.count, 0);
          const n = result.sets + 1;
          const both = count(of('both'));
          expect(Math.max(0, n * b - count(of('buy'))) + Math.max(0, n * g - count(of('get'))) > both).toBe(true);
        },
      ),
    );
  });
});
