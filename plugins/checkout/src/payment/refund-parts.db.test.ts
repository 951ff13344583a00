import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, ron, visitor } from '../../test/goods.ts';
import { done, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill(['inventory'], { processes: 2 });
  shop = till.shop;
});
afterAll(() => till?.stop());

const stored = (id: string): Promise<Json> => done(shop.a.admin.get<Json>(`/api/admin/orders/${id}`));
const settlePayments = async (id: string): Promise<void> => {
  for (const payment of (await stored(id)).payments)
    if (payment.status === 'created') await done(shop.a.admin.post(`/api/admin/payments/${payment.id}/mark-paid`, {}));
  await shop.settled();
};
const refund = (id: string, body: object) =>
  done(shop.a.admin.post<Json>(`/api/admin/orders/${id}/refund`, { reason: 'damaged', ...body }));
const partsOf = (orderId: string) =>
  shop.rows<{ id: string; amount: number; status: string }>(
    `select r.id, r.amount_amount::int as amount, r.status from payments_refund r join payments_payment p
      on p.tenant_id = r.tenant_id and p.id = r.payment_id where p.for_id = $1 order by r.amount_amount`,
    [orderId],
  );
const settle = (partId: string, how: 'mark-paid' | 'cancel', base = 0) =>
  shop.a.admin
    .at(shop.bases[base] as string)
    .post<Json>(`/api/admin/payments/refunds/${partId}/${how}`, how === 'cancel' ? { reason: 'account closed' } : {});

/** An order paid by two bank transfers of 100.00 and 20.00. */
async function paidTwice(): Promise<Json> {
  const { variantId } = await product(shop.a, 10_000, {}, { trackInventory: false });
  const more = await product(shop.a, 2000, {}, { trackInventory: false });
  const { client } = await visitor(shop.a, [variantId, 1]);
  const { order } = (await till.place(client, 10_000, { paymentMethod: 'transfer' })).body as Json;
  await settlePayments(order.id);
  await done(shop.a.admin.post(`/api/admin/orders/${order.id}/items`, { variantId: more.variantId, quantity: 1 }));
  await settlePayments(order.id);
  return stored(order.id);
}

describe('a refund in two offline parts', () => {
  it('is complete for the part that was transferred, when the other one is cancelled', async () => {
    const order = await paidTwice();
    await refund(order.id, { amount: ron(12_000) });
    const [small, large] = (await partsOf(order.id)) as [Json, Json];
    expect([small, large]).toMatchObject([
      { amount: 2000, status: 'pending' },
      { amount: 10_000, status: 'pending' },
    ]);
    await done(settle(small.id, 'cancel'));
    expect((await stored(order.id)).refunds).toMatchObject([{ status: 'pending', amount: ron(12_000) }]);
    await done(settle(large.id, 'mark-paid'));
    await shop.settled();
    const after = await stored(order.id);
    expect(after).toMatchObject({
      refunded: ron(10_000),
      paymentStatus: 'partially_refunded',
      refunds: [{ status: 'succeeded', amount: ron(10_000) }],
    });
    const credits = after.invoices.filter(({ kind }: Json) => kind === 'credit_note');
    expect(credits.map(({ total }: Json) => total)).toEqual([ron(10_000)]);
    // The rest can be refunded, and no more.
    const beyond = await shop.a.admin.post<Json>(`/api/admin/orders/${order.id}/refund`, { amount: ron(2001), reason: 'x' });
    expect(beyond.body).toMatchObject({ code: 'refund_exceeds_captured' });
    await refund(order.id, { amount: ron(2000) });
    expect((await stored(order.id)).refunded).toEqual(ron(12_000));
  });

  it('has one outcome when its parts are settled in parallel, in either direction', async () => {
    const order = await paidTwice();
    await refund(order.id, { amount: ron(12_000) });
    const [small, large] = (await partsOf(order.id)) as [Json, Json];
    const answers = await Promise.all([
      ...[0, 1, 0].map((base) => settle(small.id, 'mark-paid', base)),
      ...[1, 0, 1].map((base) => settle(large.id, 'cancel', base)),
      settle(large.id, 'mark-paid'),
    ]);
    for (const { status, body } of answers) expect([200, 409], body.code).toContain(status);
    await shop.settled();
    const after = await stored(order.id);
    const wentOut = (await partsOf(order.id)).reduce((sum, { status, amount }) => sum + (status === 'succeeded' ? amount : 0), 0);
    expect(after).toMatchObject({ refunded: ron(wentOut), refunds: [{ status: 'succeeded', amount: ron(wentOut) }] });
    const credits = after.invoices.filter(({ kind }: Json) => kind === 'credit_note');
    // A credit of several invoices has a note for each.
    expect([credits.reduce((sum: number, { total }: Json) => sum + total.amount, 0)]).toEqual([wentOut]);
  });
});

