import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, ron, visitor } from '../plugins/checkout/test/goods.ts';
import { address } from '../plugins/checkout/test/till.ts';
import { type CourierShop, openCourierShop } from './support/courier-shop.ts';

const unknownId = '01900000-0000-7000-8000-000000000001';
let courierShop: CourierShop;
let shop: CourierShop['shop'];
let abroad: { id: string };
let express: { id: string };
beforeAll(async () => {
  courierShop = await openCourierShop(['RO']);
  shop = courierShop.shop;
  const zone = await courierShop.post('/api/admin/shipping/zones', { name: 'Germany', countries: ['DE'] });
  const method = (code: string, price: number, position: number) =>
    courierShop.post('/api/admin/shipping/methods', {
      code,
      name: code,
      type: 'flat',
      zoneIds: [zone.id],
      price: ron(price),
      position,
    });
  abroad = await method('abroad', 4000, 1);
  express = await method('express', 2500, 2);
  await shop.a.admin.patch(`/api/admin/shipping/methods/${courierShop.courier}`, { codFee: ron(700) });
});
afterAll(() => courierShop?.stop());

const germany = { ...address, country: 'DE', region: null, city: 'Berlin', postalCode: '10115' };
const read = async (id: string): Promise<Json> => (await shop.a.admin.get<Json>(`/api/admin/orders/${id}`)).body;
const move = (id: string, shippingAddress: object, more: object = {}) =>
  shop.a.admin.patch<Json>(`/api/admin/orders/${id}/address`, { shippingAddress, ...more });

/** An order of 2 × 10.00 by courier for 15.00, with a cash-on-delivery fee of 7.00. */
async function placed(paymentMethod: 'cod' | 'transfer' = 'transfer'): Promise<Json> {
  const { variantId } = await courierShop.stocked(1000, 50);
  const { client } = await visitor(shop.a, [variantId, 2]);
  const total = paymentMethod === 'cod' ? 4200 : 3500;
  const { body, status, text } = await courierShop.place(client, total, {
    shippingMethodId: courierShop.courier,
    paymentMethod,
  });
  if (status !== 201) throw new Error(text);
  return read(body.order.id);
}

describe('a new shipping address in another zone', () => {
  it('is priced with the first method that serves it, and the first address restores the totals', async () => {
    const order = await placed();
    const dry = await move(order.id, germany, { dryRun: true });
    const { body } = await move(order.id, germany);
    expect(body).toEqual({ ...dry.body, order: expect.anything() });
    expect(body).toMatchObject({
      difference: ron(2500),
      warnings: [{ code: 'shipping_method_changed' }],
      order: { shippingLines: [{ code: 'abroad', methodId: abroad.id, total: ron(4000) }], totals: { total: ron(6000) } },
    });
    expect((await read(order.id)).payments).toMatchObject([{ amount: ron(6000) }]);
    // Another address in the zone keeps the method.
    const hamburg = await move(order.id, { ...germany, city: 'Hamburg', postalCode: '20095' });
    expect(hamburg.body).toMatchObject({ difference: ron(0), warnings: [], order: { shippingLines: [{ methodId: abroad.id }] } });
    const back = await move(order.id, address);
    expect(back.body).toMatchObject({
      difference: ron(-2500),
      order: { totals: order.totals, shippingLines: [{ code: 'courier', methodId: courierShop.courier }] },
    });
  });

  it('uses the requested method, if it serves the address', async () => {
    const order = await placed();
    const refused = await move(order.id, germany, { shippingMethodId: courierShop.courier });
    expect(refused.body).toMatchObject({ status: 409, code: 'shipping_method_unavailable' });
    expect((await move(order.id, germany, { shippingMethodId: unknownId })).status).toBe(404);
    const { body } = await move(order.id, germany, { shippingMethodId: express.id });
    expect(body).toMatchObject({ difference: ron(1000), order: { shippingLines: [{ methodId: express.id, total: ron(2500) }] } });
    // The same address, with another method.
    const other = await move(order.id, germany, { shippingMethodId: abroad.id });
    expect(other.body).toMatchObject({ difference: ron(1500), order: { shippingLines: [{ methodId: abroad.id }] } });
  });

  it('replaces the cash-on-delivery fee of the method', async () => {
    const order = await placed('cod');
    expect(order.surcharges).toMatchObject([{ code: 'cod:courier', total: ron(700) }]);
    expect((await move(order.id, germany)).body.order).toMatchObject({ surcharges: [], totals: { total: ron(6000) } });
    const back = await move(order.id, address);
    expect(back.body.order).toMatchObject({ surcharges: [{ code: 'cod:courier', total: ron(700) }], totals: order.totals });
  });

  it('is refused in a country without a zone, and changes nothing', async () => {
    const order = await placed();
    const us = { ...address, country: 'US', region: 'NY', city: 'New York', postalCode: '10001' };
    expect((await move(order.id, us)).body).toMatchObject({ status: 409, code: 'no_shipping_method', country: 'US' });
    const { version, shippingAddress, totals } = await read(order.id);
    expect([version, shippingAddress.country, totals]).toEqual([order.version, 'RO', order.totals]);
    expect((await move(order.id, us, { recalculate: false })).body).toMatchObject({
      difference: ron(0),
      order: { country: 'US', totals: order.totals },
    });
  });
});
