import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, ron, visitor } from '../plugins/checkout/test/goods.ts';
import { type CourierShop, openCourierShop } from './support/courier-shop.ts';

let courierShop: CourierShop;
let shop: CourierShop['shop'];
beforeAll(async () => {
  courierShop = await openCourierShop();
  shop = courierShop.shop;
});
afterAll(() => courierShop?.stop());

const read = async (id: string): Promise<Json> => (await shop.a.admin.get<Json>(`/api/admin/orders/${id}`)).body;
const edit = (id: string, operations: object[], more: object = {}) =>
  shop.a.admin.patch<Json>(`/api/admin/orders/${id}/edit`, { operations, ...more });

/** A paid order of `quantity` × 10.00 with shipping for 15.00. */
async function paid(quantity: number, paymentMethod: 'card' | 'transfer'): Promise<Json> {
  const { variantId } = await courierShop.stocked(1000, 20);
  const { client } = await visitor(shop.a, [variantId, quantity]);
  const { body } = await courierShop.place(client, quantity * 1000 + 1500, {
    shippingMethodId: courierShop.courier,
    paymentMethod,
  });
  if (paymentMethod === 'transfer') await courierShop.post(`/api/admin/payments/${body.payment.id}/mark-paid`, {});
  else {
    const ref = await courierShop.refOf(body.payment.id);
    courierShop.provider.pay(ref);
    await courierShop.tell(ref);
  }
  await shop.settled();
  return read(body.order.id);
}
const confirm = (refundId: string) =>
  courierShop.post(`/api/admin/payments/refunds/${refundId}/mark-paid`, { reference: 'OP 9' });

describe('an order paid by bank transfer', () => {
  it('has a pending refund after a price reduction, until staff confirm the transfer', async () => {
    const { id, lines } = await paid(3, 'transfer');
    const { body } = await edit(id, [{ op: 'change_quantity', itemId: lines[0].id, quantity: 2 }]);
    expect(body).toMatchObject({
      difference: ron(-1000),
      refunds: [{ amount: ron(1000), status: 'pending', reason: 'order_edited' }],
      order: { paymentStatus: 'paid', refunds: [{ id: body.refunds[0].id, status: 'pending' }] },
    });
    await shop.settled();
    const open = await shop.a.admin.get<Json>(`/api/admin/payments/refunds?status=pending&forId=${id}`);
    expect(open.body.data).toMatchObject([{ id: body.refunds[0].id, provider: 'bank_transfer', amount: ron(1000) }]);
    expect(await confirm(body.refunds[0].id)).toMatchObject({ status: 'succeeded', providerRef: 'OP 9' });
    expect(await read(id)).toMatchObject({
      paymentStatus: 'paid',
      refunds: [{ status: 'succeeded', providerRef: 'OP 9' }],
      payments: [{ refundedAmount: ron(1000) }],
    });
  });

  it('is refunded after a cancellation once staff confirm the transfer', async () => {
    const { id } = await paid(2, 'transfer');
    const cancelled = await courierShop.post(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'x' });
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      paymentStatus: 'paid',
      refunds: [{ amount: ron(3500), status: 'pending' }],
    });
    await shop.settled();
    expect(await read(id)).toMatchObject({ paymentStatus: 'paid', refunds: [{ status: 'pending' }] });
    await confirm(cancelled.refunds[0].id);
    expect(await read(id)).toMatchObject({ paymentStatus: 'refunded', refunds: [{ status: 'succeeded' }] });
  });

  it('can’t be paid once it is cancelled, also at the same time: either the payment ended, or its money is owed back', async () => {
    const unpaid = async (): Promise<Json> => {
      const { variantId } = await courierShop.stocked(1000, 20);
      const { client } = await visitor(shop.a, [variantId, 1]);
      const placing = { shippingMethodId: courierShop.courier, paymentMethod: 'transfer' };
      return (await courierShop.place(client, 2500, placing)).body;
    };
    const cancel = ({ order }: Json) =>
      shop.a.admin.post<Json>(`/api/admin/orders/${order.id}/status`, { status: 'cancelled', reason: 'x' });
    const markPaid = ({ payment }: Json) => shop.a.admin.post<Json>(`/api/admin/payments/${payment.id}/mark-paid`, {});
    const ended = await unpaid();
    expect((await cancel(ended)).status).toBe(200);
    expect(await markPaid(ended)).toMatchObject({ status: 409, body: { code: 'invalid_transition', from: 'cancelled' } });
    expect(await read(ended.order.id)).toMatchObject({ status: 'cancelled', paymentStatus: 'unpaid', refunds: [] });
    for (let round = 0; round < 4; round++) {
      const both = await unpaid();
      const [marked, cancelled] = await Promise.all([markPaid(both), cancel(both)]);
      expect([200, 409]).toContain(marked.status);
      expect(cancelled.status).toBe(200);
      const owed = marked.status === 200 ? [{ amount: ron(2500), status: 'pending' }] : [];
      expect(await read(both.order.id)).toMatchObject({ status: 'cancelled', refunds: owed });
    }
  });

  it('has a pending refund by staff that can be cancelled, and releases its units', async () => {
    const { id, lines } = await paid(2, 'transfer');
    const lineId = lines[0].id;
    const request = { reason: 'broken', lines: [{ lineId, quantity: 2 }] };
    const { refund } = await courierShop.post(`/api/admin/orders/${id}/refund`, request);
    expect(refund.status).toBe('pending');
    expect(await read(id)).toMatchObject({ paymentStatus: 'paid', lines: [{ quantityRefunded: 2 }] });
    await courierShop.post(`/api/admin/payments/refunds/${refund.id}/cancel`, { reason: 'returned to sender' });
    expect(await read(id)).toMatchObject({
      paymentStatus: 'paid',
      refunded: ron(0),
      refunds: [{ status: 'cancelled' }],
      lines: [{ quantityRefunded: 0 }],
    });
    // Staff who have already transferred the money record it as a manual refund.
    const manual = await courierShop.post(`/api/admin/orders/${id}/refund`, { ...request, method: 'manual' });
    expect(manual).toMatchObject({ refund: { status: 'succeeded' }, order: { paymentStatus: 'partially_refunded' } });
  });
});

