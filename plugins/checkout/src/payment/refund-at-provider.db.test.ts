import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, ron, visitor } from '../../test/goods.ts';
import { openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill([], { processes: 2 });
  shop = till.shop;
});
afterAll(() => till?.stop());

const stored = async (id: string): Promise<Json> => {
  const { status, text, body } = await shop.a.admin.get<Json>(`/api/admin/orders/${id}`);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return body;
};
/** An order of 3 × 10.00, paid by card and invoiced. */
async function paidByCard(): Promise<{ id: string; lineId: string; ref: string }> {
  const { variantId } = await product(shop.a, 1000, {}, { trackInventory: false });
  const { client } = await visitor(shop.a, [variantId, 3]);
  const { order } = (await till.place(client, 3000, { paymentMethod: 'card' })).body as Json;
  const ref = await till.refOf((await stored(order.id)).payments[0].id);
  till.provider.pay(ref);
  await till.tell(ref);
  const { invoices, lines } = await stored(order.id);
  expect(invoices).toMatchObject([{ kind: 'invoice', total: ron(3000) }]);
  return { id: order.id, lineId: lines[0].id, ref };
}
const refundThere = async (ref: string, amount: number): Promise<void> => {
  till.provider.refundThere(ref, amount);
  await till.tell(ref, 'charge.refunded');
};
const credits = ({ invoices }: Json): [number, string | null][] =>
  invoices
    .filter(({ kind }: Json) => kind === 'credit_note')
    .map(({ total, refundId }: Json): [number, string | null] => [total.amount, refundId]);
const refund = (id: string, body: object, base = 0) =>
  shop.a.admin.at(shop.bases[base] as string).post<Json>(`/api/admin/orders/${id}/refund`, { reason: 'late', ...body });

describe('a refund made in the provider’s dashboard', () => {
  it('has a credit note and is a refund of the order, once for repeated events', async () => {
    const order = await paidByCard();
    await refundThere(order.ref, 1500);
    await till.tell(order.ref, 'charge.refunded');
    await till.tell(order.ref, 'refund.updated');
    const after = await stored(order.id);
    expect(after).toMatchObject({
      refunded: ron(1500),
      paymentStatus: 'partially_refunded',
      refunds: [{ status: 'succeeded', amount: ron(1500), reason: 'made_at_provider', method: 'original' }],
    });
    expect(after.refunds[0].providerRef).toEqual(expect.any(String));
    expect(credits(after)).toEqual([[1500, after.refunds[0].id]]);
  });

  it('of everything credits the whole invoice, and nothing more can be refunded', async () => {
    const order = await paidByCard();
    await refundThere(order.ref, 3000);
    const after = await stored(order.id);
    expect(after).toMatchObject({ refunded: ron(3000), paymentStatus: 'refunded' });
    expect(credits(after).map(([total]) => total)).toEqual([3000]);
    const more = await refund(order.id, { amount: ron(1) });
    expect([more.status, more.body.code]).toEqual([409, 'refund_exceeds_captured']);
  });

  it('and refunds by staff together credit the invoice exactly', async () => {
    const order = await paidByCard();
    expect((await refund(order.id, { lines: [{ lineId: order.lineId, quantity: 1 }], method: 'manual' })).status).toBe(200);
    await refundThere(order.ref, 700);
    expect((await refund(order.id, { amount: ron(1301), method: 'manual' })).body.code).toBe('refund_exceeds_captured');
    expect((await refund(order.id, { amount: ron(1300), method: 'manual' })).status).toBe(200);
    await shop.settled();
    const after = await stored(order.id);
    expect(credits(after).map(([total]) => total)).toEqual([1000, 700, 1300]);
    expect(after).toMatchObject({ refunded: ron(3000), paymentStatus: 'refunded' });
  });

  it('is recorded once when its events race with refunds by staff in two processes', async () => {
    const order = await paidByCard();
    till.provider.refundThere(order.ref, 1000);
    await Promise.all([
      till.tell(order.ref, 'charge.refunded'),
      refund(order.id, { amount: ron(500), method: 'manual' }, 1),
      till.tell(order.ref, 'refund.updated'),
      till.tell(order.ref, 'charge.refunded'),
      refund(order.id, { amount: ron(400), method: 'manual' }, 0),
    ]);
    await shop.settled();
    const after = await stored(order.id);
    expect(after.refunded).toEqual(ron(1900));
    expect(after.refunds.map(({ amount }: Json) => amount.amount).sort()).toEqual([1000, 400, 500]);
    expect(
      credits(after)
        .map(([total]) => total)
        .sort(),
    ).toEqual([1000, 400, 500]);
  });

  it('of a cancelled order gets no second credit note', async () => {
    const order = await paidByCard();
    const cancel = { status: 'cancelled', reason: 'x', refund: false };
    expect((await shop.a.admin.post(`/api/admin/orders/${order.id}/status`, cancel)).status).toBe(200);
    await refundThere(order.ref, 3000);
    const after = await stored(order.id);
    expect(credits(after).map(([total]) => total)).toEqual([3000]);
    expect(after).toMatchObject({ status: 'cancelled', refunded: ron(3000) });
  });
});
