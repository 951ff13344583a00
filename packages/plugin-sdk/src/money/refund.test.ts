import { describe, expect, test } from 'vitest';
import {
  createSheet,
  creditFromRefund,
  invoiceFigures,
  invoiceFromOrder,
  type PricedOrder,
  previewRefund,
  type RefundPreview,
  type RefundState,
  type SheetContext,
  spreadRefund,
} from './index.ts';

const rates = { high: [{ ratePpm: 210_000 }], low: [{ ratePpm: 110_000 }] };

/** 3 × 33.33 at 21 %, 2 × 10.00 at 11 %, an order discount of 5.00, shipping 9.99, a fee of 2.00. */
function makeOrder(context: Partial<SheetContext> = {}): PricedOrder {
  const sheet = createSheet({ currency: 'RON', priceMode: 'gross', defaultTaxCategoryId: 'high', ...context }, [
    { id: 'a', quantity: 3, unitPrice: 3333 },
    { id: 'b', quantity: 2, unitPrice: 1000, taxCategoryId: 'low' },
  ]);
  sheet.addDiscount({ source: { type: 'x', id: '1' }, name: 'Off', target: 'order', amount: 500 });
  sheet.setShipping([{ code: 'post', name: 'Post', amount: 999 }]);
  sheet.addSurcharge({ code: 'fee', name: 'Fee', amount: 200, of: 'payment' });
  sheet.setTaxes(rates);
  return sheet.finish();
}

function paid(order: PricedOrder, previous: RefundPreview[] = []): RefundState {
  return { captured: order.totals.total, refunded: previous.reduce((sum, one) => sum + one.amount, 0), previous };
}

const exceeds = (refundable: number) =>
  expect.objectContaining({ code: 'refund_exceeds_captured', extra: expect.objectContaining({ refundable }) });
const invalid = expect.objectContaining({ code: 'money_invalid' });

