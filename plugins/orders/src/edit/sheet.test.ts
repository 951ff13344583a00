import { replay, type Trace } from '@storeloom/plugin-sdk/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rates, sheetOf } from '../../test/sheets.ts';
import { constantNetLines, inputOf, type PlanLine, ratesOf, rebuild, shippingOf } from './sheet.ts';

type Sheet = ReturnType<typeof sheetOf>;
const kept = (sheet: Sheet, quantities: Record<string, number> = {}): PlanLine[] =>
  sheet.lines.map((line) => ({
    ...inputOf(sheet, line.id),
    quantity: quantities[line.id] ?? line.quantity,
    kept: line.quantity,
  }));

describe('rebuild', () => {
  it('C61, B13: a second line of 12.00 makes 24.00 with its tax', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 1, price: 1200, rate: 20 }] });
    const more: PlanLine = { id: 'b', quantity: 1, unitPrice: 1200, listPrice: 1200, taxCategoryId: '20', kept: null };
    const after = rebuild(sheet, { lines: [...kept(sheet), more] });
    expect(after.totals).toMatchObject({ total: 2400, amountDue: 2400, taxTotal: 400 });
  });

  it('returns the same sheet without changes', () => {
    const sheet = sheetOf({
      lines: [
        { id: 'a', quantity: 3, price: 3333, rate: 19 },
        { id: 'b', quantity: 2, price: 777, rate: 7 },
      ],
      discount: { amount: 1000 },
      shipping: 1500,
      freeShipping: true,
      tenders: 500,
    });
    for (const discounts of [undefined, 'again'] as const) {
      const after = rebuild(sheet, { lines: kept(sheet), ...(discounts ? { discounts } : {}) });
      expect({ ...after, trace: null }).toEqual({ ...sheet, trace: null });
    }
  });

  it('B39: kept units keep their discount, removed units lose their share', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 3, price: 10_000 }], discount: { amount: 1000 } });
    const two = rebuild(sheet, { lines: kept(sheet, { a: 2 }) });
    expect(two.lines[0]).toMatchObject({ quantity: 2, lineSubtotal: 20_000, discountTotal: 667, total: 19_333 });
    // A second edit continues from the first.
    const one = rebuild(two, { lines: kept(two, { a: 1 }) });
    expect(one.totals.total).toBe(10_000 - 334);
  });

  it('replays from its trace, and is never negative', () => {
    const arbitrary = fc.array(
      fc.record({
        quantity: fc.integer({ min: 1, max: 5 }),
        price: fc.nat(5000),
        rate: fc.constantFrom(7, 19),
        next: fc.integer({ min: 0, max: 7 }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(arbitrary, fc.nat(8000), fc.nat(2000), (given, amount, shipping) => {
        const sheet = sheetOf({ lines: given.map((line, i) => ({ id: `l${i}`, ...line })), discount: { amount }, shipping });
        const quantities = Object.fromEntries(given.map((line, i) => [`l${i}`, line.next]));
        const lines = kept(sheet, quantities).filter((line) => line.quantity > 0);
        if (lines.length === 0) return;
        const after = rebuild(sheet, { lines });
        expect(replay(JSON.parse(JSON.stringify(after.trace)) as Trace)).toEqual(after);
        const sum =
          after.lines.reduce((total, line) => total + line.total, 0) +
          after.shippingLines.reduce((total, line) => total + line.total, 0);
        expect(after.totals.total).toBe(sum);
        expect(after.totals.total).toBeGreaterThanOrEqual(0);
        for (const line of after.lines) expect(line.discountTotal).toBeLessThanOrEqual(line.lineSubtotal);
        const taxes = after.taxSummary.reduce((total, row) => total + row.base + row.tax, 0);
        expect(taxes).toBe(after.totals.total);
      }),
      { numRuns: 300 },
    );
  });

  it('changes the shipping price; a free-shipping discount applies to the new price', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 1, price: 5000 }], shipping: 1000, freeShipping: true });
    const [present] = shippingOf(sheet);
    const priced = rebuild(sheet, { lines: kept(sheet), shipping: [{ ...present!, amount: 2500 }] });
    expect(priced.totals).toMatchObject({ shipping: 2500, shippingDiscount: 2500, total: 5000 });
    const back = rebuild(priced, { lines: kept(priced), shipping: [present!] });
    expect(back.totals).toEqual(sheet.totals);
  });

  it('adds a surcharge and keeps tenders', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 1, price: 5000 }], tenders: 2000 });
    const after = rebuild(sheet, {
      lines: kept(sheet),
      surcharges: [{ code: 'manual', name: 'Wrapping', amount: 300, of: 'shipping' }],
    });
    expect(after.totals).toMatchObject({ surcharges: 300, total: 5300, amountDue: 3300 });
    expect(after.totals.tenders).toEqual([{ type: 'gift_card', reference: 'card', amount: 2000 }]);
  });

  it('P4: address A → B → A restores the first totals, for any tax of B', () => {
    const sheet = sheetOf({
      lines: [
        { id: 'a', quantity: 3, price: 1999, rate: 19 },
        { id: 'b', quantity: 1, price: 350, rate: 7 },
      ],
      discount: { percentBp: 1250 },
      shipping: 1490,
    });
    const home = ratesOf(sheet)!;
    const abroad = { ...home, '19': rates(25)['25']!, '7': rates(0)['0']! };
    const there = rebuild(sheet, { lines: kept(sheet), discounts: 'again', rates: abroad });
    expect(there.totals.taxTotal).not.toBe(sheet.totals.taxTotal);
    const back = rebuild(there, { lines: kept(there), discounts: 'again', rates: home });
    expect({ ...back, trace: null }).toEqual({ ...sheet, trace: null });
  });
});

describe('constantNetLines', () => {
  const sheet = sheetOf({
    lines: [
      { id: 'a', quantity: 1, price: 3000, rate: 19 },
      { id: 'b', quantity: 1, price: 2000, rate: 7 },
    ],
    discount: { percentBp: 10_000 },
  });
  const free = Object.fromEntries(Object.keys(ratesOf(sheet)!).map((key) => [key, [{ ratePpm: 0, name: '' }]]));

  it('R9: keeps the net price and restores the first price exactly, with a full discount too', () => {
    const there = rebuild(sheet, { lines: constantNetLines(sheet, sheet, kept(sheet), free), discounts: 'again', rates: free });
    expect(there.lines.map((line) => line.unitPrice)).toEqual([2521, 1869]);
    const home = ratesOf(sheet)!;
    const back = rebuild(there, { lines: constantNetLines(sheet, there, kept(there), home), discounts: 'again', rates: home });
    expect({ ...back, trace: null }).toEqual({ ...sheet, trace: null });
  });

  it('converts a price set by staff', () => {
    const set = rebuild(sheet, { lines: kept(sheet).map((line) => (line.id === 'a' ? { ...line, unitPrice: 1190 } : line)) });
    const moved = constantNetLines(sheet, set, kept(set), free);
    expect(moved.find((line) => line.id === 'a')?.unitPrice).toBe(1000);
  });
});
