import { describe, expect, it } from 'vitest';
import { type PickLine, pickRows } from './pick-list.ts';

const line = (more: Partial<PickLine>): PickLine => ({
  orderNumber: '1',
  warehouseId: null,
  variantId: 'v',
  sku: 'SKU',
  title: 'Thing',
  quantity: 1,
  children: null,
  ...more,
});

describe('pickRows', () => {
  it('sums an item over orders, per warehouse', () => {
    const rows = pickRows([line({}), line({ orderNumber: '2', quantity: 3 }), line({ orderNumber: '2', warehouseId: 'w' })]);
    expect(rows.map(({ warehouseId, quantity, orders }) => [warehouseId, quantity, orders])).toEqual([
      [null, 4, ['1', '2']],
      ['w', 1, ['2']],
    ]);
  });
  it('splits bundles and adds their components to items sold alone', () => {
    const children = [
      { variantId: 'v', quantity: 2, title: 'Thing', sku: 'SKU' },
      { variantId: 'x', quantity: 1, title: 'Other', sku: 'X' },
    ];
    const rows = pickRows([line({}), line({ variantId: 'kit', sku: 'KIT', quantity: 3, children })]);
    expect(rows.map(({ sku, quantity }) => [sku, quantity])).toEqual([
      ['SKU', 7],
      ['X', 3],
    ]);
  });
});
