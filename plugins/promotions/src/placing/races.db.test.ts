import type { TestClient, TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Crowd,
  cancel,
  cartOf,
  counterOf,
  enter,
  type Json,
  look,
  openStore,
  place,
  product,
  promote,
  promotionsPath,
  ron,
  usagesOf,
} from '../../test/store.ts';

/** The two hundred of the whole installation's races, over processes of their own, stand in the repository's `test/races`. */
const crowdOfOne = process.env.STORELOOM_NIGHTLY === '1' ? 200 : 60;
let shop: TestShop;
let thing: string;
let crowd: Crowd;
beforeAll(async () => {
  shop = await openStore({ processes: 2 });
  thing = (await product(shop.a, 1000)).variantId;
  crowd = new Crowd(shop, thing);
});
afterAll(() => shop?.stop());

const ordersWith = (total: number) =>
  shop.rows<Json>(`select id from orders_order where total_amount = $1 and status <> 'cancelled'`, [total]);
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

describe('under load', () => {
  it(`B1–B3, P8: of ${crowdOfOne} buyers of the last use exactly one gets it`, async () => {
    const promotion = await promote(shop.a, { code: 'ONLY', usageLimit: 1, value: { percentBp: 1700 }, type: 'percentage' });
    const clients: TestClient[] = [];
    for (let i = 0; i < crowdOfOne; i += 20) clients.push(...(await crowd.buyers(20, 'ONLY')));
    // A busy machine answers 503 to those who wait too long for a connection: they ask again, as they are told to.
    const insist = async (client: TestClient, email: string, tries = 30): Promise<Awaited<ReturnType<typeof place>>> => {
      const answer = await place(client, 830, { email });
      return answer.status === 503 && tries > 0 ? insist(client, email, tries - 1) : answer;
    };
    const answers = await Promise.all(clients.map((client) => insist(client, crowd.email())));
    expect(statuses(answers)).toEqual([201, ...Array(crowdOfOne - 1).fill(409)]);
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body).toMatchObject({
        code: 'promotion_changed',
        totals: { total: ron(1000) },
        promotions: [{ code: 'ONLY', applied: false, amount: ron(0), reason: 'coupon_usage_limit' }],
      });
    expect((await usagesOf(shop, promotion.id)).length).toBe(1);
    expect((await counterOf(shop, promotion.id)).used_count).toBe(1);
    expect((await ordersWith(830)).length).toBe(1);
    await shop.settled();
    const told = await shop.rows<Json>(
      `select data from core_event where type = 'promotions.promotion.exhausted' and aggregate = $1`,
      [promotion.id],
    );
    expect(told.map(({ data }) => data)).toEqual([{ id: promotion.id, name: 'Promotion', reason: 'usage_limit' }]);
  });

  it('one customer with many carts stays within the limit', async () => {
    const promotion = await promote(shop.a, {
      code: 'TWICE',
      usageLimitPerCustomer: 2,
      value: { percentBp: 1800 },
      type: 'percentage',
    });
    const clients = await crowd.buyers(12, 'TWICE');
    const answers = await Promise.all(clients.map((client) => place(client, 820, { email: 'many@example.org' })));
    expect(statuses(answers)).toEqual([201, 201, ...Array(10).fill(409)]);
    expect((await usagesOf(shop, promotion.id)).length).toBe(2);
  });

  it('a budget is never overspent', async () => {
    const promotion = await promote(shop.a, { code: 'BUDGET', budget: ron(475), value: { percentBp: 1900 }, type: 'percentage' });
    const clients = await crowd.buyers(12, 'BUDGET');
    const answers = await Promise.all(clients.map((client) => place(client, 810, { email: crowd.email() })));
    expect(statuses(answers)).toEqual([201, 201, ...Array(10).fill(409)]);
    expect(await counterOf(shop, promotion.id)).toEqual({ used_count: 2, used_amount: 380 });
    // What is left goes to the next one.
    const { client } = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enter(client, 'BUDGET')).totals.total).toEqual(ron(905));
    expect((await place(client, 905, { email: crowd.email() })).status).toBe(201);
    expect((await look(shop.a, promotion.id)).spent).toEqual(ron(475));
    const late = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enter(late.client, 'BUDGET')).code).toBe('coupon_usage_limit');
  });

  it('a single-use code is worth one order', async () => {
    const promotion = await promote(shop.a, { codes: ['SOLO'], value: { percentBp: 2100 }, type: 'percentage' });
    const clients = await crowd.buyers(12, 'SOLO');
    const answers = await Promise.all(clients.map((client) => place(client, 790, { email: crowd.email() })));
    expect(statuses(answers)).toEqual([201, ...Array(11).fill(409)]);
    expect((await usagesOf(shop, promotion.id)).length).toBe(1);
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
    const clients = await crowd.buyers(16, 'MIX');
    for (const client of clients) await enter(client, 'MIX2');
    let limit = 6;
    const work = clients.map(async (client, i) => {
      const placed = await place(client, 772, { email: crowd.email() });
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
      const live = (await usagesOf(shop, id)).filter((row) => row.reverted_at === null).length;
      expect((await counterOf(shop, id)).used_count).toBe(live);
      expect((await look(shop.a, id)).usageCount).toBe(live);
    }
  });

  it('orders under a promotion without limits do not wait for each other', async () => {
    const promotion = await promote(shop.a, { code: 'OPEN', value: { percentBp: 2300 }, type: 'percentage' });
    const [one, two] = [await crowd.buyer('OPEN'), await crowd.buyer('OPEN')];
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
    expect(statuses(await Promise.all([one, two].map((client) => place(client, 770, { email: crowd.email() }))))).toEqual([
      201, 201,
    ]);
    end();
    await holder;
    expect((await look(shop.a, promotion.id)).usageCount).toBe(2);
  });
});
