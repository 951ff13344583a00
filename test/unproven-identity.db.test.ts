import { customerDirectory } from '@storeloom/plugin-identity/contract';
import { postalAddress, type TestClient, type TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, ron, visitor } from '../plugins/checkout/test/goods.ts';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { mailedToken } from '../plugins/identity/test/clients.ts';

/**
 * Anybody can name any e-mail address. Until the address is confirmed, nothing that the shop knows or has decided about its owner applies:
 * no group, no exemption, no orders, no names.
 */
let till: Till;
let shop: TestShop;
let variantId: string;
let groupId: string;
const password = 'a long and unusual password';
const home = { ...postalAddress, phone: '+40722000000' };

beforeAll(async () => {
  till = await openTill(['catalog', 'orders', 'payments', 'checkout', 'promotions', 'customers', 'taxes']);
  shop = till.shop;
  const { admin } = shop.a;
  const post = async (path: string, body: object): Promise<Json> => {
    const made = await admin.post<Json>(path, body);
    expect(made.status, made.text).toBe(201);
    return made.body;
  };
  const category = await post('/api/admin/taxes/categories', { code: 'standard', name: 'standard' });
  await post('/api/admin/taxes/rates', { country: 'RO', categoryId: category.id, ratePpm: 210_000, validFrom: '2020-01-01' });
  variantId = (
    await product(
      shop.a,
      10_000,
      { type: 'service', taxCategoryId: category.id },
      { prices: [{ price: ron(6000), priceListCode: 'club' }] },
    )
  ).variantId;
  groupId = (await post('/api/admin/customer-groups/', { name: 'Club', code: 'club', priceListCode: 'club', taxExempt: true }))
    .id;
});
afterAll(() => till?.stop());

async function placed(client: TestClient, email: string, amount: number): Promise<{ order: Json; orderToken: string }> {
  const response = await client.post<Json>('/api/storefront/checkout/place', {
    email,
    billingAddress: home,
    paymentMethod: 'cod',
    consents: { terms: true },
    expectedTotal: ron(amount),
  });
  expect(response.status, response.text).toBe(201);
  return response.body;
}
const place = async (client: TestClient, email: string, amount: number): Promise<Json> =>
  (await placed(client, email, amount)).order;
/** A guest order with the address, whose record staff then put into the group. */
async function guestInGroup(email: string): Promise<string> {
  const guest = await visitor(shop.a, [variantId, 1]);
  await place(guest.client, email, 10_000);
  const found = await shop.a.admin.get<Json>(`/api/admin/customers/?email=${encodeURIComponent(email)}`);
  const { id } = found.body.data[0];
  const assigned = await shop.a.admin.post<Json>(`/api/admin/customer-groups/${groupId}/assign`, { customerIds: [id] });
  expect(assigned.body).toEqual({ assigned: 1, skipped: 0 });
  return id;
}
async function register(email: string, names: object = {}): Promise<TestClient> {
  expect((await shop.a.guest.post('/api/auth/register', { email, password, ...names })).status).toBe(202);
  return signIn(email, password);
}
async function signIn(email: string, secret: string): Promise<TestClient> {
  const session = await shop.a.guest.post<Json>('/api/auth/login', { email, password: secret });
  expect(session.status, session.text).toBe(200);
  return shop.a.guest.with({ authorization: `Bearer ${session.body.accessToken}` });
}
/** Confirms the address as the link of the verification e-mail does. */
const confirm = (customerId: string) =>
  shop.a.run('identity', (ctx) => ctx.require(customerDirectory).markVerified(customerId, { acceptRegistration: true }));
async function shown(client: TestClient): Promise<Json> {
  const card = (await client.get<Json>('/api/storefront/products/')).body.data[0];
  const cart = (await client.post<Json>('/api/storefront/cart/items', { variantId, quantity: 1 })).body;
  return { card: card.price.amount, cart: cart.totals.total.amount, tax: cart.totals.taxTotal.amount };
}

