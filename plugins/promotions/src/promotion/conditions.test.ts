import { describe, expect, it } from 'vitest';
import { type Buyer, compare, conditionErrors, holdsForBuyer, operatorOf, weekdayOf } from './conditions.ts';
import type { Condition } from './promotion.ts';

const guest: Buyer = {
  groupIds: [],
  ordersBefore: undefined,
  country: undefined,
  channel: 'web',
  paymentMethod: undefined,
  weekday: 5,
};
const holds = (type: Condition['type'], op: Condition['op'], value: unknown, buyer: Partial<Buyer> = {}) =>
  holdsForBuyer({ type, op, value }, { ...guest, ...buyer });

describe('conditions on the buyer', () => {
  it.each([
    ['customer_group', 'in', ['a', 'b'], { groupIds: ['b', 'c'] }, true],
    ['customer_group', 'in', ['a'], { groupIds: ['b'] }, false],
    ['customer_group', 'not_in', ['a'], {}, true],
    ['customer_group', 'not_in', ['a'], { groupIds: ['a'] }, false],
    ['customer_group', 'eq', 'a', { groupIds: ['a'] }, true],
    ['first_order', 'eq', true, { ordersBefore: 0 }, true],
    ['first_order', 'eq', true, { ordersBefore: 1 }, false],
    ['first_order', 'eq', false, { ordersBefore: 1 }, true],
    ['first_order', 'ne', true, { ordersBefore: 0 }, false],
    ['nth_order', 'eq', 3, { ordersBefore: 2 }, true],
    ['nth_order', 'gte', 3, { ordersBefore: 1 }, false],
    ['nth_order', 'in', [1, 5], { ordersBefore: 4 }, true],
    ['country', 'eq', 'RO', { country: 'RO' }, true],
    ['country', 'in', ['RO', 'BG'], {}, false],
    ['country', 'ne', 'RO', {}, true],
    ['channel', 'in', ['web'], {}, true],
    ['channel', 'ne', 'web', {}, false],
    ['payment_method', 'eq', 'card', {}, false],
    ['payment_method', 'eq', 'card', { paymentMethod: 'card' }, true],
    ['weekday', 'in', ['friday'], {}, true],
    ['weekday', 'in', [5], {}, true],
    ['weekday', 'not_in', ['saturday', 7], {}, true],
    ['weekday', 'eq', 'monday', {}, false],
  ] as const)('%s %s %j of %j is %s', (type, op, value, buyer, expected) => {
    expect(holds(type, op, value, buyer)).toBe(expected);
  });

  it('is undefined for conditions on goods', () => {
    expect(holds('product', 'eq', 'x')).toBeUndefined();
    expect(holds('min_subtotal', 'gte', {})).toBeUndefined();
  });
});

describe('operators', () => {
  it('have a default by type and value', () => {
    expect(operatorOf({ type: 'min_subtotal', op: null, value: [] })).toBe('gte');
    expect(operatorOf({ type: 'min_quantity', op: null, value: 3 })).toBe('gte');
    expect(operatorOf({ type: 'country', op: null, value: ['RO'] })).toBe('in');
    expect(operatorOf({ type: 'country', op: null, value: 'RO' })).toBe('eq');
    expect(operatorOf({ type: 'country', op: 'ne', value: 'RO' })).toBe('ne');
  });
  it('compare numbers', () => {
    expect([compare(3, 'gte', 3), compare(2, 'gte', 3), compare(3, 'lte', 3), compare(4, 'lte', 3)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([compare(3, 'eq', 3), compare(3, 'ne', 3), compare(3, 'in', [1, 3]), compare(3, 'not_in', [1, 3])]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
  it('depend on the type', () => {
    for (const [type, op, value] of [
      ['min_subtotal', 'eq', { amount: 1, currency: 'RON' }],
      ['country', 'gte', 'RO'],
      ['first_order', 'in', [true]],
      ['min_quantity', 'in', [1]],
    ] as const)
      expect(conditionErrors({ type, op, value }, '/conditions/0').map(({ pointer }) => pointer)).toEqual(['/conditions/0/op']);
  });
});

it('computes the day of the week', () => {
  expect(['2026-11-27', '2026-11-29', '2026-11-30'].map(weekdayOf)).toEqual([5, 7, 1]);
});
