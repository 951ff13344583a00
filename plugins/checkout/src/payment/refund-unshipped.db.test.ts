import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, ron, visitor } from '../../test/goods.ts';
import { done, levelsOf, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill(['inventory'], { processes: 2 });
  shop = till.shop;
});
afterAll(() => till?.stop());

const admin = (base = 0) => shop.a.admin.at(shop.bases[base] as string);
const stored = (id: string): Promise<Json> => done(admin().get<Json>(`/api/admin/orders/${id}`));
const levels = (variantId: string): Promise<number[]> => levelsOf(till, variantId);
/** A paid order of `quantity` units at 10.00, of 10 in stock. */
async function bought(quantity: number): Promise<{ id: string; lineId: string; variantId: string }> {
  const { variantId } = await product(shop.a, 1000, {}, { trackInventory: true });
  await done(admin().post(`/api/admin/inventory/${variantId}/adjust`, { delta: 10, reason: 'received' }));
  const { client } = await visitor(shop.a, [variantId, quantity]);
  const { order } = (await till.place(client, 1000 * quantity, { paymentMethod: 'transfer' })).body as Json;
  for (const payment of (await stored(order.id)).payments)
    await done(admin().post(`/api/admin/payments/${payment.id}/mark-paid`, {}));
  await shop.settled();
  return { id: order.id, lineId: (await stored(order.id)).lines[0].id, variantId };
}
type Bought = Awaited<ReturnType<typeof bought>>;
const refund = ({ id, lineId }: Bought, quantity: number, more: object = {}, base = 0, method = 'manual') =>
  admin(base).post<Json>(`/api/admin/orders/${id}/refund`, {
    reason: 'changed my mind',
    method,
    lines: [{ lineId, quantity, ...more }],
  });
const ship = ({ id }: Bought, base = 0) => admin(base).post<Json>(`/api/admin/orders/${id}/ship`, {});
const parcel = ({ id, lineId }: Bought, quantity: number) =>
  done(admin().post<Json>(`/api/admin/orders/${id}/fulfillments`, { lines: [{ lineId, quantity }] }));

