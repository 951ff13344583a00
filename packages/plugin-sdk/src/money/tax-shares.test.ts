import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createSheet,
  invoiceFromOrder,
  type PricedSheet,
  previewRefund,
  type RefundPreview,
  replay,
  type SheetContext,
  type SheetLine,
} from './index.ts';

const context: SheetContext = { currency: 'RON', priceMode: 'gross', defaultTaxCategoryId: 'std' };
const rates = { std: [{ ratePpm: 210_000 }], food: [{ ratePpm: 110_000 }], none: [{ ratePpm: 0 }] };
const bundle = (more: Partial<SheetLine> = {}): SheetLine => ({
  id: 'kit',
  quantity: 2,
  unitPrice: 5000,
  taxShares: [{ weight: 3000 }, { taxCategoryId: 'food', weight: 1000 }],
  ...more,
});

function price(lines: SheetLine[], more: Partial<SheetContext> = {}, discount = 0, shipping = 0): PricedSheet {
  const sheet = createSheet({ ...context, ...more }, lines);
  if (discount > 0) sheet.addDiscount({ source: { type: 't', id: '1' }, name: 'd', target: 'order', amount: discount });
  if (shipping > 0) sheet.setShipping([{ code: 'post', name: 'Post', amount: shipping }]);
  sheet.setTaxes(rates);
  return sheet.finish();
}

describe('a line of several tax categories', () => {
  test('is taxed by its shares, discount and shipping with them', () => {
    const priced = price([bundle()], {}, 0, 1000);
    const [line] = priced.lines;
    expect(line!.taxGroups.map(({ ratePpm, amount, tax }) => [ratePpm, amount, tax])).toEqual([
      [210_000, 7500, 1302],
      [110_000, 2500, 248],
    ]);
    expect([line!.tax, line!.total, line!.net]).toEqual([1550, 10_000, 8450]);
    expect(priced.shippingLines[0]!.taxGroups.map(({ amount }) => amount)).toEqual([750, 250]);
    expect(priced.taxSummary.reduce((sum, row) => sum + row.base + row.tax, 0)).toBe(11_000);
    expect(replay(priced.trace!)).toEqual(priced);
    expect(price([bundle()], {}, 2000).lines[0]!.taxGroups.map(({ amount }) => amount)).toEqual([6000, 2000]);
    expect(invoiceFromOrder(priced).total).toBe(11_000);
  });

  test('adds its tax in net mode, and is one category if only one has a weight', () => {
    expect(price([bundle()], { priceMode: 'net' }).lines[0]).toMatchObject({ tax: 1575 + 275, total: 11_850 });
    const one = price([bundle({ taxShares: [{ taxCategoryId: 'food', weight: 0 }], taxCategoryId: 'none' })]);
    expect(one.lines[0]!.taxGroups.map(({ ratePpm }) => ratePpm)).toEqual([0]);
    expect(createSheet(context, [bundle()]).taxCategoryIds()).toEqual(['food', 'std']);
  });

  test('refunds exactly the paid amount and its tax, for any units', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 99_999 }),
        fc.array(fc.integer({ min: 0, max: 9999 }), { minLength: 2, maxLength: 3 }),
        fc.integer({ min: 0, max: 50_000 }),
        fc.constantFrom('gross' as const, 'net' as const),
        (quantity, unitPrice, weights, discount, priceMode) => {
          const ids = ['std', 'food', 'none'];
          const taxShares = weights.map((weight, i) => ({ taxCategoryId: ids[i]!, weight }));
          const priced = price([bundle({ quantity, unitPrice, taxShares })], { priceMode }, discount);
          const { total, tax, taxGroups } = priced.lines[0]!;
          expect(taxGroups.reduce((sum, group) => sum + group.base + group.tax, 0)).toBe(total);
          const previous: RefundPreview[] = [];
          let refunded = 0;
          for (let unit = 0; unit < quantity; unit++) {
            if (total - refunded === 0) break;
            const left = quantity - unit;
            if (Math.ceil((total - refunded) / left) === 0) break;
            const preview = previewRefund(
              priced,
              { captured: total, refunded, previous },
              { lines: [{ lineId: 'kit', quantity: 1 }] },
            );
            previous.push(preview);
            refunded += preview.amount;
          }
          const back = (member: 'amount' | 'tax') => previous.reduce((sum, each) => sum + each[member], 0);
          expect([back('amount'), back('tax')]).toEqual([total, total === 0 ? 0 : tax]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
