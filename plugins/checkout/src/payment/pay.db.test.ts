import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, product, ron, visitor } from '../../test/goods.ts';
import { checkoutPath, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill();
  shop = till.shop;
});
afterAll(() => till?.stop());

describe('payment of an order', () => {
  it('confirms the order once the provider has the money, by webhook or by the returning buyer', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    const placed = (await till.place(client, 1000, { paymentMethod: 'card' })).body;
    expect(placed.payment).toMatchObject({ status: 'requires_action' });
    expect(placed.payment.redirectUrl).toMatch(/^http/);
    expect(await till.cartRow(cart.id)).toMatchObject({ status: 'locked' });
    const buyer = client.with({ 'x-order-token': placed.orderToken });
    const confirm = () => buyer.post<Json>(`${checkoutPath}/orders/${placed.order.id}/confirm-payment`, {});
    expect((await confirm()).body).toMatchObject({ order: { status: 'pending' }, payment: { status: 'requires_action' } });
    const ref = await till.refOf(placed.payment.id);
    till.provider.pay(ref);
    const [told, ...confirmed] = await Promise.all([till.tell(ref), ...Array.from({ length: 10 }, confirm)]);
    expect(told).toBeUndefined();
    expect(confirmed.map((answer) => answer.status)).toEqual(confirmed.map(() => 200));
    const last = await confirm();
    expect(last.body).toMatchObject({ order: { status: 'confirmed', paymentStatus: 'paid' }, payment: { status: 'captured' } });
    expect((await confirm()).text).toBe(last.text);
    expect(await till.cartRow(cart.id)).toMatchObject({ status: 'converted', payment_due_at: null });
    const events = await shop.rows(`select 1 from core_event where type = 'checkout.cart.converted' and aggregate = $1`, [
      cart.id,
    ]);
    expect(events).toHaveLength(1);
    const edit = await client.patch<Json>(`${cartPath}/items/${cart.lines[0].id}`, { quantity: 2 });
    expect(edit.body.code).toBe('cart_converted');
  });

  it('keeps the order after a failed attempt and accepts another method', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    till.provider.fault({
      path: '/v1/checkout/sessions',
      status: 402,
      body: { error: { type: 'card_error', code: 'card_declined' } },
    });
    const placed = await till.place(client, 1000, { paymentMethod: 'card' });
    expect([placed.status, placed.body.payment.status, placed.body.order.status]).toEqual([201, 'failed', 'pending']);
    const { order, orderToken, payment } = placed.body as Json;
    const buyer = shop.a.guest.with({ 'x-order-token': orderToken });
    const path = `${checkoutPath}/orders/${order.id}/confirm-payment`;
    expect((await buyer.post(path, { paymentId: order.id })).status).toBe(404);
    expect((await buyer.post<Json>(path, { paymentMethod: 'cheque' })).body).toMatchObject({
      status: 422,
      code: 'payment_method_unavailable',
    });
    const second = await buyer.post<Json>(path, {});
    expect(second.body.payment).toMatchObject({ status: 'requires_action' });
    expect(second.body.payment.id).not.toBe(payment.id);
    till.provider.decline(await till.refOf(second.body.payment.id));
    const third = await buyer.post<Json>(path, { paymentMethod: 'cod' });
    expect(third.status).toBe(200);
    expect(third.body).toMatchObject({ order: { status: 'confirmed', paymentMethod: 'cod' } });
    expect((await till.cartRow(cart.id)).status).toBe('converted');
  });

  it('collects the price increase of an edit once, without another change to the order', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    const { order, orderToken, payment } = (await till.place(client, 1000, { paymentMethod: 'card' })).body as Json;
    const ref = await till.refOf(payment.id);
    till.provider.pay(ref);
    await till.tell(ref);
    const buyer = shop.a.guest.with({ 'x-order-token': orderToken });
    const confirm = () => buyer.post<Json>(`${checkoutPath}/orders/${order.id}/confirm-payment`, {});
    expect((await confirm()).body).toMatchObject({ order: { paymentStatus: 'paid' }, payment: { id: payment.id } });
    expect((await shop.a.admin.post(`/api/admin/orders/${order.id}/items`, { variantId, quantity: 2 })).status).toBeLessThan(300);
    const answers = await Promise.all([confirm(), confirm(), confirm()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = new Set(answers.map(({ body }) => body.payment.id));
    expect(ids.size).toBe(1);
    const rest = (await confirm()).body;
    expect(rest).toMatchObject({ order: { status: 'confirmed' }, payment: { status: 'requires_action' } });
    const asked = await shop.rows<Json>('select intent_amount from payments_payment where id = $1', [rest.payment.id]);
    expect(asked).toEqual([{ intent_amount: '2000' }]);
    expect(await till.cartRow(cart.id)).toMatchObject({ status: 'converted', payment_due_at: null });
    const second = await till.refOf(rest.payment.id);
    till.provider.pay(second);
    await till.tell(second);
    expect((await confirm()).body).toMatchObject({ order: { paymentStatus: 'paid' } });
    expect((await confirm()).body.payment.id).toBe(rest.payment.id);
  });

  it('reopens the cart and cancels the unpaid order when the buyer edits the cart', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    const placed = (await till.place(client, 1000, { paymentMethod: 'card' })).body;
    const edited = await client.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 });
    expect(edited.body).toMatchObject({ status: 'open', totals: { total: ron(2000) } });
    expect(await till.ordersOf(cart.id)).toEqual([{ id: placed.order.id, status: 'cancelled' }]);
    expect(await till.cartRow(cart.id)).toMatchObject({ status: 'open', order_id: null, payment_due_at: null });
    const buyer = client.with({ 'x-order-token': placed.orderToken });
    expect((await buyer.post<Json>(`${checkoutPath}/orders/${placed.order.id}/confirm-payment`, {})).body).toMatchObject({
      status: 409,
      code: 'invalid_transition',
      from: 'cancelled',
    });
    expect((await till.place(client, 2000)).status).toBe(201);
    expect((await till.ordersOf(cart.id)).map((order) => order.status)).toEqual(['cancelled', 'confirmed']);
  });

  it('rejects edits of a paid cart', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    const placed = (await till.place(client, 1000, { paymentMethod: 'card' })).body;
    const ref = await till.refOf(placed.payment.id);
    till.provider.pay(ref);
    await till.tell(ref);
    for (const edit of [
      client.patch<Json>(`${cartPath}/items/${cart.lines[0].id}`, { quantity: 2 }),
      client.delete<Json>(`${cartPath}/items/${cart.lines[0].id}`),
      client.post<Json>(`${cartPath}/promotion`, { code: 'ANY' }),
    ])
      expect((await edit).body).toMatchObject({ status: 409, code: 'cart_converted' });
    const next = await client.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 });
    expect([next.status, next.body.id === cart.id]).toEqual([201, false]);
  });

  it('cancels the order when the payment window ends, and not before', async () => {
    const { variantId } = await product(shop.a, 1000);
    const [card, transfer, cod] = await Promise.all([1, 2, 3].map(() => visitor(shop.a, [variantId, 1])));
    await till.place(card!.client, 1000, { paymentMethod: 'card' });
    await till.place(transfer!.client, 1000, { paymentMethod: 'transfer' });
    await till.place(cod!.client, 1000);
    const states = async () =>
      Promise.all(
        [card, transfer, cod].map(async (one) => [
          (await till.cartRow(one!.cart.id)).status,
          (await till.ordersOf(one!.cart.id))[0].status,
        ]),
      );
    shop.clock.advance(14 * 60_000);
    await till.job('paymentWindow');
    expect(await states()).toEqual([
      ['locked', 'pending'],
      ['converted', 'pending'],
      ['converted', 'confirmed'],
    ]);
    shop.clock.advance(2 * 60_000);
    await till.job('paymentWindow');
    expect(await states()).toEqual([
      ['open', 'cancelled'],
      ['converted', 'pending'],
      ['converted', 'confirmed'],
    ]);
    expect(
      (
        await shop.rows<Json>(
          `select reason from core_status_history where entity = 'orders.order' and to_status = 'cancelled' order by at desc limit 1`,
        )
      )[0].reason,
    ).toBe('payment_timeout');
    expect((await till.place(card!.client, 1000)).status).toBe(201);
    shop.clock.advance(5 * 86_400_000);
    await till.job('paymentWindow');
    expect((await states())[1]).toEqual(['converted', 'cancelled']);
  });
});
