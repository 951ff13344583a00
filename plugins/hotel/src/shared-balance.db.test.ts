import type { TestClient } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { product } from '../../checkout/test/goods.ts';
import { openTill, type Till } from '../../checkout/test/till.ts';
import { act, addType, change, type Json, must, ron, setUp } from '../test/shop.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill(['hotel', 'taxes'], { processes: 2, now: '2026-07-01T06:00:00.000Z' });
  shop = till.shop;
});
afterAll(() => till?.stop());

const nights = { checkIn: '2026-07-10', checkOut: '2026-07-12', adults: 1 };
const admin = (path: string, body?: Json, process = 0) => {
  const client: TestClient = shop.a.admin.at(shop.bases[process] as string);
  return body === undefined ? client.get<Json>(`/api/admin/${path}`) : client.post<Json>(`/api/admin/${path}`, body);
};
const edit = (order: Json, operations: Json[]) => shop.a.admin.patch<Json>(`/api/admin/orders/${order.id}/edit`, { operations });
const staysOf = async (order: Json): Promise<Json[]> => {
  const { data } = await must(admin(`reservations-hotel/?orderId=${order.id}`), 200);
  return data.toSorted((one: Json, other: Json) => (one.id < other.id ? -1 : 1));
};
const folios = async (order: Json) => (await staysOf(order)).map(({ paid, balance }) => [paid.amount, balance.amount]);
const orderOf = (order: Json) => must(admin(`orders/${order.id}`), 200);
const moneyOf = async (order: Json): Promise<Json> => {
  const [row] = await shop.rows<Json>(
    `select captured_amount::int as captured, refunded_amount::int as refunded, amount_due_amount::int as due from orders_order where id = $1`,
    [order.id],
  );
  return row as Json;
};
const documentsOf = (order: Json) =>
  shop.rows<Json>('select kind, total_amount::int as total from orders_invoice where order_id = $1 order by issued_at, id', [
    order.id,
  ]);
/** Stays of 100.00 a night, by bank transfer. */
async function bought(rooms: number, data: Json = {}, isPaid = true, variantId?: string): Promise<Json> {
  const { roomType } = await addType(shop.a, rooms + 2);
  const line = { kind: 'hotel.stay', quantity: rooms, data: { ...nights, roomType, ...data } };
  const cart = await must(shop.a.guest.post<Json>('/api/storefront/cart/items', line), 201);
  const buyer = shop.a.guest.with({ 'x-cart-token': cart.cartToken });
  const { totals } =
    variantId === undefined ? cart : await must(buyer.post<Json>('/api/storefront/cart/items', { variantId, quantity: 1 }), 201);
  const { order } = await must(till.place(buyer, totals.total.amount, { paymentMethod: 'transfer' }), 201);
  await shop.settled();
  if (isPaid) await payOpen(order);
  return order;
}
async function payOpen(order: Json): Promise<void> {
  const open = await shop.rows<Json>("select id from payments_payment where for_id = $1 and status = 'created'", [order.id]);
  for (const { id } of open) await must(admin(`payments/${id}/mark-paid`, {}), 200);
  await shop.settled();
}
const refundAtDesk = (id: string, amount: number, process = 0) =>
  shop.a.admin.at(shop.bases[process] as string).patch<Json>(`/api/admin/reservations-hotel/${id}`, {
    folioAdd: [{ kind: 'refund', label: 'Cash back', amount: ron(amount) }],
  });

