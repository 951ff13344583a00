import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundleAvailability, bundlePrice } from './math.ts';

describe('bundleAvailability', () => {
  it('C50: stock 10, kit of 2 → 5 kits; stock 5, kit of 5 → 1', () => {
    expect(bundleAvailability([{ available: 10, quantity: 2 }])).toBe(5);
    expect(bundleAvailability([{ available: 5, quantity: 5 }])).toBe(1);
  });
  it('ignores untracked components, and is null if none is tracked', () => {
    expect(
      bundleAvailability([
        { available: null, quantity: 1 },
        { available: 7, quantity: 3 },
      ]),
    ).toBe(2);
    expect(bundleAvailability([{ available: null, quantity: 1 }])).toBeNull();
  });
  it('is never negative, even with negative stock from backorders', () => {
    expect(bundleAvailability([{ available: -3, quantity: 2 }])).toBe(0);
  });
  it('P25: the stock allows exactly that many bundles', () => {
    const component = fc.record({ available: fc.integer({ min: 0, max: 500 }), quantity: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(component, { minLength: 1, maxLength: 6 }), (components) => {
        const kits = bundleAvailability(components) as number;
        const fits = (n: number): boolean => components.every(({ available, quantity }) => available - n * quantity >= 0);
        expect(fits(kits)).toBe(true);
        expect(fits(kits + 1)).toBe(false);
      }),
    );
  });
  it('P25: selling bundle and components in any mix never takes a component below zero', () => {
    const step = fc.oneof(fc.constant('kit' as const), fc.integer({ min: 0, max: 2 }));
    fc.assert(
      fc.property(
        fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 })),
        fc.array(step, { maxLength: 60 }),
        (stock, steps) => {
          const left = [...stock];
          const needs = [1, 2, 3];
          for (const what of steps) {
            const components = left.map((available, i) => ({ available, quantity: needs[i]! }));
            if (what === 'kit') {
              if ((bundleAvailability(components) as number) >= 1) for (const [i, n] of needs.entries()) left[i]! -= n;
            } else if (left[what]! >= 1) left[what]! -= 1;
            expect(Math.min(...left)).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });
});

describe('bundlePrice', () => {
  const parts = [
    { unitPrice: 1000, quantity: 2 },
    { unitPrice: 333, quantity: 1 },
  ];
  it('adds up component prices and applies the percentage once to the sum', () => {
    expect(bundlePrice('sum', null, parts)).toBe(2333);
    expect(bundlePrice('sum_minus_percent', 1000, parts)).toBe(2100); // 233.3 → 233
    expect(bundlePrice('sum_minus_percent', 10_000, parts)).toBe(0);
    expect(bundlePrice('sum', null, [])).toBe(0);
  });
});
