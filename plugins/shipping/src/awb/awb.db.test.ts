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
  it('is made of all that is left, once', async () => {
    const { id, total } = await order(shop.a, 2);
    const made = await desk.ask(id, { cod: ron(total), serviceCode: 'next-day', declaredValue: ron(20_000) });
    expect([made.status, made.body]).toMatchObject([
      201,
      { provider: 'carrier-a', status: 'created', price: ron(1720), labelUrl: `${awbPath(id)}/${made.body.awbNumber}/label` },
    ]);
    expect(made.headers.location).toBe(`${awbPath(id)}/${made.body.awbNumber}/tracking`);
    expect(fake.printed().at(-1)?.body).toMatchObject({
      serviceCode: 'next-day',
      parcels: [{ weightG: 1200, lengthMm: 300, widthMm: null }],
      cod: ron(total),
      recipient: { name: 'Ana Pop', city: 'Cluj-Napoca', line1: 'Strada Lungă 1', email: 'ana@test.example' },
      sender: { company: 'Magazinul' },
    });
    const read = await desk.orderOf(id);
    expect(read.fulfillments).toMatchObject([{ awbNumber: made.body.awbNumber, carrier: 'carrier-a', lines: [{ quantity: 2 }] }]);
    const before = fake.printed().length;
    for (const again of [await desk.ask(id), await desk.ask(id, { fulfillmentId: made.body.fulfillmentId })])
      expect([again.status, again.body]).toEqual([200, made.body]);
    expect(fake.printed().length).toBe(before);
    const events = await shop.rows<Json>("select data from core_event where type = 'shipping.awb.created'");
    expect(events.map(({ data }) => data.awbNumber)).toContain(made.body.awbNumber);
  });

  it('asked for at once, by two processes: one AWB', async () => {
    const { id } = await order(shop.a);
    fake.delayMs = 300;
    const before = fake.printed().length;
    const answers = await Promise.all([0, 1, 0, 1, 0].map((process) => desk.ask(id, {}, process)));
    fake.delayMs = 0;
    expect(new Set(answers.map(({ body }) => body.awbNumber)).size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(fake.printed().length).toBe(before + 1);
    expect((await desk.orderOf(id)).fulfillments).toHaveLength(1);
    expect(await requests()).toEqual([]);
  });

  it('refused: 409, and nothing stays behind', async () => {
    const { id } = await order(shop.a);
    fake.fault = { status: 422, body: { message: 'The postal code is unknown.' } };
    const refused = await desk.ask(id);
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
    expect((await desk.ask(id)).status).toBe(201);
  });

  it('without an answer: 503, and the repeat has the same key, so nothing prints twice', async () => {
    const { id } = await order(shop.a);
    fake.fault = 'lost';
    const lost = await desk.ask(id);
    fake.fault = undefined;
    expect([lost.status, lost.body.code]).toEqual([503, 'unavailable']);
    expect((await desk.orderOf(id)).fulfillments).toEqual([]);
    const shipments = fake.shipments.size;
    const switched = await desk.ask(id, { provider: 'carrier-b' });
    expect([switched.status, switched.body.code]).toEqual([409, 'conflict']);
    expect((await shop.a.admin.delete<Json>('/api/admin/shipping-carriers/carrier-a')).body).toMatchObject({ code: 'in_use' });
    const again = await desk.ask(id, { parcels: [{ weightG: 1 }] });
    expect([again.status, fake.shipments.size]).toEqual([201, shipments]);
    const [first, second] = fake.printed().slice(-2);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toEqual(first?.body);
  });

  it('is asked for sensibly', async () => {
    const { id, total } = await order(shop.a);
    const other = await order(shop.a);
    const foreign = (await desk.ask(other.id)).body.fulfillmentId;
    const mismatch = await desk.ask(id, { cod: ron(total - 1) });
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
      const answer = await desk.ask(id, body);
      expect([body, answer.status, answer.body.code]).toEqual([body, status, code]);
    }
    expect((await shop.b.admin.post(awbPath(id), { provider: 'carrier-a', parcels })).status).toBe(404);
    const clerk = await shop.a.staff(['orders.order.read']);
    expect((await clerk.post<Json>(awbPath(id), { provider: 'carrier-a', parcels })).body.permission).toBe('shipping.awb.create');
    expect([await requests(), (await desk.orderOf(id)).fulfillments]).toEqual([[], []]);
    await must(shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' }), 200);
    expect((await desk.ask(id)).status).toBe(409);
  });

  it('for an order that is cancelled meanwhile: taken back at the carrier', async () => {
    const { id } = await order(shop.a);
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    fake.hold = promise;
    const asked = desk.ask(id);
    while (fake.printed().at(-1)?.body.reference !== (await desk.orderOf(id)).number)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await must(shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' }), 200);
    fake.hold = undefined;
    answer();
    expect((await asked).status).toBe(409);
    await shop.settled();
    const [[awbNumber, shipment] = []] = [...fake.shipments].slice(-1);
    expect(shipment?.cancelled).toBe(true);
    expect((await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body.status).toBe('cancelled');
    expect([await requests(), (await desk.orderOf(id)).fulfillments]).toEqual([[], []]);
  });

  it('picked up while its parcel is cancelled: one of both, never half of each', async () => {
    for (let i = 0; i < 3; i++) {
      const { id } = await order(shop.a);
      const { awbNumber } = (await desk.ask(id)).body;
      const [cancelled] = await Promise.all([
        shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' }),
        desk.tell({ id: `${awbNumber}-p`, awbNumber, status: 'picked_up', at: '2026-11-27T10:00:00Z' }),
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

  it('has the carrier’s label, as it is', async () => {
    const { id } = await order(shop.a);
    const { awbNumber } = (await desk.ask(id)).body;
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

  it('goes with its parcel while the carrier does not have it; then it stays', async () => {
    const { id } = await order(shop.a);
    const { awbNumber } = (await desk.ask(id)).body;
    await must(shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' }), 200);
    await shop.settled();
    expect(fake.shipments.get(awbNumber)?.cancelled).toBe(true);
    expect((await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body.status).toBe('cancelled');
    expect((await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/label`)).body.code).toBe('invalid_transition');
    const picked = await order(shop.a);
    const second = (await desk.ask(picked.id)).body;
    await desk.tell({ id: 'pick-1', awbNumber: second.awbNumber, status: 'picked_up', at: '2026-11-27T10:00:00Z' });
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