describe('refunded units that haven’t shipped', () => {
  it('aren’t shipped any more and release their stock, without restock too', async () => {
    for (const more of [{}, { restock: false }, { restock: true }]) {
      const order = await bought(3);
      expect(await levels(order.variantId)).toEqual([10, 3]);
      await done(refund(order, 2, more));
      expect(await levels(order.variantId)).toEqual([10, 1]);
      await done(ship(order));
      const { lines, status } = await stored(order.id);
      expect([status, lines[0]]).toMatchObject([
        'shipped',
        { quantity: 3, quantityShipped: 1, quantityRefunded: 2, quantityCancelled: 2 },
      ]);
      expect(await levels(order.variantId)).toEqual([9, 0]);
    }
  });

  it('leave nothing to ship when all of them are refunded', async () => {
    const order = await bought(2);
    await done(refund(order, 2));
    const refused = await ship(order);
    expect([refused.status, refused.body.code]).toEqual([
      409,
      expect.stringMatching(/order_unpaid|quantity_exceeds_unfulfilled/),
    ]);
    expect(await levels(order.variantId)).toEqual([10, 0]);
  });

  it('in a parcel are refused until the parcel is cancelled', async () => {
    const order = await bought(2);
    const { id } = await parcel(order, 2);
    const refused = await refund(order, 1);
    expect([refused.status, refused.body.code]).toEqual([409, 'quantity_exceeds_unfulfilled']);
    expect(await stored(order.id)).toMatchObject({ refunded: ron(0), lines: [{ quantityRefunded: 0, quantityCancelled: 0 }] });
    await done(
      admin().patch(`/api/admin/orders/${order.id}/edit`, { operations: [{ op: 'cancel_fulfillment', fulfillmentId: id }] }),
    );
    await done(refund(order, 1));
    await done(ship(order));
    expect((await stored(order.id)).lines).toMatchObject([{ quantityShipped: 1, quantityCancelled: 1 }]);
    expect(await levels(order.variantId)).toEqual([9, 0]);
  });

  it('of a partly shipped line stay to be shipped when a shipped unit is refunded without restock', async () => {
    const order = await bought(3);
    const { id } = await parcel(order, 1);
    await done(admin().post(`/api/admin/orders/${order.id}/ship`, { fulfillmentId: id }));
    await done(refund(order, 1));
    expect((await stored(order.id)).lines).toMatchObject([{ quantityShipped: 1, quantityRefunded: 1, quantityCancelled: 0 }]);
    // The next refund can only be for units that haven't shipped.
    await done(refund(order, 1));
    await done(ship(order));
    expect((await stored(order.id)).lines).toMatchObject([{ quantityShipped: 2, quantityRefunded: 2, quantityCancelled: 1 }]);
    expect(await levels(order.variantId)).toEqual([8, 0]);
  });

  it('are reserved again when the refund is cancelled', async () => {
    const pending = await bought(3);
    await done(
      admin().post(`/api/admin/orders/${pending.id}/refund`, { reason: 'x', lines: [{ lineId: pending.lineId, quantity: 2 }] }),
    );
    expect(await levels(pending.variantId)).toEqual([10, 1]);
    const [part] = await shop.rows<{ id: string }>(
      `select r.id from payments_refund r join payments_payment p on p.tenant_id = r.tenant_id and p.id = r.payment_id where p.for_id = $1`,
      [pending.id],
    );
    await done(admin().post(`/api/admin/payments/refunds/${part?.id}/cancel`, { reason: 'account closed' }));
    await shop.settled();
    expect(await levels(pending.variantId)).toEqual([10, 3]);
    await done(ship(pending));
    expect((await stored(pending.id)).lines).toMatchObject([{ quantityShipped: 3, quantityRefunded: 0, quantityCancelled: 0 }]);
  });

  it('come back when the refund is cancelled after everything else has shipped, which completes the order no sooner', async () => {
    const order = await bought(3);
    const { refund: pending } = await done(refund(order, 2, {}, 0, 'original'));
    expect(pending.status).toBe('pending');
    await done(ship(order));
    expect((await stored(order.id)).status).toBe('processing');
    const [part] = (await done(admin().get<Json>(`/api/admin/payments/refunds?status=pending&forId=${order.id}`))).data;
    await done(admin().post(`/api/admin/payments/refunds/${part.id}/cancel`, { reason: 'kept' }));
    await shop.settled();
    expect(await levels(order.variantId)).toEqual([9, 2]);
    await done(ship(order));
    expect(await stored(order.id)).toMatchObject({ status: 'shipped', lines: [{ quantityShipped: 3, quantityCancelled: 0 }] });
    expect(await levels(order.variantId)).toEqual([7, 0]);
    const other = await bought(2);
    const { refund: kept } = await done(refund(other, 1, {}, 0, 'original'));
    await done(ship(other));
    await done(admin().post(`/api/admin/payments/refunds/${kept.id}/mark-paid`, { reference: 'OP 1' }));
    await shop.settled();
    expect((await stored(other.id)).status).toBe('shipped');
  });

  it('never leave twice when refunds race with shipping in two processes', async () => {
    for (let round = 0; round < 4; round++) {
      const order = await bought(3);
      const answers = await Promise.all([
        refund(order, 1, {}, 0),
        ship(order, round % 2),
        refund(order, 1, {}, 1),
        refund(order, 2, {}, 0),
        ship(order, 1),
      ]);
      for (const { status, text } of answers) expect([200, 409], text).toContain(status);
      await shop.settled();
      const { lines } = await stored(order.id);
      const [{ quantityShipped, quantityCancelled, quantityRefunded }] = lines;
      expect(quantityShipped + quantityCancelled).toBeLessThanOrEqual(3);
      expect(quantityRefunded).toBeLessThanOrEqual(3);
      const left = 3 - quantityShipped - quantityCancelled;
      expect(await levels(order.variantId)).toEqual([10 - quantityShipped, left]);
    }
  });
});