describe('a price reduction of an order paid by card', () => {
  const refundAmount = (id: string, amount: number) =>
    shop.a.admin.post<Json>(`/api/admin/orders/${id}/refund`, { reason: 'x', amount: ron(amount) });

  it('names its refund, and a later refund is limited to the rest', async () => {
    const { id, lines, payments } = await paid(3, 'card');
    const { body } = await edit(id, [{ op: 'change_quantity', itemId: lines[0].id, quantity: 2 }]);
    expect(body.refunds).toMatchObject([{ amount: ron(1000), paymentId: payments[0].id, status: 'pending' }]);
    await shop.settled();
    expect((await read(id)).refunds).toMatchObject([{ id: body.refunds[0].id, status: 'succeeded' }]);
    expect((await refundAmount(id, 3501)).body).toMatchObject({ code: 'refund_exceeds_captured', refundable: 3500 });
    expect((await refundAmount(id, 3500)).status).toBe(200);
    await shop.settled();
    expect(await read(id)).toMatchObject({ paymentStatus: 'refunded', payments: [{ refundedAmount: ron(4500) }] });
  });

  it('keeps the money on request, for a refund by staff', async () => {
    const { id, lines } = await paid(3, 'card');
    const operations = [{ op: 'change_quantity', itemId: lines[0].id, quantity: 2 }];
    const dry = await edit(id, operations, { refund: false, dryRun: true });
    expect(dry.body).toMatchObject({ refunds: [], order: { paymentStatus: 'overpaid' } });
    const { body } = await edit(id, operations, { refund: false });
    expect(body).toMatchObject({ difference: ron(-1000), refunds: [], order: { paymentStatus: 'overpaid', refunds: [] } });
    expect((await refundAmount(id, 1000)).status).toBe(200);
    await shop.settled();
    expect((await read(id)).payments).toMatchObject([{ refundedAmount: ron(1000) }]);
    expect((await refundAmount(id, 3501)).body).toMatchObject({ code: 'refund_exceeds_captured', refundable: 3500 });
  });

  it('refunds once in total when an edit and a refund by staff run concurrently', async () => {
    const { id, lines } = await paid(3, 'card');
    const at = (i: number) => shop.a.admin.at(shop.bases[i] as string);
    await Promise.all([
      at(0).patch(`/api/admin/orders/${id}/edit`, {
        operations: [{ op: 'change_quantity', itemId: lines[0].id, quantity: 1 }],
      }),
      at(1).post(`/api/admin/orders/${id}/refund`, { reason: 'x', amount: ron(4500) }),
    ]);
    await shop.settled();
    const order = await read(id);
    const sum = order.refunds.reduce((total: number, { amount }: Json) => total + amount.amount, 0);
    expect(sum).toBeLessThanOrEqual(4500);
    expect(order.payments[0].refundedAmount).toEqual(ron(sum));
  });

  it('needs the refund permission only if it refunds', async () => {
    const { id, lines } = await paid(3, 'card');
    const clerk = await shop.a.staff(['orders.order.read', 'orders.order.edit']);
    const operations = [{ op: 'change_quantity', itemId: lines[0].id, quantity: 2 }];
    const path = `/api/admin/orders/${id}/edit`;
    expect((await clerk.patch<Json>(path, { operations })).body).toMatchObject({
      status: 403,
      permission: 'orders.order.refund',
    });
    expect((await clerk.patch(path, { operations, refund: false })).status).toBe(200);
  });
});