describe('R13 refunds', () => {
  test('units get their share of the paid amount and of the stored tax', () => {
    const order = makeOrder();
    const line = order.lines[0]!;
    expect([line.total, line.tax]).toEqual([9582, 1663]);
    const first = previewRefund(order, paid(order), { lines: [{ lineId: 'a', quantity: 1 }] });
    expect(first).toEqual({
      amount: 3194,
      tax: 555,
      lines: [
        {
          lineId: 'a',
          quantity: 1,
          amount: 3194,
          tax: 555,
          taxGroups: [{ ratePpm: 210_000, categoryCode: 'S', rates: rates.high, amount: 3194, base: 2639, tax: 555 }],
        },
      ],
      shipping: null,
      free: null,
      taxSummary: [{ ratePpm: 210_000, categoryCode: 'S', base: 2639, tax: 555 }],
      refundable: order.totals.total - 3194,
    });
    const rest = previewRefund(order, paid(order, [first]), { lines: [{ lineId: 'a', quantity: 2 }] });
    expect([rest.amount, rest.tax]).toEqual([9582 - 3194, 1663 - 555]);
  });

  test('adds up the same line given twice', () => {
    const order = makeOrder();
    const twice = {
      lines: [
        { lineId: 'a', quantity: 2 },
        { lineId: 'a', quantity: 1 },
      ],
    };
    expect(previewRefund(order, paid(order), twice).amount).toBe(order.lines[0]!.total);
    const four = {
      lines: [
        { lineId: 'a', quantity: 2 },
        { lineId: 'a', quantity: 2 },
      ],
    };
    expect(() => previewRefund(order, paid(order), four)).toThrow(exceeds(order.lines[0]!.total));
  });

  test('a failed refund has no effect: the rest is still exact', () => {
    const sheet = createSheet({ currency: 'RON', priceMode: 'gross' }, [{ id: 'a', quantity: 3, unitPrice: 10_000 }]);
    sheet.addDiscount({ source: { type: 'x', id: '1' }, name: 'Off', target: 'order', amount: 1000 });
    const order = sheet.finish();
    const one = { lines: [{ lineId: 'a', quantity: 1 }] };
    const first = previewRefund(order, paid(order), one);
    const second = previewRefund(order, paid(order, [first]), one);
    const third = previewRefund(order, paid(order, [first, second]), one);
    expect([first, second, third].map((refund) => refund.amount)).toEqual([9667, 9667, 9666]);
    // The first one failed, so its share is free again.
    expect(previewRefund(order, paid(order, [second, third]), one).amount).toBe(9667);
  });

  test('refunds shipping alone and in parts, with the tax of its groups', () => {
    const order = makeOrder();
    const shipping = order.shippingLines[0]!;
    expect(shipping.total).toBe(999);
    const first = previewRefund(order, paid(order), { lines: [], shipping: 333 });
    const second = previewRefund(order, paid(order, [first]), { lines: [], shipping: 666 });
    expect([first.shipping?.amount, second.shipping?.amount]).toEqual([333, 666]);
    expect(first.tax + second.tax).toBe(shipping.tax);
    expect(() => previewRefund(order, paid(order, [first]), { lines: [], shipping: 667 })).toThrow(exceeds(666));
  });

  test('a free amount contains tax in proportion', () => {
    const order = makeOrder();
    const all = previewRefund(order, paid(order), { amount: order.totals.total });
    expect(all.taxSummary).toEqual(order.taxSummary);
    expect(all).toMatchObject({ amount: order.totals.total, tax: order.totals.taxTotal, refundable: 0 });
    const some = previewRefund(order, paid(order), { amount: 100 });
    expect(some.free?.taxGroups.reduce((sum, group) => sum + group.base + group.tax, 0)).toBe(100);
  });

  test('an overpayment is refunded without tax', () => {
    const order = makeOrder();
    const state = { captured: order.totals.total + 50, refunded: 0, previous: [] };
    const refund = previewRefund(order, state, { amount: order.totals.total + 50 });
    expect(refund).toMatchObject({ amount: order.totals.total + 50, tax: order.totals.taxTotal });
    expect(creditFromRefund(refund).total).toBe(order.totals.total);
    // The overpayment is returned first.
    const first = previewRefund(order, state, { amount: 50 });
    expect([first.amount, first.tax, first.taxSummary]).toEqual([50, 0, []]);
    const next = previewRefund(order, { ...state, refunded: 50, previous: [first] }, { amount: order.totals.total });
    expect(next.taxSummary).toEqual(order.taxSummary);
  });

  test('never more than was captured', () => {
    const order = makeOrder();
    const half = { captured: 5000, refunded: 1000, previous: [] };
    expect(() => previewRefund(order, half, { amount: 4001 })).toThrow(exceeds(4000));
    expect(() => previewRefund(order, half, { lines: [{ lineId: 'a', quantity: 3 }] })).toThrow(exceeds(4000));
    expect(previewRefund(order, half, { amount: 4000 }).refundable).toBe(0);
    expect(() => previewRefund(order, { captured: 5000, refunded: 6000, previous: [] }, { amount: 1 })).toThrow(exceeds(0));
  });

  test.each([{ amount: 0 }, { amount: -1 }, { amount: 0.5 }, { lines: [] }, { lines: [], shipping: -1 }])(
    '%j is refused',
    (selection) => {
      const order = makeOrder();
      expect(() => previewRefund(order, paid(order), selection)).toThrow(invalid);
    },
  );

  test('rejects an unknown line or an invalid quantity', () => {
    const order = makeOrder();
    expect(() => previewRefund(order, paid(order), { lines: [{ lineId: 'z', quantity: 1 }] })).toThrow(RangeError);
    expect(() => previewRefund(order, paid(order), { lines: [{ lineId: 'a', quantity: 0 }] })).toThrow(RangeError);
  });

  test('spread over payments, newest first', () => {
    const payments = [
      { id: 'new', captured: 1000, refunded: 400 },
      { id: 'gone', captured: 500, refunded: 500 },
      { id: 'old', captured: 2000, refunded: 0 },
    ];
    expect(spreadRefund(700, payments)).toEqual([
      { id: 'new', amount: 600 },
      { id: 'old', amount: 100 },
    ]);
    expect(spreadRefund(0, payments)).toEqual([]);
    expect(() => spreadRefund(2601, payments)).toThrow(exceeds(2600));
    expect(() => spreadRefund(-1, payments)).toThrow(invalid);
  });
});

