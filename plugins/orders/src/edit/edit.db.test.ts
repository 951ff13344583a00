import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, type Order, openShop, type Placed, paid, place, read, seen, variantId } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openShop({ processes: 2 });
  // Documents are tested separately.
  await shop.a.run('orders', (ctx) => ctx.saveSettings({ invoiceOn: 'manual' }));
});
afterAll(() => shop?.stop());

interface Answer {
  order: Order;
  difference: { amount: number };
  code?: string;
  errors?: { pointer: string }[];
  minimum?: number;
}
const ron = (amount: number) => ({ amount, currency: 'RON' });
const edit = (order: Pick<Placed, 'id'>, operations: object[], more: object = {}, headers: Record<string, string> = {}) =>
  shop.a.admin.patch<Answer>(`/api/admin/orders/${order.id}/edit`, { operations, ...more }, headers);
const add = (price: number, quantity = 1, rate = 21) => ({ op: 'add_item', variantId: variantId(price, rate), quantity });
const totals = (order: Order) => [order.totals.total.amount, order.totals.amountDue.amount, order.totals.taxTotal.amount];

describe('editing', () => {
  it('C61: 12.00 and another 12.00 are 24.00, all of it outstanding, with tax 4.00', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1200, rate: 20 }], noShipping: true });
    const answer = await edit(placed, [add(1200, 1, 20)]);
    expect([answer.status, answer.body.difference]).toEqual([200, ron(1200)]);
    expect(totals(answer.body.order)).toEqual([2400, 2400, 400]);
    expect(await seen(shop, 'edit', placed.id)).toMatchObject([
      { difference: 1200, changes: [{ delta: 1, variantId: variantId(1200, 20) }] },
    ]);
  });

  it('after the payment: an increase is due, a reduction is refunded', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 3 }], noShipping: true });
    const more = await edit(placed, [add(500)]);
    expect(more.body.order).toMatchObject({ paymentStatus: 'partially_paid', totals: { total: ron(3500), amountDue: ron(500) } });
    const less = await edit(placed, [{ op: 'change_quantity', itemId: placed.lineIds[0], quantity: 1 }]);
    expect(less.body).toMatchObject({
      difference: ron(-2000),
      order: { refunded: ron(2000), totals: { total: ron(1500), amountDue: ron(0) } },
    });
    expect(less.body.order.refunds).toMatchObject([{ amount: ron(2000) }]);
  });

  it('kept units keep their price, added units have today’s', async () => {
    const placed = await place(shop.a, { lines: [{ price: 777, quantity: 2 }], noShipping: true });
    await shop.rows('insert into checkout_price values ($1, $2, 900)', [shop.a.id, variantId(777)]);
    const answer = await edit(placed, [{ op: 'change_quantity', itemId: placed.lineIds[0], quantity: 5 }]);
    expect(answer.body.order.lines.map((line) => [line.quantity, line.unitPrice.amount])).toEqual([
      [2, 777],
      [3, 900],
    ]);
    // With equal prices there is one line.
    const same = await place(shop.a, { lines: [{ price: 778, quantity: 2 }], noShipping: true });
    const grown = await edit(same, [{ op: 'change_quantity', itemId: same.lineIds[0], quantity: 5 }]);
    expect(grown.body.order.lines.map((line) => [line.id, line.quantity])).toEqual([[same.lineIds[0], 5]]);
  });

  it('B39: keeps or recalculates promotions', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000, quantity: 4 }], codes: ['HALF'], noShipping: true });
    const kept = await edit(placed, [add(600)], { dryRun: true });
    expect(kept.body.order.totals).toMatchObject({ itemsDiscount: ron(2000), total: ron(2600) });
    const again = await edit(placed, [add(600)], { promotions: 'recalculate' });
    expect(again.body.order.totals).toMatchObject({ itemsDiscount: ron(2300), total: ron(2300) });
    const fewer = await edit(placed, [{ op: 'change_quantity', itemId: placed.lineIds[0], quantity: 1 }]);
    expect(fewer.body.order.totals.total).toEqual(ron(800));
  });

  it('sets prices, shipping and surcharges', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000, quantity: 2 }] });
    const answer = await edit(placed, [
      { op: 'set_price', itemId: placed.lineIds[0], unitPrice: ron(800) },
      { op: 'change_shipping', price: ron(900), name: 'Curier' },
      { op: 'add_surcharge', name: 'Ambalare', amount: ron(250) },
    ]);
    expect(answer.body.order.totals).toMatchObject({
      itemsSubtotal: ron(1600),
      shipping: ron(900),
      surcharges: ron(250),
      total: ron(2750),
    });
    expect(answer.body.difference).toEqual(ron(-750));
  });

  it('applies all operations or none', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000, quantity: 2 }], noShipping: true });
    const before = await read(shop.a, placed.id);
    const bad: [object[], number, string][] = [
      [[add(500), { op: 'remove_item', itemId: placed.id }], 404, '/operations/1/itemId'],
      [[add(500), { ...add(1), variantId: placed.id }], 404, '/operations/1/variantId'],
      [[add(500), { op: 'change_quantity', itemId: placed.lineIds[0] }], 422, '/operations/1/quantity'],
      [[{ op: 'remove_item', itemId: placed.lineIds[0], quantity: 2 }], 422, '/operations/0/quantity'],
      [
        [{ op: 'set_price', itemId: placed.lineIds[0], unitPrice: { amount: 5, currency: 'EUR' } }],
        422,
        '/operations/0/unitPrice/currency',
      ],
      [[{ op: 'explode' }], 422, '/operations/0/op'],
    ];
    for (const [operations, status, pointer] of bad) {
      const answer = await edit(placed, operations);
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([status, pointer]);
    }
    expect((await edit(placed, [add(500), { ...add(400, 101) }])).body.code).toBe('insufficient_stock');
    expect((await edit(placed, [])).status).toBe(422);
    expect(await read(shop.a, placed.id)).toEqual(before);
    expect(await seen(shop, 'edit', placed.id)).toEqual([]);
  });

  it('X13: a dry run checks everything, including stock, and changes nothing', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    const before = await read(shop.a, placed.id);
    expect((await edit(placed, [add(500)], { dryRun: true })).body).toMatchObject({
      difference: ron(500),
      order: { totals: { total: ron(1500) } },
    });
    expect((await edit(placed, [add(500, 101)], { dryRun: true })).body.code).toBe('insufficient_stock');
    expect(await read(shop.a, placed.id)).toEqual(before);
  });

  it('can’t remove shipped, packed, refunded or cancelled units', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 6 }, { price: 10 }], noShipping: true });
    const [itemId] = placed.lineIds;
    const parcel = await shop.a.admin.post<{ id: string }>(`/api/admin/orders/${placed.id}/fulfillments`, {
      lines: [{ lineId: itemId, quantity: 2 }],
    });
    expect((await edit(placed, [{ op: 'change_quantity', itemId, quantity: 1 }])).body).toMatchObject({
      code: 'quantity_below_shipped',
      minimum: 2,
    });
    expect((await edit(placed, [{ op: 'remove_item', itemId }])).body.code).toBe('quantity_below_shipped');
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/refund`, {
      reason: 'x',
      method: 'manual',
      lines: [{ lineId: itemId, quantity: 3 }],
    });
    // 2 in a parcel, 3 refunded before they shipped.
    expect((await edit(placed, [{ op: 'change_quantity', itemId, quantity: 2 }])).body).toMatchObject({
      code: 'quantity_below_shipped',
      minimum: 5,
    });
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, { fulfillmentId: parcel.body.id });
    expect((await edit(placed, [{ op: 'change_quantity', itemId, quantity: 5 }])).status).toBe(200);
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, {});
    expect((await edit(placed, [add(1)])).body).toMatchObject({ code: 'invalid_transition', from: 'shipped' });
  });

  it('concurrent edits are applied in sequence', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        shop.a.admin
          .at(shop.bases[i % 2] as string)
          .patch<Answer>(`/api/admin/orders/${placed.id}/edit`, { operations: [add(100)] }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await read(shop.a, placed.id)).totals.total).toEqual(ron(1600));
    const version = (await read(shop.a, placed.id)).version;
    expect((await edit(placed, [add(100)], {}, { 'if-match': `"${version - 1}"` })).status).toBe(412);
    expect((await edit(placed, [add(100)], {}, { 'if-match': `"${version}"` })).status).toBe(200);
  });

  it('an audit row and the old prices are kept', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    await edit(placed, [add(100)]);
    const revisions = await shop.rows<{ revision: number; total: number }>(
      `select revision, (sheet::jsonb -> 'totals' ->> 'total')::int as total from orders_revision where order_id = $1 order by revision`,
      [placed.id],
    );
    expect(revisions).toEqual([
      { revision: 1, total: 1000 },
      { revision: 2, total: 1100 },
    ]);
    expect(
      await shop.rows("select from core_audit where action = 'orders.order.edit' and entity_id = $1", [placed.id]),
    ).toHaveLength(1);
  });
});

describe('removing a paid line', () => {
  it('names its refund on request, or refunds nothing; a later refund is bounded by what is left', async () => {
    const bought = () => paid(shop.a, { lines: [{ price: 1000 }, { price: 400 }], noShipping: true });
    const remove = ({ id, lineIds }: Placed, query: string) =>
      shop.a.admin.delete<Answer & { refunds: { id: string; amount: object }[] }>(
        `/api/admin/orders/${id}/items/${lineIds[1]}${query}`,
      );
    const named = await bought();
    const answer = await remove(named, '?details=true');
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { difference: ron(-400), refunds: [{ amount: ron(400) }], order: { totals: { total: ron(1000) }, refunded: ron(400) } },
    ]);
    const { refunds } = await read(shop.a, named.id);
    expect(answer.body.refunds.map(({ id }) => id)).toEqual(refunds.map(({ id }) => id));
    const twice = await shop.a.admin.post<Answer>(`/api/admin/orders/${named.id}/refund`, { amount: ron(1001), reason: 'again' });
    expect(twice.body.code).toBe('refund_exceeds_captured');
    const kept = await bought();
    expect((await remove(kept, '?refund=false')).status).toBe(204);
    expect(await read(shop.a, kept.id)).toMatchObject({ paymentStatus: 'overpaid', refunded: ron(0), refunds: [] });
    expect((await remove(kept, '?refund=perhaps')).status).toBe(400);
  });
});

describe('items', () => {
  it('are one operation each; the last one can’t be removed', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000 }], noShipping: true });
    const at = `/api/admin/orders/${placed.id}/items`;
    const added = await shop.a.admin.post<Answer>(at, { variantId: variantId(300), quantity: 2 });
    expect([added.status, added.headers.location]).toEqual([201, `/api/admin/orders/${placed.id}`]);
    const line = added.body.order.lines.find((each) => each.quantity === 2);
    const changed = await shop.a.admin.patch<Answer>(`${at}/${line?.id}`, { quantity: 3, unitPrice: ron(250) });
    expect(changed.body).toMatchObject({ difference: ron(150), order: { totals: { total: ron(1750) } } });
    expect((await shop.a.admin.patch(`${at}/${line?.id}`, {})).body).toMatchObject({
      difference: ron(0),
      order: { version: changed.body.order.version },
    });
    expect((await shop.a.admin.delete(`${at}/${line?.id}`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${at}/${line?.id}`)).status).toBe(404);
    expect((await shop.a.admin.delete(`${at}/${placed.lineIds[0]}`)).body).toMatchObject({ code: 'last_line' });
    expect((await shop.a.admin.post(at, { variantId: placed.id, quantity: 1 })).body).toMatchObject({
      code: 'not_found',
      errors: [{ pointer: '/variantId' }],
    });
    expect((await read(shop.a, placed.id)).totals.total).toEqual(ron(1000));
  });
});

