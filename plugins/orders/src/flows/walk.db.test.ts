import { fulfillmentStatuses, orderStatuses, paymentStatuses } from '@storeloom/commerce';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  home,
  type Order,
  openShop,
  type Placed,
  place,
  read,
  refundsEnd,
  seen,
  settlePayment,
  variantId,
} from '../../test/shop.ts';
import { allowedFor } from './order-machine.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openShop({ workers: false });
});
afterAll(() => shop?.stop());

/** A seeded generator, so that a failing walk can be reproduced. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * n);
  };
}

type Verb = (order: Placed, roll: (n: number) => number, now: Order) => Promise<number>;
const path = (order: Placed, action: string): string => `/api/admin/orders/${order.id}${action}`;
const post = async (order: Placed, action: string, body: object): Promise<number> =>
  (await shop.a.admin.post(path(order, action), body)).status;
const edit = async (order: Placed, ...operations: object[]): Promise<number> =>
  (await shop.a.admin.patch(path(order, '/edit'), { operations })).status;
const some = <T>(list: readonly T[], roll: (n: number) => number): T | undefined => list[roll(list.length || 1)];

const verbs: Record<string, Verb> = {
  pay: async (order, roll) => {
    const status = (['captured', 'authorized', 'failed'] as const)[roll(3)]!;
    const amount = roll(2) === 0 ? order.total : 1 + roll(order.total);
    await settlePayment(shop.a, order.id, {
      status,
      [status === 'authorized' ? 'authorized' : 'captured']: status === 'failed' ? 0 : amount,
    });
    return 200;
  },
  move: (order, roll) => post(order, '/status', { status: some(orderStatuses, roll), reason: 'walk' }),
  pack: (order, roll, now) =>
    post(order, '/fulfillments', {
      lines: [{ lineId: some(now.lines, roll)?.id, quantity: 1 + roll(3) }],
      force: roll(2) === 0,
      packed: roll(2) === 0,
    }),
  ship: (order, roll, now) => post(order, '/ship', roll(2) === 0 ? {} : { fulfillmentId: some(now.fulfillments, roll)?.id }),
  refund: (order, roll, now) =>
    post(order, '/refund', {
      reason: 'walk',
      ...(roll(2) === 0
        ? { amount: { amount: 1 + roll(2000), currency: 'RON' } }
        : { lines: [{ lineId: some(now.lines, roll)?.id, quantity: 1 + roll(2), restock: roll(2) === 0 }] }),
    }),
  end: async (order, roll) => {
    await refundsEnd(shop.a, order.id, roll(2) === 0 ? 'succeeded' : 'failed');
    await shop.a.run('payments', async (ctx) => {
      const { orders } = await import('@storeloom/commerce');
      await ctx.require(orders).refundChanged(order.id);
    });
    return 200;
  },
  add: (order, roll) => edit(order, { op: 'add_item', variantId: variantId(100 + roll(500)), quantity: 1 + roll(3) }),
  change: (order, roll, now) => edit(order, { op: 'change_quantity', itemId: some(now.lines, roll)?.id, quantity: 1 + roll(5) }),
  remove: (order, roll, now) => edit(order, { op: 'remove_item', itemId: some(now.lines, roll)?.id }),
  unpack: (order, roll, now) =>
    edit(order, { op: 'cancel_fulfillment', fulfillmentId: some(now.fulfillments, roll)?.id ?? order.id }),
  address: async (order, roll) =>
    (
      await shop.a.admin.patch(path(order, '/address'), {
        shippingAddress: { ...home, country: roll(2) === 0 ? 'RO' : 'CH', postalCode: String(roll(9)) },
      })
    ).status,
  invoice: async (order) => (await shop.a.admin.post('/api/admin/invoices/', { orderId: order.id })).status,
};

async function check(order: Placed, trail: string): Promise<Order> {
  const now = await read(shop.a, order.id);
  const [row] = await shop.rows<{
    captured: number;
    refunded: number;
    tendered: number;
    total: number;
    due: number;
    previous: string | null;
  }>(
    `select captured_amount::int as captured, refunded_amount::int as refunded, tendered_amount::int as tendered, total_amount::int as total,
      amount_due_amount::int as due, previous_status as previous from orders_order where id = $1`,
    [order.id],
  );
  expect(orderStatuses, trail).toContain(now.status);
  expect(paymentStatuses, trail).toContain(now.paymentStatus);
  expect(fulfillmentStatuses, trail).toContain(now.fulfillmentStatus);
  expect([...now.allowed], trail).toEqual(
    allowedFor({ status: now.status as 'pending', previousStatus: row!.previous as 'pending' | null }),
  );
  // P9, P2: refunds never exceed captures; the total is the sum of the parts.
  expect(row!.refunded, trail).toBeLessThanOrEqual(row!.captured + row!.tendered);
  expect(row!.due, trail).toBe(Math.max(0, row!.total - row!.tendered - row!.captured));
  const { taxSummary, totals } = now as Order & { taxSummary: { base: { amount: number }; tax: { amount: number } }[] };
  expect(
    taxSummary.reduce((sum, each) => sum + each.base.amount + each.tax.amount, 0),
    trail,
  ).toBe(totals.total.amount);
  for (const line of now.lines) {
    expect(line.quantityFulfilled! + line.quantityCancelled!, trail).toBeLessThanOrEqual(line.quantity);
    expect(line.quantityShipped!, trail).toBeLessThanOrEqual(line.quantityFulfilled!);
  }
  // Credit notes never exceed invoices; a cancelled order is fully credited.
  const sum = (kind: string): number => now.invoices.reduce((all, each) => all + (each.kind === kind ? each.total.amount : 0), 0);
  expect(sum('credit_note'), trail).toBeLessThanOrEqual(sum('invoice'));
  if (now.status === 'cancelled') expect(sum('credit_note'), trail).toBe(sum('invoice'));
  return now;
}

describe('random walks', () => {
  it('P26: over all verbs never reach an undefined state nor repeat a side effect', async () => {
    const seeds = Number(process.env.WALKS ?? 12);
    const done = new Set<string>();
    for (let seed = 1; seed <= seeds; seed++) {
      const roll = dice(seed * 7919);
      const order = await place(shop.a, {
        lines: [
          { price: 1000 + seed, quantity: 3 },
          { price: 450, rate: 11, quantity: 2 },
        ],
        ...(seed % 3 === 0 ? { tender: 700 } : {}),
      });
      const trail: string[] = [`seed ${seed}`];
      let now = await read(shop.a, order.id);
      for (let step = 0; step < 22; step++) {
        const name = some(Object.keys(verbs), roll)!;
        const status = await verbs[name]!(order, roll, now);
        trail.push(`${name} ${status}`);
        if (status < 300) done.add(name);
        expect(status, trail.join(', ')).toBeLessThan(500);
        now = await check(order, trail.join(', '));
      }
      const told = trail.join(', ');
      expect((await seen(shop, 'cancel', order.id)).length, told).toBeLessThanOrEqual(1);
      const shipped = (await seen<{ fulfillmentId: string }>(shop, 'ship', order.id)).map((each) => each.fulfillmentId);
      expect(new Set(shipped).size, told).toBe(shipped.length);
      const finals = now.history.filter((each) => each.to === 'cancelled' || each.to === 'completed');
      expect(finals.length, told).toBeLessThanOrEqual(1);
      for (const [i, each] of now.history.entries()) if (i > 0) expect(each.from, told).toBe(now.history[i - 1]?.to);
    }
    // The walks reached these states.
    expect([...done].sort()).toEqual(Object.keys(verbs).sort());
  }, 900_000);
});
