import { createECDH } from 'node:crypto';
import { job } from '@storeloom/plugin-sdk';
import type { TestClient } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, product, ron, visitor } from '../plugins/checkout/test/goods.ts';
import { FakeCarrier } from '../plugins/shipping/test/fake-carrier.ts';
import { account } from '../plugins/shipping/test/shop.ts';
import { type House, openHouse } from './support/house.ts';

/**
 * One person in every corner of a shop with every plugin: what is exported, and what is left after the erasure. The whole database is
 * searched as text, table by table, the jobs' schema included; only fiscal documents may still name the person.
 */
let house: House;
let carrier: FakeCarrier;
let shop: House['shop'];
beforeAll(async () => {
  carrier = await new FakeCarrier().start();
  house = await openHouse(0);
  shop = house.shop;
});
afterAll(async () => {
  await house?.stop();
  await carrier?.stop();
});

const person = {
  email: 'zenobia.quist@privata.example',
  firstName: 'Zenobia',
  lastName: 'Quistrebert',
  phone: '+40722987654',
  line1: 'Strada Xilofonului 71',
  line2: 'Mansarda Violeta',
  company: 'Qwertoria Dantelelor',
};
const words = {
  note: 'Lăsați la vecina Pandora',
  staffNote: 'Vorbește mult despre Kazahstan',
  po: 'PO-ZQ-4711',
  agent: 'ZenobiaBrowser/9.1',
  metafield: 'Alergică la polen de zarzăr',
  endpoint: 'https://push.privata.example/zenobia',
};
const traces = [...Object.values(person), ...Object.values(words)];

/** Documents that the law keeps, and evidence of the tax that was charged. Nothing else may name a person. */
const fiscal = new Set(['orders_invoice']);

async function done(call: Promise<{ status: number; body: Json; text: string }>, ...statuses: number[]): Promise<Json> {
  const answer = await call;
  const wanted = statuses.length > 0 ? statuses : [200, 201, 202, 204];
  expect([answer.status, wanted.includes(answer.status) ? '' : answer.text]).toEqual([answer.status, '']);
  return answer.body;
}

