import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, visitor } from '../../test/goods.ts';
import { hour, listPath, recoveryTools } from '../../test/recovery-tools.ts';
import { checkoutPath, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill();
  shop = till.shop;
});
afterAll(() => till?.stop());

const { shopper, rest, rowOf, cartStatus } = recoveryTools(() => till);
const items = `${cartPath}/items`;
/** Transitions of a cart, oldest first. */
async function moves(cartId: string): Promise<string[]> {
  const rows = await shop.rows<{ move: string }>(
    `select from_status || ' → ' || to_status as move from core_status_history
      where entity = 'checkout.cart' and entity_id = $1 order by at, id`,
    [cartId],
  );
  return rows.map(({ move }) => move);
}
const abandonedOne = async () => {
  const one = await shopper();
  await rest();
  expect(await moves(one.cartId)).toEqual(['open → abandoned']);
  return one;
};

describe('the history of a cart', () => {
  it('records the merge at sign-in once, also of an abandoned cart', async () => {
    const { customer, cartId, variantId } = await shopper();
    const first = await visitor(shop.a, [variantId, 1]);
    const both = customer.with({ 'x-cart-token': first.token });
    const answers = await Promise.all(Array.from({ length: 6 }, () => both.get<Json>(`${cartPath}/`)));
    expect(answers.map(({ body }) => body.id)).toEqual(Array(6).fill(cartId));
    expect([await moves(first.cart.id), await moves(cartId)]).toEqual([['open → merged'], []]);
    await rest();
    const second = await visitor(shop.a, [variantId, 1]);
    expect((await customer.with({ 'x-cart-token': second.token }).get<Json>(`${cartPath}/`)).body.id).toBe(cartId);
    expect(await moves(second.cart.id)).toEqual(['open → merged']);
    expect(await moves(cartId)).toEqual(['open → abandoned', 'abandoned → open']);
  });

  it('records that a cart is resumed: by an added item, by shipping quotes, by staff', async () => {
    const back = ['open → abandoned', 'abandoned → open'];
    const adds = await abandonedOne();
    const add = () => adds.customer.post(items, { variantId: adds.variantId, quantity: 1 });
    expect((await Promise.all([add(), add(), add(), add()])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await moves(adds.cartId)).toEqual(back);

    const asks = await abandonedOne();
    const address = { country: 'RO', city: 'Cluj-Napoca', postalCode: '400001' };
    const ask = () => asks.customer.post<Json>(`${checkoutPath}/shipping-quotes`, { address });
    expect((await Promise.all([ask(), ask(), ask()])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([await cartStatus(asks.cartId), await moves(asks.cartId)]).toEqual(['open', back]);

    const calls = await abandonedOne();
    // By the recovery link.
    expect((await shop.a.admin.post(listPath, { cartId: calls.cartId })).status).toBeLessThan(300);
    const { recoveryToken } = await rowOf(calls.cartId);
    const recover = () => shop.a.admin.post(`/api/admin/abandoned-carts/recover/${recoveryToken}`);
    expect((await Promise.all([recover(), recover()])).map(({ status }) => status).sort()).toEqual([200, 410]);
    expect(await moves(calls.cartId)).toEqual(back);
  });

  it('records the purchase of an abandoned cart, and no rejected one', async () => {
    const { customer, cartId, email } = await abandonedOne();
    const refused = await till.place(customer, 1999, { email });
    expect(refused.body).toMatchObject({ status: 409, code: 'total_changed' });
    expect((await till.place(customer, 2000, { email, consents: { terms: false } })).status).toBe(422);
    expect([await cartStatus(cartId), await moves(cartId)]).toEqual(['abandoned', ['open → abandoned']]);
    expect((await till.place(customer, 2000, { email })).status).toBe(201);
    expect(await moves(cartId)).toEqual(['open → abandoned', 'abandoned → converted']);

    const paysByCard = await abandonedOne();
    const placed = await till.place(paysByCard.customer, 2000, { email: paysByCard.email, paymentMethod: 'card' });
    expect(placed.status).toBe(201);
    expect(await moves(paysByCard.cartId)).toEqual(['open → abandoned', 'abandoned → locked']);
    const ref = await till.refOf(placed.body.payment.id);
    till.provider.pay(ref);
    await till.tell(ref);
    expect(await moves(paysByCard.cartId)).toEqual(['open → abandoned', 'abandoned → locked', 'locked → converted']);

    const { customer: buyer, cartId: straight } = await shopper();
    expect((await till.place(buyer, 2000)).status).toBe(201);
    expect(await moves(straight)).toEqual(['open → converted']);
  });

  it('records once that staff start the recovery', async () => {
    const { cartId } = await shopper();
    const put = () => shop.a.admin.post(listPath, { cartId });
    expect((await Promise.all([put(), put()])).map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(await moves(cartId)).toEqual(['open → abandoned']);
  });

  // Must run last: advancing the clock by this many days ends all sessions.
  it('records the expiry of an inactive cart', async () => {
    const left = await abandonedOne();
    const { variantId } = await shopper();
    const guest = await visitor(shop.a, [variantId, 1]);
    shop.clock.advance(31 * 24 * hour);
    await Promise.all([till.job('expire'), till.job('expire')]);
    expect([await moves(left.cartId), await moves(guest.cart.id)]).toEqual([
      ['open → abandoned', 'abandoned → expired'],
      ['open → expired'],
    ]);
  });
});
