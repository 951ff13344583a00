import { describe, expect, it } from 'vitest';
import { type StayMoney, sharesOf, toFolio, toOrder } from './order-share.ts';

type OrderMoney = Parameters<typeof sharesOf>[0];
type Refund = Parameters<typeof sharesOf>[1][number];

/** An order of a stay at 200.00 and goods at 100.00. */
const order = (more: Partial<OrderMoney> = {}): OrderMoney => ({
  status: 'confirmed',
  total: 30_000,
  captured: 30_000,
  tendered: 0,
  refunded: 0,
  amountDue: 0,
  lines: [
    { id: 'stay', total: 20_000 },
    { id: 'goods', total: 10_000 },
  ],
  ...more,
});
const stay = (more: Partial<StayMoney> = {}): StayMoney => ({
  lineId: 'stay',
  price: 20_000,
  paid: 20_000,
  excess: 0,
  refundedAtDesk: 0,
  ...more,
});
const refund = (more: Partial<Refund>): Refund => ({
  id: 'r',
  amount: more.free ?? (more.lines ?? []).reduce((sum, { amount }) => sum + amount, 0),
  lines: [],
  shipping: 0,
  free: 0,
  ...more,
});

describe('what an order has paid of its stays', () => {
  it('is their price once the order is paid', () => {
    expect(sharesOf(order(), [], [stay({ paid: 0 })])).toEqual([20_000]);
  });

  it('is what is left beside the other parts while an amount is due', () => {
    expect(sharesOf(order({ captured: 0, amountDue: 30_000 }), [], [stay({ paid: 0 })])).toEqual([0]);
    expect(sharesOf(order({ captured: 12_000, amountDue: 18_000 }), [], [stay({ paid: 0 })])).toEqual([2000]);
    // Money that the desk took for the stay.
    expect(sharesOf(order({ captured: 12_000, amountDue: 18_000 }), [], [stay({ paid: 12_000 })])).toEqual([12_000]);
  });

  it('isn’t changed by a refund of goods', () => {
    const goods = refund({ lines: [{ lineId: 'goods', quantity: 1, amount: 10_000 }] });
    expect(sharesOf(order({ refunded: 10_000 }), [goods], [stay()])).toEqual([20_000]);
  });

  it('falls by its part of a refund by amount, and by all of a refund at the desk', () => {
    expect(sharesOf(order({ refunded: 3000 }), [refund({ free: 3000 })], [stay()])).toEqual([18_000]);
    const desk = stay({ paid: 15_000, refundedAtDesk: 5000 });
    expect(sharesOf(order({ refunded: 5000 }), [refund({ free: 5000 })], [desk])).toEqual([15_000]);
    const both = [refund({ free: 5000 }), refund({ free: 3000 })];
    expect(sharesOf(order({ refunded: 8000 }), both, [desk])).toEqual([13_000]);
  });

  it('falls by a refund at the desk of its own line for that stay only', () => {
    const lines = [{ id: 'stay', total: 40_000 }];
    const two = order({ total: 40_000, captured: 40_000, refunded: 5000, lines });
    const desk = [refund({ amount: 5000, lines: [{ lineId: 'stay', quantity: 0, amount: 5000 }] })];
    expect(sharesOf(two, desk, [stay({ paid: 15_000, refundedAtDesk: 5000 }), stay()])).toEqual([15_000, 20_000]);
    const waiting = { ...two, captured: 20_000, amountDue: 20_000 };
    expect(sharesOf(waiting, desk, [stay({ paid: 15_000, refundedAtDesk: 5000 }), stay({ paid: 0 })])).toEqual([15_000, 0]);
  });

  it('is nothing of an order whose money was refunded, or of a stay that an edit removed', () => {
    expect(sharesOf(order({ status: 'cancelled', refunded: 30_000 }), [], [stay()])).toEqual([0]);
    expect(sharesOf(order({ lines: [] }), [], [stay({ price: 0 })])).toEqual([0]);
  });

  it('falls first for the stay that is paid too much, then for the newest', () => {
    const lines = [{ id: 'stay', total: 40_000 }];
    const two = order({ total: 40_000, captured: 40_000, refunded: 15_000, lines });
    const refunds = [refund({ free: 15_000 })];
    expect(sharesOf(two, refunds, [stay({ excess: 10_000 }), stay()])).toEqual([10_000, 15_000]);
    const unit = [refund({ lines: [{ lineId: 'stay', quantity: 1, amount: 20_000 }] })];
    expect(sharesOf(order({ ...two, refunded: 20_000 }), unit, [stay({ excess: 20_000 }), stay()])).toEqual([0, 20_000]);
  });

  it('stays the same when it is computed again', () => {
    const two = order({ total: 40_000, captured: 40_000, refunded: 15_000, lines: [{ id: 'stay', total: 40_000 }] });
    const refunds = [refund({ free: 15_000 })];
    const first = sharesOf(two, refunds, [stay(), stay()]);
    const next = first.map((paid) => stay({ paid }));
    expect(sharesOf(two, refunds, next)).toEqual(first);
  });
});

it('a stay of an order in another currency is converted by its price', () => {
  const rate = { price: 4000, total: 20_000 };
  expect([toOrder(5000, rate), toFolio(1000, rate), toFolio(4000, rate)]).toEqual([1000, 5000, 20_000]);
});
