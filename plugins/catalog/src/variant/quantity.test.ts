import { describe, expect, it } from 'vitest';
import { checkQuantity } from './quantity.ts';

const free = { minPerOrder: null, maxPerOrder: null, step: null };

describe('checkQuantity', () => {
  it('accepts quantities within minimum, maximum and step', () => {
    expect(checkQuantity(free, 1)).toBeUndefined();
    expect(checkQuantity({ minPerOrder: 4, maxPerOrder: 10, step: 2 }, 4)).toBeUndefined();
    expect(checkQuantity({ minPerOrder: 4, maxPerOrder: 10, step: 2 }, 10)).toBeUndefined();
  });
  it.each([
    [free, 0, 'too_small'],
    [free, -1, 'too_small'],
    [free, 1.5, 'too_small'],
    [free, Number.NaN, 'too_small'],
    [{ ...free, minPerOrder: 3 }, 2, 'too_small'],
    [{ ...free, maxPerOrder: 3 }, 4, 'too_big'],
    [{ ...free, step: 6 }, 7, 'off_step'],
  ])('%j × %d → %s', (rule, quantity, code) => expect(checkQuantity(rule, quantity)?.code).toBe(code));
});
