import { orders } from '@storeloom/commerce';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Order, openShop, paid, place, read, seen, settlePayment } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openShop({ processes: 2 });
});
afterAll(() => shop?.stop());

const at = (id: string, action = '') => `/api/admin/orders/${id}${action}`;
const quantities = (order: Order) =>
  order.lines.map((line) => [line.quantityFulfilled, line.quantityShipped, line.quantityDelivered, line.quantityCancelled]);

describe('parcels', () => {
  it('contain at most the unfulfilled units, and move the order to processing', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 3 }, { price: 500 }] });
    const [a, b] = placed.lineIds as [string, string];
    const made = await shop.a.admin.post(at(placed.id, '/fulfillments'), { lines: [{ lineId: a, quantity: 2 }], packed: true });
    expect([made.status, made.body]).toMatchObject([201, { status: 'packed', lines: [{ lineId: a, quantity: 2 }] }]);
    expect(await read(shop.a, placed.id)).toMatchObject({ status: 'processing', fulfillmentStatus: 'partially_fulfilled' });
    const over = await shop.a.admin.post(at(placed.id, '/fulfillments'), {
      lines: [
        { lineId: a, quantity: 1 },
        { lineId: a, quantity: 1 },
        { lineId: b, quantity: 1 },
      ],
    });
    expect([over.status, over.body]).toMatchObject([
      409,
      { code: 'quantity_exceeds_unfulfilled', lines: [{ lineId: a, unfulfilled: 1 }] },
    ]);
    const foreign = await place(shop.a, { lines: [{ price: 1 }] });
    const unknown = await shop.a.admin.post(at(placed.id, '/fulfillments'), {
      lines: [{ lineId: foreign.lineIds[0], quantity: 1 }],
    });
    expect([unknown.status, unknown.body]).toMatchObject([404, { errors: [{ pointer: '/lines/0/lineId' }] }]);
  });

  it('created concurrently never exceed the units of the order', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 3 }] });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        shop.a.admin
          .at(shop.bases[i % 2] as string)
          .post(at(placed.id, '/fulfillments'), { lines: [{ lineId: placed.lineIds[0], quantity: 1 }] }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(3);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(5);
    expect(await read(shop.a, placed.id)).toMatchObject({ fulfillmentStatus: 'fulfilled' });
  });

  it('need a payment, unless staff force it or it is paid on delivery', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000 }] });
    const lines = [{ lineId: placed.lineIds[0], quantity: 1 }];
    expect((await shop.a.admin.post(at(placed.id, '/fulfillments'), { lines })).body).toMatchObject({ code: 'order_unpaid' });
    expect((await shop.a.admin.post(at(placed.id, '/ship'), {})).body).toMatchObject({ code: 'order_unpaid' });
    const clerk = await shop.a.staff(['orders.fulfillment.create', 'orders.order.read']);
    expect((await clerk.post(at(placed.id, '/fulfillments'), { lines, force: true })).body).toMatchObject({
      code: 'forbidden',
      permission: 'orders.fulfillment.force',
    });
    expect((await shop.a.admin.post(at(placed.id, '/fulfillments'), { lines, force: true })).status).toBe(201);
    const cod = await place(shop.a, { lines: [{ price: 1000 }], paidLater: true });
    expect((await shop.a.admin.post(at(cod.id, '/ship'), {})).body).toMatchObject({ status: 'shipped' });
    const authorised = await place(shop.a, { lines: [{ price: 1000 }] });
    await settlePayment(shop.a, authorised.id, { status: 'authorized', authorized: authorised.total });
    expect((await shop.a.admin.post(at(authorised.id, '/ship'), {})).body).toMatchObject({
      status: 'shipped',
      paymentStatus: 'authorized',
    });
  });

  it('are shipped in sequence on captured and authorised money', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000, quantity: 2 }], noShipping: true });
    const id = await settlePayment(shop.a, placed.id, { status: 'authorized', authorized: 2000 });
    const pack = () =>
      shop.a.admin.post<{ id: string }>(at(placed.id, '/fulfillments'), { lines: [{ lineId: placed.lineIds[0], quantity: 1 }] });
    await shop.a.admin.post(at(placed.id, '/ship'), { fulfillmentId: (await pack()).body.id });
    await settlePayment(shop.a, placed.id, { id, status: 'partially_captured', authorized: 2000, captured: 1000 });
    expect((await read(shop.a, placed.id)).paymentStatus).toBe('partially_paid');
    expect((await pack()).status).toBe(201);
    const less = await place(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    await settlePayment(shop.a, less.id, { status: 'authorized', authorized: 999 });
    expect(await read(shop.a, less.id)).toMatchObject({ status: 'pending', paymentStatus: 'unpaid' });
  });

  it('of an order on hold or a cancelled one aren’t shipped', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000 }] });
    await shop.a.admin.post(at(placed.id, '/status'), { status: 'on_hold', reason: 'look at it' });
    const lines = [{ lineId: placed.lineIds[0], quantity: 1 }];
    expect((await shop.a.admin.post(at(placed.id, '/fulfillments'), { lines })).body).toMatchObject({
      code: 'invalid_transition',
      from: 'on_hold',
    });
    expect((await shop.a.admin.post(at(placed.id, '/ship'), {})).body).toMatchObject({ code: 'invalid_transition' });
  });

  it('B21: that are cancelled reserve their goods again, which can be shipped later', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }] });
    const made = await shop.a.admin.post<{ id: string }>(at(placed.id, '/fulfillments'), {
      lines: [{ lineId: placed.lineIds[0], quantity: 2 }],
    });
    const edit = { operations: [{ op: 'cancel_fulfillment', fulfillmentId: made.body.id }] };
    expect((await shop.a.admin.patch(at(placed.id, '/edit'), edit)).status).toBe(200);
    expect((await shop.a.admin.patch(at(placed.id, '/edit'), edit)).status).toBe(200);
    expect(await seen(shop, 'fulfillment-cancel', placed.id)).toMatchObject([
      { fulfillmentId: made.body.id, lines: [{ quantity: 2 }] },
    ]);
    const order = await read(shop.a, placed.id);
    expect([order.fulfillmentStatus, order.fulfillments.map((each) => each.status)]).toEqual(['unfulfilled', ['cancelled']]);
    expect((await shop.a.admin.post(at(placed.id, '/ship'), {})).body).toMatchObject({ status: 'shipped' });
  });
});

