import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AwbDesk, awbPath, openDesk, parcels } from '../../test/awb.ts';
import type { FakeCarrier } from '../../test/fake-carrier.ts';
import { type Json, must, order, ron } from '../../test/shop.ts';

let desk: AwbDesk;
let shop: TestShop;
let fake: FakeCarrier;
beforeAll(async () => {
  desk = await openDesk();
  ({ shop, fake } = desk);
});
afterAll(() => desk?.stop());

const requests = () => shop.rows('select id from shipping_awb_request');

describe('an AWB', () => {
  it('is created once, for all unfulfilled units', async () => {
    const { id, total } = await order(shop.a, 2);
    const created = await desk.requestAwb(id, { cod: ron(total), serviceCode: 'next-day', declaredValue: ron(20_000) });
    expect([created.status, created.body]).toMatchObject([
      201,
      { provider: 'carrier-a', status: 'created', price: ron(1720), labelUrl: `${awbPath(id)}/${created.body.awbNumber}/label` },
    ]);
    expect(created.headers.location).toBe(`${awbPath(id)}/${created.body.awbNumber}/tracking`);
    expect(fake.shipmentRequests().at(-1)?.body).toMatchObject({
      serviceCode: 'next-day',
      parcels: [{ weightG: 1200, lengthMm: 300, widthMm: null }],
      cod: ron(total),
      recipient: { name: 'Ana Pop', city: 'Cluj-Napoca', line1: 'Strada Lungă 1', email: 'ana@test.example' },
      sender: { company: 'Magazinul' },
    });
    const read = await desk.orderOf(id);
    expect(read.fulfillments).toMatchObject([
      { awbNumber: created.body.awbNumber, carrier: 'carrier-a', lines: [{ quantity: 2 }] },
    ]);
    const before = fake.shipmentRequests().length;
    for (const again of [await desk.requestAwb(id), await desk.requestAwb(id, { fulfillmentId: created.body.fulfillmentId })])
      expect([again.status, again.body]).toEqual([200, created.body]);
    expect(fake.shipmentRequests().length).toBe(before);
    const events = await shop.rows<Json>("select data from core_event where type = 'shipping.awb.created'");
    expect(events.map(({ data }) => data.awbNumber)).toContain(created.body.awbNumber);
  });

  it('is created once for concurrent requests to two processes', async () => {
    const { id } = await order(shop.a);
    fake.delayMs = 300;
    const before = fake.shipmentRequests().length;
    const responses = await Promise.all([0, 1, 0, 1, 0].map((process) => desk.requestAwb(id, {}, process)));
    fake.delayMs = 0;
    expect(new Set(responses.map(({ body }) => body.awbNumber)).size).toBe(1);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(fake.shipmentRequests().length).toBe(before + 1);
    expect((await desk.orderOf(id)).fulfillments).toHaveLength(1);
    expect(await requests()).toEqual([]);
  });

  it('refused by the carrier is 409 and leaves nothing stored', async () => {
    const { id } = await order(shop.a);
    fake.fault = { status: 422, body: { message: 'The postal code is unknown.' } };
    const refused = await desk.requestAwb(id);
    fake.fault = undefined;
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'carrier_rejected', message: 'The postal code is unknown.' },
    ]);
    expect([await requests(), (await desk.orderOf(id)).fulfillments]).toEqual([[], []]);
    expect((await shop.a.admin.get<Json>('/api/admin/shipping-carriers/carrier-a')).body).toMatchObject({
      healthy: true,
      lastError: 'The postal code is unknown.',
    });
    expect((await desk.requestAwb(id)).status).toBe(201);
  });

  it('without a response is 503, and the retry uses the same key, so that the carrier creates one AWB', async () => {
    const { id } = await order(shop.a);
    fake.fault = 'lost';
    const lost = await desk.requestAwb(id);
    fake.fault = undefined;
    expect([lost.status, lost.body.code]).toEqual([503, 'unavailable']);
    expect((await desk.orderOf(id)).fulfillments).toEqual([]);
    const shipments = fake.shipments.size;
    const switched = await desk.requestAwb(id, { provider: 'carrier-b' });
    expect([switched.status, switched.body.code]).toEqual([409, 'conflict']);
    expect((await shop.a.admin.delete<Json>('/api/admin/shipping-carriers/carrier-a')).body).toMatchObject({ code: 'in_use' });
    const again = await desk.requestAwb(id, { parcels: [{ weightG: 1 }] });
    expect([again.status, fake.shipments.size]).toEqual([201, shipments]);
    const [first, second] = fake.shipmentRequests().slice(-2);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toEqual(first?.body);
  });

  it('collects the amount due of an order with cash on delivery, once over all parcels', async () => {
    const { id, total } = await order(shop.a, 3);
    const [line] = (await desk.orderOf(id)).lines;
    const parcelOf = (quantity: number): Promise<Json> =>
      must(shop.a.admin.post(`/api/admin/orders/${id}/fulfillments`, { lines: [{ lineId: line.id, quantity }] }));
    const packed = [await parcelOf(1), await parcelOf(1), await parcelOf(1)];
    const created = await Promise.all(packed.map((parcel, i) => desk.requestAwb(id, { fulfillmentId: parcel.id }, i % 2)));
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    const collected = created.map(({ body }) => body.cod?.amount ?? 0).sort((a, b) => a - b);
    expect(collected).toEqual([0, 0, total]);
    const { number } = await desk.orderOf(id);
    const sent = fake.shipmentRequests().filter(({ body }) => body.reference === number);
    expect(sent.map(({ body }) => (body.cod as Json)?.amount ?? 0).sort((a, b) => a - b)).toEqual(collected);
    // An AWB that is cancelled leaves its amount to the next one.
    const collecting = created.findIndex(({ body }) => body.cod !== null);
    const operations = [{ op: 'cancel_fulfillment', fulfillmentId: packed[collecting].id }];
    expect((await shop.a.admin.patch(`/api/admin/orders/${id}/edit`, { operations })).status).toBe(200);
    expect((await desk.requestAwb(id)).body.cod).toEqual(ron(total));
  });

  it('collects another amount only with a reason, which is audited', async () => {
    const { id, total } = await order(shop.a);
    const refused = await desk.requestAwb(id, { cod: ron(0) });
    expect(refused.body).toMatchObject({ status: 409, code: 'cod_mismatch', amountDue: ron(total) });
    const part = await desk.requestAwb(id, { cod: ron(5000), codReason: 'Deposit paid in the shop' });
    expect([part.status, part.body.cod]).toEqual([201, ron(5000)]);
    expect(fake.shipmentRequests().at(-1)?.body.cod).toEqual(ron(5000));
    const audit = await shop.rows<Json>(
      "select changes from core_audit where entity = 'shipping.awb' and changes::text like '%Deposit paid in the shop%'",
    );
    expect(audit).toHaveLength(1);
    const other = await order(shop.a);
    const none = await desk.requestAwb(other.id, { cod: ron(0), codReason: 'Paid in the shop' });
    expect([none.status, none.body.cod, fake.shipmentRequests().at(-1)?.body.cod]).toEqual([201, null, null]);
  });

  it('is refused for invalid requests', async () => {
    const { id, total } = await order(shop.a);
    const other = await order(shop.a);
    const foreign = (await desk.requestAwb(other.id)).body.fulfillmentId;
    const mismatch = await desk.requestAwb(id, { cod: ron(total - 1) });
    expect([mismatch.status, mismatch.body]).toMatchObject([409, { code: 'cod_mismatch', amountDue: ron(total) }]);
    const cases: [object, number, string][] = [
      [{ cod: { amount: total, currency: 'EUR' } }, 422, 'currency_mismatch'],
      [{ provider: 'carrier-b' }, 501, 'provider_not_configured'],
      [{ provider: 'carrier-z' }, 422, 'validation_failed'],
      [{ parcels: [] }, 422, 'validation_failed'],
      [{ parcels: [{ weightG: 0 }] }, 422, 'validation_failed'],
      [{ fulfillmentId: foreign }, 404, 'not_found'],
      [{ price: ron(1) }, 422, 'unknown_field'],
    ];
    for (const [body, status, code] of cases) {
      const response = await desk.requestAwb(id, body);
      expect([body, response.status, response.body.code]).toEqual([body, status, code]);
    }
    expect((await shop.b.admin.post(awbPath(id), { provider: 'carrier-a', parcels })).status).toBe(404);
    const clerk = await shop.a.staff(['orders.order.read']);
    expect((await clerk.post<Json>(awbPath(id), { provider: 'carrier-a', parcels })).body.permission).toBe('shipping.awb.create');
    expect([await requests(), (await desk.orderOf(id)).fulfillments]).toEqual([[], []]);
    await must(shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' }), 200);
    expect((await desk.requestAwb(id)).status).toBe(409);
  });

  it('of an order cancelled during the request is cancelled at the carrier', async () => {
    const { id } = await order(shop.a);
    const { promise, resolve: respond } = Promise.withResolvers<void>();
    fake.hold = promise;
    const asked = desk.requestAwb(id);
    while (fake.shipmentRequests().at(-1)?.body.reference !== (await desk.orderOf(id)).number)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await must(shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' }), 200);
    fake.hold = undefined;
    respond();
    expect((await asked).status).toBe(409);
    await shop.settled();
    const [[awbNumber, shipment] = []] = [...fake.shipments].slice(-1);
    expect(shipment?.cancelled).toBe(true);
    expect((await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body.status).toBe('cancelled');
    expect([await requests(), (await desk.orderOf(id)).fulfillments]).toEqual([[], []]);
  });

  it('picked up while its parcel is being cancelled ends in one consistent state', async () => {
    for (let i = 0; i < 3; i++) {
      const { id } = await order(shop.a);
      const { awbNumber } = (await desk.requestAwb(id)).body;
      const [cancelled] = await Promise.all([
        shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' }),
        desk.notify({ id: `${awbNumber}-p`, awbNumber, status: 'picked_up', at: '2026-11-27T10:00:00Z' }),
      ]);
      await shop.settled();
      const [{ status }, { status: awbStatus }] = [
        await desk.orderOf(id),
        (await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body,
      ];
      expect([cancelled.status, status, awbStatus, fake.shipments.get(awbNumber)?.cancelled]).toEqual(
        cancelled.status === 200 ? [200, 'cancelled', 'cancelled', true] : [409, 'shipped', 'picked_up', false],
      );
    }
  });

  it('has the unchanged label of the carrier', async () => {
    const { id } = await order(shop.a);
    const { awbNumber } = (await desk.requestAwb(id)).body;
    const label = await shop.a.admin.get(`${awbPath(id)}/${awbNumber}/label`);
    expect([label.status, label.headers['content-type'], label.text.slice(0, 8)]).toEqual([200, 'application/pdf', '%PDF-1.4']);
    expect((await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body.status).toBe('label_printed');
    for (const what of ['label', 'tracking']) {
      expect((await shop.b.admin.get(`${awbPath(id)}/${awbNumber}/${what}`)).status).toBe(404);
      expect((await shop.a.admin.get(`${awbPath((await order(shop.a)).id)}/${awbNumber}/${what}`)).status).toBe(404);
    }
    fake.fault = { status: 500, body: {} };
    expect((await shop.a.admin.get(`${awbPath(id)}/${awbNumber}/label`)).status).toBe(503);
    fake.fault = undefined;
  });

  it('is cancelled with its parcel before pickup, and not afterwards', async () => {
    const { id } = await order(shop.a);
    const { awbNumber } = (await desk.requestAwb(id)).body;
    await must(shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' }), 200);
    await shop.settled();
    expect(fake.shipments.get(awbNumber)?.cancelled).toBe(true);
    expect((await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body.status).toBe('cancelled');
    expect((await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/label`)).body.code).toBe('invalid_transition');
    const picked = await order(shop.a);
    const second = (await desk.requestAwb(picked.id)).body;
    await desk.notify({ id: 'pick-1', awbNumber: second.awbNumber, status: 'picked_up', at: '2026-11-27T10:00:00Z' });
    const refused = await shop.a.admin.post<Json>(`/api/admin/orders/${picked.id}/status`, {
      status: 'cancelled',
      reason: 'test',
    });
    expect(refused.status).toBe(409);
    const { shipping } = await import('@storeloom/commerce');
    const cancel = () => shop.a.run('orders', (ctx) => ctx.require(shipping).cancelAwb(second.fulfillmentId));
    expect([await cancel(), await cancel()]).toEqual([false, false]);
    await shop.settled();
    expect(fake.shipments.get(second.awbNumber)?.cancelled).toBe(false);
  });
});
