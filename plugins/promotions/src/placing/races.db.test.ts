import type { TestClient, TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Crowd,
  cancel,
  cartOf,
  counterOf,
  enterCode,
  type Json,
  openStore,
  place,
  product,
  promote,
  promotionsPath,
  readPromotion,
  ron,
  usagesOf,
} from '../../test/store.ts';

/** 200 buyers run nightly; the multi-process races are in the repository's `test/races`. */
const buyerCount = process.env.STORELOOM_NIGHTLY === '1' ? 200 : 60;
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
const statuses = (responses: { status: number }[]) => responses.map(({ status }) => status).sort();

describe('under load', () => {
  it(`B1–B3, P8: exactly one of ${buyerCount} buyers gets the last use`, async () => {
    const promotion = await promote(shop.a, { code: 'ONLY', usageLimit: 1, value: { percentBp: 1700 }, type: 'percentage' });
    const clients: TestClient[] = [];
    for (let i = 0; i < buyerCount; i += 20) clients.push(...(await crowd.buyers(20, 'ONLY')));
    // A connection timeout is 503 with Retry-After on a loaded machine: repeat the request.
    const insist = async (client: TestClient, email: string, tries = 30): Promise<Awaited<ReturnType<typeof place>>> => {
      const response = await place(client, 830, { email });
      return response.status === 503 && tries > 0 ? insist(client, email, tries - 1) : response;
    };
    const responses = await Promise.all(clients.map((client) => insist(client, crowd.email())));
    expect(statuses(responses)).toEqual([201, ...Array(buyerCount - 1).fill(409)]);
    for (const { body } of responses.filter(({ status }) => status === 409))
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

  it('limits one customer with many carts', async () => {
    const promotion = await promote(shop.a, {
      code: 'TWICE',
      usageLimitPerCustomer: 2,
      value: { percentBp: 1800 },
      type: 'percentage',
    });
    const clients = await crowd.buyers(12, 'TWICE');
    const responses = await Promise.all(clients.map((client) => place(client, 820, { email: 'many@example.org' })));
    expect(statuses(responses)).toEqual([201, 201, ...Array(10).fill(409)]);
    expect((await usagesOf(shop, promotion.id)).length).toBe(2);
  });

  it('never overspends a budget', async () => {
    const promotion = await promote(shop.a, { code: 'BUDGET', budget: ron(475), value: { percentBp: 1900 }, type: 'percentage' });
    const clients = await crowd.buyers(12, 'BUDGET');
    const responses = await Promise.all(clients.map((client) => place(client, 810, { email: crowd.email() })));
    expect(statuses(responses)).toEqual([201, 201, ...Array(10).fill(409)]);
    expect(await counterOf(shop, promotion.id)).toEqual({ used_count: 2, used_amount: 380 });
    // The remaining budget is available to the next buyer.
    const { client } = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enterCode(client, 'BUDGET')).totals.total).toEqual(ron(905));
    expect((await place(client, 905, { email: crowd.email() })).status).toBe(201);
    expect((await readPromotion(shop.a, promotion.id)).spent).toEqual(ron(475));
    const late = await cartOf(shop.a.guest, [thing, 1]);
    expect((await enterCode(late.client, 'BUDGET')).code).toBe('coupon_usage_limit');
  });

  it('a single-use code discounts one order', async () => {
    const promotion = await promote(shop.a, { codes: ['SOLO'], value: { percentBp: 2100 }, type: 'percentage' });
    const clients = await crowd.buyers(12, 'SOLO');
    const responses = await Promise.all(clients.map((client) => place(client, 790, { email: crowd.email() })));
    expect(statuses(responses)).toEqual([201, ...Array(11).fill(409)]);
    expect((await usagesOf(shop, promotion.id)).length).toBe(1);
  });

  it('concurrent placing, cancelling and limit changes keep counters and uses equal', async () => {
    const promotion = await promote(shop.a, { code: 'MIX', usageLimit: 6, value: { percentBp: 2200 }, type: 'percentage' });
    const other = await promote(shop.a, {
      code: 'MIX2',
      target: 'items',
      value: { percentBp: 100 },
      type: 'percentage',
      usageLimit: 50,
    });
    const clients = await crowd.buyers(16, 'MIX');
    for (const client of clients) await enterCode(client, 'MIX2');
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
      expect((await readPromotion(shop.a, id)).usageCount).toBe(live);
    }
  });

  it("orders with an unlimited promotion don't wait for each other", async () => {
    const promotion = await promote(shop.a, { code: 'OPEN', value: { percentBp: 2300 }, type: 'percentage' });
    const [one, two] = [await crowd.buyer('OPEN'), await crowd.buyer('OPEN')];
    // The first order keeps its transaction with the promotion open.
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
    expect((await readPromotion(shop.a, promotion.id)).usageCount).toBe(2);
  });
});
