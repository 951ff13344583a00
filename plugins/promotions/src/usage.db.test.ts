import type { TestClient, TestShop } from '@storeloom/plugin-sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakePaymentA } from '../../payments/test/fake-payment-a.ts';
import {
  cancel,
  cartOf,
  cartPath,
  enter,
  type Json,
  look,
  make,
  openStore,
  place,
  product,
  promote,
  promotionsPath,
  ron,
} from '../test/store.ts';

let shop: TestShop;
let provider: FakePaymentA;
let thing: string;
beforeAll(async () => {
  provider = await new FakePaymentA().start();
  shop = await openStore({ processes: 2 });
  const card = { code: 'card', name: 'card', provider: 'payment-a', config: provider.config({}), enabled: true };
  await make(shop.a.admin, '/api/admin/payment-methods/', card);
  thing = (await product(shop.a, 1000)).variantId;
});
afterAll(async () => {
  await shop?.stop();
  await provider?.stop();
});

let buyers = 0;
const nextEmail = () => `buyer${++buyers}@example.org`;
/** A visitor with a cart of one thing and a code, every other one at the second process. */
async function buyer(code: string | null, options: { quantity?: number } = {}): Promise<TestClient> {
  const { client } = await cartOf(shop.a.guest.at(shop.bases[buyers++ % 2]!), [thing, options.quantity ?? 1]);
  if (code !== null) {
    const cart = await enter(client, code);
    if (cart.promotions?.[0]?.applied !== true) throw new Error(`the code ${code} was refused: ${JSON.stringify(cart)}`);
  }
  return client;
}
const usages = (id: string) =>
  shop.rows<Json>(
    'select order_id, reverted_at, discount_amount::int as amount, code from promotions_usage where promotion_id = $1 order by created_at',
    [id],
  );
const counter = async (id: string) =>
  (await shop.rows<Json>('select used_count, used_amount::int from promotions_promotion where id = $1', [id]))[0];
const ordersWith = (total: number) =>
  shop.rows<Json>(`select id from orders_order where total_amount = $1 and status <> 'cancelled'`, [total]);
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

