import { job } from '@storeloom/plugin-sdk';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AwbDesk, awbPath, openDesk, parcels } from '../../test/awb.ts';
import { FakeCarrier } from '../../test/fake-carrier.ts';
import { account, type Json, must, order } from '../../test/shop.ts';

let desk: AwbDesk;
let shop: TestShop;
let fake: FakeCarrier;
beforeAll(async () => {
  desk = await openDesk();
  ({ shop, fake } = desk);
});
afterAll(() => desk?.stop());

describe('carrier events', () => {
  const at = (hour: number) => `2026-11-27T${hour}:00:00Z`;
  it('ship and deliver the parcel once; late events are stored without reverting the state', async () => {
    const { id } = await order(shop.a);
    const { awbNumber } = (await desk.requestAwb(id)).body;
    expect(
      (await desk.notify({ id: `${awbNumber}-1`, awb: awbNumber, status: 'In transit', at: at(12), location: 'Sibiu' })).status,
    ).toBe(200);
    expect(await desk.orderOf(id)).toMatchObject({ status: 'shipped', fulfillments: [{ status: 'shipped' }] });
    await desk.notify({ id: `${awbNumber}-2`, awbNumber, status: 'delivered', at: at(15), description: 'Signed' });
    expect(await desk.orderOf(id)).toMatchObject({ status: 'delivered', fulfillments: [{ status: 'delivered' }] });
    const version = (await desk.orderOf(id)).version;
    for (const again of [`${awbNumber}-2`, `${awbNumber}-3`])
      expect((await desk.notify({ id: again, awbNumber, status: 'delivered', at: at(15) })).status).toBe(200);
    await desk.notify({ id: `${awbNumber}-4`, awbNumber, status: 'picked_up', at: at(11) });
    await desk.notify({ id: `${awbNumber}-5`, awbNumber, status: 'failed', at: at(16) });
    expect((await desk.orderOf(id)).version).toBe(version);
    const tracking = await shop.a.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`);
    expect([tracking.body.status, tracking.body.events.map((event: Json) => event.at.slice(11, 13))]).toEqual([
      'delivered',
      ['11', '12', '15', '16'],
    ]);
    expect(tracking.body.events[1]).toEqual({
      code: 'In transit',
      status: 'in_transit',
      at: '2026-11-27T12:00:00.000Z',
      location: 'Sibiu',
      description: null,
    });
    const events = await shop.rows<Json>(
      "select data from core_event where type = 'shipping.awb.delivered' and data->>'awbNumber' = $1",
      [awbNumber],
    );
    expect(events).toHaveLength(1);
  });

  it('of concurrent notifications take effect once each', async () => {
    const { id } = await order(shop.a);
    const { awbNumber } = (await desk.requestAwb(id)).body;
    const steps = ['picked_up', 'in_transit', 'out_for_delivery', 'delivered'].map((status, i) => ({ status, at: at(10 + i) }));
    await Promise.all(
      [0, 1, 2, 3].map((i) => desk.notify({ id: `${awbNumber}-${i}`, awbNumber, events: i % 2 ? steps : [...steps].reverse() })),
    );
    const { history, fulfillments } = await desk.orderOf(id);
    expect(fulfillments).toMatchObject([{ status: 'delivered' }]);
    expect(history.map((move: Json) => move.to)).toEqual(['pending', 'confirmed', 'processing', 'shipped', 'delivered']);
    const moves = await shop.rows<Json>(
      "select h.to_status from core_status_history h join shipping_awb a on a.id = h.entity_id where h.entity = 'shipping.awb' and a.awb_number = $1 order by h.at, h.id",
      [awbNumber],
    );
    expect(moves.map((move) => move.to_status)).toEqual(['created', 'picked_up', 'in_transit', 'out_for_delivery', 'delivered']);
  });

  it('of a failed attempt and a return update the order', async () => {
    const { id } = await order(shop.a);
    const { awbNumber } = (await desk.requestAwb(id)).body;
    await desk.notify({ id: `${awbNumber}-1`, awbNumber, status: 'failed_attempt', at: at(10) });
    expect((await desk.orderOf(id)).fulfillments).toMatchObject([{ status: 'failed_delivery' }]);
    await desk.notify({ id: `${awbNumber}-2`, awbNumber, status: 'returned', at: at(12) });
    expect(await desk.orderOf(id)).toMatchObject({ status: 'processing', fulfillments: [{ status: 'returned_to_sender' }] });
    const next = await desk.requestAwb(id);
    expect([next.status, next.body.awbNumber === awbNumber]).toEqual([201, false]);
  });

  it('with an invalid signature are refused with 401; those of unknown parcels are stored', async () => {
    const body = { id: 'unknown-1', awbNumber: 'A99999999', status: 'delivered', at: at(10) };
    for (const secret of ['wrong', ''])
      expect((await desk.notify(body, { secret: secret || 'x' })).body).toMatchObject({ status: 401, code: 'signature_invalid' });
    expect(await shop.rows("select 1 from core_inbound where event_id = 'unknown-1'")).toEqual([]);
    expect((await desk.notify(body)).status).toBe(200);
    const list = await shop.a.admin.get<Json>('/api/admin/shipping/unknown-events');
    expect(list.body.data).toMatchObject([{ awbNumber: 'A99999999', status: 'delivered' }]);
    expect((await desk.notify({ id: 'broken' })).status).toBe(400);
    expect((await desk.notify({ ...body, id: 'word', status: 'customs_hold' })).status).toBe(200);
  });

  it('received before the AWB is stored are applied to it', async () => {
    const { id } = await order(shop.a);
    const number = `A${String(Number([...fake.shipments.keys()].at(-1)?.slice(1)) + 1).padStart(8, '0')}`;
    await desk.notify({ id: `${number}-early`, awbNumber: number, status: 'picked_up', at: at(10) });
    const created = await desk.requestAwb(id);
    expect(created.body).toMatchObject({ awbNumber: number, status: 'picked_up' });
    expect((await desk.orderOf(id)).fulfillments).toMatchObject([{ status: 'shipped' }]);
  });

  it('reach the shop that verifies them, with both secrets valid during a rotation', async () => {
    const { b } = shop;
    const put = (webhookSecret: string | null) =>
      must(b.admin.put('/api/admin/shipping-carriers/carrier-a', account(fake, { webhookSecret })), 200);
    await put('secret-of-shop-b-1');
    const { id } = await order(b);
    const { awbNumber } = (await must(b.admin.post(awbPath(id), { provider: 'carrier-a', parcels }))) as Json;
    const event = (n: number, status: string) => ({ id: `${awbNumber}-b${n}`, awbNumber, status, at: at(10 + n) });
    // Shop A's signature changes nothing at shop B.
    await desk.notify(event(0, 'delivered'));
    expect((await b.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body.status).toBe('created');
    await desk.notify(event(1, 'picked_up'), { secret: 'secret-of-shop-b-1' });
    await put('secret-of-shop-b-2');
    await desk.notify(event(2, 'in_transit'), { secret: 'secret-of-shop-b-1' });
    await desk.notify(event(3, 'out_for_delivery'), { secret: 'secret-of-shop-b-2', query: `?tenant=${b.id}` });
    expect((await b.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body.status).toBe('out_for_delivery');
    expect((await desk.notify(event(4, 'delivered'), { query: `?tenant=${b.id}` })).status).toBe(401);
    shop.clock.advance(25 * 3_600_000);
    expect((await desk.notify(event(5, 'delivered'), { secret: 'secret-of-shop-b-1' })).status).toBe(401);
    // Two shops allow the same address: the parcel determines the shop.
    const trusting = { verification: 'ip_list', allowedIps: ['127.0.0.0/8', '::1'] };
    for (const tenant of [shop.a, b])
      await must(tenant.admin.put('/api/admin/shipping-carriers/carrier-a', account(fake, trusting)), 200);
    expect((await desk.notify(event(6, 'delivered'), { secret: 'none' })).status).toBe(200);
    expect((await b.admin.get<Json>(`${awbPath(id)}/${awbNumber}/tracking`)).body.status).toBe('delivered');
    expect((await desk.notify({ ...event(7, 'delivered'), awbNumber: 'A77777777' }, { secret: 'none' })).status).toBe(401);
  });
});

describe('tracking', () => {
  it('requests events of parcels in transit, on demand and by the job, and tolerates failures of the carrier', async () => {
    const { id } = await order(shop.a);
    const { awbNumber } = (await desk.requestAwb(id)).body;
    const shipment = fake.shipments.get(awbNumber);
    shipment?.events.push({ code: 'PU', status: 'picked_up', at: '2026-11-27T09:00:00Z' });
    const url = `${awbPath(id)}/${awbNumber}/tracking`;
    expect((await shop.a.admin.get<Json>(url)).body).toMatchObject({ status: 'picked_up', events: [{ code: 'PU' }] });
    shipment?.events.push({ code: 'OUT', status: 'out_for_delivery', at: '2026-11-27T11:00:00Z' });
    expect((await shop.a.admin.get<Json>(url)).body.events).toHaveLength(1);
    shop.clock.advance(2 * 3_600_000);
    await shop.a.run('shipping', (ctx) => ctx.enqueue(job('track'), {}));
    await shop.settled();
    const { shipping } = await import('@storeloom/commerce');
    const found = await shop.a.run('orders', (ctx) => ctx.require(shipping).awbsOf(id));
    expect(found).toMatchObject([{ awbNumber, status: 'out_for_delivery', events: [{ code: 'PU' }, { code: 'OUT' }] }]);
    expect(await shop.b.run('orders', (ctx) => ctx.require(shipping).track(awbNumber))).toBeUndefined();
    shop.clock.advance(2 * 3_600_000);
    fake.fault = { status: 500, body: {} };
    expect((await shop.a.admin.get<Json>(url)).body.status).toBe('out_for_delivery');
    fake.fault = undefined;
    expect((await shop.a.admin.get<Json>('/api/admin/shipping-carriers/carrier-a')).body).toMatchObject({ healthy: false });
  });

  it('of an unavailable carrier, or of parcels unknown to it, delays no other parcels', async () => {
    const other = await new FakeCarrier().start();
    try {
      await must(shop.a.admin.put('/api/admin/shipping-carriers/carrier-b', account(other)), 200);
      const mine = (await desk.requestAwb((await order(shop.a)).id)).body.awbNumber as string;
      const others = (await desk.requestAwb((await order(shop.a)).id, { provider: 'carrier-b' })).body.awbNumber as string;
      const step = { code: 'PU', status: 'picked_up', at: '2026-11-27T09:00:00Z' };
      fake.shipments.get(mine)?.events.push(step);
      other.shipments.get(others)?.events.push(step);
      await shop.rows(`update shipping_awb set track_tried_at = $1 where provider = 'carrier-a'`, [shop.clock.now()]);
      await shop.rows(
        `insert into shipping_awb select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'fulfillment_id', null,
          'track_tried_at', null, 'awb_number', 'UNKNOWN-' || n))).* from shipping_awb a, generate_series(1, 200) n
          where a.awb_number = $1 and a.provider = 'carrier-a'`,
        [mine],
      );
      const statuses = async () =>
        (
          await shop.rows<Json>(
            `select provider, status from shipping_awb where (provider, awb_number) in (('carrier-a', $1), ('carrier-b', $2)) order by provider`,
            [mine, others],
          )
        ).map(({ status }) => status);
      const run = async () => {
        shop.clock.advance(2 * 3_600_000);
        fake.calls.length = 0;
        await shop.a.run('shipping', (ctx) => ctx.enqueue(job('track'), {}));
        await shop.settled();
        return fake.calls.length;
      };
      fake.fault = { status: 500, body: {} };
      expect([await run(), await statuses()]).toEqual([1, ['created', 'picked_up']]);
      fake.fault = undefined;
      expect(await run()).toBe(200);
      await run();
      expect(await statuses()).toEqual(['picked_up', 'picked_up']);
    } finally {
      fake.fault = undefined;
      await other.stop();
    }
  });
});
