import { createSheet, type PricedSheet, previewRefund, type RefundPreview } from '@storeloom/plugin-sdk/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refundedBeyond, sumOfParts, withinCost } from './refunded-beyond.ts';

function sheetOf(unitPrice: number, quantity: number, shipping = 0): PricedSheet {
  const sheet = createSheet(
    { currency: 'RON', priceMode: 'gross', taxRoundingLevel: 'line', shippingTaxMode: 'proportional', defaultTaxCategoryId: '' },
    [{ id: 'a', quantity, unitPrice, listPrice: unitPrice, ships: true }],
  );
  sheet.setShipping([{ id: 'shipping:1', code: 'x', name: 'x', amount: shipping }]);
  sheet.setTaxes({ '': [{ ratePpm: 210_000, name: 'TVA' }] });
  return sheet.finish();
}
const refundOf = (sheet: PricedSheet, units: number, previous: RefundPreview[] = [], captured = sheet.totals.total) =>
  previewRefund(
    sheet,
    { captured, refunded: previous.reduce((sum, each) => sum + each.amount, 0), previous },
    { lines: [{ lineId: 'a', quantity: units }] },
  );

describe('refundedBeyond', () => {
  it('is empty while prices are unchanged, for any refund', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.integer({ min: 2, max: 9 }), fc.nat(7), (price, quantity, part) => {
        const sheet = sheetOf(price + 1, quantity);
        const first = refundOf(sheet, 1 + (part % (quantity - 1)));
        expect(refundedBeyond(sheet, [first]).size).toBe(0);
      }),
    );
  });

  it('is the price reduction of the refunded units or shipping', () => {
    const before = sheetOf(1000, 3, 500);
    const given = previewRefund(
      before,
      { captured: 3500, refunded: 0, previous: [] },
      { lines: [{ lineId: 'a', quantity: 2 }], shipping: 400 },
    );
    const beyond = refundedBeyond(sheetOf(700, 3, 100), [given]);
    expect([...beyond]).toEqual([
      ['a', 600],
      ['shipping:1', 300],
    ]);
    expect(sumOfParts(beyond)).toBe(900);
    expect(refundedBeyond(sheetOf(1200, 3, 600), [given]).size).toBe(0);
  });

  it('counts an amount of a line without units once the price of the others is below it', () => {
    const part = { lineId: 'a', quantity: 0, amount: 900, tax: 0, taxGroups: [] };
    const given = { lines: [part], shipping: null };
    expect(refundedBeyond(sheetOf(1000, 2), [given]).size).toBe(0);
    expect([...refundedBeyond(sheetOf(400, 2), [given])]).toEqual([['a', 100]]);
    expect([...refundedBeyond({ lines: [], shippingLines: [] }, [given])]).toEqual([['a', 900]]);
  });

  it('doesn’t reduce the refund of the remaining units', () => {
    const before = sheetOf(1000, 2);
    const after = sheetOf(700, 2);
    const given = refundOf(before, 1);
    const previous = withinCost([given], refundedBeyond(after, [given]));
    expect(previous[0]?.lines[0]).toMatchObject({ quantity: 1, amount: 700 });
    const last = previewRefund(after, { captured: 2000, refunded: 1300, previous }, { lines: [{ lineId: 'a', quantity: 1 }] });
    expect([last.amount, last.tax]).toEqual([700, 121]);
    const free = previewRefund(after, { captured: 2000, refunded: 1300, previous }, { amount: 700 });
    expect([free.amount, free.tax]).toEqual([700, 121]);
  });
});
