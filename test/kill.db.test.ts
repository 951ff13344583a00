import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient, TestResponse } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cartPath, type Json } from '../plugins/checkout/test/goods.ts';
import { checkoutPath, placeBody } from '../plugins/checkout/test/till.ts';
import { stockFaults } from '../plugins/inventory/test/shop.ts';
import { type House, openHouse } from './support/house.ts';
import { processOf, startApi } from './support/processes.ts';

/** The promise: an acknowledged order is never lost, and no retry makes a second one. Fifty kills a night, ten otherwise. */
const kills = process.env.STORELOOM_NIGHTLY === '1' ? 50 : 10;
const clients = 12;
const price = 2500;
const stock = 100_000;

let house: House;
let shop: House['shop'];
beforeAll(async () => {
  house = await openHouse(2);
  shop = house.shop;
});
afterAll(() => house?.stop());

type Answer = TestResponse<Json>;
let asked = 0;
/** No process listens on the port any more, or by now that of another test. */
const dead = new Set<string>();
/** Requests that each of the two processes has not answered yet. */
const under: [number, number] = [0, 0];
/** Asks, at one process and then the other, until there is an answer that says what happened: the request stays the same. */
async function insist(client: TestClient, path: string, body: unknown, key: string): Promise<Answer> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const at = asked++ % 2 === 0 ? 0 : 1;
    const { base } = house.apis[at]!;
    if (dead.has(base)) {
      await sleep(100 + 200 * Math.random());
      continue;
    }
    under[at]++;
    try {
      const answer = await client.at(base).post<Json>(path, body, { 'idempotency-key': key });
      if (answer.status !== 503 && answer.body.code !== 'idempotency_in_flight') return answer;
    } catch (error) {
      // The process was killed during the request, so its outcome is unknown. A refused connection never sent it.
      if ((error as { code?: string }).code !== 'ECONNREFUSED') cutOff++;
    } finally {
      under[at]--;
    }
    await sleep(100 + 200 * Math.random());
  }
  throw new Error(`${path} was never answered`);
}
let cutOff = 0;

it(
  `loses and doubles no order while its processes are killed ${kills} times`,
  async () => {
    // An order that waits for its money too long lets its goods go, and fifty kills take their time.
    await shop.a.admin.put('/api/admin/plugins/checkout/settings', { settings: { paymentWindowMinutes: 1440 } });
    const variantId = await house.stocked(price, stock);
    let killing = true;
    const orders: { id: string; cartId: string; key: string; card: boolean; token: string }[] = [];

    const buyer = async (number: number): Promise<void> => {
      const card = number % 3 === 0;
      for (let n = 0; killing; n++) {
        const name = `buyer-${number}-${n}`;
        const cart = await insist(shop.a.guest, `${cartPath}/items`, { variantId, quantity: 1 }, `${name}-cart`);
        expect(cart.status, cart.text).toBe(201);
        const mine = shop.a.guest.with({ 'x-cart-token': cart.body.cartToken });
        const body = placeBody(price, { paymentMethod: card ? 'card' : 'cod' });
        const placed = await insist(mine, `${checkoutPath}/place`, body, `${name}-place`);
        expect(placed.status, placed.text).toBe(201);
        orders.push({
          id: placed.body.order.id,
          cartId: cart.body.id,
          key: `${name}-place`,
          card,
          token: placed.body.orderToken,
        });
        // Leaves the machine enough for the process that starts again.
        await sleep(1200 * Math.random());
      }
    };
    const killer = async (): Promise<void> => {
      for (let n = 0; n < kills; n++) {
        await sleep(150 + 350 * Math.random());
        const victim = n % 2 === 0 ? 0 : 1;
        // In the middle of a request.
        while (under[victim] === 0) await sleep(5);
        const { base } = house.apis[victim]!;
        await house.apis[victim]!.kill();
        dead.add(base);
        house.apis[victim] = await startApi(processOf(shop));
        // The next one may have been given the same port.
        dead.delete(house.apis[victim]!.base);
      }
      killing = false;
    };
    await Promise.all([killer(), ...Array.from({ length: clients }, (_, i) => buyer(i))]);
    await shop.settled();

    // Kills hit requests that were under way, or this has shown nothing.
    expect(cutOff).toBeGreaterThan(kills / 2);
    const ids = orders.map(({ id }) => id).sort();
    expect(new Set(ids).size).toBe(ids.length);
    const rows = await shop.rows<Json>('select id, cart_id, number from orders_order order by id');
    expect(rows.map((row) => row.id)).toEqual(ids);
    expect(new Set(rows.map((row) => row.cart_id)).size).toBe(ids.length);
    expect(new Set(rows.map((row) => row.number)).size).toBe(ids.length);
    const [level] = await shop.rows<Json>('select on_hand, reserved from inventory_level where variant_id = $1', [variantId]);
    expect(level).toEqual({ on_hand: stock, reserved: ids.length });
    const events = await shop.rows<Json>(
      `select aggregate from core_event where type = 'orders.order.placed' order by aggregate`,
    );
    expect(events.map((event) => event.aggregate)).toEqual(ids);
    const payments = await shop.rows<Json>('select for_id, provider_ref from payments_payment order by for_id');
    expect(payments.map((payment) => payment.for_id)).toEqual(ids);
    // A process that was killed after the order was written, before the provider was asked: the buyer who comes back starts the payment.
    const unstarted = new Set(payments.filter((payment) => payment.provider_ref === null).map((payment) => payment.for_id));
    const cards = orders.filter(({ card }) => card);
    for (const { id, token } of cards.filter((order) => unstarted.has(order.id))) {
      const back = await insist(
        shop.a.guest.with({ 'x-order-token': token }),
        `${checkoutPath}/orders/${id}/confirm-payment`,
        {},
        id,
      );
      expect(back.body.payment.status, back.text).toBe('requires_action');
    }
    // The provider was asked once an order that is paid by card, however often the request for it came.
    expect(house.provider.sessions.size).toBe(cards.length);
    expect(await stockFaults(shop)).toEqual([]);
    console.info(`${kills} kills, ${ids.length} orders, ${cutOff} requests cut off`);
  },
  120_000 + kills * 60_000,
);