describe('an unconfirmed address', () => {
  it('gets no group price and no tax exemption of the owner, neither shown nor charged', async () => {
    const email = 'group@test.example';
    const id = await guestInGroup(email);
    const intruder = await register(email);
    expect(await shown(intruder)).toEqual({ card: 10_000, cart: 10_000, tax: 1736 });
    const order = await place(intruder, email, 10_000);
    expect(order.totals).toMatchObject({ total: ron(10_000), taxTotal: ron(1736) });
    // A guest with the address gets none either.
    const guest = await visitor(shop.a, [variantId, 1]);
    expect((await place(guest.client, email, 10_000)).totals).toMatchObject({ total: ron(10_000) });
    // The owner, once proven, gets both.
    await confirm(id);
    const owner = await signIn(email, password);
    expect(await shown(owner)).toMatchObject({ card: 6000, tax: 0 });
  });

  it('gets no payment method that is for the owner’s group', async () => {
    const email = 'method@test.example';
    await guestInGroup(email);
    const method = await shop.a.admin.post<Json>('/api/admin/payment-methods/', {
      code: 'on_account',
      name: 'On account',
      provider: 'bank_transfer',
      enabled: true,
      customerGroupIds: [groupId],
    });
    expect(method.status, method.text).toBe(201);
    const guest = await visitor(shop.a, [variantId, 1]);
    const { order, orderToken } = await placed(guest.client, email, 10_000);
    const again = await shop.a.guest
      .with({ 'x-order-token': orderToken })
      .post<Json>(`/api/storefront/checkout/orders/${order.id}/confirm-payment`, { paymentMethod: 'on_account' });
    expect(again.body).toMatchObject({ status: 422, code: 'payment_method_unavailable' });
  });

  it('sees no name, order or address of the owner, and changes none', async () => {
    const email = 'names@test.example';
    const id = await guestInGroup(email);
    const record = async () => (await shop.a.admin.get<Json>(`/api/admin/customers/${id}`)).body;
    const before = await record();
    expect(before).toMatchObject({ firstName: 'Ana', lastName: 'Pop' });
    const intruder = await register(email, { firstName: 'Eve', lastName: 'Intruder', phone: '+40799999999' });
    expect(await record()).toMatchObject({ firstName: 'Ana', lastName: 'Pop', phone: before.phone, company: before.company });
    const me = await intruder.get<Json>('/api/auth/me');
    expect(me.body.user).toMatchObject({ firstName: 'Eve', lastName: 'Intruder' });
    for (const path of ['orders', 'addresses'])
      expect((await intruder.get<Json>(`/api/storefront/account/${path}`)).body.data).toEqual([]);
    expect((await intruder.get('/api/storefront/account/data-export')).body.code).toBe('email_unverified');
    // The owner of the mailbox confirms that the registration was theirs.
    await confirm(id);
    expect(await record()).toMatchObject({ firstName: 'Eve', lastName: 'Intruder', phone: '+40799999999' });
    expect((await intruder.get<Json>('/api/storefront/account/orders')).body.data).toHaveLength(1);
  });

  it('leaves nothing of an intruder’s registration after the owner resets the password', async () => {
    const email = 'reset@test.example';
    const id = await guestInGroup(email);
    const intruder = await register(email, { firstName: 'Eve' });
    expect((await shop.a.guest.post('/api/auth/forgot-password', { email })).status).toBe(202);
    const token = await mailedToken(shop, email, 'identity.reset');
    expect((await shop.a.guest.post('/api/auth/reset-password', { token, password: 'the password of the owner' })).status).toBe(
      204,
    );
    expect((await intruder.get('/api/auth/me')).status).toBe(401);
    const owner = await signIn(email, 'the password of the owner');
    expect((await owner.get<Json>('/api/auth/me')).body.user).toMatchObject({ firstName: 'Ana', lastName: 'Pop' });
    expect(await shown(owner)).toMatchObject({ card: 6000 });
    expect(await shop.rows('select 1 from customers_registration where customer_id = $1', [id])).toEqual([]);
  });

  it('parallel registrations over one record change it by none of their names', async () => {
    const email = 'race@test.example';
    const id = await guestInGroup(email);
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => shop.a.guest.post('/api/auth/register', { email, password, firstName: `Eve ${i}` })),
    );
    expect((await shop.a.admin.get<Json>(`/api/admin/customers/${id}`)).body).toMatchObject({
      firstName: 'Ana',
      lastName: 'Pop',
    });
    expect(await shop.rows('select 1 from customers_registration where customer_id = $1', [id])).toHaveLength(1);
  });
});