describe('a cancelled refund of units that hadn’t shipped', () => {
  const bought = async (): Promise<{ order: Json; variantId: string }> => {
    const { variantId } = await product(shop.a, 1000, {}, { trackInventory: true });
    await done(shop.a.admin.post(`/api/admin/inventory/${variantId}/adjust`, { delta: 5, reason: 'received' }));
    const { client } = await visitor(shop.a, [variantId, 3]);
    const { order } = (await till.place(client, 3000, { paymentMethod: 'transfer' })).body as Json;
    await settlePayments(order.id);
    return { order: await stored(order.id), variantId };
  };
  const reserved = async (variantId: string): Promise<number> => {
    const [row] = await shop.rows<{ n: number }>(
      'select coalesce(sum(reserved), 0)::int as n from inventory_level where variant_id = $1',
      [variantId],
    );
    return row?.n ?? 0;
  };
  const refundOne = (order: Json) => refund(order.id, { lines: [{ lineId: order.lines[0].id, quantity: 1, restock: true }] });
  const cancelPart = async (orderId: string): Promise<void> => {
    const part = (await partsOf(orderId)).find(({ status }) => status === 'pending');
    await done(settle(part?.id as string, 'cancel'));
    await shop.settled();
  };

  it('gives the order its units and their reservation back, which can be refunded or shipped then', async () => {
    const { order, variantId } = await bought();
    for (let round = 0; round < 2; round++) {
      await refundOne(order);
      expect((await stored(order.id)).lines[0]).toMatchObject({ quantityCancelled: 1, quantityRefunded: 1 });
      expect(await reserved(variantId)).toBe(2);
      await cancelPart(order.id);
      expect((await stored(order.id)).lines[0]).toMatchObject({ quantityCancelled: 0, quantityRefunded: 0 });
      expect(await reserved(variantId)).toBe(3);
    }
    const shipped = await done(shop.a.admin.post<Json>(`/api/admin/orders/${order.id}/ship`, {}));
    expect(shipped.lines[0]).toMatchObject({ quantityShipped: 3 });
    expect(await reserved(variantId)).toBe(0);
  });

  it('gives back units to ship where the rest has shipped meanwhile, but none to a cancelled order', async () => {
    const shipped = await bought();
    await refundOne(shipped.order);
    await done(shop.a.admin.post(`/api/admin/orders/${shipped.order.id}/ship`, {}));
    await cancelPart(shipped.order.id);
    expect(await stored(shipped.order.id)).toMatchObject({
      status: 'processing',
      lines: [{ quantityShipped: 2, quantityCancelled: 0, quantityRefunded: 0 }],
    });
    expect(await reserved(shipped.variantId)).toBe(1);
    const cancelled = await bought();
    await refundOne(cancelled.order);
    await done(shop.a.admin.post(`/api/admin/orders/${cancelled.order.id}/status`, { status: 'cancelled', reason: 'x' }));
    await cancelPart(cancelled.order.id);
    expect((await stored(cancelled.order.id)).lines[0]).toMatchObject({ quantityCancelled: 3 });
    expect(await reserved(cancelled.variantId)).toBe(0);
  });
});
