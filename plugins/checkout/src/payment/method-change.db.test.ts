import type { TestClient } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, product, ron, visitor } from '../../test/goods.ts';
import { address, checkoutPath, done, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
let courier: string;

const setMethod = async (code: string, change: object): Promise<void> => {
  const [{ id }] = await shop.rows<Json>('select id from payments_payment_method where tenant_id = $1 and code = $2', [
    shop.a.id,
    code,
  ]);
  await done(shop.a.admin.patch(`/api/admin/payment-methods/${id}`, change));
};

beforeAll(async () => {
  till = await openTill(['shipping', 'promotions'], { processes: 2 });
  shop = till.shop;
  const { admin } = shop.a;
  const zone = await done(admin.post<Json>('/api/admin/shipping/zones', { name: 'Home', countries: ['RO'] }));
  const method = {
    code: 'courier',
    name: 'Courier',
    type: 'flat',
    zoneIds: [zone.id],
    price: ron(1500),
    codFee: ron(700),
    enabled: true,
  };
  courier = (await done(admin.post<Json>('/api/admin/shipping/methods', method))).id;
  await setMethod('transfer', { fee: { percentBp: 200 } });
});
afterAll(() => till?.stop());

interface Bought {
  order: Json;
  buyer: TestClient;
  orderPath: string;
}
async function bought(price: number, paymentMethod: string, total: number, code?: string): Promise<Bought> {
  const { variantId } = await product(shop.a, price);
  const { client } = await visitor(shop.a, [variantId, 1]);
  if (code !== undefined) await done(client.post<Json>(`${cartPath}/promotion`, { code }));
  const placed = await till.place(client, total, { paymentMethod, shippingMethodId: courier, shippingAddress: address });
  expect([placed.status, placed.body.code, placed.body.totals]).toEqual([201, undefined, undefined]);
  const { order, orderToken } = placed.body;
  return {
    order,
    buyer: shop.a.guest.with({ 'x-order-token': orderToken }),
    orderPath: `${checkoutPath}/orders/${order.id}/confirm-payment`,
  };
}
const stored = (id: string): Promise<Json> => done(shop.a.admin.get<Json>(`/api/admin/orders/${id}`));
const waiting = async (orderId: string) =>
  shop.rows<Json>(
    `select method_code as method, intent_amount::int as amount from payments_payment
    where for_id = $1 and status in ('created', 'requires_action') order by created_at`,
    [orderId],
  );

describe('another payment method after placing', () => {
  it('adds the fee for cash on delivery when the buyer accepts the new total', async () => {
    const { order, buyer, orderPath } = await bought(10_000, 'card', 11_500);
    const refused = await buyer.post<Json>(orderPath, { paymentMethod: 'cod' });
    expect(refused.body).toMatchObject({
      status: 409,
      code: 'total_changed',
      totals: { total: ron(12_200), surcharges: ron(700), amountDue: ron(12_200) },
    });
    expect(await stored(order.id)).toMatchObject({ status: 'pending', paymentMethod: 'card', totals: { total: ron(11_500) } });
    // Neither the earlier total nor another currency is consent to the new one.
    expect((await buyer.post<Json>(orderPath, { paymentMethod: 'cod', expectedTotal: ron(11_500) })).body.code).toBe(
      'total_changed',
    );
    const euro = await buyer.post<Json>(orderPath, { paymentMethod: 'cod', expectedTotal: { amount: 12_200, currency: 'EUR' } });
    expect([euro.status, euro.body.code]).toEqual([422, 'currency_mismatch']);
    const accepted = await buyer.post<Json>(orderPath, { paymentMethod: 'cod', expectedTotal: ron(12_200) });
    expect([accepted.status, accepted.body]).toMatchObject([
      200,
      { order: { status: 'confirmed', paymentMethod: 'cod', totals: { total: ron(12_200), amountDue: ron(12_200) } } },
    ]);
    expect(await waiting(order.id)).toEqual([{ method: 'cod', amount: 12_200 }]);
    const after = await stored(order.id);
    expect(after.surcharges).toMatchObject([{ code: 'cod:courier', lineSubtotal: ron(700) }]);
    const audits = await shop.rows<Json>(
      "select changes from core_audit where entity_id = $1 and action = 'orders.order.payment-method'",
      [order.id],
    );
    expect(audits).toHaveLength(1);
    expect(JSON.stringify(audits[0].changes)).toMatch(/12200/);
  });

  it('removes the fee for cash on delivery of an order that is paid online instead', async () => {
    const { order, buyer, orderPath } = await bought(10_000, 'cod', 12_200);
    const paid = await buyer.post<Json>(orderPath, { paymentMethod: 'card', expectedTotal: ron(11_500) });
    expect([paid.status, paid.body.order?.totals, paid.body.payment?.status]).toMatchObject([
      200,
      { total: ron(11_500), surcharges: ron(0) },
      'requires_action',
    ]);
    expect(await waiting(order.id)).toEqual([{ method: 'card', amount: 11_500 }]);
    const ref = await till.refOf(paid.body.payment.id);
    till.provider.pay(ref);
    await till.tell(ref);
    expect(await stored(order.id)).toMatchObject({ paymentStatus: 'paid', totals: { amountDue: ron(0) } });
    // The paid order keeps its price.
    const again = await buyer.post<Json>(orderPath, { paymentMethod: 'cod', expectedTotal: ron(12_200) });
    expect([again.status, again.body.order.totals.total]).toEqual([200, ron(11_500)]);
  });

  it('calculates a fee in percent like placing, and restores the first total', async () => {
    const { order, buyer, orderPath } = await bought(10_000, 'card', 11_500);
    const transfer = await buyer.post<Json>(orderPath, { paymentMethod: 'transfer', expectedTotal: ron(11_730) });
    expect(transfer.body.order).toMatchObject({ status: 'pending', totals: { total: ron(11_730) } });
    const fresh = await bought(10_000, 'transfer', 11_730);
    expect((await stored(fresh.order.id)).totals).toEqual((await stored(order.id)).totals);
    const card = await buyer.post<Json>(orderPath, { paymentMethod: 'card', expectedTotal: ron(11_500) });
    expect(card.body.order.totals).toMatchObject({ total: ron(11_500), surcharges: ron(0) });
    expect(await waiting(order.id)).toEqual([{ method: 'card', amount: 11_500 }]);
  });

  it('takes back a promotion that needs the first method, and keeps every other one', async () => {
    const { admin } = shop.a;
    const promotion = (code: string, conditions: object[]) =>
      done(
        admin.post('/api/admin/promotions/', {
          name: code,
          code,
          type: 'percentage',
          target: 'order',
          value: { percentBp: 1000 },
          conditions,
          enabled: true,
        }),
      );
    await promotion('CARDONLY', [{ type: 'payment_method', value: 'card' }]);
    await promotion('ANYONE', []);
    const one = await bought(10_000, 'card', 10_500, 'CARDONLY');
    const refused = await one.buyer.post<Json>(one.orderPath, { paymentMethod: 'cod' });
    expect(refused.body).toMatchObject({ code: 'total_changed', totals: { total: ron(12_200), itemsDiscount: ron(0) } });
    const accepted = await one.buyer.post<Json>(one.orderPath, { paymentMethod: 'cod', expectedTotal: ron(12_200) });
    expect(accepted.body.order.totals.total).toEqual(ron(12_200));
    const uses = await shop.rows<Json>('select 1 from promotions_usage where order_id = $1 and reverted_at is null', [
      one.order.id,
    ]);
    expect(uses).toEqual([]);
    const two = await bought(10_000, 'card', 10_500, 'ANYONE');
    const kept = await two.buyer.post<Json>(two.orderPath, { paymentMethod: 'cod', expectedTotal: ron(11_200) });
    expect(kept.body.order.totals).toMatchObject({ total: ron(11_200), itemsDiscount: ron(1000), surcharges: ron(700) });
  });

  it('reprices once when requests with both methods race', async () => {
    const { order, buyer, orderPath } = await bought(10_000, 'card', 11_500);
    const other = buyer.at(shop.bases[1] as string);
    const answers = await Promise.all(
      [...Array(6).keys()].flatMap((i) => [
        (i % 2 ? buyer : other).post<Json>(orderPath, { paymentMethod: 'cod', expectedTotal: ron(12_200) }),
        (i % 2 ? other : buyer).post<Json>(orderPath, { paymentMethod: 'card', expectedTotal: ron(11_500) }),
      ]),
    );
    for (const { status, body } of answers) expect([200, 409], body.code).toContain(status);
    const after = await stored(order.id);
    const [payment, ...more] = await waiting(order.id);
    expect(more).toEqual([]);
    expect(after.totals.total).toEqual(ron(after.paymentMethod === 'cod' ? 12_200 : 11_500));
    expect(payment).toEqual({ method: after.paymentMethod, amount: after.totals.total.amount });
    expect(after.surcharges).toHaveLength(after.paymentMethod === 'cod' ? 1 : 0);
  });

  it('follows another shipping method by an edit, whose fee for cash on delivery differs', async () => {
    const { admin } = shop.a;
    const [{ id: zoneId }] = await shop.rows<Json>('select id from shipping_zone where tenant_id = $1', [shop.a.id]);
    const other = { code: 'locker', name: 'Locker', type: 'flat', zoneIds: [zoneId], price: ron(900), enabled: true };
    const locker = (await done(admin.post<Json>('/api/admin/shipping/methods', other))).id;
    const { order } = await bought(10_000, 'cod', 12_200);
    const ship = (methodId: string, amount: number, more: object[] = []) =>
      done(
        admin.patch<Json>(`/api/admin/orders/${order.id}/edit`, {
          operations: [...more, { op: 'change_shipping', methodId, name: 'Delivery', price: ron(amount) }],
        }),
      );
    const wrapping = { op: 'add_surcharge', name: 'Gift wrap', amount: ron(300) };
    const toLocker = (await ship(locker, 900, [wrapping])).order;
    expect(toLocker).toMatchObject({ totals: { total: ron(11_200) }, surcharges: [{ code: 'manual', lineSubtotal: ron(300) }] });
    const back = (await ship(courier, 1500)).order;
    expect(back.totals.total).toEqual(ron(12_500));
    expect(back.surcharges.map(({ code, lineSubtotal }: Json) => [code, lineSubtotal.amount])).toEqual([
      ['manual', 300],
      ['cod:courier', 700],
    ]);
    // The same method at another price keeps its fee.
    expect((await ship(courier, 1000)).order.totals.total).toEqual(ron(12_000));
    const paidOnline = await bought(10_000, 'card', 11_500);
    const moved = await done(
      admin.patch<Json>(`/api/admin/orders/${paidOnline.order.id}/edit`, {
        operations: [{ op: 'change_shipping', methodId: locker, name: 'Delivery', price: ron(900) }],
      }),
    );
    expect([moved.order.totals.total, moved.order.surcharges]).toEqual([ron(10_900), []]);
  });

  it('keeps method and price of a shipped order', async () => {
    const { order, buyer, orderPath } = await bought(10_000, 'cod', 12_200);
    await done(shop.a.admin.post(`/api/admin/orders/${order.id}/ship`, {}));
    const late = await buyer.post<Json>(orderPath, { paymentMethod: 'card', expectedTotal: ron(11_500) });
    expect(late.body).toMatchObject({ status: 409, code: 'invalid_transition' });
    expect(await stored(order.id)).toMatchObject({ paymentMethod: 'cod', totals: { total: ron(12_200) } });
  });
});
