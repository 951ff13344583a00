import { setTimeout as sleep } from 'node:timers/promises';
import { patiently, type TestClient, type TestResponse, tally } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, visitor } from '../plugins/checkout/test/goods.ts';
import { checkoutPath, placeBody } from '../plugins/checkout/test/till.ts';
import { stockFaults } from '../plugins/inventory/test/shop.ts';
import { type House, openHouse } from './support/house.ts';

/** Against two API processes of their own and a real PostgreSQL. Twenty rounds a night, two otherwise, one on the oldest PostgreSQL. */
const rounds = process.env.STORELOOM_NIGHTLY === '1' ? 20 : process.env.STORELOOM_TEST_PG === '15' ? 1 : 2;
const buyersOfOne = 200;
const price = 10_000;

let house: House;
let shop: House['shop'];
beforeAll(async () => {
  house = await openHouse(2);
  shop = house.shop;
});
afterAll(() => house?.stop());

/** The same caller at one of the two processes, by turns. */
const at = (client: TestClient, i: number): TestClient => client.at(house.apis[i % 2]!.base);

type Answer = TestResponse<Json>;
/**
 * One attempt to place. A hundred concurrent requests to a process can wait longer for a connection or for the key than the limit for any request
 * wait: 503 or `idempotency_in_flight`, both with Retry-After, and the caller comes again with the same request.
 */
const place = (
  client: TestClient,
  i: number,
  total: number,
  headers: Record<string, string> = {},
  more: Record<string, unknown> = {},
): Promise<Answer> => insist(() => at(client, i).post<Json>(`${checkoutPath}/place`, placeBody(total, more), headers));

async function insist(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await patiently(ask);
    const later = answer.status === 503 || answer.body.code === 'idempotency_in_flight';
    if (!later || attempt === 100) return answer;
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    await sleep(300 + 400 * Math.random());
  }
}

/** So many visitors, each with one unit in a cart of their own, made at the test's own process: what races here is the placing. */
async function buyers(n: number, variantId: string): Promise<{ client: TestClient; cartId: string }[]> {
  const made: { client: TestClient; cartId: string }[] = [];
  for (let begun = 0; begun < n; begun += 20) {
    const next = Array.from({ length: Math.min(20, n - begun) }, async () => {
      const { client, cart } = await visitor(shop.a, [variantId, 1]);
      return { client, cartId: cart.id as string };
    });
    made.push(...(await Promise.all(next)));
  }
  return made;
}

const distinct = (answers: readonly Answer[], pick: (answer: Answer) => unknown): number =>
  new Set(answers.map((answer) => JSON.stringify(pick(answer)))).size;
const ordersOf = (cartIds: readonly string[]) =>
  shop.rows<Json>('select id, status, total_amount::int as total from orders_order where cart_id = any($1)', [cartIds]);
const level = async (variantId: string) =>
  (await shop.rows<Json>('select on_hand, reserved from inventory_level where variant_id = $1', [variantId]))[0];
const eventsOf = async (orderIds: readonly string[]) =>
  (
    await shop.rows<Json>(
      `select count(*)::int as n from core_event where type = 'orders.order.placed' and aggregate = any($1)`,
      [orderIds],
    )
  )[0].n;

