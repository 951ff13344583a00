import { orders } from '@storeloom/commerce';
import { job } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, ron, visitor } from '../plugins/checkout/test/goods.ts';
import { address } from '../plugins/checkout/test/till.ts';
import { type CourierShop, openCourierShop } from './support/courier-shop.ts';

/** Orders with the real catalogue, stock, promotions, taxes, shipping and a payment provider. */
let courierShop: CourierShop;
let shop: CourierShop['shop'];
beforeAll(async () => {
  courierShop = await openCourierShop(['RO', 'DE']);
  shop = courierShop.shop;
  const standard = await courierShop.post('/api/admin/taxes/categories', {
    code: 'std',
    name: 'Standard',
    kind: 'goods',
    isDefault: true,
  });
  await courierShop.post('/api/admin/taxes/rates', {
    country: 'RO',
    categoryId: standard.id,
    ratePpm: 210_000,
    name: 'TVA',
    validFrom: '2020-01-01',
  });
});
afterAll(() => courierShop?.stop());

const level = async (variantId: string): Promise<Json> =>
  (await shop.rows<Json>('select on_hand as "onHand", reserved from inventory_level where variant_id = $1', [variantId]))[0];
const read = async (id: string): Promise<Json> => (await shop.a.admin.get<Json>(`/api/admin/orders/${id}`)).body;

/** What the provider took and gave back, by its own books. */
function atProvider(ref: string): { captured: number; refunded: number } {
  const { received, refunds } = courierShop.provider.intentOf(ref);
  return { captured: received, refunded: refunds.reduce((sum, each) => sum + each.amount, 0) };
}