/** Every row of every table in which a text stands, with its table: what `grep` would find in a dump. */
async function grep(texts: readonly string[]): Promise<{ table: string; text: string; row: string }[]> {
  const tables = await shop.rows<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'jobs') order by 1, 2`,
  );
  const found: { table: string; text: string; row: string }[] = [];
  for (const { schema, name } of tables)
    for (const text of texts) {
      const rows = await shop.rows<{ row: string }>(
        `select t::text as row from "${schema}"."${name}" t where position(lower($1) in lower(replace(t::text, '\\"', '"'))) > 0 limit 3`,
        [text],
      );
      for (const { row } of rows)
        found.push({ table: schema === 'public' ? name : `${schema}.${name}`, text, row: row.slice(0, 300) });
    }
  return found;
}
const places = (found: { table: string; text: string }[]): string[] =>
  [...new Set(found.map(({ table, text }) => `${table}: ${text}`))].sort();

const password = 'correct horse battery staple';
async function register(): Promise<TestClient> {
  await done(
    shop.a.guest.post('/api/auth/register', {
      email: person.email,
      password,
      firstName: person.firstName,
      lastName: person.lastName,
      phone: person.phone,
    }),
    202,
  );
  return signIn();
}
async function signIn(): Promise<TestClient> {
  const { accessToken } = await done(
    shop.a.guest.post('/api/auth/login', { email: person.email, password, audience: 'storefront' }),
  );
  return shop.a.guest.with({ authorization: `Bearer ${accessToken}`, 'user-agent': words.agent });
}

const address = {
  firstName: person.firstName,
  lastName: person.lastName,
  company: person.company,
  line1: person.line1,
  line2: person.line2,
  city: 'Cluj-Napoca',
  region: 'Cluj',
  postalCode: '400001',
  country: 'RO',
  phone: person.phone,
};

/** Everything that a shop can learn of a buyer. Gives the customer and their client. */
async function live(): Promise<{ client: TestClient; customerId: string }> {
  const { admin } = shop.a;
  const client = await register();
  const [{ id: customerId }] = (await shop.rows('select id from customers_customer where email = $1', [person.email])) as [
    { id: string },
  ];
  await shop.rows('update customers_customer set email_verified_at = now() where id = $1', [customerId]);

  const category = await done(admin.post('/api/admin/taxes/categories', { code: 'standard', name: 'standard' }));
  await done(
    admin.post('/api/admin/taxes/rates', { country: 'RO', categoryId: category.id, ratePpm: 210_000, validFrom: '2020-01-01' }),
  );
  await done(
    admin.put('/api/admin/settings/store', {
      legalName: 'Shop SRL',
      vatId: 'RO1234',
      address: { line1: 'Calea Victoriei 1', city: 'București', region: 'București', postalCode: '010061', country: 'RO' },
    }),
  );
  const zone = await done(admin.post('/api/admin/shipping/zones', { name: 'Home', countries: ['RO'] }));
  const method = await done(
    admin.post('/api/admin/shipping/methods', {
      code: 'courier',
      name: 'Courier',
      type: 'flat',
      zoneIds: [zone.id],
      price: ron(500),
    }),
  );
  await done(admin.put('/api/admin/shipping-carriers/carrier-a', account(carrier)));

  // Viewed products, the wishlist and back-in-stock subscriptions.
  const goods = await product(shop.a, 1000, {}, { trackInventory: true, weightG: 300 });
  await done(admin.post(`/api/admin/inventory/${goods.variantId}/adjust`, { delta: 20, reason: 'received' }));
  const gone = await product(shop.a, 1000, {}, { trackInventory: true });
  await done(client.post('/api/storefront/back-in-stock/', { variantId: gone.variantId, email: person.email }));
  await done(client.post('/api/storefront/wishlist/items', { variantId: goods.variantId }));

  // What is agreed to and told.
  await done(client.post('/api/storefront/consent-log/', { purpose: 'marketing', granted: true, textVersion: '2026-01' }), 201);
  await done(
    client.put('/api/storefront/account/notifications', {
      preferences: [{ channel: 'push', event: 'newsletter', enabled: true }],
    }),
  );
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: Buffer.alloc(16, 7).toString('base64url'),
  };
  await done(client.post('/api/push/subscribe', { endpoint: words.endpoint, keys }), 201);

  // What is bought: signed in, with every text that checkout takes; then once more as a guest with the same address.
  const buyer = await visitor({ ...shop.a, guest: client }, [goods.variantId, 2]);
  const placeBody = (total: number, more: object = {}) => ({
    email: person.email,
    billingAddress: address,
    shippingAddress: address,
    shippingMethodId: method.id,
    paymentMethod: 'card',
    consents: { terms: true, marketing: true },
    expectedTotal: ron(total),
    note: words.note,
    ...more,
  });
  const placed = await done(
    buyer.client.post('/api/storefront/checkout/place', placeBody(2500, { saveAddress: true, poNumber: words.po }), {
      'idempotency-key': 'privacy-1',
    }),
    201,
  );
  house.provider.pay(await house.refOf(placed.payment.id));
  await house.tell(await house.refOf(placed.payment.id));
  const guest = await visitor({ ...shop.a, guest: shop.a.guest.with({ 'user-agent': words.agent }) }, [goods.variantId, 1]);
  const second = await done(guest.client.post('/api/storefront/checkout/place', placeBody(1500, { paymentMethod: 'cod' })), 201);
  await shop.settled();

  // What staff write about them.
  const group = await done(admin.post('/api/admin/customer-groups/', { name: 'Friends', code: 'friends' }));
  await done(admin.post(`/api/admin/customer-groups/${group.id}/assign`, { customerIds: [customerId] }));
  await done(
    admin.post('/api/admin/metafields/definitions', {
      entityType: 'customers.customer',
      namespace: 'care',
      key: 'note',
      type: 'string',
    }),
  );
  await done(
    admin.put(`/api/admin/metafields/customers.customer/${customerId}`, {
      metafields: [{ namespace: 'care', key: 'note', value: words.metafield }],
    }),
  );
  for (const { order } of [placed, second]) {
    await done(admin.post(`/api/admin/orders/${order.id}/internal-notes`, { text: words.staffNote }));
    if (order.id === second.order.id)
      await done(admin.patch(`/api/admin/orders/${order.id}/address`, { shippingAddress: { ...address, line2: null } }));
    await done(admin.post(`/api/admin/orders/${order.id}/awb`, { provider: 'carrier-a', parcels: [{ weightG: 700 }] }));
    await done(admin.post(`/api/admin/orders/${order.id}/ship`, {}));
  }
  await done(
    admin.post('/api/admin/draft-orders/', {
      currency: 'RON',
      email: person.email,
      note: words.note,
      lines: [{ variantId: goods.variantId, quantity: 1 }],
    }),
  );
  // A cart that is left behind.
  await visitor({ ...shop.a, guest: client }, [goods.variantId, 1]);
  await shop.settled();
  return { client, customerId };
}

it('exports all of a person, then erases every trace outside fiscal documents', async () => {
  const { client, customerId } = await live();
  await shop.settled(60);
  const known = await grep(traces);
  // The search finds what is there: each text stands somewhere.
  expect([...new Set(known.map(({ text }) => text))].sort()).toEqual([...traces].sort());

  // Export: every table with a row that names the customer is in it.
  const { data } = await done(client.get('/api/storefront/account/data-export'), 200);
  const exported = new Set(Object.keys(data).map((resource) => resource.replaceAll('.', '_').replaceAll('-', '_')));
  const keyed = await shop.rows<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'customer_id' order by 1`,
  );
  const unsaid: string[] = [];
  for (const { name } of keyed) {
    const rows = await shop.rows(`select 1 from "${name}" where customer_id = $1 limit 1`, [customerId]);
    // Passwords can't be exported; order statistics belong to orders.
    if (rows.length > 0 && !exported.has(name) && !['identity_credential', 'customers_counted_order'].includes(name))
      unsaid.push(name);
  }
  expect(unsaid).toEqual([]);
  const text = JSON.stringify(data);
  for (const [name, value] of Object.entries({ ...person, ...words, staffNote: '' }))
    expect(text.includes(value), name).toBe(true);
  // Internal notes are the shop's.
  expect(text).not.toContain(words.staffNote);
  expect(data['core.mail'].length).toBeGreaterThan(0);
  const zip = await client.get('/api/storefront/account/data-export-zip');
  expect([zip.status, zip.headers['content-type'], zip.text.slice(0, 2)]).toEqual([200, 'application/zip', 'PK']);

  // An order that is under way stands against it, also one that was placed without signing in.
  const refused = await client.delete<Json>('/api/storefront/account/account');
  expect(refused.body).toMatchObject({
    status: 409,
    code: 'in_use',
    counts: { orders: 2, subscriptions: 0, returns: 0, balance: 0 },
  });
  const orders = await shop.rows<{ id: string }>('select id from orders_order where email = $1', [person.email]);
  for (const { id } of orders) await done(shop.a.admin.post(`/api/admin/orders/${id}/status`, { status: 'delivered' }));
  await shop.settled();

  await done(client.delete('/api/storefront/account/account'), 204);
  expect((await client.get('/api/storefront/account/addresses')).status).toBe(401);
  await shop.settled();
  await shop.settled(60);

  const left = await grep(traces);
  expect(places(left.filter(({ table }) => !fiscal.has(table)))).toEqual([]);
  // The documents are whole: that is why they are kept.
  expect(places(left)).toContain(`orders_invoice: ${person.lastName}`);
  const [row] = await shop.rows<Json>(
    'select email, status, accepts_marketing as marketing from customers_customer where id = $1',
    [customerId],
  );
  expect(row).toEqual({ email: `erased+${customerId}@invalid`, status: 'erased', marketing: false });
  const consents = await shop.rows<Json>(
    'select granted, source from customers_consent where customer_id = $1 order by created_at, id',
    [customerId],
  );
  expect(consents.at(-1)).toEqual({ granted: false, source: 'erasure' });
  const [tombstone] = await shop.rows<Json>(
    `select changes from core_audit where action = 'customers.customer.erase' and entity_id = $1`,
    [customerId],
  );
  expect(tombstone.changes.extra.report).toContainEqual(
    expect.objectContaining({ resource: 'orders.invoice', kept: expect.objectContaining({ reason: 'fiscal' }) }),
  );
  process.stderr.write(`erasure: ${known.length} traces before, ${left.length} after, all in ${[...fiscal].join(', ')}\n`);

  // A second time nothing changes, and the address can register again.
  await shop.a.run('customers', (ctx) => ctx.enqueue(job('erase'), { customerId }));
  await shop.settled();
  expect(places((await grep(traces)).filter(({ table }) => !fiscal.has(table)))).toEqual([]);
  await register();
  const again = await shop.rows<{ id: string }>('select id from customers_customer where email = $1', [person.email]);
  expect(again).toHaveLength(1);
  expect(again[0]?.id).not.toBe(customerId);
});
