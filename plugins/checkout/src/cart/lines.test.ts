import { describe, expect, it } from 'vitest';
import { addLine, type LineInput, lineKey, mergeLines, pricingLines, setQuantity, unitsOf } from './lines.ts';
import type { CartLine } from './table.ts';

const input = (more: Partial<LineInput> = {}): LineInput => ({
  kind: 'product',
  variantId: 'v',
  data: null,
  quantity: 1,
  options: null,
  custom: null,
  ...more,
});
const line = (id: string, more: Partial<LineInput> = {}): CartLine => ({ ...input(more), id, title: 'T' });

describe('lines of a cart', () => {
  it('have the same key for the same variant, options and custom text, in any key order', () => {
    expect(lineKey(input({ options: { a: '1', b: '2' } }))).toBe(lineKey(input({ options: { b: '2', a: '1' } })));
    expect(lineKey(input({ custom: { text: 'x' } }))).not.toBe(lineKey(input({ custom: { text: 'y' } })));
    expect(lineKey(input({ kind: 'hotel.stay', variantId: null, data: { n: { b: 1, a: 2 } } }))).toBe(
      lineKey(input({ kind: 'hotel.stay', variantId: null, data: { n: { a: 2, b: 1 } } })),
    );
  });

  it('merge an equal line and append a different one', () => {
    const one = addLine([line('a', { quantity: 2 })], input({ quantity: 3 }), 'b');
    expect([one.merged, one.line.id, one.line.quantity, one.lines.length]).toEqual([true, 'a', 5, 1]);
    const two = addLine([line('a')], input({ options: { size: 'M' } }), 'b');
    expect([two.merged, two.line.id, two.lines.map((each) => each.id)]).toEqual([false, 'b', ['a', 'b']]);
  });

  it('take a new quantity, are removed at 0, and give undefined for an unknown id', () => {
    const lines = [line('a'), line('b', { variantId: 'w' })];
    expect(setQuantity(lines, 'b', 7)?.map((each) => each.quantity)).toEqual([1, 7]);
    expect(setQuantity(lines, 'a', 0)?.map((each) => each.id)).toEqual(['b']);
    expect(setQuantity(lines, 'c', 1)).toBeUndefined();
  });

  it('add up by key when two carts merge', () => {
    const merged = mergeLines([line('a', { quantity: 2 })], [line('x', { quantity: 1 }), line('y', { variantId: 'w' })]);
    expect(merged.map((each) => [each.id, each.quantity])).toEqual([
      ['a', 3],
      ['y', 1],
    ]);
  });

  it('sum the units of a variant', () => {
    expect(
      unitsOf([line('a', { quantity: 2 }), line('b', { quantity: 3, options: { s: '1' } }), line('c', { variantId: 'w' })], 'v'),
    ).toBe(5);
  });

  it('become pricing lines without empty properties', () => {
    expect(pricingLines([line('a')], () => 'new')).toEqual([
      {
        id: 'new',
        kind: 'product',
        variantId: 'v',
        quantity: 1,
        title: '',
        listPrice: 0,
        unitPrice: 0,
        ships: false,
        weightG: 0,
        facts: {},
      },
    ]);
  });
});
