import type { RefundPreview } from '@storeloom/plugin-sdk/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sheetOf } from '../../test/sheets.ts';
import { allocateRefund, preview, refundSelection, tendersLeft } from './plan.ts';

const reason = 'test';
const ids = new Set(['a', 'b']);

describe('refund selection', () => {
  it('is an amount, or lines, or shipping alone', () => {
    expect(refundSelection({ reason, amount: 5, shipping: 2 }, ids)).toEqual({ amount: 5, shipping: 2 });
    expect(refundSelection({ reason, shipping: 2 }, ids)).toEqual({ lines: [], shipping: 2 });
    expect(refundSelection({ reason, lines: [{ lineId: 'a', quantity: 1, restock: true }] }, ids)).toEqual({
      lines: [{ lineId: 'a', quantity: 1 }],
      shipping: 0,
    });
  });
  it('is refused with amount and lines, with neither, with zero, or with an unknown line', () => {
    const line = { lineId: 'a', quantity: 1, restock: false };
    expect(() => refundSelection({ reason, amount: 5, lines: [line] }, ids)).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
    expect(() => refundSelection({ reason }, ids)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
    expect(() => refundSelection({ reason, amount: 0 }, ids)).toThrow(expect.objectContaining({ code: 'money_invalid' }));
    expect(() => refundSelection({ reason, lines: [line, { ...line, lineId: 'c' }] }, ids)).toThrow(
      expect.objectContaining({
        code: 'not_found',
        extra: expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/lines/1/lineId' })] }),
      }),
    );
  });
});

/** Applies refunds in sequence. */
function run(sheet: ReturnType<typeof sheetOf>, selections: Parameters<typeof preview>[2][]): RefundPreview[] {
  const done: RefundPreview[] = [];
  for (const selection of selections) {
    const refunded = done.reduce((sum, each) => sum + each.amount, 0);
    done.push(preview(sheet, { paid: sheet.totals.total, refunded, previous: done }, selection));
  }
  return done;
}
const unit = { lines: [{ lineId: 'a', quantity: 1 }] };

describe('refund amounts', () => {
  it('C39: use the minor units of the currency, as for yen', () => {
    const sheet = sheetOf({ currency: 'JPY', priceMode: 'net', lines: [{ id: 'a', quantity: 1, price: 1127, rate: 10 }] });
    expect(sheet.totals.total).toBe(1240);
    const big = sheetOf({ currency: 'JPY', priceMode: 'net', lines: [{ id: 'a', quantity: 10, price: 1127, rate: 10 }] });
    expect(run(big, [{ amount: 5800 }])[0]).toMatchObject({ amount: 5800, refundable: big.totals.total - 5800 });
  });

  it('C45: refund 3 × 10000 − 1000 unit by unit, and no fourth unit', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 3, price: 10_000 }], discount: { amount: 1000 } });
    const done = run(sheet, [unit, unit, unit]);
    expect(done.map((each) => each.amount)).toEqual([9667, 9667, 9666]);
    expect(() => run(sheet, [unit, unit, unit, unit])).toThrow(
      expect.objectContaining({ code: 'refund_exceeds_captured', extra: expect.objectContaining({ refundable: 0 }) }),
    );
  });

  it('C46, B19: a full refund equals the amount paid', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 10, price: 2390, rate: 20 }], discount: { percentBp: 2500 } });
    expect(sheet.totals.total).toBe(17_925);
    expect(run(sheet, [{ lines: [{ lineId: 'a', quantity: 10 }] }])[0]).toMatchObject({
      amount: 17_925,
      tax: 2988,
      refundable: 0,
    });
  });

  it('P9: any partition of the units refunds exactly the amount paid and its tax', () => {
    const lines = fc.array(
      fc.record({
        quantity: fc.integer({ min: 1, max: 7 }),
        price: fc.integer({ min: 1, max: 9999 }),
        rate: fc.constantFrom(0, 7, 19, 21),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(
        lines,
        fc.nat(5000),
        fc.constantFrom('gross' as const, 'net' as const),
        fc.integer({ min: 1, max: 4 }),
        (given, amount, priceMode, step) => {
          const sheet = sheetOf({ priceMode, lines: given.map((line, i) => ({ id: `l${i}`, ...line })), discount: { amount } });
          const selections: Parameters<typeof preview>[2][] = [];
          for (const line of sheet.lines) {
            if (line.total === 0) continue;
            for (let left = line.quantity; left > 0; left -= step)
              selections.push({ lines: [{ lineId: line.id, quantity: Math.min(left, step) }] });
          }
          const done: RefundPreview[] = [];
          for (const selection of selections) {
            const refunded = done.reduce((sum, each) => sum + each.amount, 0);
            try {
              done.push(preview(sheet, { paid: sheet.totals.total, refunded, previous: done }, selection));
            } catch (error) {
              // A free unit has no amount to refund.
              expect(error).toMatchObject({ code: 'money_invalid' });
            }
          }
          expect(done.reduce((sum, each) => sum + each.amount, 0)).toBe(sheet.lines.reduce((sum, line) => sum + line.total, 0));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('B12: a second partial refund works, and a paid order can be refunded', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 2, price: 1000, rate: 19 }], shipping: 500 });
    expect(run(sheet, [{ amount: 300 }, { amount: 700 }, { lines: [], shipping: 500 }]).map((each) => each.amount)).toEqual([
      300, 700, 500,
    ]);
  });
});