describe('addresses', () => {
  const change = (order: Pick<Placed, 'id'>, body: object) =>
    shop.a.admin.patch<Answer & { changes: { member: string }[] }>(`/api/admin/orders/${order.id}/address`, body);
  const abroad = { ...home, country: 'CH', postalCode: '8001', city: 'Zürich' };

  it('another location changes tax and shipping; returning to the first address restores the totals', async () => {
    const placed = await place(shop.a, {
      lines: [
        { price: 1000, quantity: 3 },
        { price: 350, rate: 11 },
      ],
      codes: ['HALF'],
    });
    const before = await read(shop.a, placed.id);
    const there = await change(placed, { shippingAddress: abroad });
    expect(there.body).toMatchObject({
      difference: ron(1500),
      order: { totals: { shipping: ron(3000), taxTotal: ron(0) }, country: 'CH' },
    });
    expect(there.body.changes.map((each) => each.member)).toEqual(['shippingAddress', 'total', 'amountDue']);
    const back = await change(placed, { shippingAddress: home });
    expect(back.body.difference).toEqual(ron(-1500));
    const after = await read(shop.a, placed.id);
    expect([after.totals, after.lines.map((line) => line.total)]).toEqual([
      before.totals,
      before.lines.map((line) => line.total),
    ]);
  });

  it('another location keeps free shipping that the goods before discounts reach', async () => {
    const placed = await place(shop.a, { lines: [{ price: 600_000, quantity: 2 }], codes: ['HALF'] });
    const there = await change(placed, { shippingAddress: abroad });
    expect(there.body.order.totals).toMatchObject({ itemsDiscount: ron(600_000), shipping: ron(0) });
  });

  it('a dry run, another street, or `recalculate: false` changes no price', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000 }] });
    expect((await change(placed, { shippingAddress: abroad, dryRun: true })).body.difference).toEqual(ron(1500));
    const street = await change(placed, { shippingAddress: { ...home, line1: 'Strada Scurtă 2' } });
    expect(street.body).toMatchObject({
      difference: ron(0),
      order: { revision: 1, shippingAddress: { line1: 'Strada Scurtă 2' } },
    });
    const kept = await change(placed, { shippingAddress: abroad, recalculate: false });
    expect(kept.body).toMatchObject({ difference: ron(0), order: { country: 'CH', totals: { total: ron(2500) } } });
  });

  it('a change that refunds money needs the refund permission', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 3 }] });
    expect((await change(placed, { shippingAddress: abroad })).status).toBe(200);
    const clerk = await shop.a.staff(['orders.order.read', 'orders.order.update']);
    const at = `/api/admin/orders/${placed.id}/address`;
    const refused = await clerk.patch<{ permission: string }>(at, { shippingAddress: home });
    expect([refused.status, refused.body.permission]).toEqual([403, 'orders.order.refund']);
    // Without recalculation nothing is refunded.
    expect((await clerk.patch(at, { shippingAddress: home, recalculate: false })).status).toBe(200);
  });

  it('can’t change after a shipment, nor be removed', async () => {
    const placed = await paid(shop.a, { lines: [{ price: 1000, quantity: 2 }] });
    expect((await change(placed, {})).body).toMatchObject({ difference: ron(0), changes: [] });
    expect((await change(placed, { shippingAddress: null })).status).toBe(422);
    expect((await change(placed, { shippingAddress: { ...home, country: 'Romania' } })).status).toBe(422);
    const parcel = await shop.a.admin.post<{ id: string }>(`/api/admin/orders/${placed.id}/fulfillments`, {
      lines: [{ lineId: placed.lineIds[0], quantity: 1 }],
    });
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, { fulfillmentId: parcel.body.id });
    expect((await change(placed, { billingAddress: abroad })).body).toMatchObject({ code: 'order_has_shipments' });
  });
});