describe('payments of an order', () => {
  it('after an edit pay the folio of the added room, so that the guest pays it once', async () => {
    const order = await bought(1);
    const { lines } = await orderOf(order);
    await must(edit(order, [{ op: 'change_quantity', itemId: lines[0].id, quantity: 2 }]), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([
      [20_000, 0],
      [0, 20_000],
    ]);
    await payOpen(order);
    expect(await folios(order)).toEqual([
      [20_000, 0],
      [20_000, 0],
    ]);
    expect(await moneyOf(order)).toMatchObject({ captured: 40_000, due: 0 });
  });

  it('follow a price that an edit lowers or raises', async () => {
    const order = await bought(2);
    const { lines } = await orderOf(order);
    await must(edit(order, [{ op: 'set_price', itemId: lines[0].id, unitPrice: ron(15_000) }]), 200);
    await shop.settled();
    expect(await staysOf(order)).toMatchObject([1, 2].map(() => ({ total: ron(15_000), paid: ron(15_000), balance: ron(0) })));
    const [pending] = (await must(admin(`payments/refunds?forId=${order.id}`), 200)).data;
    expect(pending).toMatchObject({ status: 'pending', amount: ron(10_000) });
    await must(admin(`payments/refunds/${pending.id}/mark-paid`, {}), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([
      [15_000, 0],
      [15_000, 0],
    ]);
    await must(edit(order, [{ op: 'set_price', itemId: lines[0].id, unitPrice: ron(17_000) }]), 200);
    await shop.settled();
    expect((await folios(order)).reduce((sum, [, balance]) => sum + (balance ?? 0), 0)).toBe(4000);
    await payOpen(order);
    expect(await folios(order)).toEqual([
      [17_000, 0],
      [17_000, 0],
    ]);
  });
});

describe('refunds of a stay bought in the shop', () => {
  it('at the desk refund the order, with its credit note, and are not made again when the order is cancelled', async () => {
    const order = await bought(1);
    const [stay] = await staysOf(order);
    await must(change(shop.a, stay?.id, { status: 'cancelled', cancelReason: 'ill' }), 200);
    expect(await folios(order)).toEqual([[20_000, -20_000]]);
    await must(refundAtDesk(stay?.id, 20_000), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([[0, 0]]);
    expect(await moneyOf(order)).toMatchObject({ captured: 20_000, refunded: 20_000 });
    expect(await documentsOf(order)).toEqual([
      { kind: 'invoice', total: 20_000 },
      { kind: 'credit_note', total: 20_000 },
    ]);
    await must(admin(`orders/${order.id}/status`, { status: 'cancelled', reason: 'ill' }), 200);
    await shop.settled();
    expect(await moneyOf(order)).toMatchObject({ captured: 20_000, refunded: 20_000 });
    expect(await folios(order)).toEqual([[0, 0]]);
    expect((await refundAtDesk(stay?.id, 1)).body).toMatchObject({ status: 409, code: 'refund_exceeds_captured', refundable: 0 });
  });

  it('at the desk are credited at the rate of the stay, not at those of other lines', async () => {
    const categoryAt = async (code: string, ratePpm: number): Promise<string> => {
      const category = await must(shop.a.admin.post<Json>('/api/admin/taxes/categories', { code, name: code }), 201);
      const rate = { country: 'RO', categoryId: category.id, ratePpm, validFrom: '2020-01-01' };
      await must(shop.a.admin.post<Json>('/api/admin/taxes/rates', rate), 201);
      return category.id;
    };
    const { variantId } = await product(shop.a, 10_000, { taxCategoryId: await categoryAt('goods', 210_000) });
    await setUp(shop.a, { taxCategoryId: await categoryAt('stays', 110_000) });
    const order = await bought(1, {}, true, variantId);
    await setUp(shop.a, { taxCategoryId: null });
    const [stay] = await staysOf(order);
    await must(refundAtDesk(stay?.id, 7000), 200);
    await must(refundAtDesk(stay?.id, 13_000), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([[0, 20_000]]);
    const { data } = await must(admin(`invoices/?orderId=${order.id}`), 200);
    const rates = (data as Json[])
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ taxSummary }) => taxSummary.map((row: Json) => [row.ratePpm, row.base.amount, row.tax.amount]));
    // 200.00 · 11/111 = 19.82; 70.00 · 1982/20000 = 6.94
    expect(rates).toEqual([
      [
        [210_000, 8264, 1736],
        [110_000, 18_018, 1982],
      ],
      [[110_000, 6306, 694]],
      [[110_000, 11_712, 1288]],
    ]);
    const whole = await orderOf(order);
    expect(whole.refunds).toMatchObject([
      { amount: ron(7000), tax: ron(694), lines: [] },
      { amount: ron(13_000), tax: ron(1288), lines: [] },
    ]);
    // The goods are still refunded as a unit.
    const goods = whole.lines.find(({ kind }: Json) => kind === 'product');
    const units = { lines: [{ lineId: goods.id, quantity: 1 }], reason: 'x', method: 'manual' };
    await must(admin(`orders/${order.id}/refund`, units), 200);
    expect(await moneyOf(order)).toMatchObject({ captured: 30_000, refunded: 30_000 });
  });

  it('of the order’s money need its permission', async () => {
    const order = await bought(1);
    const [stay] = await staysOf(order);
    const clerk = await shop.a.staff(['hotel.reservation.read', 'hotel.reservation.update']);
    const refund = { folioAdd: [{ kind: 'refund', label: 'Cash back', amount: ron(100) }] };
    const refused = await clerk.patch<Json>(`/api/admin/reservations-hotel/${stay?.id}`, refund);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden', permission: 'orders.order.refund' } });
    expect(await moneyOf(order)).toMatchObject({ refunded: 0 });
  });

  it('before the rest is paid are credited by the documents of the paid order', async () => {
    const order = await bought(2, {}, false);
    const [one] = await staysOf(order);
    await must(change(shop.a, one?.id, { folioAdd: [{ kind: 'payment', label: 'Cash', amount: ron(10_000) }] }), 200);
    await must(refundAtDesk(one?.id, 4000), 200);
    await shop.settled();
    await payOpen(order);
    expect(await moneyOf(order)).toMatchObject({ captured: 40_000, due: 0 });
    expect(await documentsOf(order)).toEqual([
      { kind: 'invoice', total: 40_000 },
      { kind: 'credit_note', total: 4000 },
    ]);
  });

  it('of a shortened stay leave the order no more than the rest to refund', async () => {
    const order = await bought(1, { checkOut: '2026-07-13' });
    const [stay] = await staysOf(order);
    await must(change(shop.a, stay?.id, { checkOut: '2026-07-12' }), 200);
    expect(await folios(order)).toEqual([[30_000, -10_000]]);
    await must(refundAtDesk(stay?.id, 10_000), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([[20_000, 0]]);
    const { body } = await admin(`orders/${order.id}/refund`, { amount: ron(30_000), reason: 'x', method: 'manual' });
    expect(body).toMatchObject({ status: 409, code: 'refund_exceeds_captured', refundable: 20_000 });
    await must(admin(`orders/${order.id}/refund`, { amount: ron(20_000), reason: 'x', method: 'manual' }), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([[0, 20_000]]);
  });

  it('by the order stand in the folio while they are pending, and no longer once they are cancelled', async () => {
    const order = await bought(1);
    await must(admin(`orders/${order.id}/refund`, { amount: ron(5000), reason: 'x', method: 'manual' }), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([[15_000, 5000]]);
    await must(admin(`orders/${order.id}/refund`, { amount: ron(3000), reason: 'y' }), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([[12_000, 8000]]);
    const { data } = await must(admin(`payments/refunds?forId=${order.id}&status=pending`), 200);
    await must(admin(`payments/refunds/${data[0].id}/cancel`, { reason: 'account closed' }), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([[15_000, 5000]]);
  });

  it('of one room leave the folio of the other room unchanged', async () => {
    const order = await bought(2);
    const [one, other] = await staysOf(order);
    await must(change(shop.a, other?.id, { status: 'cancelled', cancelReason: 'one guest less' }), 200);
    const { lines } = await orderOf(order);
    const units = { lines: [{ lineId: lines[0].id, quantity: 1 }], reason: 'one guest less', method: 'manual' };
    await must(admin(`orders/${order.id}/refund`, units), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([
      [20_000, 0],
      [0, 0],
    ]);
    await must(refundAtDesk(one?.id, 4000), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([
      [16_000, 4000],
      [0, 0],
    ]);
    expect((await refundAtDesk(other?.id, 1)).body).toMatchObject({ status: 409, refundable: 0 });
  });

  it('take the rest from the payments of the folio’s own charges', async () => {
    const order = await bought(1);
    const [stay] = await staysOf(order);
    const entries = [
      { kind: 'charge', label: 'Minibar', amount: ron(1500) },
      { kind: 'payment', label: 'Cash', amount: ron(1500) },
    ];
    await must(change(shop.a, stay?.id, { folioAdd: entries }), 200);
    expect((await refundAtDesk(stay?.id, 21_501)).body).toMatchObject({ status: 409, refundable: 21_500 });
    await must(refundAtDesk(stay?.id, 21_500), 200);
    await shop.settled();
    expect(await moneyOf(order)).toMatchObject({ refunded: 20_000 });
    expect(await folios(order)).toEqual([[0, 21_500]]);
  });

  it('through both doors at the same time give back no more than was paid', async () => {
    for (let round = 0; round < 3; round++) {
      const order = await bought(2);
      const [one, other] = await staysOf(order);
      const answers = await Promise.all([
        ...[0, 1, 0, 1].map((process) =>
          admin(`orders/${order.id}/refund`, { amount: ron(15_000), reason: 'x', method: 'manual' }, process),
        ),
        ...[0, 1, 0, 1].map((process) => refundAtDesk(process === 0 ? one?.id : other?.id, 9000, process)),
      ]);
      await shop.settled();
      for (const { status, body } of answers)
        if (status !== 200) expect([status, body.code]).toEqual([409, 'refund_exceeds_captured']);
      const { captured, refunded } = await moneyOf(order);
      const atDesk = answers.slice(4).filter(({ status }) => status === 200).length * 9000;
      const byOrder = answers.slice(0, 4).filter(({ status }) => status === 200).length * 15_000;
      expect(refunded).toBe(atDesk + byOrder);
      expect(refunded).toBeLessThanOrEqual(captured);
      expect(refunded).toBeGreaterThan(captured - 15_000);
      expect((await folios(order)).reduce((sum, [paid]) => sum + (paid ?? 0), 0)).toBe(captured - refunded);
    }
  });

  it('are not made twice when the desk refunds while the order is cancelled', async () => {
    for (let round = 0; round < 3; round++) {
      const order = await bought(1);
      const [stay] = await staysOf(order);
      const [cancelled, atDesk] = await Promise.all([
        admin(`orders/${order.id}/status`, { status: 'cancelled', reason: 'ill' }, 0),
        refundAtDesk(stay?.id, 20_000, 1),
      ]);
      await shop.settled();
      expect(cancelled?.status).toBe(200);
      expect([200, 409]).toContain(atDesk?.status);
      expect(await moneyOf(order)).toMatchObject({ captured: 20_000, refunded: 20_000 });
      expect(await folios(order)).toEqual([[0, 0]]);
    }
  });

  it('need the stay’s own shop', async () => {
    const order = await bought(1);
    const [stay] = await staysOf(order);
    const folioAdd = [{ kind: 'refund', label: 'x', amount: ron(1) }];
    expect((await shop.b.admin.patch(`/api/admin/reservations-hotel/${stay?.id}`, { folioAdd })).status).toBe(404);
    expect(await folios(order)).toEqual([[20_000, 0]]);
  });

  it('can’t be disguised as the order’s by its number', async () => {
    const order = await bought(1, {}, false);
    const { number } = await orderOf(order);
    const [stay] = await staysOf(order);
    const entry = (kind: string) => ({ kind, label: number, ref: number, amount: ron(500) });
    const charged = { kind: 'charge', label: 'Bar', amount: ron(500) };
    await payOpen(order);
    await must(change(shop.a, stay?.id, { folioAdd: [charged, entry('payment')] }), 200);
    await must(change(shop.a, stay?.id, { folioAdd: [entry('charge')] }), 200);
    await shop.settled();
    expect(await folios(order)).toEqual([[20_500, 500]]);
    expect(await moneyOf(order)).toMatchObject({ captured: 20_000, refunded: 0 });
  });
});

it('a paid stay checks out without another payment', async () => {
  const { roomType, rooms } = await addType(shop.a, 1);
  const data = { checkIn: '2026-07-01', checkOut: '2026-07-02', adults: 1, roomType };
  const cart = await must(shop.a.guest.post<Json>('/api/storefront/cart/items', { kind: 'hotel.stay', quantity: 1, data }), 201);
  const buyer = shop.a.guest.with({ 'x-cart-token': cart.cartToken });
  const { order } = await must(till.place(buyer, 10_000, { paymentMethod: 'transfer' }), 201);
  await shop.settled();
  await payOpen(order);
  const [stay] = await staysOf(order);
  const guests = [{ firstName: 'A', lastName: 'B' }];
  await must(act(shop.a, stay?.id, 'check-in', { roomId: rooms[0]?.id, guests, override: { reason: 'early' } }), 200);
  await must(act(shop.a, stay?.id, 'check-out'), 200);
});