describe('usage', () => {
  it('is counted with the order, once, and shown', async () => {
    const promotion = await promote(shop.a, { code: 'COUNT', usageLimit: 5 });
    const client = await buyer('COUNT');
    const placed = await place(client, 900);
    expect(placed.status).toBe(201);
    const again = await place(client, 900);
    expect([again.status, again.body.order.id]).toEqual([200, placed.body.order.id]);
    expect(await usages(promotion.id)).toEqual([
      { order_id: placed.body.order.id, reverted_at: null, amount: 100, code: 'COUNT' },
    ]);
    expect(await look(shop.a, promotion.id)).toMatchObject({ usageCount: 1, spent: ron(100), version: 1 });
  });

  it('freezes what orders have agreed to, and keeps the promotion', async () => {
    const promotion = await promote(shop.a, { code: 'FROZEN' });
    await place(await buyer('FROZEN'), 900);
    const patch = (body: object) => shop.a.admin.patch<Json>(`${promotionsPath}${promotion.id}`, body);
    for (const body of [
      { value: { percentBp: 2000 } },
      { target: 'items' },
      { stage: 'catalog', code: null },
      { type: 'free_shipping', value: {} },
    ])
      expect([(await patch(body)).status, (await patch(body)).body.code]).toEqual([409, 'promotion_in_use']);
    const removed = await shop.a.admin.delete<Json>(`${promotionsPath}${promotion.id}`);
    expect([removed.status, removed.body.code]).toEqual([409, 'promotion_in_use']);
    expect((await patch({ name: 'Still', priority: 4, value: { percentBp: 1000 } })).status).toBe(200);
    expect((await patch({ archived: true })).body).toMatchObject({ status: 'archived', usageCount: 1 });
  });

  it('counts from what there is when a limit comes later', async () => {
    const promotion = await promote(shop.a, { code: 'LATER' });
    await place(await buyer('LATER'), 900);
    await place(await buyer('LATER'), 900);
    expect(await counter(promotion.id)).toEqual({ used_count: 0, used_amount: 0 });
    await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, { usageLimit: 2, budget: ron(1000) });
    expect(await counter(promotion.id)).toEqual({ used_count: 2, used_amount: 200 });
    const { client } = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enter(client, 'LATER')).code).toBe('coupon_usage_limit');
  });

  it('of the catalogue and of gifts is counted too, what has no effect is not', async () => {
    const own = await product(shop.a, 2000);
    const gift = await product(shop.a, 300);
    const shelf = await promote(shop.a, {
      stage: 'catalog',
      usageLimit: 1,
      conditions: [{ type: 'product', value: own.productId }],
    });
    const given = await promote(shop.a, { type: 'gift_item', code: 'GIVE', get: { variantIds: [gift.variantId] } });
    const idle = await promote(shop.a, { type: 'free_shipping', code: 'IDLE' });
    const { client } = await cartOf(shop.a.guest, [own.variantId, 2]);
    await enter(client, 'GIVE');
    expect((await enter(client, 'IDLE')).promotions.map((one: Json) => [one.code, one.applied])).toEqual([
      ['GIVE', true],
      ['IDLE', true],
    ]);
    const placed = await place(client, 3600);
    expect(placed.status).toBe(201);
    expect((await usages(shelf.id)).map((one) => one.amount)).toEqual([400]);
    expect((await usages(given.id)).map((one) => one.amount)).toEqual([0]);
    expect(await usages(idle.id)).toEqual([]);
    // Used up: the shelf has its old price again.
    const next = await cartOf(shop.a.guest, [own.variantId, 1]);
    expect(next.cart.lines[0].unitPrice).toEqual(ron(2000));
  });

  it('C35: goes back with a cancelled order, once, unless the promotion says no', async () => {
    for (const [code, more] of [
      ['BACK', {}],
      ['GONE', { reusableAfterCancel: false }],
    ] as const) {
      const promotion = await promote(shop.a, { code, usageLimit: 1, budget: ron(100), ...more });
      const first = await place(await buyer(code), 900);
      expect((await cancel(shop.a, first.body.order.id)).status).toBe(200);
      expect((await cancel(shop.a, first.body.order.id)).status).toBe(200);
      const { client } = await cartOf(shop.a.guest, [thing, 1]);
      const cart = await enter(client, code);
      if (code === 'BACK') {
        expect(await counter(promotion.id)).toEqual({ used_count: 0, used_amount: 0 });
        expect(cart.totals.total).toEqual(ron(900));
        expect((await place(client, 900)).status).toBe(201);
        expect(await look(shop.a, promotion.id)).toMatchObject({ usageCount: 1, spent: ron(100) });
      } else {
        expect(cart.code).toBe('coupon_usage_limit');
        expect((await look(shop.a, promotion.id)).usageCount).toBe(1);
      }
    }
  });

  it('single-use codes are used up by one order and free again after it is cancelled', async () => {
    const promotion = await promote(shop.a, { codes: ['ONCE-1', 'ONCE-2'] });
    const placed = await place(await buyer('once-1'), 900);
    expect(await look(shop.a, promotion.id)).toMatchObject({ codesTotal: 2, codesUsed: 1, usageCount: 1 });
    const { client } = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enter(client, 'ONCE-1')).code).toBe('coupon_usage_limit');
    expect((await enter(client, 'ONCE-2')).totals.total).toEqual(ron(900));
    // A used code stays, whatever list comes.
    const change = await shop.a.admin.patch<Json>(`${promotionsPath}${promotion.id}`, { codes: ['ONCE-3'] });
    expect(change.body.codes.sort()).toEqual(['ONCE-1', 'ONCE-3']);
    await cancel(shop.a, placed.body.order.id);
    expect((await look(shop.a, promotion.id)).codesUsed).toBe(0);
    const other = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enter(other.client, 'ONCE-1')).totals.total).toEqual(ron(900));
  });

  it('limits a customer by id and by e-mail, however it is written', async () => {
    await promote(shop.a, { code: 'MINE', usageLimitPerCustomer: 1 });
    const customer = await shop.a.customer('mine@a.example');
    const signedIn = await cartOf(customer, [thing, 1]);
    await enter(signedIn.client, 'MINE');
    expect((await place(signedIn.client, 900, { email: 'mine@a.example' })).status).toBe(201);
    const again = await cartOf(customer, [thing, 1]);
    expect((await enter(again.client, 'MINE')).code).toBe('coupon_customer_limit');
    // A guest is only known when placing.
    const client = await buyer('MINE');
    const refused = await place(client, 900, { email: ' MINE@A.example ' });
    expect(refused.body).toMatchObject({ status: 409, code: 'promotion_changed', totals: { total: ron(1000) } });
    expect(refused.body.promotions).toEqual([
      expect.objectContaining({ code: 'MINE', applied: false, reason: 'coupon_customer_limit' }),
    ]);
    expect((await place(client, 900, { email: nextEmail() })).status).toBe(201);
  });

  it('B4: what was used up since it was entered is refused when placing, with the new total', async () => {
    const promotion = await promote(shop.a, { code: 'LAST', usageLimit: 1 });
    const [one, two] = [await buyer('LAST'), await buyer('LAST')];
    expect((await place(one, 900)).status).toBe(201);
    const refused = await place(two, 900);
    expect(refused.body).toMatchObject({ status: 409, code: 'promotion_changed', totals: { total: ron(1000) } });
    expect(refused.body.promotions[0]).toMatchObject({ code: 'LAST', applied: false, reason: 'coupon_usage_limit' });
    expect((await place(two, 1000)).status).toBe(201);
    expect((await usages(promotion.id)).length).toBe(1);
  });

  it('B8: a payment that failed and a new try make one order and one use', async () => {
    const promotion = await promote(shop.a, { code: 'RETRY', usageLimit: 1, reusableAfterCancel: false });
    const client = await buyer('RETRY');
    const first = await place(client, 900, { paymentMethod: 'card' });
    expect([first.status, first.body.order.status]).toEqual([201, 'pending']);
    expect((await look(shop.a, promotion.id)).usageCount).toBe(1);
    // Somebody else can't have it while the order waits.
    const other = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enter(other.client, 'RETRY')).code).toBe('coupon_usage_limit');
    // Back to the cart: the waiting order is cancelled, the code free for the next try.
    const added = await client.post<Json>(`${cartPath}/items`, { variantId: thing, quantity: 1 });
    expect([added.status, added.body.totals.total]).toEqual([200, ron(1800)]);
    const second = await place(client, 1800);
    expect([second.status, second.body.order.id === first.body.order.id]).toEqual([201, false]);
    const rows = await usages(promotion.id);
    expect(rows.map((row) => [row.order_id, row.reverted_at === null])).toEqual([
      [first.body.order.id, false],
      [second.body.order.id, true],
    ]);
    expect((await counter(promotion.id)).used_count).toBe(1);
  });

  it('moves with an edit that recalculates', async () => {
    const promotion = await promote(shop.a, {
      code: 'EDIT',
      usageLimit: 1,
      budget: ron(1000),
      conditions: [{ type: 'min_quantity', value: 2 }],
    });
    const placed = await place(await buyer('EDIT', { quantity: 3 }), 2700);
    const { id, lines } = placed.body.order;
    const edit = (quantity: number) =>
      shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, {
        operations: [{ op: 'change_quantity', itemId: lines[0].id, quantity }],
        promotions: 'recalculate',
      });
    const two = await edit(2);
    expect([two.status, two.body.order?.totals.total]).toEqual([200, ron(1800)]);
    expect(await counter(promotion.id)).toEqual({ used_count: 1, used_amount: 200 });
    expect((await edit(1)).body.order.totals.total).toEqual(ron(1000));
    expect(await counter(promotion.id)).toEqual({ used_count: 0, used_amount: 0 });
    expect((await edit(4)).body.order.totals.total).toEqual(ron(3600));
    expect(await counter(promotion.id)).toEqual({ used_count: 1, used_amount: 400 });
    expect((await usages(promotion.id)).map((row) => [row.amount, row.reverted_at])).toEqual([[400, null]]);
  });

  it('P21: leaves orders as they were placed', async () => {
    const promotion = await promote(shop.a, { code: 'STILL' });
    const placed = await place(await buyer('STILL'), 900);
    const order = async () => {
      const { updatedAt, version, ...rest } = (await shop.a.admin.get<Json>(`/api/admin/orders/${placed.body.order.id}`)).body;
      return rest;
    };
    await shop.settled();
    const before = await order();
    await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, { name: 'Renamed', archived: true });
    expect(await order()).toEqual(before);
  });
});

