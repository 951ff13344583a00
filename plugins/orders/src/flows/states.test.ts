import { fulfillmentStatuses, paymentStatuses } from '@storeloom/commerce';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fulfillmentStatusOf,
  isCovered,
  type LineQuantities,
  type PaymentFigures,
  paymentStatusOf,
  unfulfilled,
  unshipped,
} from './states.ts';

const money = (more: Partial<PaymentFigures>): PaymentFigures => ({
  total: 100,
  captured: 0,
  tendered: 0,
  refunded: 0,
  pendingRefunds: 0,
  refundedByEdits: 0,
  beyond: 0,
  authorized: 0,
  voided: false,
  ...more,
});

describe('paymentStatus', () => {
  it.each([
    ['unpaid', {}],
    ['authorized', { authorized: 100 }],
    ['authorized', { authorized: 80, tendered: 20 }],
    ['unpaid', { authorized: 60 }],
    ['partially_paid', { captured: 99 }],
    ['partially_paid', { tendered: 20 }],
    ['partially_paid', { captured: 50, authorized: 50 }],
    ['paid', { captured: 100 }],
    ['paid', { captured: 80, tendered: 20 }],
    ['paid', { total: 0 }],
    ['overpaid', { captured: 101 }],
    ['partially_refunded', { captured: 100, refunded: 1 }],
    ['partially_refunded', { captured: 60, tendered: 40, refunded: 60 }],
    ['refunded', { captured: 100, refunded: 100 }],
    ['refunded', { captured: 60, tendered: 40, refunded: 100 }],
    ['voided', { voided: true }],
  ] as const)('is %s for %o', (status, figures) => {
    expect(paymentStatusOf(money(figures))).toBe(status);
  });

  it('is covered by captured and authorised money, not by refunded money', () => {
    expect(isCovered(money({ captured: 50, authorized: 50 }))).toBe(true);
    expect(isCovered(money({ captured: 100, refunded: 30 }))).toBe(true);
    expect(isCovered(money({ captured: 100, refunded: 100 }))).toBe(false);
    expect(isCovered(money({ captured: 60, refunded: 10 }))).toBe(false);
    expect(isCovered(money({ authorized: 99 }))).toBe(false);
  });

  it('money refunded by an edit counts as never captured', () => {
    const given = { captured: 150, refunded: 50, refundedByEdits: 50 };
    expect([paymentStatusOf(money(given)), isCovered(money(given))]).toEqual(['paid', true]);
    const moreExpensive = money({ ...given, total: 150 });
    expect([paymentStatusOf(moreExpensive), isCovered(moreExpensive)]).toEqual(['partially_paid', false]);
    expect(isCovered(money({ captured: 150, refunded: 60, beyond: 60 }))).toBe(false);
  });

  it('is unchanged while a refund is pending, which no longer covers the order', () => {
    const pending = money({ captured: 100, refunded: 100, pendingRefunds: 100 });
    expect([paymentStatusOf(pending), isCovered(pending)]).toEqual(['paid', false]);
    expect(paymentStatusOf(money({ captured: 100, refunded: 40, pendingRefunds: 30 }))).toBe('partially_refunded');
    expect(paymentStatusOf(money({ captured: 100, refunded: 30, pendingRefunds: 30 }))).toBe('paid');
  });

  it('is paid exactly if captured and tenders equal the total', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), fc.nat(500), (total, captured, tendered) => {
        const status = paymentStatusOf(money({ total, captured, tendered }));
        expect(paymentStatuses).toContain(status);
        expect(status === 'paid').toBe(captured + tendered === total);
        expect(status === 'overpaid').toBe(captured + tendered > total);
      }),
    );
  });
});

const line = (more: Partial<LineQuantities>): LineQuantities => ({
  ships: true,
  quantity: 3,
  quantityFulfilled: 0,
  quantityShipped: 0,
  quantityDelivered: 0,
  quantityReturned: 0,
  quantityCancelled: 0,
  ...more,
});

describe('fulfillmentStatus', () => {
  const shipped = { quantityFulfilled: 3, quantityShipped: 3 };
  it.each([
    ['not_required', [line({ ships: false })]],
    ['not_required', [line({ quantityCancelled: 3 })]],
    ['not_required', []],
    ['unfulfilled', [line({})]],
    ['partially_fulfilled', [line({ quantityFulfilled: 2 })]],
    ['fulfilled', [line({ quantityFulfilled: 2, quantityCancelled: 1 })]],
    ['partially_shipped', [line(shipped), line({})]],
    ['shipped', [line(shipped), line({ ships: false })]],
    ['partially_delivered', [line({ ...shipped, quantityDelivered: 1 })]],
    ['delivered', [line({ ...shipped, quantityDelivered: 3 })]],
    ['partially_returned', [line({ ...shipped, quantityDelivered: 3, quantityReturned: 1 })]],
    ['returned', [line({ ...shipped, quantityDelivered: 3, quantityReturned: 3 })]],
  ] as const)('is %s', (status, lines) => {
    expect(fulfillmentStatusOf([...lines])).toBe(status);
  });

  it('is defined for every combination of quantities, and nothing is left to ship once everything is shipped', () => {
    const quantities = fc
      .tuple(fc.boolean(), fc.integer({ min: 1, max: 9 }), fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9))
      .map(([ships, quantity, c, p, s, d, r]) => {
        const cancelled = Math.min(c, quantity);
        const fulfilled = Math.min(p, quantity - cancelled);
        const gone = Math.min(s, fulfilled);
        return line({
          ships,
          quantity,
          quantityCancelled: cancelled,
          quantityFulfilled: fulfilled,
          quantityShipped: gone,
          quantityDelivered: Math.min(d, gone),
          quantityReturned: Math.min(r, gone),
        });
      });
    fc.assert(
      fc.property(fc.array(quantities, { maxLength: 5 }), (lines) => {
        const status = fulfillmentStatusOf(lines);
        expect(fulfillmentStatuses).toContain(status);
        for (const each of lines) expect(unfulfilled(each)).toBeLessThanOrEqual(unshipped(each));
        if (status === 'shipped' || status === 'delivered') expect(lines.every((each) => unshipped(each) === 0)).toBe(true);
      }),
    );
  });
});
