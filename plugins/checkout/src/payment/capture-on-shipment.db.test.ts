import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, ron, visitor } from '../../test/goods.ts';
import { done, levelsOf, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill(['inventory'], { processes: 2 });
  shop = till.shop;
  // The fee of 15.00 is due with the last shipment, like shipping.
  const method = {
    code: 'later',
    name: 'Later',
    provider: 'payment-a',
    capture: 'manual',
    enabled: true,
    fee: { fixed: ron(1500) },
  };
  await done(admin().post('/api/admin/payment-methods/', { ...method, config: till.provider.config() }));
});
afterAll(() => till?.stop());

const admin = (process = 0) => shop.a.admin.at(shop.bases[process] as string);
const stored = (id: string): Promise<Json> => done(admin().get<Json>(`/api/admin/orders/${id}`));
const levels = (variantId: string): Promise<number[]> => levelsOf(till, variantId);
interface Authorized {
  id: string;
  lineId: string;
  variantId: string;
  ref: string;
}
/** An authorised order of 3 units at 10.00 and a fee of 15.00; `shipped` of them have shipped. */
async function authorized(shipped: number): Promise<Authorized> {
  const { variantId } = await product(shop.a, 1000, {}, { trackInventory: true });
  await done(admin().post(`/api/admin/inventory/${variantId}/adjust`, { delta: 10, reason: 'received' }));
  const { client } = await visitor(shop.a, [variantId, 3]);
  const { order, payment } = await done(till.place(client, 4500, { paymentMethod: 'later' }));
  const ref = await till.refOf(payment.id);
  till.provider.pay(ref);
  await till.tell(ref, 'payment_intent.amount_capturable_updated');
  const { lines, paymentStatus } = await stored(order.id);
  expect(paymentStatus).toBe('authorized');
  const placed = { id: order.id, lineId: lines[0].id, variantId, ref };
  if (shipped > 0) await shipUnits(placed, shipped);
  return placed;
}
async function shipUnits({ id, lineId }: Authorized, quantity: number): Promise<void> {
  const parcel = await done(admin().post(`/api/admin/orders/${id}/fulfillments`, { lines: [{ lineId, quantity }] }));
  await done(admin().post(`/api/admin/orders/${id}/ship`, { fulfillmentId: parcel.id }));
  await shop.settled();
}
const refund = ({ id, lineId }: Authorized, quantity: number, more: object = {}, process = 0) =>
  admin(process).post<Json>(`/api/admin/orders/${id}/refund`, {
    reason: 'x',
    lines: [{ lineId, quantity, restock: true }],
    ...more,
  });
const edit = ({ id, lineId: itemId }: Authorized, quantity: number, process = 0) =>
  admin(process).patch<Json>(`/api/admin/orders/${id}/edit`, { operations: [{ op: 'change_quantity', itemId, quantity }] });
async function moneyOf({ id, ref }: Authorized): Promise<Json> {
  const [row] = await shop.rows<Json>(
    `select status, payment_status as paid, total_amount::int as total, captured_amount::int as captured,
      refunded_amount::int as refunded, amount_due_amount::int as due from orders_order where id = $1`,
    [id],
  );
  const intent = till.provider.intentOf(ref);
  return { ...row, provider: intent.status, refunds: intent.refunds.length };
}

