import { placeCheck, placeCommit, stock } from '@storeloom/commerce';
import { constraintOf, Problem, sql } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  adjust,
  atProcess,
  cancel,
  figures,
  makeGoods,
  makeKit,
  newOrder,
  place,
  placeInput,
  refund,
  settle,
  ship,
  stockFaults,
  type TestOrder,
} from '../../test/shop.ts';
import { expireDue } from '../flows/release.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'inventory'], processes: 2 });
});
afterAll(() => shop?.stop());
afterEach(async () => {
  expect(await stockFaults(shop)).toEqual([]);
});

/** Transaction retries counted by both processes. */
async function retries(): Promise<string[]> {
  const texts = await Promise.all(shop.kernels.map(({ metrics }) => metrics.text()));
  return texts.flatMap((text) => text.split('\n').filter((line) => line.includes('db_tx_retries_total{')));
}
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
/** A connection or lock timeout, which is 503 with Retry-After over HTTP. The transaction was rolled back. */
const isBusy = (error: unknown): boolean =>
  constraintOf(error)?.sqlstate === '55P03' || (error instanceof Error && error.message.includes('timeout exceeded'));
/** Returns the result or the problem code; repeats after timeouts of a loaded machine. */
async function attempt<T>(work: () => Promise<T>): Promise<T | string> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Problem) return error.code;
      if (!isBusy(error)) throw error;
    }
  }
}
const placed = (outcomes: readonly (TestOrder | string)[]): TestOrder[] => outcomes.filter((each) => typeof each !== 'string');

describe('parallel buyers on two processes', () => {
  it.each([1, 2, 3])('P7, B5: stock k, N buyers: min(N, k) succeed, the others get 409 (round %i)', async (round) => {
    const variantId = await makeGoods(shop.a, 7 * round);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => attempt(() => place(atProcess(shop, shop.a, i), [{ variantId, quantity: 1 }]))),
    );
    expect(placed(outcomes)).toHaveLength(7 * round);
    expect(outcomes.filter((each) => each === 'insufficient_stock')).toHaveLength(50 - 7 * round);
    expect(await figures(shop.a, variantId)).toEqual([7 * round, 7 * round, 0]);
  });

  it('P7 with a delay between check and commit', async () => {
    const variantId = await makeGoods(shop.a, 4);
    const slow = (i: number) =>
      atProcess(shop, shop.a, i).run('checkout', async (ctx) => {
        const order = newOrder([{ variantId, quantity: 1 }]);
        const input = placeInput(order);
        await ctx.call(placeCheck, input);
        await ctx.db.run(sql`select pg_sleep(${0.05 + Math.random() * 0.15})`);
        await ctx.call(placeCommit, input);
        return order;
      });
    const outcomes = await Promise.all(Array.from({ length: 10 }, (_, i) => attempt(() => slow(i))));
    expect(placed(outcomes)).toHaveLength(4);
    expect(await figures(shop.a, variantId)).toEqual([4, 4, 0]);
  });

  it('200 buyers of many lines in random order cause no deadlock, and no order is partial', async () => {
    const variants = await Promise.all(Array.from({ length: 8 }, () => makeGoods(shop.a, 60)));
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        attempt(() =>
          place(
            atProcess(shop, shop.a, i),
            shuffled(variants)
              .slice(0, 5)
              .map((variantId) => ({ variantId, quantity: 1 + Math.floor(Math.random() * 2) })),
          ),
        ),
      ),
    );
    const orders = placed(outcomes);
    expect(new Set(outcomes.filter((each) => typeof each === 'string'))).toEqual(new Set(['insufficient_stock']));
    const held = await shop.rows<{ order_id: string; lines: number }>(
      `select order_id, count(*)::int as lines from inventory_reservation where state = 'active' and variant_id = any($1) group by order_id`,
      [variants],
    );
    expect(held.map(({ order_id, lines }) => [order_id, lines]).sort()).toEqual(orders.map(({ id }) => [id, 5]).sort());
    for (const variantId of variants) {
      const wanted = orders.flatMap(({ lines }) => lines).filter((line) => line.variantId === variantId);
      expect((await figures(shop.a, variantId))[1]).toBe(wanted.reduce((sum, { quantity }) => sum + quantity, 0));
    }
    // Concurrent cancellations, shipments and settlements, some orders by two callers.
    const after = await Promise.all(
      orders.flatMap((order, i): Promise<unknown>[] => {
        const at = atProcess(shop, shop.a, i);
        const other = atProcess(shop, shop.a, i + 1);
        if (i % 3 === 0) return [attempt(() => cancel(at, order)), attempt(() => cancel(other, order))];
        return [attempt<unknown>(() => (i % 3 === 1 ? ship(at, order) : settle(at, order)))];
      }),
    );
    expect(after.filter((each) => typeof each === 'string')).toEqual([]);
    expect(await retries()).toEqual([]);
    const [row] = await shop.rows<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    expect(row).toEqual({ deadlocks: 0 });
  });

  it('P25, B27, C50: kits and their components share the stock, in any mix', async () => {
    const a = await makeGoods(shop.a, 20);
    const b = await makeGoods(shop.a, 50);
    const kit = await makeKit(shop.a, [
      { variantId: a, quantity: 2 },
      { variantId: b, quantity: 5 },
    ]);
    const view = () =>
      shop.a.run('catalog', async (ctx) => (await ctx.require(stock).availability([kit.variantId])).get(kit.variantId));
    expect(await view()).toMatchObject({ available: 10, availability: 'in_stock' });
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        attempt(() =>
          place(atProcess(shop, shop.a, i), [
            i % 2 === 0 ? { ...kit, quantity: 1 } : { variantId: i % 4 === 1 ? a : b, quantity: 3 },
          ]),
        ),
      ),
    );
    expect(placed(outcomes).length).toBeGreaterThan(8);
    const left = [(await figures(shop.a, a))[2] as number, (await figures(shop.a, b))[2] as number];
    expect((await view())?.available).toBe(Math.min(Math.floor((left[0] as number) / 2), Math.floor((left[1] as number) / 5)));
    await expect(place(shop.a, [{ ...kit, quantity: 11 }])).rejects.toMatchObject({ code: 'insufficient_stock' });
  });

  it('P20: concurrent refunds and returns of the same units restock them once', async () => {
    const variantId = await makeGoods(shop.a, 10);
    const order = await place(shop.a, [{ variantId, quantity: 6 }]);
    await ship(shop.a, order);
    const items = [{ variantId, orderLineId: order.lines[0]?.id as string, quantity: 2 }];
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const at = atProcess(shop, shop.a, i);
        if (i % 2 === 0) return refund(at, order, { shipped: 2 });
        return at.run('orders', (ctx) => ctx.require(stock).restock(order.id, items, { reason: 'return', reference: null }));
      }),
    );
    expect(outcomes.reduce<number>((sum, each) => sum + (each ?? 0), 0)).toBeLessThanOrEqual(6);
    expect(await figures(shop.a, variantId)).toEqual([10, 0, 10]);
  });

  it('a count never overwrites a sale', async () => {
    const variantId = await makeGoods(shop.a, 30);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        if (i % 3 !== 0)
          return attempt(() =>
            place(atProcess(shop, shop.a, i), [{ variantId, quantity: 1 }]).then((order) => ship(shop.a, order)),
          );
        const { onHand } = await adjustable(variantId);
        const response = await shop.a.admin
          .at(shop.bases[i % 2] as string)
          .post(`/api/admin/inventory/${variantId}/adjust`, { set: onHand + 1, expectedOnHand: onHand, reason: 'count' });
        return response.status;
      }),
    );
    const counted = outcomes.filter((each) => each === 200).length;
    expect(outcomes.filter((each) => typeof each === 'number' && each !== 200 && each !== 412)).toEqual([]);
    expect((await figures(shop.a, variantId))[0]).toBe(30 - 20 + counted);
  });
});