describe('R3 invoices', () => {
  test('net mode, rounded by line: the difference is the rounding amount', () => {
    const sheet = createSheet({ currency: 'RON', priceMode: 'net', defaultTaxCategoryId: 'high' }, [
      { id: 'a', quantity: 1, unitPrice: 12 },
      { id: 'b', quantity: 1, unitPrice: 12 },
      { id: 'c', quantity: 1, unitPrice: 12 },
    ]);
    sheet.setTaxes(rates);
    const order = sheet.finish();
    // 12 at 21 % is 2.52, three times 3; 36 at 21 % is 7.56.
    expect(order.totals).toMatchObject({ taxTotal: 9, total: 45 });
    const invoice = invoiceFromOrder(order);
    expect(invoice).toEqual({
      lines: [
        { id: 'a', kind: 'line', categoryCode: 'S', ratePpm: 210_000, net: 12, tax: 3, gross: 15 },
        { id: 'b', kind: 'line', categoryCode: 'S', ratePpm: 210_000, net: 12, tax: 3, gross: 15 },
        { id: 'c', kind: 'line', categoryCode: 'S', ratePpm: 210_000, net: 12, tax: 2, gross: 14 },
      ],
      taxSummary: [{ ratePpm: 210_000, categoryCode: 'S', base: 36, tax: 8 }],
      net: 36,
      tax: 8,
      roundingAmount: 1,
      total: 45,
    });
    expect(order.totals.taxTotal).toBe(9);
  });

  test('shipping over two groups is two entries', () => {
    const invoice = invoiceFromOrder(makeOrder());
    const shipping = invoice.lines.filter((line) => line.kind === 'shipping');
    expect(shipping.map(({ ratePpm, gross }) => [ratePpm, gross])).toEqual([
      [210_000, 832],
      [110_000, 167],
    ]);
    expect(invoice.roundingAmount).toBe(0);
  });

  test.each(['gross', 'net'] as const)('the credit note of a full refund equals the invoice (%s)', (priceMode) => {
    const order = makeOrder({ priceMode });
    const invoice = invoiceFromOrder(order);
    const refund = previewRefund(order, paid(order), { amount: order.totals.total });
    const credit = creditFromRefund(refund, invoice);
    expect(credit.taxSummary).toEqual(invoice.taxSummary);
    expect([credit.net, credit.tax, credit.roundingAmount, credit.total]).toEqual([
      invoice.net,
      invoice.tax,
      invoice.roundingAmount,
      invoice.total,
    ]);
  });

  test('credits a partial refund', () => {
    const order = makeOrder({ priceMode: 'net' });
    const refund = previewRefund(order, paid(order), { lines: [{ lineId: 'a', quantity: 1 }], shipping: 100 });
    const credit = creditFromRefund(refund);
    expect(credit.total).toBe(refund.amount);
    expect(credit.net + credit.tax + credit.roundingAmount).toBe(refund.amount);
    expect(credit.lines.map((line) => line.kind)).toEqual(['line', 'shipping', 'shipping']);
  });

  test('an invoice without an order has no rounding amount', () => {
    const entry = (id: string, amount: number) => ({ id, kind: 'line' as const, rates: rates.high, categoryCode: 'S', amount });
    expect(invoiceFigures('net', [entry('a', 12), entry('b', 12), entry('c', 12)])).toMatchObject({
      net: 36,
      tax: 8,
      roundingAmount: 0,
      total: 44,
    });
    expect(invoiceFigures('net', [])).toEqual({ lines: [], taxSummary: [], net: 0, tax: 0, roundingAmount: 0, total: 0 });
  });
});