describe('two processes, two hundred concurrent requests', () => {
  it(
    'want the last unit: one gets it',
    async () => {
      for (let round = 0; round < rounds; round++) {
        const variantId = await house.stocked(price, 1);
        const carts = await buyers(buyersOfOne, variantId);
        const answers = await Promise.all(carts.map(({ client }, i) => place(client, i, price)));
        expect(tally(answers)).toEqual({ '201': 1, '409 insufficient_stock': buyersOfOne - 1 });
        const orders = await ordersOf(carts.map(({ cartId }) => cartId));
        expect(orders).toEqual([
          { id: answers.find(({ status }) => status === 201)?.body.order.id, status: 'confirmed', total: price },
        ]);
        expect(await level(variantId)).toEqual({ on_hand: 1, reserved: 1 });
        expect(await eventsOf([orders[0].id])).toBe(1);
      }
      expect(await stockFaults(shop)).toEqual([]);
    },
    120_000 * rounds,
  );

  it(
    'want the last use of a code: one gets it',
    async () => {
      for (let round = 0; round < rounds; round++) {
        const variantId = await house.stocked(price, 1000);
        const code = `LAST${round}`;
        const promotion = await house.post('/api/admin/promotions/', {
          name: code,
          code,
          type: 'percentage',
          target: 'order',
          value: { percentBp: 1000 },
          usageLimit: 1,
        });
        const carts = await buyers(buyersOfOne, variantId);
        for (let begun = 0; begun < carts.length; begun += 20)
          await Promise.all(
            carts.slice(begun, begun + 20).map(async ({ client }, i) => {
              const entered = await at(client, i).post<Json>(`${cartPath}/promotion`, { code });
              expect([entered.status, entered.body.totals?.total]).toEqual([200, { amount: 9000, currency: 'RON' }]);
            }),
          );
        // 10 % off 100.00: 90.00 for one of them.
        const answers = await Promise.all(carts.map(({ client }, i) => place(client, i, 9000)));
        expect(tally(answers)).toEqual({ '201': 1, '409 promotion_changed': buyersOfOne - 1 });
        expect((await ordersOf(carts.map(({ cartId }) => cartId))).map(({ total }) => total)).toEqual([9000]);
        const used = await shop.rows<Json>(
          'select count(*)::int as n from promotions_usage where promotion_id = $1 and reverted_at is null',
          [promotion.id],
        );
        expect(used).toEqual([{ n: 1 }]);
        expect(await level(variantId)).toEqual({ on_hand: 1000, reserved: 1 });
      }
    },
    120_000 * rounds,
  );

  const kinds: [string, (i: number, cartId: string) => Record<string, string>][] = [
    ['the same key', (_, cartId) => ({ 'idempotency-key': `place-${cartId}` })],
    ['a key each', (i, cartId) => ({ 'idempotency-key': `place-${i}-${cartId}` })],
    ['no key', () => ({})],
  ];
  it.each(kinds)(
    'complete one cart with %s: one order',
    async (kind, headersOf) => {
      for (let round = 0; round < rounds; round++) {
        const variantId = await house.stocked(price, 500);
        const [cart] = await buyers(1, variantId);
        const { client, cartId } = cart!;
        const all = Array.from({ length: buyersOfOne }, (_, i) => place(client, i, price, headersOf(i, cartId)));
        const answers = await Promise.all(all);
        expect(tally(answers)).toEqual(kind === 'the same key' ? { '201': buyersOfOne } : { '200': buyersOfOne - 1, '201': 1 });
        expect(distinct(answers, ({ body }) => [body.order.id, body.order.number, body.orderToken, body.payment])).toBe(1);
        if (kind === 'the same key') expect(distinct(answers, ({ text }) => text)).toBe(1);
        expect(await ordersOf([cartId])).toHaveLength(1);
        expect(await level(variantId)).toEqual({ on_hand: 500, reserved: 1 });
      }
    },
    120_000 * rounds,
  );
});

describe('two processes', () => {
  it('sell ten units to fifty buyers: ten orders, forty clean refusals, about a second', async () => {
    const variantId = await house.stocked(price, 10);
    const carts = await buyers(50, variantId);
    const began = performance.now();
    const answers = await Promise.all(carts.map(({ client }, i) => place(client, i, price)));
    const took = performance.now() - began;
    expect(tally(answers)).toEqual({ '201': 10, '409 insufficient_stock': 40 });
    expect(await ordersOf(carts.map(({ cartId }) => cartId))).toHaveLength(10);
    expect(await level(variantId)).toEqual({ on_hand: 10, reserved: 10 });
    console.info(`fifty buyers of ten units were answered in ${Math.round(took)} ms`);
    // A second on a machine that does nothing else; this one may do.
    expect(took).toBeLessThan(30_000);
  });

  it(
    'complete one cart in ten concurrent requests: one order, one call to the provider, equal responses',
    async () => {
      for (let round = 0; round < rounds; round++) {
        const variantId = await house.stocked(price, 5);
        const [cart] = await buyers(1, variantId);
        const { client, cartId } = cart!;
        const before = house.provider.done(/./).length;
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, i) => place(client, i, price, {}, { paymentMethod: 'card' })),
        );
        expect(tally(answers)).toEqual({ '200': 9, '201': 1 });
        expect(distinct(answers, ({ body }) => body)).toBe(1);
        expect(answers[0]?.body.payment).toMatchObject({ status: 'requires_action' });
        expect(house.provider.done(/./).length - before).toBe(1);
        expect(await ordersOf([cartId])).toHaveLength(1);
        const payments = await shop.rows('select id from payments_payment where for_id = $1', [answers[0]?.body.order.id]);
        expect(payments).toHaveLength(1);
      }
    },
    120_000 * rounds,
  );

  it('give one idempotency key a hundred equal answers and one effect', async () => {
    const title = 'Made once';
    const body = {
      title,
      status: 'draft',
      variants: [{ sku: 'ONCE', optionValues: {}, price: { amount: 100, currency: 'RON' } }],
    };
    const key = { 'idempotency-key': 'one-key-for-a-hundred' };
    const make = (i: number) => insist(() => at(shop.a.admin, i).post<Json>('/api/admin/products/', body, key));
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => make(i)));
    expect(tally(answers)).toEqual({ '201': 100 });
    expect(distinct(answers, ({ text }) => text)).toBe(1);
    expect(await shop.rows(`select id from catalog_variant where sku = 'ONCE'`)).toHaveLength(1);
    const events = await shop.rows(`select id from core_event where type = 'catalog.product.created' and aggregate = $1`, [
      answers[0]?.body.id,
    ]);
    expect(events).toHaveLength(1);
  });
});
