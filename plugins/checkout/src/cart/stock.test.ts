import type { LineChild } from '@storeloom/commerce';
import { describe, expect, it } from 'vitest';
import { capQuantity } from './merge.ts';
import { demandOf, shortOf } from './stock.ts';

const child = (variantId: string, quantity: number): LineChild => ({
  variantId,
  quantity,
  title: variantId,
  sku: variantId,
  listPrice: 1,
  weightG: 0,
  ships: true,
});
const kit = { variantId: 'kit', quantity: 2, children: [child('a', 1), child('b', 3)] };

describe('stock demand of a cart', () => {
  it('sums bundle components and the same variants bought alone (C51)', () => {
    expect([...demandOf([kit, { variantId: 'a', quantity: 4 }])]).toEqual([
      ['a', 6],
      ['b', 6],
    ]);
  });

  it('limits a bundle by its scarcest component, in whole bundles', () => {
    expect(shortOf(kit, new Map([['b', 5]]))).toBe(1);
    expect(
      shortOf(
        kit,
        new Map([
          ['a', 1],
          ['b', 5],
        ]),
      ),
    ).toBe(1);
    expect(shortOf(kit, new Map([['b', 2]]))).toBe(0);
    expect(shortOf({ variantId: 'a' }, new Map([['a', 3]]))).toBe(3);
    expect(shortOf(kit, new Map([['c', 0]]))).toBeUndefined();
  });

  it('is capped at the stock, the maximum per order and whole steps', () => {
    expect(capQuantity(9, { maxPerOrder: null, step: null }, 4)).toBe(4);
    expect(capQuantity(9, { maxPerOrder: 5, step: null }, 100)).toBe(5);
    expect(capQuantity(9, { maxPerOrder: 8, step: 3 }, 100)).toBe(6);
    expect(capQuantity(2, { maxPerOrder: 8, step: null }, 100)).toBe(2);
  });
});
