import { customerDirectory } from '@storeloom/plugin-identity/contract';
import { job, sql } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { patience } from './data-export.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['customers'] });
});
afterAll(() => shop?.stop());

const path = '/api/storefront/account/data-export';
const rows = () => shop.rows<{ file: string | null }>('select file from customers_data_export');
/** The job that makes it waits for the answer's patience to end. */
const exported = () => shop.settled(60);
async function verified(email: string) {
  const customer = await shop.a.customer(email);
  await shop.a.run('customers', (ctx) =>
    ctx.require(customerDirectory).markVerified(customer.customerId, { acceptRegistration: true }),
  );
  return customer;
}

it('an export that takes too long comes later, told by mail, and lies ready for a day', async () => {
  const customer = await verified('slow@a.example');
  const usual = patience.ms;
  patience.ms = 0;
  try {
    const answer = await customer.get(path);
    expect([answer.status, answer.body.status]).toEqual([202, 'accepted']);
    // Asking again while it is being made starts nothing twice.
    expect((await customer.get(`${path}-zip`)).status).toBe(202);
    expect(await rows()).toEqual([{ file: null }]);
    await exported();
    expect(await rows()).toMatchObject([{ file: expect.any(String) }]);
    const mails = (await shop.mails()).filter(({ template }) => template === 'customers.data_export');
    expect(mails).toMatchObject([{ to: 'slow@a.example', data: {} }]);
    // Now it is available immediately.
    const made = await customer.get<{ customerId: string; data: Record<string, { email: string }[]> }>(path);
    expect([made.status, made.body.customerId, made.body.data['customers.customer']?.[0]?.email]).toEqual([
      200,
      customer.customerId,
      'slow@a.example',
    ]);
    expect((await customer.get(`${path}-zip`)).text.slice(0, 2)).toBe('PK');
    // Only for its owner.
    const other = await verified('other@a.example');
    expect((await other.get(path)).status).toBe(202);
    expect((await shop.a.guest.get(`/files/${(await rows())[0]?.file}`)).status).toBe(404);
  } finally {
    patience.ms = usual;
  }
  await shop.rows(
    "update customers_data_export set ready_at = ready_at - interval '25 hours', asked_at = asked_at - interval '25 hours'",
  );
  await shop.a.run('customers', (ctx) => ctx.enqueue(job('tidy'), {}));
  await shop.settled();
  expect(await rows()).toEqual([]);
  expect(await shop.rows("select 1 from core_file where purpose = 'data-export'")).toEqual([]);
});

it('one that was answered in time leaves nothing to do', async () => {
  const customer = await verified('quick@a.example');
  expect((await customer.get(path)).status).toBe(200);
  expect(await rows()).toEqual([]);
});

it('one that lies ready goes with the account', async () => {
  const customer = await verified('gone@a.example');
  const usual = patience.ms;
  patience.ms = 0;
  try {
    expect((await customer.get(path)).status).toBe(202);
    await exported();
    expect(await rows()).toMatchObject([{ file: expect.any(String) }]);
  } finally {
    patience.ms = usual;
  }
  expect((await customer.delete('/api/storefront/account/account')).status).toBe(204);
  await shop.settled();
  expect(await rows()).toEqual([]);
  expect(await shop.rows("select 1 from core_file where purpose = 'data-export'")).toEqual([]);
});

it('consents are only added to, and say where they were given', async () => {
  const customer = await shop.a.customer('consent@a.example');
  const say = (granted: boolean, more: object = {}, client = customer as typeof shop.a.guest) =>
    client.post<{ id: string; errors: { pointer: string }[] }>('/api/storefront/consent-log/', {
      purpose: 'marketing',
      granted,
      textVersion: '2',
      ...more,
    });
  expect((await say(true)).status).toBe(201);
  expect((await say(false, { subject: 'somebody-else' })).status).toBe(201);
  const log = await shop.rows(
    'select granted, subject, network, source from customers_consent where customer_id = $1 order by created_at, id',
    [customer.customerId],
  );
  // A customer consents for themselves only, and withdraws as easily.
  expect(log).toEqual(
    [true, false].map((granted) => ({ granted, subject: customer.customerId, network: '127.0.0.0/24', source: 'storefront' })),
  );
  expect(
    (await shop.a.admin.get<{ acceptsMarketing: boolean }>(`/api/admin/customers/${customer.customerId}`)).body.acceptsMarketing,
  ).toBe(false);
  const visitor = await say(true, { subject: 'cookie-1' }, shop.a.guest);
  expect(visitor.status).toBe(201);
  for (const body of [{ purpose: 'No!' }, { granted: 'yes' }, { textVersion: '' }, { customerId: customer.customerId }])
    expect((await say(true, body, shop.a.guest)).status).toBe(422);
  for (const statement of [sql`update customers_consent set granted = true`, sql`delete from customers_consent`])
    await expect(shop.a.run('customers', (ctx) => ctx.db.run(statement))).rejects.toMatchObject({ code: '42501' });
});