describe('an order that is captured on shipment', () => {
  it('refunds no money for an unshipped unit, but cancels it out of the authorisation', async () => {
    const order = await authorized(2);
    expect(await moneyOf(order)).toMatchObject({ status: 'processing', captured: 3000 });
    const answer = await done(refund(order, 1));
    expect(answer.refund).toMatchObject({ amount: ron(0), status: 'succeeded', lines: [{ lineId: order.lineId, quantity: 1 }] });
    await shop.settled();
    expect(await moneyOf(order)).toEqual({
      status: 'shipped',
      paid: 'paid',
      total: 3500,
      captured: 3500,
      refunded: 0,
      due: 0,
      provider: 'succeeded',
      refunds: 0,
    });
    expect(await levels(order.variantId)).toEqual([8, 0]);
    const refused = await refund(order, 3);
    expect([refused.status, refused.body.code]).toEqual([409, 'refund_exceeds_captured']);
  });

  it('changes nothing for a request that is refused as a whole', async () => {
    const order = await authorized(2);
    const refused = await refund(order, 1, { amount: ron(1000) });
    expect(refused.status).toBe(422);
    expect(await moneyOf(order)).toMatchObject({ total: 4500, captured: 3000, refunded: 0, refunds: 0 });
  });

  it('refunds the shipped units of a request, and cancels the unshipped ones', async () => {
    const order = await authorized(2);
    const { refund: made } = await done(refund(order, 2));
    expect(made).toMatchObject({ amount: ron(1000), lines: [{ quantity: 1, restock: true }] });
    await shop.settled();
    expect(await moneyOf(order)).toMatchObject({ status: 'shipped', total: 3500, captured: 3500, refunded: 1000, refunds: 1 });
    expect(await levels(order.variantId)).toEqual([9, 0]);
  });

  it('lowers the authorisation before anything has shipped, and ships the rest', async () => {
    const order = await authorized(0);
    await done(refund(order, 1));
    expect(await moneyOf(order)).toMatchObject({ total: 3500, captured: 0, refunded: 0, paid: 'authorized' });
    const { body } = await refund(order, 2);
    expect(body).toMatchObject({ status: 409, code: 'last_line' });
    await done(admin().post(`/api/admin/orders/${order.id}/ship`, {}));
    await shop.settled();
    expect(await moneyOf(order)).toMatchObject({ status: 'shipped', captured: 3500, refunded: 0, due: 0, refunds: 0 });
  });

  it('changes nothing when the refund is only previewed', async () => {
    const order = await authorized(2);
    const { refund: seen } = await done(refund(order, 1, { dryRun: true }));
    expect(seen.amount).toEqual(ron(0));
    await shop.settled();
    expect(await moneyOf(order)).toMatchObject({ status: 'processing', total: 4500, captured: 3000, due: 1500 });
  });

  it('captures the rest and is shipped when an edit leaves nothing to ship', async () => {
    const order = await authorized(1);
    expect(await moneyOf(order)).toMatchObject({ captured: 1500 });
    await done(edit(order, 1));
    await shop.settled();
    expect(await moneyOf(order)).toMatchObject({
      status: 'shipped',
      paid: 'paid',
      total: 2500,
      captured: 2500,
      due: 0,
      provider: 'succeeded',
    });
    const documents = await shop.rows('select kind, total_amount::int as total from orders_invoice where order_id = $1', [
      order.id,
    ]);
    expect(documents).toEqual([{ kind: 'invoice', total: 2500 }]);
  });

  it('captures the rest and is shipped when an edit during a hold left nothing to ship', async () => {
    const order = await authorized(1);
    await done(admin().post(`/api/admin/orders/${order.id}/status`, { status: 'on_hold', reason: 'check' }));
    await done(edit(order, 1));
    await done(admin().post(`/api/admin/orders/${order.id}/status`, { status: 'processing', reason: 'checked' }));
    await shop.settled();
    expect(await moneyOf(order)).toMatchObject({
      status: 'shipped',
      paid: 'paid',
      total: 2500,
      captured: 2500,
      due: 0,
      provider: 'succeeded',
    });
  });

  it('stays open while units are left to ship after an edit', async () => {
    const order = await authorized(1);
    await done(edit(order, 2));
    await shop.settled();
    expect(await moneyOf(order)).toMatchObject({ status: 'processing', captured: 1500, due: 2000, provider: 'requires_capture' });
  });

  it('captures its total once, also when edits, refunds and shipments race', async () => {
    for (let round = 0; round < 3; round++) {
      const order = await authorized(1);
      const answers = await Promise.all([
        refund(order, 1, {}, 0),
        edit(order, 2, 1),
        admin(1).post<Json>(`/api/admin/orders/${order.id}/ship`, {}),
        refund(order, 1, {}, 1),
      ]);
      for (const { status, text } of answers) expect([200, 409], text).toContain(status);
      await shop.settled();
      const { lines } = await stored(order.id);
      const money = await moneyOf(order);
      expect(lines[0].quantityShipped).toBe(lines[0].quantity - lines[0].quantityCancelled);
      expect(money).toMatchObject({ status: 'shipped', total: 1500 + 1000 * lines[0].quantity, due: 0, provider: 'succeeded' });
      expect(money.captured).toBe(money.total);
    }
  });
});