describe('an amount of a line', () => {
  const sheet = sheetOf({
    lines: [
      { id: 'a', quantity: 2, price: 10_000, rate: 10 },
      { id: 'b', quantity: 1, price: 10_000, rate: 21 },
    ],
  });
  it('has the rate of the line and leaves its units the rest', () => {
    const done = run(sheet, [{ amount: 3000, lineId: 'a' }, unit, unit]);
    expect(done.map(({ amount, tax, taxSummary }) => [amount, tax, taxSummary.map(({ ratePpm }) => ratePpm)])).toEqual([
      [3000, 273, [100_000]],
      [8500, 773, [100_000]],
      [8500, 772, [100_000]],
    ]);
    expect(done[0]).toMatchObject({ lines: [{ lineId: 'a', quantity: 0, amount: 3000 }], free: null });
  });
  it('takes what exceeds the line from the other parts, and an overpayment without tax', () => {
    const [first] = run(sheet, [{ amount: 25_000, lineId: 'a' }]);
    expect(first).toMatchObject({ amount: 25_000, lines: [{ amount: 20_000, tax: 1818 }], free: { amount: 5000, tax: 868 } });
    const over = preview(sheet, { paid: 31_000, refunded: 0, previous: [] }, { amount: 3000, lineId: 'a' });
    expect(over).toMatchObject({ amount: 3000, lines: [{ amount: 2000 }], free: { amount: 1000, tax: 0 }, refundable: 28_000 });
  });
  it('is refused above what was paid and for an unknown line', () => {
    expect(() => run(sheet, [{ amount: 30_001, lineId: 'a' }])).toThrow(
      expect.objectContaining({ code: 'refund_exceeds_captured', extra: expect.objectContaining({ refundable: 30_000 }) }),
    );
    expect(() => refundSelection({ reason, amount: 1, lineId: 'c' }, ids)).toThrow(
      expect.objectContaining({
        code: 'not_found',
        extra: expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/lineId' })] }),
      }),
    );
  });
  it('adds up to what was paid and its tax in any sequence', () => {
    const step = fc.oneof(
      fc.record({ amount: fc.integer({ min: 1, max: 9000 }), lineId: fc.constantFrom('a', 'b') }),
      fc.record({ amount: fc.integer({ min: 1, max: 9000 }) }),
      fc.record({ lines: fc.constantFrom([{ lineId: 'a', quantity: 1 }], [{ lineId: 'b', quantity: 1 }]) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const done: RefundPreview[] = [];
        for (const selection of [...steps, undefined]) {
          const refunded = done.reduce((sum, each) => sum + each.amount, 0);
          const rest = sheet.totals.total - refunded;
          const wanted = selection ?? { amount: rest };
          if (rest === 0) break;
          try {
            done.push(preview(sheet, { paid: sheet.totals.total, refunded, previous: done }, wanted));
          } catch (error) {
            expect(error).toMatchObject({ code: expect.stringMatching(/refund_exceeds_captured|money_invalid/) });
          }
        }
        const sum = (member: 'amount' | 'tax') => done.reduce((total, each) => total + each[member], 0);
        expect(sum('amount')).toBe(sheet.totals.total);
        for (const { amount, tax, lines, free, shipping, taxSummary } of done) {
          const parts = [...lines, free, shipping].flatMap((part) => part ?? []);
          expect(parts.reduce((total, part) => total + part.amount, 0)).toBe(amount);
          expect(taxSummary.reduce((total, row) => total + row.tax, 0)).toBe(tax);
        }
      }),
    );
  });
});

describe('refund allocation', () => {
  const payments = [
    { id: 'new', captured: 500, refunded: 100 },
    { id: 'old', captured: 700, refunded: 0 },
  ];
  const tenders = [
    { type: 'gift_card', reference: 'x', amount: 200, refunded: 0 },
    { type: 'store_credit', reference: null, amount: 100, refunded: 40 },
  ];
  it('uses payments from the newest on, then tenders from the last one on', () => {
    expect(allocateRefund(450, 'original', null, payments, tenders)).toEqual([
      { type: 'payment', paymentId: 'new', amount: 400 },
      { type: 'payment', paymentId: 'old', amount: 50 },
    ]);
    expect(allocateRefund(1250, 'manual', null, payments, tenders)).toEqual([
      { type: 'payment', paymentId: 'new', amount: 400 },
      { type: 'payment', paymentId: 'old', amount: 700 },
      { type: 'tender', tender: 'store_credit', reference: null, amount: 60 },
      { type: 'tender', tender: 'gift_card', reference: 'x', amount: 90 },
    ]);
    expect(() => allocateRefund(1361, 'original', null, payments, tenders)).toThrow(
      expect.objectContaining({ code: 'refund_exceeds_captured' }),
    );
  });
  it('uses the selected payment, up to its refundable amount', () => {
    expect(allocateRefund(700, 'original', 'old', payments, tenders)).toEqual([
      { type: 'payment', paymentId: 'old', amount: 700 },
    ]);
    expect(() => allocateRefund(401, 'original', 'new', payments, tenders)).toThrow(
      expect.objectContaining({ extra: expect.objectContaining({ refundable: 400 }) }),
    );
    expect(() => allocateRefund(1, 'original', 'other', payments, tenders)).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });
  it('uses no payment for a gift card or store credit', () => {
    expect(allocateRefund(10, 'store_credit', null, payments, tenders)).toEqual([]);
  });
  it('counts earlier refunds to tenders', () => {
    const earlier = [
      { type: 'tender' as const, tender: 'gift_card', reference: 'x', amount: 150 },
      { type: 'payment' as const, paymentId: 'new', amount: 9 },
    ];
    expect(tendersLeft(tenders, earlier).map((each) => each.refunded)).toEqual([150, 0]);
  });
});