describe('notes', () => {
  it('of the buyer and of staff are separate', async () => {
    const placed = await place(shop.a, { lines: [{ price: 1000 }] });
    const at = `/api/admin/orders/${placed.id}`;
    expect((await shop.a.admin.patch(`${at}/notes`, { note: 'Ajunge luni' })).body).toMatchObject({ notes: 'Ajunge luni' });
    expect((await shop.a.admin.patch(`${at}/notes`, {})).body).toMatchObject({ notes: 'Ajunge luni' });
    const made = await shop.a.admin.post(`${at}/internal-notes`, { text: 'SECRET-NOTE' });
    expect(made.status).toBe(201);
    expect((await read(shop.a, placed.id)) as object).toMatchObject({ internalNotes: [{ text: 'SECRET-NOTE' }] });
    const buyer = await shop.a.guest.get(`/api/storefront/orders/${placed.id}?token=${placed.token}`);
    expect(buyer.text).toContain('Ajunge luni');
    const slip = await shop.a.admin.get(`${at}/packing-slip?format=html`);
    for (const text of [buyer.text, slip.text]) expect(text).not.toContain('SECRET-NOTE');
    expect(JSON.stringify(await shop.rows('select data from core_event where aggregate = $1', [placed.id]))).not.toContain(
      'SECRET-NOTE',
    );
    expect((await shop.a.admin.patch(`${at}/notes`, { note: null })).body).toMatchObject({ notes: null });
  });
});