async function adjustable(variantId: string): Promise<{ onHand: number }> {
  return { onHand: (await figures(shop.a, variantId))[0] as number };
}

describe('P6', () => {
  type Step = {
    kind: 'place' | 'cancel' | 'ship' | 'refund' | 'receive' | 'lose' | 'expire' | 'settle';
    which: number;
    units: number;
  };
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('place', 'place', 'place', 'cancel', 'ship', 'refund', 'receive', 'lose', 'expire', 'settle'),
    which: fc.nat(1000),
    units: fc.integer({ min: 1, max: 4 }),
  });

  it('holds after any interleaving of place, cancel, ship, refund, adjust and expiry', async () => {
    const variants = await Promise.all([makeGoods(shop.a, 12), makeGoods(shop.a, 12)]);
    const past = new Date(Date.now() - 3_600_000).toISOString();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 24 }), async (steps) => {
        const orders: TestOrder[] = [];
        const run = async ({ kind, which, units }: Step, i: number): Promise<unknown> => {
          const at = atProcess(shop, shop.a, i);
          const variantId = variants[which % 2] as string;
          const order = orders[which % Math.max(1, orders.length)];
          if (kind === 'place') {
            const lines =
              which % 3 === 0 ? variants.map((id) => ({ variantId: id, quantity: 1 })) : [{ variantId, quantity: units }];
            return place(at, lines, { expiresAt: which % 2 === 0 ? past : null }).then((created) => orders.push(created));
          }
          if (kind === 'receive') return adjust(shop.a, variantId, { delta: units, reason: 'received' });
          if (kind === 'lose') return adjust(shop.a, variantId, { delta: -units, reason: 'damage' }).catch(() => undefined);
          if (kind === 'expire') return at.run('inventory', expireDue);
          if (!order) return undefined;
          if (kind === 'cancel') return cancel(at, order);
          if (kind === 'ship') return ship(at, order);
          return kind === 'settle' ? settle(at, order) : refund(at, order, { unshipped: units, shipped: units });
        };
        // Three concurrently, on both processes.
        for (let i = 0; i < steps.length; i += 3)
          await Promise.all(steps.slice(i, i + 3).map((each, j) => attempt(() => run(each, i + j) as Promise<unknown>)));
        expect(await stockFaults(shop)).toEqual([]);
      }),
      { numRuns: 12 },
    );
    expect(await retries()).toEqual([]);
  });
});
