import {
  creditFromRefund,
  invoiceFromOrder,
  previewRefund,
  type RefundPreview,
  type RefundSelection,
} from '@storeloom/plugin-sdk/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sheetOf } from '../../test/sheets.ts';
import { inputOf, rebuild } from '../edit/sheet.ts';
import { correction, remainder } from './document-figures.ts';
import type { Booked } from './open-invoices.ts';

const line = fc.record({
  quantity: fc.integer({ min: 1, max: 5 }),
  price: fc.integer({ min: 1, max: 5000 }),
  rate: fc.constantFrom(0, 7, 19),
  next: fc.integer({ min: 1, max: 7 }),
});
const order = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 4 }),
  amount: fc.nat(3000),
  shipping: fc.nat(1500),
  priceMode: fc.constantFrom('gross' as const, 'net' as const),
  level: fc.constantFrom('line' as const, 'unit' as const, 'rate_group' as const),
});

describe('correction', () => {
  it('P2: invoice + supplement − credit is the new total, group by group', () => {
    fc.assert(
      fc.property(order, ({ lines, amount, shipping, priceMode, level }) => {
        const before = sheetOf({
          priceMode,
          level,
          shipping,
          discount: { amount },
          lines: lines.map((each, i) => ({ id: `l${i}`, ...each })),
        });
        const after = rebuild(before, {
          lines: before.lines.map((each, i) => ({ ...inputOf(before, each.id), quantity: lines[i]!.next, kept: each.quantity })),
        });
        const { supplement, credit } = correction(before, after);
        const total = before.totals.total + (supplement?.total ?? 0) - (credit?.total ?? 0);
        expect(total).toBe(after.totals.total);
        for (const figures of [supplement, credit]) {
          if (!figures) continue;
          expect(figures.total).toBeGreaterThan(0);
          expect(figures.net + figures.tax + figures.roundingAmount).toBe(figures.total);
          expect(figures.taxSummary.reduce((sum, row) => sum + row.base + row.tax, 0)).toBe(figures.net + figures.tax);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is empty without changes', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 2, price: 999, rate: 19 }], shipping: 300 });
    expect(correction(sheet, sheet)).toEqual({});
  });
});

describe('remainder', () => {
  const booked = (kind: Booked['kind'], figures: Omit<Booked, 'kind'>): Booked => ({ ...figures, kind });

  it('is the invoice itself without credit notes', () => {
    const sheet = sheetOf({ lines: [{ id: 'a', quantity: 2, price: 999, rate: 19 }] });
    const figures = invoiceFromOrder(sheet);
    expect(remainder([booked('invoice', figures)])).toEqual(figures);
    expect(remainder([])).toBeUndefined();
  });

  it('decreases with each credit note, to nothing', () => {
    fc.assert(
      fc.property(order, fc.nat(4), ({ lines, amount, shipping, priceMode, level }, pick) => {
        const sheet = sheetOf({
          priceMode,
          level,
          shipping,
          discount: { amount },
          lines: lines.map((each, i) => ({ id: `l${i}`, ...each })),
        });
        const { total } = sheet.totals;
        const part = sheet.lines[pick % sheet.lines.length]!;
        if (total === 0 || part.total === 0) return;
        const refund = previewRefund(
          sheet,
          { captured: total, refunded: 0, previous: [] },
          { lines: [{ lineId: part.id, quantity: 1 }], shipping: 0 },
        );
        const documents = [booked('invoice', invoiceFromOrder(sheet)), booked('credit_note', creditFromRefund(refund))];
        const rest = remainder(documents);
        expect(rest?.total ?? 0).toBe(total - refund.amount);
        if (!rest) return;
        expect(rest.net + rest.tax + rest.roundingAmount).toBe(rest.total);
        expect(remainder([...documents, booked('credit_note', rest)])).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('credit notes of any sequence of refunds add up to the invoice in each tax group', () => {
    fc.assert(
      fc.property(order, ({ lines, amount, shipping, priceMode, level }) => {
        const sheet = sheetOf({
          priceMode,
          level,
          shipping,
          discount: { amount },
          lines: lines.map((each, i) => ({ id: `l${i}`, ...each })),
        });
        const { total } = sheet.totals;
        if (total === 0) return;
        const invoiced = invoiceFromOrder(sheet);
        const documents = [booked('invoice', invoiced)];
        const previous: RefundPreview[] = [];
        const refund = (selection: RefundSelection) => {
          const refunded = previous.reduce((sum, each) => sum + each.amount, 0);
          const preview = previewRefund(sheet, { captured: total, refunded, previous }, selection);
          previous.push(preview);
          documents.push(booked('credit_note', creditFromRefund(preview, remainder(documents))));
        };
        for (const { id, quantity, total: price } of sheet.lines)
          for (let unit = 0; unit < quantity; unit++) if (price >= quantity) refund({ lines: [{ lineId: id, quantity: 1 }] });
        const left = remainder(documents)?.total ?? 0;
        if (left > 0) refund({ amount: left });
        expect(remainder(documents)).toBeUndefined();
        const credits = documents.slice(1);
        const sumOf = (ratePpm: number, member: 'base' | 'tax') =>
          credits
            .flatMap(({ taxSummary }) => taxSummary)
            .reduce((sum, row) => sum + (row.ratePpm === ratePpm ? row[member] : 0), 0);
        for (const { ratePpm, base, tax } of invoiced.taxSummary)
          expect([ratePpm, sumOf(ratePpm, 'base'), sumOf(ratePpm, 'tax')]).toEqual([ratePpm, base, tax]);
        for (const figures of credits) {
          expect(figures.net + figures.tax + figures.roundingAmount).toBe(figures.total);
          expect(figures.lines.reduce((sum, each) => sum + each.net, 0)).toBe(figures.net);
          expect(figures.lines.reduce((sum, each) => sum + each.tax, 0)).toBe(figures.tax);
        }
      }),
      { numRuns: 300 },
    );
  });
});