describe('under load', () => {
  it('B1–B3, P8: of 200 buyers of the last use exactly one gets it', async () => {
    const promotion = await promote(shop.a, { code: 'ONLY', usageLimit: 1, value: { percentBp: 1700 }, type: 'percentage' });
    const clients: TestClient[] = [];
    for (let i = 0; i < 200; i += 20) clients.push(...(await Promise.all(Array.from({ length: 20 }, () => buyer('ONLY')))));
    // A busy machine answers 503 to those who wait too long for a connection: they ask again, as they are told to.
    const insist = async (client: TestClient, email: string, tries = 30): Promise<Awaited<ReturnType<typeof place>>> => {
      const answer = await place(client, 830, { email });
      return answer.status === 503 && tries > 0 ? insist(client, email, tries - 1) : answer;
    };
    const answers = await Promise.all(clients.map((client) => insist(client, nextEmail())));
    expect(statuses(answers)).toEqual([201, ...Array(199).fill(409)]);
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body).toMatchObject({
        code: 'promotion_changed',
        totals: { total: ron(1000) },
        promotions: [{ code: 'ONLY', applied: false, amount: ron(0), reason: 'coupon_usage_limit' }],
      });
    expect((await usages(promotion.id)).length).toBe(1);
    expect((await counter(promotion.id)).used_count).toBe(1);
    expect((await ordersWith(830)).length).toBe(1);
    await shop.settled();
    const told = await shop.rows<Json>(
      `select data from core_event where type = 'promotions.promotion.exhausted' and aggregate = $1`,
      [promotion.id],
    );
    expect(told.map(({ data }) => data)).toEqual([{ id: promotion.id, name: 'Promotion', reason: 'usage_limit' }]);
  }, 120_000);

  it('one customer with many carts stays within the limit', async () => {
    const promotion = await promote(shop.a, {
      code: 'TWICE',
      usageLimitPerCustomer: 2,
      value: { percentBp: 1800 },
      type: 'percentage',
    });
    const clients = await Promise.all(Array.from({ length: 12 }, () => buyer('TWICE')));
    const answers = await Promise.all(clients.map((client) => place(client, 820, { email: 'many@example.org' })));
    expect(statuses(answers)).toEqual([201, 201, ...Array(10).fill(409)]);
    expect((await usages(promotion.id)).length).toBe(2);
  });

  it('a budget is never overspent', async () => {
    const promotion = await promote(shop.a, { code: 'BUDGET', budget: ron(475), value: { percentBp: 1900 }, type: 'percentage' });
    const clients = await Promise.all(Array.from({ length: 12 }, () => buyer('BUDGET')));
    const answers = await Promise.all(clients.map((client) => place(client, 810, { email: nextEmail() })));
    expect(statuses(answers)).toEqual([201, 201, ...Array(10).fill(409)]);
    expect(await counter(promotion.id)).toEqual({ used_count: 2, used_amount: 380 });
    // What is left goes to the next one.
    const { client } = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enter(client, 'BUDGET')).totals.total).toEqual(ron(905));
    expect((await place(client, 905, { email: nextEmail() })).status).toBe(201);
    expect((await look(shop.a, promotion.id)).spent).toEqual(ron(475));
    const late = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enter(late.client, 'BUDGET')).code).toBe('coupon_usage_limit');
  });

  it('a single-use code is worth one order', async () => {
    const promotion = await promote(shop.a, { codes: ['SOLO'], value: { percentBp: 2100 }, type: 'percentage' });
    const clients = await Promise.all(Array.from({ length: 12 }, () => buyer('SOLO')));
    const answers = await Promise.all(clients.map((client) => place(client, 790, { email: nextEmail() })));
    expect(statuses(answers)).toEqual([201, ...Array(11).fill(409)]);
    expect((await usages(promotion.id)).length).toBe(1);
  });

  it('placing, cancelling and changing limits at once keep counter and uses equal', async () => {
    const promotion = await promote(shop.a, { code: 'MIX', usageLimit: 6, value: { percentBp: 2200 }, type: 'percentage' });
    const other = await promote(shop.a, {
      code: 'MIX2',
      target: 'items',
      value: { percentBp: 100 },
      type: 'percentage',
      usageLimit: 50,
    });
    const clients = await Promise.all(Array.from({ length: 16 }, () => buyer('MIX')));
    for (const client of clients) await enter(client, 'MIX2');
    let limit = 6;
    const work = clients.map(async (client, i) => {
      const placed = await place(client, 772, { email: nextEmail() });
      if (placed.status === 201 && i % 3 === 0) await cancel(shop.a, placed.body.order.id);
    });
    const switches = (async () => {
      for (let i = 0; i < 5; i++) {
        limit = i % 2 === 0 ? 7 : 6;
        await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, i === 2 ? { usageLimit: null } : { usageLimit: limit });
      }
    })();
    await Promise.all([...work, switches]);
    await shop.a.admin.patch(`${promotionsPath}${promotion.id}`, { usageLimit: 50 });
    for (const { id } of [promotion, other]) {
      const live = (await usages(id)).filter((row) => row.reverted_at === null).length;
      expect((await counter(id)).used_count).toBe(live);
      expect((await look(shop.a, id)).usageCount).toBe(live);
    }
  });

  it('orders under a promotion without limits do not wait for each other', async () => {
    const promotion = await promote(shop.a, { code: 'OPEN', value: { percentBp: 2300 }, type: 'percentage' });
    const [one, two] = [await buyer('OPEN'), await buyer('OPEN')];
    // A first order holds the promotion in a transaction that doesn't end.
    let end = (): void => {};
    const held = new Promise<void>((resolve) => (end = resolve));
    const holder = shop.a.run('promotions', async (ctx) => {
      const { sql } = await import('@storeloom/plugin-sdk');
      await ctx.db.run(
        sql`select 1 from promotions_promotion where tenant_id = ${ctx.tenant.id} and id = ${promotion.id} for share`,
      );
      await held;
    });
    expect(statuses(await Promise.all([one, two].map((client) => place(client, 770, { email: nextEmail() }))))).toEqual([
      201, 201,
    ]);
    end();
    await holder;
    expect((await look(shop.a, promotion.id)).usageCount).toBe(2);
  });
});