describe('shipping', () => {
  it('commits stock once per parcel, and the order is shipped with its last unit', async () => {
    const placed = await paid(shop.a, {
      lines: [
        { price: 1000, quantity: 3 },
        { price: 900, digital: true },
      ],
    });
    const [a] = placed.lineIds as [string];
    const one = await shop.a.admin.post<{ id: string }>(at(placed.id, '/fulfillments'), { lines: [{ lineId: a, quantity: 1 }] });
    const ship = { fulfillmentId: one.body.id, trackingNumber: 'TRACK-77', carrier: 'carrier-b' };
    expect((await shop.a.admin.post(at(placed.id, '/ship'), ship)).body).toMatchObject({
      status: 'processing',
      fulfillmentStatus: 'partially_shipped',
    });
    expect((await shop.a.admin.post(at(placed.id, '/ship'), ship)).status).toBe(200);
    expect(await seen(shop, 'ship', placed.id)).toHaveLength(1);
    // Without a parcel: everything left.
    const rest = await shop.a.admin.post<Order>(at(placed.id, '/ship'), {});
    expect(rest.body).toMatchObject({ status: 'shipped', fulfillmentStatus: 'shipped' });
    expect(quantities(rest.body)).toEqual([
      [3, 3, 0, 0],
      [0, 0, 0, 0],
    ]);
    const again = await shop.a.admin.post<Order>(at(placed.id, '/ship'), {});
    expect([again.status, again.body.version]).toEqual([200, rest.body.version]);
    expect((await seen<{ lines: object[] }>(shop, 'ship', placed.id)).map((each) => each.lines)).toMatchObject([
      [{ quantity: 1 }],
      [{ quantity: 2 }],
    ]);
    const found = await shop.a.admin.get<{ data: { id: string }[] }>('/api/admin/orders/?q=track-77');
    expect(found.body.data.map((each) => each.id)).toEqual([placed.id]);
  });

  it('concurrently ships once', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }] });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => shop.a.admin.at(shop.bases[i % 2] as string).post(at(placed.id, '/ship'), {})),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await seen(shop, 'ship', placed.id)).toHaveLength(1);
  });

  it('by status follows the state machine', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000 }] });
    const post = (status: string) => shop.a.admin.post<Order>(at(placed.id, '/status'), { status });
    expect((await post('shipped')).body).toMatchObject({ code: 'invalid_transition', from: 'confirmed', to: 'shipped' });
    expect((await post('processing')).body.status).toBe('processing');
    expect((await post('shipped')).body).toMatchObject({ status: 'shipped', fulfillmentStatus: 'shipped' });
    expect((await post('shipped')).status).toBe(200);
    expect((await post('delivered')).body).toMatchObject({ status: 'delivered', fulfillmentStatus: 'delivered' });
    expect((await post('processing')).body).toMatchObject({ code: 'invalid_transition', allowed: ['completed'] });
    expect((await post('completed')).body).toMatchObject({ status: 'completed', allowed: [] });
    const order = await read(shop.a, placed.id);
    expect(order.history.map((each) => each.to)).toEqual([
      'pending',
      'confirmed',
      'processing',
      'shipped',
      'delivered',
      'completed',
    ]);
    const kernel = await shop.rows('select to_status from core_status_history where entity_id = $1 order by at, id', [placed.id]);
    expect(kernel).toHaveLength(6);
  });

  it('records the history of each parcel, including states that a carrier skips', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 3 }] });
    const [lineId] = placed.lineIds;
    const pack = async () =>
      (await shop.a.admin.post<{ id: string }>(at(placed.id, '/fulfillments'), { lines: [{ lineId, quantity: 1 }] })).body.id;
    const ids = { arrives: await pack(), comesBack: await pack(), apart: await pack() };
    const run = (fn: Parameters<typeof shop.a.run>[1]) => shop.a.run('orders', fn);
    for (const id of [ids.arrives, ids.comesBack]) await shop.a.admin.post(at(placed.id, '/ship'), { fulfillmentId: id });
    await run((ctx) => ctx.require(orders).failDelivery(placed.id, ids.arrives, 'failed_delivery', 'carrier'));
    await run((ctx) => ctx.require(orders).deliver(placed.id, ids.arrives, 'carrier'));
    await run((ctx) => ctx.require(orders).failDelivery(placed.id, ids.comesBack, 'returned_to_sender', 'carrier'));
    await shop.a.admin.patch(at(placed.id, '/edit'), { operations: [{ op: 'cancel_fulfillment', fulfillmentId: ids.apart }] });
    const moves = async (id: string) => {
      const rows = await shop.rows<{ from: string | null; to: string }>(
        `select from_status as "from", to_status as "to" from core_status_history where tenant_id = $1 and entity = 'orders.fulfillment' and entity_id = $2 order by at, id`,
        [shop.a.id, id],
      );
      return rows.map(({ from, to }) => `${from} → ${to}`);
    };
    const begun = ['null → pending', 'pending → shipped'];
    expect(await moves(ids.arrives)).toEqual([
      ...begun,
      'shipped → failed_delivery',
      'failed_delivery → shipped',
      'shipped → delivered',
    ]);
    expect(await moves(ids.comesBack)).toEqual([...begun, 'shipped → failed_delivery', 'failed_delivery → returned_to_sender']);
    expect(await moves(ids.apart)).toEqual(['null → pending', 'pending → cancelled']);
  });

  it('an order without goods to ship can be completed once paid', async () => {
    const unpaid = await place(shop.a, { lines: [{ price: 1000, digital: true }], noShipping: true });
    const complete = (id: string) => shop.a.admin.post(at(id, '/status'), { status: 'completed' });
    expect((await complete(unpaid.id)).body).toMatchObject({ code: 'invalid_transition' });
    await shop.a.admin.post(at(unpaid.id, '/status'), { status: 'confirmed' });
    expect((await complete(unpaid.id)).body).toMatchObject({ code: 'order_unpaid' });
    const done = await paid(shop.a, { lines: [{ price: 1000, digital: true }], noShipping: true });
    expect((await complete(done.id)).body).toMatchObject({ status: 'completed', fulfillmentStatus: 'not_required' });
    expect((await shop.a.admin.post(at(done.id, '/ship'), {})).status).toBe(409);
  });

  it('a returned parcel is restocked for its order and can be shipped again', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }] });
    await shop.a.admin.post(at(placed.id, '/ship'), {});
    const [parcel] = (await read(shop.a, placed.id)).fulfillments;
    await shop.a.run('orders', (ctx) => ctx.require(orders).failDelivery(placed.id, parcel!.id, 'failed_delivery', 'carrier'));
    expect((await read(shop.a, placed.id)).fulfillments[0]?.status).toBe('failed_delivery');
    await shop.a.run('orders', (ctx) => ctx.require(orders).failDelivery(placed.id, parcel!.id, 'returned_to_sender', 'carrier'));
    await shop.a.run('orders', (ctx) => ctx.require(orders).failDelivery(placed.id, parcel!.id, 'returned_to_sender', 'carrier'));
    const back = await read(shop.a, placed.id);
    expect(back).toMatchObject({ status: 'processing', fulfillmentStatus: 'unfulfilled', shippedAt: null });
    expect(quantities(back)).toEqual([[0, 0, 0, 0]]);
    expect(await seen(shop, 'restock', placed.id)).toMatchObject([
      { items: [{ quantity: 2, orderLineId: placed.lineIds[0] }], options: { reason: 'return', again: true } },
    ]);
    expect((await shop.a.admin.post(at(placed.id, '/ship'), {})).body).toMatchObject({ status: 'shipped' });
    expect(await seen(shop, 'ship', placed.id)).toHaveLength(2);
    // Requested by staff: all shipped parcels are returned.
    expect((await shop.a.admin.post(at(placed.id, '/status'), { status: 'processing' })).body).toMatchObject({
      status: 'processing',
      fulfillmentStatus: 'unfulfilled',
    });
  });
});

