import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, visitor } from '../../test/goods.ts';
import { checkoutPath, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill();
  shop = till.shop;
});
afterAll(() => till?.stop());

const account = '/api/storefront/account/orders';

/** Order ids in the account's list, then the statuses of all routes that show the order. */
async function seen(client: Awaited<ReturnType<typeof shop.a.customer>>, id: string): Promise<unknown[]> {
  const list = await client.get<Json>(account);
  const paths = [`${account}/${id}`, `/api/storefront/orders/${id}`, `${checkoutPath}/orders/${id}`];
  const answers = await Promise.all(paths.map((path) => client.get(path)));
  return [list.body.data.map((order: Json) => order.id), ...answers.map(({ status }) => status)];
}

describe('an account and the orders of its e-mail address', () => {
  it.each(['before', 'after'])('shows guest orders only once the address is confirmed, registered %s the order', async (when) => {
    const { variantId } = await product(shop.a, 1000);
    const email = `owner-${when}@a.example`;
    const stranger = when === 'before' ? await shop.a.customer(email) : undefined;
    const { client } = await visitor(shop.a, [variantId, 1]);
    const { order } = (await till.place(client, 1000, { email })).body as Json;
    const registered = stranger ?? (await shop.a.customer(email));
    expect(await seen(registered, order.id)).toEqual([[], 404, 404, 404]);
    await shop.rows('update customers_customer set email_verified_at = now() where id = $1', [registered.customerId]);
    expect(await seen(registered, order.id)).toEqual([[order.id], 200, 200, 200]);
  });

  it('shows orders of the account without confirmation', async () => {
    const { variantId } = await product(shop.a, 1000);
    const customer = await shop.a.customer();
    const { token } = await visitor(shop.a, [variantId, 1]);
    const { order } = (await till.place(customer.with({ 'x-cart-token': token }), 1000, { email: customer.email })).body as Json;
    expect(await seen(customer, order.id)).toEqual([[order.id], 200, 200, 200]);
  });

  it('takes no name from a guest order, and gives none before the address is confirmed', async () => {
    const { variantId } = await product(shop.a, 1000);
    const names = (id: string) =>
      shop.rows<Json>('select first_name, phone, company from customers_customer where id = $1', [id]);
    const bare = await shop.a.customer();
    await shop.rows('update customers_customer set first_name = null, phone = null where id = $1', [bare.customerId]);
    await till.place((await visitor(shop.a, [variantId, 1])).client, 1000, { email: bare.email });
    expect(await names(bare.customerId)).toEqual([{ first_name: null, phone: null, company: null }]);

    await till.place((await visitor(shop.a, [variantId, 1])).client, 1000, { email: 'guest@a.example' });
    // The names of a registration apply once its address is confirmed; until then the record stays as it was.
    const later = await shop.a.customer('guest@a.example');
    expect(await names(later.customerId)).toMatchObject([{ first_name: 'Ana' }]);
  });
});
