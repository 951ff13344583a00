import { customers } from '@storeloom/commerce';
import { customerDirectory } from '@storeloom/plugin-identity/contract';
import { contractTest, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import plugin from './index.ts';
import { countOrder, uncountOrder } from './order-figures.ts';

contractTest(plugin, {
  async fill(shop) {
    await shop.a.customer();
    await shop.b.customer();
  },
});

describe('customers', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['customers'] });
  });
  afterAll(() => shop?.stop());

  it('makes one customer an address, however often and however written', async () => {
    const { a, b } = shop;
    const upsert = (email: string) => a.run('customers', (ctx) => ctx.require(customers).upsert({ email, firstName: 'Ana' }));
    const made = await Promise.all(Array.from({ length: 20 }, (_, i) => upsert(i % 2 ? 'Ana@Example.org' : ' ana@example.org')));
    expect(new Set(made.map((each) => each.id)).size).toBe(1);
    expect(made.filter((each) => each.created)).toHaveLength(1);
    expect((await a.admin.get('/api/admin/customers/?q=ana@exam')).body.data).toHaveLength(1);
    expect((await b.admin.get('/api/admin/customers/?q=ana@exam')).body.data).toHaveLength(0);
    const one = await a.admin.get(`/api/admin/customers/${made[0]?.id}`);
    expect(one.body).toMatchObject({
      email: 'ana@example.org',
      firstName: 'Ana',
      groupIds: [],
      stats: { ordersCount: 0, averageOrder: null },
    });
    expect(one.headers.etag).toBe(`"${one.body.version}"`);
  });

  it('keeps exactly one default group, and assigns idempotently', async () => {
    const { a, b } = shop;
    const group = (code: string, more = {}) => a.admin.post('/api/admin/customer-groups/', { name: code, code, ...more });
    const first = await group('one', { isDefault: true });
    const second = await group('two', { isDefault: true });
    expect([first.status, second.status]).toEqual([201, 201]);
    const list = await a.admin.get<{ data: { code: string; isDefault: boolean }[] }>('/api/admin/customer-groups/');
    expect(list.body.data.filter((each) => each.isDefault).map((each) => each.code)).toEqual(['two']);
    expect((await a.admin.delete(`/api/admin/customer-groups/${second.body.id}`)).body.code).toBe('default_group');
    expect((await group('TWO')).body).toMatchObject({ code: 'duplicate', field: 'code' });
    const customer = await a.customer();
    const assign = (client: typeof a.admin, ids: string[], more = {}) =>
      client.post(`/api/admin/customer-groups/${first.body.id}/assign`, { customerIds: ids, ...more });
    expect((await assign(a.admin, [customer.customerId])).body).toEqual({ assigned: 1, skipped: 0 });
    expect((await assign(a.admin, [customer.customerId])).body).toEqual({ assigned: 0, skipped: 1 });
    expect((await assign(b.admin, [customer.customerId])).status).toBe(404);
    const foreign = await b.customer();
    expect((await assign(a.admin, [foreign.customerId])).body).toMatchObject({
      code: 'not_found',
      errors: [{ pointer: '/customerIds/0' }],
    });
    expect((await assign(a.admin, [customer.customerId], { remove: true })).body).toEqual({ assigned: 1, skipped: 0 });
  });

  it('keeps consents, preferences and addresses of the caller only', async () => {
    const { a } = shop;
    const customer = await a.customer();
    expect((await a.guest.get('/api/storefront/account/addresses')).status).toBe(401);
    expect((await customer.get('/api/storefront/account/orders')).body).toEqual({
      data: [],
      page: { limit: 20, nextCursor: null },
    });
    expect(
      (
        await customer.put('/api/storefront/account/notifications', {
          preferences: [{ channel: 'email', event: 'order.placed', enabled: false }],
        })
      ).body.code,
    ).toBe('mandatory');
    const preferences = [{ channel: 'email', event: 'newsletter', enabled: false }];
    expect((await customer.put('/api/storefront/account/notifications', { preferences })).body).toEqual({ preferences });
    expect(
      (await customer.post('/api/storefront/consent-log/', { purpose: 'marketing', granted: true, textVersion: '1' })).status,
    ).toBe(201);
    const [row] = await shop.rows('select subject, network from customers_consent where customer_id = $1', [customer.customerId]);
    expect(row).toEqual({ subject: customer.customerId, network: '127.0.0.0/24' });
    expect((await customer.get('/api/storefront/account/data-export')).body.code).toBe('email_unverified');
  });

  it('adds customers who match all automatic rules to a group', async () => {
    const { a } = shop;
    const made = async (code: string, autoRules: object): Promise<string> => {
      const answer = await a.admin.post<{ id: string }>('/api/admin/customer-groups/', { name: code, code, autoRules });
      expect(answer.status, answer.text).toBe(201);
      return answer.body.id;
    };
    const germans = await made('germans', { country: 'de' });
    const loyal = await made('loyal-romanians', { country: 'RO', minOrders: 2 });
    const customer = await a.customer();
    const stranger = await a.customer();
    const order = (id: string, country: string | undefined, customerId: string) =>
      ({
        data: {
          id: `0190a000-0000-7000-8000-0000000001${id}`,
          customerId,
          total: { amount: 100, currency: 'RON' },
          ...(country === undefined ? {} : { country }),
          placedAt: '2026-11-27T10:00:00.000Z',
        },
      }) as never;
    const groups = async (id: string) =>
      (await a.admin.get<{ groupIds: string[] }>(`/api/admin/customers/${id}`)).body.groupIds.filter((group) =>
        [germans, loyal].includes(group),
      );
    const place = (...args: Parameters<typeof order>) => a.run('customers', (ctx) => countOrder(ctx, order(...args)));
    const { customerId } = customer;
    await place('01', 'DE', stranger.customerId);
    await place('02', 'RO', customerId);
    expect(await groups(customerId)).toEqual([]);
    await place('03', 'FR', customerId);
    expect(await groups(customerId)).toEqual([]);
    await place('04', 'RO', customerId);
    expect(await groups(customerId)).toEqual([loyal]);
    await place('05', undefined, customerId);
    await place('06', 'DE', customerId);
    expect(new Set(await groups(customerId))).toEqual(new Set([loyal, germans]));
    expect(await groups(stranger.customerId)).toEqual([germans]);
    for (const autoRules of [{ country: 'Germany' }, { country: '1%' }])
      expect((await a.admin.post('/api/admin/customer-groups/', { name: 'x', code: 'x', autoRules })).status).toBe(422);
  });

  it('subtracts what an order added, independent of its current total', async () => {
    const { a } = shop;
    const customer = await a.customer();
    const event = (id: string, amount: number) =>
      ({
        data: {
          id: `0190a000-0000-7000-8000-00000000000${id}`,
          customerId: customer.customerId,
          total: { amount, currency: 'RON' },
          placedAt: '2026-11-27T10:00:00.000Z',
        },
      }) as never;
    const stats = async () =>
      (await a.admin.get<{ stats: Record<string, unknown> }>(`/api/admin/customers/${customer.customerId}`)).body.stats;
    const ron = (amount: number) => ({ amount, currency: 'RON' });
    for (const [id, amount] of [
      ['1', 1000],
      ['2', 501],
      ['2', 501],
      ['3', 2000],
    ] as const)
      await a.run('customers', (ctx) => countOrder(ctx, event(id, amount)));
    expect(await stats()).toMatchObject({ ordersCount: 3, totalSpent: ron(3501), averageOrder: ron(1167) });
    // Edited to more and to less before they were cancelled; the second delivery changes nothing.
    await a.run('customers', (ctx) => uncountOrder(ctx, event('3', 9000)));
    await a.run('customers', (ctx) => uncountOrder(ctx, event('3', 9000)));
    expect(await stats()).toMatchObject({ ordersCount: 2, totalSpent: ron(1501), averageOrder: ron(751) });
    await a.run('customers', (ctx) => uncountOrder(ctx, event('1', 0)));
    expect(await stats()).toMatchObject({ ordersCount: 1, totalSpent: ron(501) });
    await a.run('customers', (ctx) => uncountOrder(ctx, event('2', 400)));
    expect(await stats()).toMatchObject({ ordersCount: 0, totalSpent: ron(0), averageOrder: null });
  });

  it('exports everything, then erases it for good', async () => {
    const { a } = shop;
    const customer = await a.customer('zenobia@a.example');
    await a.run('customers', async (ctx) => {
      await ctx.require(customerDirectory).markVerified(customer.customerId, { acceptRegistration: true });
      await ctx.require(customers).saveAddress(customer.customerId, { firstName: 'Zenobia', line1: 'Strada Lungă 1' });
    });
    const exported = await customer.get<{ data: Record<string, unknown[]> }>('/api/storefront/account/data-export');
    expect(exported.body.data['customers.address']).toHaveLength(1);
    const zip = await customer.get('/api/storefront/account/data-export-zip');
    expect([zip.status, zip.headers['content-type'], zip.text.slice(0, 2)]).toEqual([200, 'application/zip', 'PK']);
    expect((await customer.delete('/api/storefront/account/account')).status).toBe(204);
    await shop.settled();
    expect((await customer.get('/api/storefront/account/addresses')).status).toBe(401);
    const rows = await shop.rows<{ email: string; status: string }>(
      'select email, status from customers_customer where id = $1',
      [customer.customerId],
    );
    expect(rows).toEqual([{ email: `erased+${customer.customerId}@invalid`, status: 'erased' }]);
    expect(await shop.rows('select 1 from customers_address where customer_id = $1', [customer.customerId])).toEqual([]);
    const again = await a.customer('zenobia@a.example');
    expect(again.customerId).not.toBe(customer.customerId);
  });
});
