import { type PricedSheet, previewRefund, type RefundSelection } from '@storeloom/plugin-sdk/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sheetOf } from '../../test/sheets.ts';
import { outcomeOf, reducedPreview } from './outcome.ts';

const part = (status: 'pending' | 'succeeded' | 'failed' | 'cancelled', amount = 100) => ({ status, amount: { amount } });

describe('outcomeOf', () => {
  it('waits for every part; parts that didn’t succeed beside others reduce the refund', () => {
    expect(outcomeOf([], 0)).toEqual({ status: 'succeeded', missing: 0 });
    expect(outcomeOf([part('succeeded')], 2)).toBeUndefined();
    expect(outcomeOf([part('succeeded'), part('pending')], 2)).toBeUndefined();
    expect(outcomeOf([part('succeeded'), part('succeeded')], 2)).toEqual({ status: 'succeeded', missing: 0 });
    expect(outcomeOf([part('failed'), part('cancelled')], 2)?.status).toBe('failed');
    expect(outcomeOf([part('cancelled'), part('cancelled')], 2)?.status).toBe('cancelled');
    expect(outcomeOf([part('cancelled', 40), part('succeeded', 60)], 2)).toEqual({ status: 'succeeded', missing: 40 });
  });
});

describe('reducedPreview', () => {
  const preview = (sheet: PricedSheet, selection: RefundSelection) =>
    previewRefund(sheet, { captured: sheet.totals.total, refunded: 0, previous: [] }, selection);

  it('adds up to the amount that was refunded, with its tax, for every selection', () => {
    const line = fc.record({
      quantity: fc.integer({ min: 1, max: 4 }),
      price: fc.integer({ min: 1, max: 9000 }),
      rate: fc.constantFrom(0, 7, 19),
    });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.nat(1500),
        fc.constantFrom('gross' as const, 'net' as const),
        fc.boolean(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (lines, shipping, priceMode, byLines, share) => {
          const sheet = sheetOf({ priceMode, shipping, lines: lines.map((each, i) => ({ id: `l${i}`, ...each })) });
          const before = preview(
            sheet,
            byLines
              ? { lines: sheet.lines.map(({ id }) => ({ lineId: id, quantity: 1 })) }
              : { amount: Math.max(1, Math.floor(sheet.totals.total / 2)) },
          );
          const amount = Math.max(1, Math.floor(before.amount * share));
          const after = reducedPreview(before, amount);
          const parts = [...after.lines, after.shipping, after.free].flatMap((each) => each ?? []);
          expect(parts.reduce((sum, each) => sum + each.amount, 0)).toBe(amount);
          expect(after.taxSummary.reduce((sum, row) => sum + row.base + row.tax, 0)).toBe(amount);
          expect(after.tax).toBeLessThanOrEqual(before.tax);
          expect(after.lines.map(({ quantity }) => quantity)).toEqual(before.lines.map(({ quantity }) => quantity));
          expect(reducedPreview(before, before.amount)).toMatchObject({ amount: before.amount, tax: before.tax });
        },
      ),
      { numRuns: 200 },
    );
  });
});
