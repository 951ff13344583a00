import { shapeSchema } from '@storeloom/plugin-sdk';
import { describe, expect, it } from 'vitest';
import { matches, patternField } from './catalogue.ts';

const takes = (text: string): boolean => shapeSchema({ pattern: patternField }, 'create').safeParse({ pattern: text }).success;

describe('a pattern', () => {
  it.each([
    '*',
    'orders.*',
    'orders.order.*',
    'orders.order.placed',
    'catalog.variant.price_changed',
    'data-exchange.images.stored',
  ])('%s is one', (text) => expect(takes(text)).toBe(true));
  it.each([
    '',
    'orders',
    '**',
    '*.placed',
    'orders.**',
    'orders.*.placed',
    'Orders.order',
    '.orders',
    'orders.',
    'a b.c',
    '../x.y',
  ])('“%s” is none', (text) => expect(takes(text)).toBe(false));

  it('fits an event, those below a stem, or all', () => {
    const fits = (pattern: string) =>
      ['orders.order.placed', 'orders.refund.created', 'ordersx.order.placed'].filter((type) => matches(pattern, type));
    expect(fits('*')).toHaveLength(3);
    expect(fits('orders.*')).toEqual(['orders.order.placed', 'orders.refund.created']);
    expect(fits('orders.order.*')).toEqual(['orders.order.placed']);
    expect(fits('orders.order.placed')).toEqual(['orders.order.placed']);
    expect(fits('orders.order')).toEqual([]);
  });
});