interface Placed {
  id: string;
  ref: string;
  client: Awaited<ReturnType<typeof visitor>>['client'];
  cart: Json;
}
async function placed(variantId: string, quantity: number, total: number, more: Record<string, unknown> = {}): Promise<Placed> {
  const { client, cart } = await visitor(shop.a, [variantId, quantity]);
  const answer = await courierShop.place(client, total, {
    shippingMethodId: courierShop.courier,
    paymentMethod: 'card',
    ...more,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  const { order, payment, orderToken } = answer.body as Json;
  const buyer = client.with({ 'x-order-token': orderToken });
  return { id: order.id, ref: payment ? await courierShop.refOf(payment.id) : '', client: buyer, cart };
}
async function paid(variantId: string, quantity: number, total: number, more?: Record<string, unknown>): Promise<Placed> {
  const order = await placed(variantId, quantity, total, more);
  courierShop.provider.pay(order.ref);
  await courierShop.tell(order.ref);
  return order;
}

describe('an order with the real plugins', () => {
  it('is paid, invoiced, shipped, refunded and credited; stock follows (C49, C47)', async () => {
    const { variantId } = await courierShop.stocked(1000, 5);
    const { id } = await paid(variantId, 3, 4500);
    const order = await read(id);
    expect(order).toMatchObject({
      status: 'confirmed',
      paymentStatus: 'paid',
      payments: [{ status: 'captured', capturedAmount: ron(4500) }],
    });
    expect(order.invoices).toMatchObject([{ kind: 'invoice', total: ron(4500) }]);
    expect(await level(variantId)).toEqual({ onHand: 5, reserved: 3 });
    const lineId = order.lines[0].id;
    const first = await courierShop.post(`/api/admin/orders/${id}/refund`, {
      reason: 'one less',
      lines: [{ lineId, quantity: 1, restock: true }],
    });
    expect(first).toMatchObject({ refund: { amount: ron(1000) }, order: { paymentStatus: 'paid' } });
    expect(await level(variantId)).toEqual({ onHand: 5, reserved: 2 });
    await shop.settled();
    expect(await read(id)).toMatchObject({ paymentStatus: 'partially_refunded' });
    expect(await courierShop.post(`/api/admin/orders/${id}/ship`, {})).toMatchObject({ status: 'shipped' });
    expect(await level(variantId)).toEqual({ onHand: 3, reserved: 0 });
    await courierShop.post(`/api/admin/orders/${id}/refund`, {
      reason: 'broken',
      lines: [{ lineId, quantity: 2, restock: true }],
      shipping: ron(1500),
    });
    await shop.settled();
    expect(await level(variantId)).toEqual({ onHand: 5, reserved: 0 });
    const end = await read(id);
    expect(end).toMatchObject({ paymentStatus: 'refunded', refunded: ron(4500) });
    expect(end.refunds.map((each: Json) => each.status)).toEqual(['succeeded', 'succeeded']);
    const documents = end.invoices.map((each: Json) => (each.kind === 'credit_note' ? -1 : 1) * each.total.amount);
    expect(documents.reduce((a: number, b: number) => a + b, 0)).toBe(0);
    expect(atProvider(end.payments[0].providerRef).refunded).toBe(4500);
  });

  it('is cancelled: stock is free, the money goes back, the invoice is credited, nothing twice', async () => {
    const { variantId } = await courierShop.stocked(1000, 5);
    const { id } = await paid(variantId, 3, 4500);
    await Promise.all(
      [0, 1, 0, 1].map((i) =>
        shop.a.admin.at(shop.bases[i]!).post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'x' }),
      ),
    );
    await shop.settled();
    expect(await level(variantId)).toEqual({ onHand: 5, reserved: 0 });
    const order = await read(id);
    expect(order).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded', refunded: ron(4500) });
    expect(order.invoices.map((each: Json) => each.kind)).toEqual(['invoice', 'credit_note']);
    expect(order.refunds).toMatchObject([{ status: 'succeeded', amount: ron(4500) }]);
  });

  it('is edited: stock and payment move by the difference', async () => {
    const { variantId } = await courierShop.stocked(1000, 5);
    const other = await courierShop.stocked(300, 10);
    const { id } = await paid(variantId, 2, 3500);
    const itemId = (await read(id)).lines[0].id;
    const edit = (operations: object[], more: object = {}) =>
      shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, { operations, ...more });
    expect((await edit([{ op: 'change_quantity', itemId, quantity: 6 }])).body).toMatchObject({ code: 'insufficient_stock' });
    const more = await edit([
      { op: 'change_quantity', itemId, quantity: 4 },
      { op: 'add_item', variantId: other.variantId, quantity: 2 },
    ]);
    expect(more.body).toMatchObject({
      difference: ron(2600),
      order: { paymentStatus: 'partially_paid', totals: { total: ron(6100), amountDue: ron(2600) } },
    });
    expect([await level(variantId), await level(other.variantId)]).toEqual([
      { onHand: 5, reserved: 4 },
      { onHand: 10, reserved: 2 },
    ]);
    const less = await edit([{ op: 'change_quantity', itemId, quantity: 1 }]);
    expect(less.body).toMatchObject({ order: { totals: { total: ron(3100), amountDue: ron(0) } } });
    await shop.settled();
    expect(await level(variantId)).toEqual({ onHand: 5, reserved: 1 });
    // 3500 were paid, 3100 is what it costs now.
    expect(await read(id)).toMatchObject({ refunded: ron(400) });
  });

  it('a refund by an edit is due again when the next edit increases the total', async () => {
    const { variantId } = await courierShop.stocked(1000, 20);
    const { id, client } = await paid(variantId, 3, 4500);
    const itemId = (await read(id)).lines[0].id;
    const edit = (operations: object[]) => shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, { operations });
    const down = await edit([{ op: 'change_quantity', itemId, quantity: 2 }]);
    expect(down.body).toMatchObject({
      difference: ron(-1000),
      order: { paymentStatus: 'paid', refunded: ron(1000), totals: { total: ron(3500), amountDue: ron(0) } },
    });
    await shop.settled();
    const up = await edit([{ op: 'change_quantity', itemId, quantity: 3 }]);
    expect(up.body).toMatchObject({
      difference: ron(1000),
      order: { paymentStatus: 'partially_paid', totals: { total: ron(4500), amountDue: ron(1000) } },
    });
    expect((await shop.a.admin.post<Json>(`/api/admin/orders/${id}/ship`, {})).body).toMatchObject({ code: 'order_unpaid' });
    // Far down and up again: all of it but what was kept is due.
    await edit([{ op: 'set_price', itemId, unitPrice: ron(1) }]);
    const far = await edit([{ op: 'set_price', itemId, unitPrice: ron(900) }]);
    expect(far.body.order).toMatchObject({ refunded: ron(2997), totals: { total: ron(4200), amountDue: ron(2697) } });
    await shop.settled();
    const again = await client.post<Json>(`/api/storefront/checkout/orders/${id}/confirm-payment`, {});
    expect(again.status).toBe(200);
    const ref = await courierShop.refOf(again.body.payment.id);
    courierShop.provider.pay(ref);
    await courierShop.tell(ref);
    // The second payment is no duplicate of the first, neither now nor when money is looked at again.
    await shop.a.run('payments', (ctx) => ctx.enqueue(job('heal'), {}));
    await shop.settled();
    expect(await read(id)).toMatchObject({ paymentStatus: 'paid', refunded: ron(2997), totals: { amountDue: ron(0) } });
    expect(atProvider(ref)).toEqual({ captured: 2697, refunded: 0 });
    expect((await shop.a.admin.post<Json>(`/api/admin/orders/${id}/ship`, {})).body).toMatchObject({ status: 'shipped' });
  });

  it('an edit gives nothing back that a refund gave back already, and credit notes agree', async () => {
    const { variantId } = await courierShop.stocked(1000, 20);
    const { id, client } = await paid(variantId, 2, 3500);
    const itemId = (await read(id)).lines[0].id;
    const edit = (operations: object[]) => shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, { operations });
    const claimed = async () =>
      (await read(id)).invoices.reduce(
        (sum: number, { kind, total }: Json) => sum + (kind === 'credit_note' ? -1 : 1) * total.amount,
        0,
      );
    await courierShop.post(`/api/admin/orders/${id}/refund`, { reason: 'late', shipping: ron(1500) });
    await courierShop.post(`/api/admin/orders/${id}/refund`, { reason: 'scratched', lines: [{ lineId: itemId, quantity: 1 }] });
    await shop.settled();
    const free = await edit([{ op: 'change_shipping', price: ron(0) }]);
    expect(free.body.order).toMatchObject({ refunded: ron(2500), totals: { total: ron(2000), amountDue: ron(0) } });
    // One unit is left that costs 200 less.
    const reduced = await edit([{ op: 'set_price', itemId, unitPrice: ron(800) }]);
    expect(reduced.body.order).toMatchObject({ refunded: ron(2700), totals: { total: ron(1600), amountDue: ron(0) } });
    await shop.settled();
    expect(await claimed()).toBe(800);
    // What went by refunds pays for nothing new.
    const other = await courierShop.stocked(300, 10);
    const more = await edit([{ op: 'add_item', variantId: other.variantId, quantity: 1 }]);
    expect(more.body.order).toMatchObject({ refunded: ron(2700), totals: { total: ron(1900), amountDue: ron(300) } });
    await shop.settled();
    const again = await client.post<Json>(`/api/storefront/checkout/orders/${id}/confirm-payment`, {});
    const ref = await courierShop.refOf(again.body.payment.id);
    courierShop.provider.pay(ref);
    await courierShop.tell(ref);
    await shop.a.run('payments', (ctx) => ctx.enqueue(job('heal'), {}));
    await shop.settled();
    expect(await read(id)).toMatchObject({ refunded: ron(2700), totals: { amountDue: ron(0) } });
    expect(atProvider(ref)).toEqual({ captured: 300, refunded: 0 });
    expect(await claimed()).toBe(1100);
    // The other unit is worth its own price.
    const last = await courierShop.post(`/api/admin/orders/${id}/refund`, {
      reason: 'back',
      lines: [{ lineId: itemId, quantity: 1 }],
    });
    expect(last).toMatchObject({ refund: { amount: ron(800) }, order: { refunded: ron(3500) } });
    await shop.settled();
    expect(await claimed()).toBe(300);
  });

  it('what an edit cut off a reservation is due again as well', async () => {
    await courierShop.post('/api/admin/payment-methods/', {
      name: 'Reserve',
      code: 'reserve',
      enabled: true,
      provider: 'payment-a',
      capture: 'manual',
      config: courierShop.provider.config(),
    });
    const { variantId } = await courierShop.stocked(1000, 20);
    const { id, ref, client } = await placed(variantId, 3, 4500, { paymentMethod: 'reserve' });
    courierShop.provider.pay(ref);
    await courierShop.tell(ref, 'payment_intent.amount_capturable_updated');
    const itemId = (await read(id)).lines[0].id;
    const edit = (quantity: number) =>
      shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, { operations: [{ op: 'change_quantity', itemId, quantity }] });
    expect((await edit(2)).body).toMatchObject({ difference: ron(-1000), order: { paymentStatus: 'authorized' } });
    expect((await edit(3)).body.order).toMatchObject({ paymentStatus: 'unpaid', totals: { total: ron(4500) } });
    expect((await shop.a.admin.post<Json>(`/api/admin/orders/${id}/ship`, {})).body).toMatchObject({ code: 'order_unpaid' });
    await shop.settled();
    const again = await client.post<Json>(`/api/storefront/checkout/orders/${id}/confirm-payment`, {});
    const rest = await courierShop.refOf(again.body.payment.id);
    expect(rest).not.toBe(ref);
    courierShop.provider.pay(rest);
    await courierShop.tell(rest, 'payment_intent.amount_capturable_updated');
    expect((await shop.a.admin.post<Json>(`/api/admin/orders/${id}/ship`, {})).body).toMatchObject({ status: 'shipped' });
    await shop.settled();
    expect([atProvider(ref).captured, atProvider(rest).captured]).toEqual([3500, 1000]);
  });

  it('money goes back only by who may refund', async () => {
    const { variantId } = await courierShop.stocked(1000, 20);
    const { id } = await paid(variantId, 3, 4500);
    const itemId = (await read(id)).lines[0].id;
    const clerk = await shop.a.staff(['orders.order.read', 'orders.order.edit']);
    const edit = (quantity: number, more: object = {}) =>
      clerk.patch<Json>(`/api/admin/orders/${id}/edit`, {
        operations: [{ op: 'change_quantity', itemId, quantity }],
        ...more,
      });
    const before = await read(id);
    for (const refused of [await edit(2, { dryRun: true }), await edit(2)]) {
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ code: 'forbidden', permission: 'orders.order.refund' });
    }
    expect(await read(id)).toEqual(before);
    // Unpaid lines can be removed again.
    expect((await edit(5)).status).toBe(200);
    expect((await edit(3)).status).toBe(200);
    expect((await edit(2)).status).toBe(403);
    const refunder = await shop.a.staff(['orders.order.read', 'orders.order.edit', 'orders.order.refund']);
    const operations = [{ op: 'change_quantity', itemId, quantity: 2 }];
    expect((await refunder.patch<Json>(`/api/admin/orders/${id}/edit`, { operations })).body.order).toMatchObject({
      refunded: ron(1000),
    });
  });

  it('a surcharge is taxed by its own category; ids that the shop doesn’t know are refused', async () => {
    const fees = await courierShop.post('/api/admin/taxes/categories', { code: 'fees', name: 'Fees', kind: 'service' });
    await courierShop.post('/api/admin/taxes/rates', {
      country: 'RO',
      categoryId: fees.id,
      ratePpm: 90_000,
      name: 'TVA servicii',
      validFrom: '2020-01-01',
    });
    const { body: foreign } = await shop.b.admin.post<Json>('/api/admin/taxes/categories', {
      code: 'fees',
      name: 'Fees',
      kind: 'service',
    });
    const { variantId } = await courierShop.stocked(1000, 20);
    const { id } = await placed(variantId, 1, 2500);
    const edit = (...operations: object[]) => shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, { operations });
    const surcharge = (taxCategoryId: string) => ({ op: 'add_surcharge', name: 'Gift wrap', amount: ron(1090), taxCategoryId });
    const unknown = variantId;
    for (const [operation, member] of [
      [surcharge(unknown), 'taxCategoryId'],
      [surcharge(foreign.id), 'taxCategoryId'],
      [{ op: 'change_shipping', price: ron(500), methodId: unknown }, 'methodId'],
    ] as const) {
      const refused = await edit({ op: 'change_shipping', price: ron(900) }, operation);
      expect(refused.body).toMatchObject({ status: 404, errors: [{ pointer: `/operations/1/${member}` }] });
    }
    const wrapped = await edit(surcharge(fees.id), { op: 'change_shipping', price: ron(1500), methodId: courierShop.courier });
    expect(wrapped.body).toMatchObject({ difference: ron(1090) });
    const { surcharges, taxSummary } = wrapped.body.order;
    expect(surcharges).toMatchObject([{ name: 'Gift wrap', total: ron(1090), tax: ron(90) }]);
    expect(taxSummary.map((each: Json) => each.ratePpm)).toContain(90_000);
    const draft = (methodId: string) =>
      shop.a.admin.post<Json>('/api/admin/draft-orders/', {
        currency: 'RON',
        lines: [{ variantId, quantity: 1 }],
        shipping: { methodId },
      });
    expect((await draft(unknown)).body).toMatchObject({ status: 404, errors: [{ pointer: '/shipping/methodId' }] });
    expect((await draft(courierShop.courier)).status).toBe(201);
  });

  it('a bundle that joins is taxed as what is in it', async () => {
    const food = await courierShop.post('/api/admin/taxes/categories', { code: 'food', name: 'Food', kind: 'goods' });
    await courierShop.post('/api/admin/taxes/rates', {
      country: 'RO',
      categoryId: food.id,
      ratePpm: 110_000,
      name: 'TVA redusă',
      validFrom: '2020-01-01',
    });
    const a = await courierShop.stocked(3000, 10);
    const b = await courierShop.stocked(1000, 10, { taxCategoryId: food.id });
    const kit = await product(shop.a, 3000, { type: 'bundle', status: 'draft' });
    const components = [a, b].map(({ variantId }) => ({ variantId, quantity: 1 }));
    await courierShop.post(`/api/admin/bundles/${kit.productId}`, { components, pricing: 'fixed' });
    await shop.a.admin.patch(`/api/admin/products/${kit.productId}`, { status: 'active' });
    const { id } = await placed(a.variantId, 1, 4500);
    const edit = await shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, {
      operations: [{ op: 'add_item', variantId: kit.variantId, quantity: 2 }],
    });
    expect(edit.body).toMatchObject({ difference: ron(6000) });
    const line = edit.body.order.lines[1];
    expect(line.taxLines.map((each: Json) => each.ratePpm)).toEqual([210_000, 110_000]);
    expect(line.children.map((each: Json) => each.total.amount)).toEqual([4500, 1500]);
    expect(await level(b.variantId)).toEqual({ onHand: 10, reserved: 2 });
  });

  it('moves abroad and back: the first totals', async () => {
    const { variantId } = await courierShop.stocked(1000, 5);
    const { id } = await placed(variantId, 2, 3500);
    const before = await read(id);
    const move = (country: string) =>
      shop.a.admin.patch<Json>(`/api/admin/orders/${id}/address`, {
        shippingAddress: { ...address, country, postalCode: country === 'DE' ? '10115' : address.postalCode },
      });
    expect((await move('DE')).status).toBe(200);
    expect((await move('RO')).status).toBe(200);
    const after = await read(id);
    expect([after.totals, after.taxSummary]).toEqual([before.totals, before.taxSummary]);
  });

  it('promotions calculated again give back and take their uses', async () => {
    await courierShop.post('/api/admin/promotions/', {
      name: 'Tenth',
      code: 'TENTH',
      type: 'percentage',
      target: 'order',
      value: { percentBp: 1000 },
      usageLimit: 1,
    });
    const { variantId } = await courierShop.stocked(1000, 10);
    const { client } = await visitor(shop.a, [variantId, 2]);
    expect((await client.post('/api/storefront/cart/promotion', { code: 'TENTH' })).status).toBe(200);
    const answer = await courierShop.place(client, 3300, { shippingMethodId: courierShop.courier });
    const { id } = (answer.body as Json).order;
    const itemId = (await read(id)).lines[0].id;
    const again = await shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, {
      operations: [{ op: 'change_quantity', itemId, quantity: 4 }],
      promotions: 'recalculate',
    });
    expect(again.body).toMatchObject({ order: { totals: { itemsDiscount: ron(400), total: ron(5100) } } });
    await shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'x' });
    await shop.settled();
    const [use] = await shop.rows<Json>("select used_count as n from promotions_promotion where code = 'TENTH'");
    expect(use.n).toBe(0);
  });

  it('a parcel that comes home puts its goods back for the order', async () => {
    const { variantId } = await courierShop.stocked(1000, 5);
    const { id } = await paid(variantId, 2, 3500);
    await courierShop.post(`/api/admin/orders/${id}/ship`, {});
    const [parcel] = (await read(id)).fulfillments;
    await shop.a.run('shipping', (ctx) => ctx.require(orders).failDelivery(id, parcel.id, 'returned_to_sender', 'carrier'));
    expect(await level(variantId)).toEqual({ onHand: 5, reserved: 2 });
    expect(await read(id)).toMatchObject({ status: 'processing', fulfillmentStatus: 'unfulfilled' });
    await courierShop.post(`/api/admin/orders/${id}/ship`, {});
    expect(await level(variantId)).toEqual({ onHand: 3, reserved: 0 });
  });
});