describe('a bundle of two tax rates', () => {
  it('refunded unit by unit has credit notes and refunds that add up to the invoice in each rate', async () => {
    const category = async (code: string, ratePpm: number): Promise<string> => {
      const { id } = await courierShop.post('/api/admin/taxes/categories', { code, name: code, kind: 'goods' });
      const rate = { country: 'RO', categoryId: id, ratePpm, name: 'TVA', validFrom: '2020-01-01' };
      await courierShop.post('/api/admin/taxes/rates', rate);
      return id;
    };
    const high = await courierShop.stocked(2000, 20, { taxCategoryId: await category('high', 210_000) });
    const low = await courierShop.stocked(1000, 20, { taxCategoryId: await category('low', 110_000) });
    const bundle = await product(shop.a, 1000, { type: 'bundle' });
    const components = [high, low].map(({ variantId }) => ({ variantId, quantity: 1 }));
    const path = `/api/admin/bundles/${bundle.productId}`;
    expect((await shop.a.admin.post(path, { components })).status).toBe(200);
    const { client } = await visitor(shop.a, [bundle.variantId, 3]);
    const { body } = await courierShop.place(client, 4500, { shippingMethodId: courierShop.courier, paymentMethod: 'card' });
    const ref = await courierShop.refOf(body.payment.id);
    courierShop.provider.pay(ref);
    await courierShop.tell(ref);
    await shop.settled();
    const { id } = body.order;
    const lineId = (await read(id)).lines[0].id;
    const refunds: Json[] = [];
    for (const request of [{ lines: [{ lineId, quantity: 1 }] }, { lines: [{ lineId, quantity: 1 }] }, { amount: ron(2500) }])
      refunds.push((await courierShop.post(`/api/admin/orders/${id}/refund`, { reason: 'x', ...request })).refund);
    await shop.settled();
    const { data } = (await shop.a.admin.get<Json>(`/api/admin/invoices/?orderId=${id}`)).body;
    const invoice = data.find(({ kind }: Json) => kind === 'invoice');
    const credits = data.filter(({ kind }: Json) => kind === 'credit_note');
    expect(credits).toHaveLength(3);
    expect(invoice.taxSummary.map(({ ratePpm }: Json) => ratePpm)).toEqual([210_000, 110_000]);
    for (const { ratePpm, base, tax } of invoice.taxSummary) {
      const rows = credits.flatMap(({ taxSummary }: Json) => taxSummary.filter((row: Json) => row.ratePpm === ratePpm));
      const sum = (member: string) => rows.reduce((total: number, row: Json) => total + row[member].amount, 0);
      expect([ratePpm, sum('base'), sum('tax')]).toEqual([ratePpm, base.amount, tax.amount]);
    }
    const order = await read(id);
    const refundTax = order.refunds.reduce((total: number, { tax }: Json) => total + tax.amount, 0);
    expect(refundTax).toBe(invoice.totals.tax.amount);
    for (const credit of credits)
      expect(order.refunds.find((each: Json) => each.id === credit.refundId).tax).toEqual(credit.totals.tax);
  });
});