describe('cancelling', () => {
  const cancel = (id: string, more: object = {}) =>
    shop.a.admin.post<Order>(at(id, '/status'), { status: 'cancelled', reason: 'changed mind', ...more });

  it('refunds everything, once', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }] });
    await shop.a.admin.post(at(placed.id, '/fulfillments'), { lines: [{ lineId: placed.lineIds[0], quantity: 1 }] });
    const first = await cancel(placed.id);
    expect(first.body).toMatchObject({
      status: 'cancelled',
      paymentStatus: 'paid',
      fulfillmentStatus: 'not_required',
      cancelReason: 'changed mind',
      allowed: [],
    });
    expect(quantities(first.body)).toEqual([[0, 0, 0, 2]]);
    expect(first.body.fulfillments.map((each) => each.status)).toEqual(['cancelled']);
    const again = await cancel(placed.id);
    expect([again.status, again.body.version]).toEqual([200, first.body.version]);
    expect(await seen(shop, 'cancel', placed.id)).toMatchObject([
      { lines: [{ quantity: 2 }], refund: true, reason: 'changed mind' },
    ]);
    expect(again.body.refunds).toMatchObject([{ amount: { amount: placed.total } }]);
  });

  it('concurrently happens once', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000 }] });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        shop.a.admin.at(shop.bases[i % 2] as string).post(at(placed.id, '/status'), { status: 'cancelled', reason: 'x' }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await seen(shop, 'cancel', placed.id)).toHaveLength(1);
    expect((await read(shop.a, placed.id)).history.filter((each) => each.to === 'cancelled')).toHaveLength(1);
  });

  it('can keep the money, and voids authorisations', async () => {
    const kept = await paid(shop.a, { lines: [{ price: 1000 }] });
    expect((await cancel(kept.id, { refund: false })).body).toMatchObject({
      status: 'cancelled',
      paymentStatus: 'paid',
      refunds: [],
    });
    const promised = await place(shop.a, { lines: [{ price: 1000 }] });
    await settlePayment(shop.a, promised.id, { status: 'authorized', authorized: promised.total });
    expect((await cancel(promised.id)).body).toMatchObject({ status: 'cancelled', paymentStatus: 'voided' });
  });

  it('needs a reason, its own permission, and no shipments', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }] });
    expect((await shop.a.admin.post(at(placed.id, '/status'), { status: 'cancelled' })).status).toBe(422);
    expect((await shop.a.admin.post(at(placed.id, '/status'), { status: 'on_hold', refund: true })).status).toBe(422);
    const clerk = await shop.a.staff(['orders.order.status', 'orders.order.read']);
    expect((await clerk.post(at(placed.id, '/status'), { status: 'cancelled', reason: 'x' })).body).toMatchObject({
      code: 'forbidden',
      permission: 'orders.order.cancel',
    });
    const one = await shop.a.admin.post<{ id: string }>(at(placed.id, '/fulfillments'), {
      lines: [{ lineId: placed.lineIds[0], quantity: 1 }],
    });
    await shop.a.admin.post(at(placed.id, '/ship'), { fulfillmentId: one.body.id });
    expect((await cancel(placed.id)).body).toMatchObject({ code: 'order_has_shipments' });
    expect(await seen(shop, 'cancel', placed.id)).toHaveLength(0);
  });
});