describe('concurrent requests', () => {
  it('provider, staff and buyer: one final state, consistent money and stock, no 5xx', async () => {
    const { variantId } = await courierShop.stocked(1000, 100);
    for (let round = 0; round < 6; round++) {
      const { id, ref, client, cart } = await placed(variantId, 1, 2500);
      courierShop.provider.pay(ref);
      const raw = JSON.stringify(courierShop.provider.eventOf('payment_intent.succeeded', ref));
      const answers = await Promise.all([
        shop.a.guest.call('POST', '/api/webhooks/payment-a', {
          raw: { content: raw, type: 'application/json' },
          headers: courierShop.provider.sign(raw, Math.floor(shop.clock.ms() / 1000)),
        }),
        shop.a.admin.at(shop.bases[1]!).post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'x' }),
        client.post(`/api/storefront/checkout/orders/${id}/confirm-payment`, {}),
        client.at(shop.bases[1]!).patch(`/api/storefront/cart/items/${cart.lines[0].id}`, { quantity: 2 }),
        shop.a.admin.post(`/api/admin/orders/${id}/ship`, {}),
        shop.a.admin.at(shop.bases[1]!).patch(`/api/admin/orders/${id}/notes`, { note: 'x' }),
      ]);
      for (const answer of answers) expect([answer.status < 500, answer.text]).toEqual([true, answer.text]);
      await shop.settled();
      const order = await read(id);
      expect(['cancelled', 'shipped']).toContain(order.status);
      const back = order.refunds
        .filter((each: Json) => each.status !== 'failed')
        .reduce((sum: number, each: Json) => sum + each.amount.amount, 0);
      expect([order.status, back]).toEqual(
        order.status === 'cancelled' ? ['cancelled', atProvider(ref).captured] : ['shipped', 0],
      );
      expect(order.history.filter((each: Json) => each.to === order.status)).toHaveLength(1);
    }
    const { reserved } = await level(variantId);
    const [held] = await shop.rows<Json>(
      "select coalesce(sum(quantity), 0)::int as n from inventory_reservation where variant_id = $1 and state = 'active'",
      [variantId],
    );
    expect(reserved).toBe(held.n);
  });
});
