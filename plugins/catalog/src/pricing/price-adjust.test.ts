import { describe, expect, it } from 'vitest';
import { adjustedPrice } from './price-adjust.ts';

describe('adjustedPrice', () => {
  it.each([
    [1000, 'RON', { percentBp: 1250 }, 'none', 1125],
    [1005, 'RON', { percentBp: 1000 }, 'none', 1106], // 100.5 → 101
    [1005, 'RON', { percentBp: -1000 }, 'none', 904],
    [1000, 'RON', { amount: -250 }, 'none', 750],
    [1000, 'RON', { amount: -1500 }, 'none', -500],
    [1234, 'RON', { percentBp: 0 }, '99', 1199],
    [1260, 'RON', { percentBp: 0 }, '99', 1299],
    [1299, 'RON', { percentBp: 0 }, '99', 1299],
    [10, 'RON', { percentBp: 0 }, '99', 99],
    [1250, 'RON', { percentBp: 0 }, '00', 1300],
    [1249, 'RON', { percentBp: 0 }, '00', 1200],
    [12_340, 'KWD', { percentBp: 0 }, '99', 11_990],
    [12_600, 'KWD', { percentBp: 0 }, '00', 13_000],
    [1234, 'JPY', { percentBp: 0 }, '99', 1199],
    [1260, 'JPY', { percentBp: 0 }, '00', 1300],
  ] as const)('%i %s by %j, ending %s → %i', (price, currency, change, ending, expected) => {
    expect(adjustedPrice(price, currency, change, ending)).toBe(expected);
  });
  it('is idempotent when the same ending is applied again', () => {
    for (let price = 1; price < 3000; price += 7)
      for (const ending of ['99', '00'] as const) {
        const once = adjustedPrice(price, 'RON', { percentBp: 0 }, ending);
        expect(adjustedPrice(once, 'RON', { percentBp: 0 }, ending)).toBe(once);
        expect(Math.abs(once - price)).toBeLessThanOrEqual(price < 50 ? 99 : 50);
      }
  });
});
