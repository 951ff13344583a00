import { orderExport, orders } from '@storeloom/commerce';
import { peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import { sentMails, type TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, openShop, paid, place, read } from '../test/shop.ts';
import { queued } from './queued.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop?.stop());

const cart = { lines: [{ price: 1000, quantity: 2 }] };
const internal = [
  'internalNotes',
  'ip',
  'userAgent',
  'utm',
  'history',
  'trace',
  'risk',
  'searchText',
  'tokenHash',
  'holdReason',
  'cancelReason',
  'cartId',
  'facts',
  'vendorSplits',
  'customerId',
  'payments',
];

describe('the buyer', () => {
  it('reads the own order with its token, or signed in, without internal data', async () => {
    const buyer = await shop.a.customer();
    const placed = await place(shop.a, { ...cart, customerId: buyer.customerId, email: buyer.email });
    const path = `/api/storefront/orders/${placed.id}`;
    const shown = await shop.a.guest.get<Record<string, unknown>>(`${path}?token=${placed.token}`);
    expect([shown.status, shown.body]).toMatchObject([
      200,
      { number: placed.number, status: 'pending', totals: { total: { amount: placed.total } } },
    ]);
    for (const member of internal) expect(shown.body, member).not.toHaveProperty(member);
    expect((await shop.a.guest.with({ 'x-order-token': placed.token }).get(path)).body).toEqual(shown.body);
    expect((await buyer.get(path)).body).toEqual(shown.body);
    expect((await shop.a.guest.get(`/api/v1/storefront/orders/${placed.id}?token=${placed.token}`)).body).toEqual(shown.body);
  });

  it('B34: is the only one who reads it, also if others know the id', async () => {
    const placed = await place(shop.a, cart);
    const other = await place(shop.a, cart);
    const path = `/api/storefront/orders/${placed.id}`;
    const stranger = await shop.a.customer();
    for (const answer of [
      await shop.a.guest.get(path),
      await stranger.get(path),
      await shop.a.guest.get(`${path}?token=${other.token}`),
      await shop.a.guest.get(`${path}?token=x`),
      await shop.b.guest.get(`${path}?token=${placed.token}`),
      await shop.a.guest.get(`${path}/invoice?token=${other.token}`),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    expect((await shop.b.admin.get(`/api/admin/orders/${placed.id}`)).status).toBe(404);
    expect((await shop.b.admin.post('/api/admin/invoices/', { orderId: placed.id })).status).toBe(404);
  });

  it('uses a token for 180 days', async () => {
    const placed = await place(shop.a, cart);
    await shop.rows("update orders_order set token_expires_at = now() - interval '1 minute' where id = $1", [placed.id]);
    expect((await shop.a.guest.get(`/api/storefront/orders/${placed.id}?token=${placed.token}`)).status).toBe(404);
    const [row] = await shop.rows<{ days: number }>(
      'select extract(day from token_expires_at - placed_at)::int as days from orders_order where id <> $1 order by placed_at desc limit 1',
      [placed.id],
    );
    expect(row?.days).toBe(180);
  });

  it('has guest orders after confirming the address', async () => {
    const buyer = await shop.a.customer();
    const placed = await place(shop.a, { ...cart, email: buyer.email });
    expect((await buyer.get(`/api/storefront/orders/${placed.id}`)).status).toBe(404);
    expect((await buyer.get<{ data: object[] }>('/api/storefront/account/orders')).body.data).toEqual([]);
    await shop.rows('update customers_customer set email_verified_at = now() where id = $1', [buyer.customerId]);
    expect((await buyer.get(`/api/storefront/orders/${placed.id}`)).status).toBe(200);
    expect((await buyer.get<{ data: object[] }>('/api/storefront/account/orders')).body.data).toMatchObject([{ id: placed.id }]);
  });

  it('pages through own orders', async () => {
    const buyer = await shop.a.customer();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++)
      ids.unshift((await place(shop.a, { ...cart, customerId: buyer.customerId, email: buyer.email })).id);
    const service = <T>(fn: (o: import('@storeloom/commerce').Orders) => Promise<T>) =>
      shop.a.run('customers', (ctx) => fn(ctx.require(orders)));
    const first = await service((o) => o.ofCustomer(buyer.customerId, { limit: 3 }));
    const second = await service((o) => o.ofCustomer(buyer.customerId, { limit: 3, cursor: first.nextCursor as string }));
    expect([...first.data, ...second.data].map((each) => each.id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
    const [at, id] = ['2026-11-27T10:00:00.000Z', ids[0]];
    const cursors = [['1', id], ['2026-02-30T10:00:00.000Z', id], ['0000-01-01T00:00:00.000Z', id], [at, '-'.repeat(36)], [at]];
    for (const cursor of ['x', ...cursors.map((each) => Buffer.from(JSON.stringify(each)).toString('base64url'))]) {
      await expect(service((o) => o.ofCustomer(buyer.customerId, { limit: 3, cursor }))).rejects.toMatchObject({
        code: 'invalid_parameter',
      });
      expect((await buyer.get(`/api/storefront/account/orders?cursor=${cursor}`)).status).toBe(400);
    }
    expect(await service((o) => o.openCount(buyer.customerId))).toBe(5);
    expect(await service((o) => o.countPlaced({ email: buyer.email.toUpperCase() }))).toBe(5);
    await service((o) => o.move(ids[0]!, 'cancelled', { reason: 'x' }));
    expect(await service((o) => o.openCount(buyer.customerId))).toBe(4);
    expect(await service((o) => o.countPlaced({ customerId: buyer.customerId }))).toBe(4);
    expect(await service((o) => o.tokenMatches(ids[1]!, 'x'))).toBe(false);
    const [line] = (await read(shop.a, ids[1]!)).lines as unknown as { variantId: string }[];
    expect(await service((o) => o.variantsInOrders([line!.variantId, ids[0]!]))).toEqual(new Set([line!.variantId]));
  });

  it('downloads the newest invoice as PDF, or 404 without one', async () => {
    const placed = await place(shop.a, cart);
    const path = `/api/storefront/orders/${placed.id}/invoice?token=${placed.token}`;
    expect((await shop.a.guest.get(path)).status).toBe(404);
    const settled = await paid(shop.a, cart);
    await shop.settled();
    const pdf = await shop.a.guest.get(`/api/storefront/orders/${settled.id}/invoice?token=${settled.token}`);
    expect([pdf.status, pdf.headers['content-type'], pdf.text.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-']);
  });

  it('tracks by number and address; a wrong number and a wrong address are indistinguishable', async () => {
    const placed = await paid(shop.a, cart);
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, { carrier: 'carrier-a', trackingNumber: 'T1' });
    const track = (orderNumber: string, email: string) =>
      shop.a.guest.post<Record<string, unknown>>('/api/storefront/orders/track', { orderNumber, email });
    const found = await track(placed.number, 'ANA@test.example');
    expect(found.body).toMatchObject({
      number: placed.number,
      status: 'shipped',
      fulfillmentStatus: 'shipped',
      shipments: [{ carrier: 'carrier-a', status: 'shipped', events: [] }],
    });
    expect(Object.keys(found.body).sort()).toEqual(['fulfillmentStatus', 'number', 'placedAt', 'shipments', 'status']);
    const strip = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, { ...body, requestId: null }];
    const wrong = [await track(placed.number, 'x@test.example'), await track('2020-000000', 'ana@test.example')].map(strip);
    expect(wrong[0]).toEqual(wrong[1]);
    expect(wrong[0]?.[0]).toBe(404);
    expect(
      (await shop.b.guest.post('/api/storefront/orders/track', { orderNumber: placed.number, email: 'ana@test.example' })).status,
    ).toBe(404);
  });
});

describe('the order list', () => {
  it('filters, sorts, pages and searches', async () => {
    const mine = { ...home, firstName: 'Zoltán', lastName: 'Őry', country: 'HU', postalCode: '1011' };
    const made = [];
    for (const price of [300, 100, 200])
      made.push(await place(shop.b, { lines: [{ price }], noShipping: true, address: mine, email: 'zoltan@test.example' }));
    await place(shop.b, cart);
    const ids = async (query: string): Promise<string[]> => {
      const answer = await shop.b.admin.get<{ data: { id: string }[] }>(`/api/admin/orders/?${query}`);
      expect([answer.status, query]).toEqual([200, query]);
      return answer.body.data.map((each) => each.id);
    };
    const [a, b, c] = made.map((each) => each.id) as [string, string, string];
    expect(await ids('country=HU&sort=total')).toEqual([b, c, a]);
    expect(await ids('country=HU')).toEqual([c, b, a]);
    expect(await ids('country=HU&total[gte]=200&sort=-total')).toEqual([a, c]);
    expect(await ids(`number=${made[1]?.number}`)).toEqual([b]);
    expect(await ids('q=ory&country=HU&sort=number')).toEqual([a, b, c]);
    expect(await ids('q=ZOLTAN%20ORY')).toHaveLength(3);
    expect(await ids('q=sku-300')).toEqual([a]);
    expect(await ids('q=0722000111&status=pending')).toHaveLength(4);
    expect(await ids('q=722000111&email=zoltan%40test.example')).toHaveLength(3);
    expect(await ids('q=%25')).toEqual([]);
    expect(await ids('status=cancelled')).toEqual([]);
    expect(await ids('paymentStatus=unpaid&fulfillmentStatus=unfulfilled&channel=web&country[in]=HU,RO')).toHaveLength(4);
    const page = await shop.b.admin.get<{ data: { id: string }[]; page: { nextCursor: string; total: number } }>(
      '/api/admin/orders/?country=HU&sort=total&limit=2&total=true',
    );
    expect(page.body.page.total).toBe(3);
    expect(await ids(`country=HU&sort=total&limit=2&cursor=${page.body.page.nextCursor}`)).toEqual([a]);
    for (const bad of ['limit=0', 'limit=101', 'status=x', 'foo=1', 'sort=email', 'placedAt[gte]=yesterday', 'total[like]=1'])
      expect((await shop.b.admin.get(`/api/admin/orders/?${bad}`)).status, bad).toBe(400);
    // Contains no orders of the other shop.
    expect(await ids('q=ana@test.example')).toHaveLength(1);
  });

  it('finds telephone numbers in any format, and order numbers with dashes', async () => {
    const tenant = shop.a;
    const found = async (q: string): Promise<string[]> => {
      const answer = await tenant.admin.get<{ data: { id: string }[] }>(`/api/admin/orders/?q=${encodeURIComponent(q)}`);
      expect([answer.status, q]).toEqual([200, q]);
      return answer.body.data.map((each) => each.id);
    };
    const one = await place(tenant, { lines: [{ price: 100 }], phone: '+40 (722) 123-456' });
    const two = await place(tenant, { lines: [{ price: 100 }], phone: '0048 601 222 333' });
    for (const q of [
      '+40 (722) 123-456',
      '722 123 456',
      '0722 123 456',
      '0722-123-456',
      '40722123456',
      '+40722123456',
      '0040 722 123456',
    ])
      expect([q, await found(q)]).toEqual([q, [one.id]]);
    for (const q of ['+48601222333', '0048 601 222 333', '48 601222333', '601 222-333'])
      expect([q, await found(q)]).toEqual([q, [two.id]]);
    expect(await found('722 123 457')).toEqual([]);
    expect(one.number).toMatch(/^\d{4}-\d{6}$/);
    expect(await found(one.number)).toEqual([one.id]);
    const moved = await tenant.admin.patch(`/api/admin/orders/${one.id}/address`, {
      shippingAddress: { ...home, phone: '+40 (733) 987-654' },
      billingAddress: { ...home, phone: '0744.555.666' },
    });
    expect(moved.status).toBe(200);
    for (const q of ['0733 987 654', '+40733987654', '744 555 666', '0722 123 456'])
      expect([q, await found(q)]).toEqual([q, [one.id]]);
  });

  it('is exported with the same filters', async () => {
    const rows = (filter: Record<string, string>) =>
      shop.b.run('orders', async (ctx) => {
        const all: Record<string, unknown>[] = [];
        for await (const batch of ctx.require(orderExport).rows(filter)) all.push(...batch);
        return all;
      });
    const [first, ...others] = await rows({ country: 'HU', sort: 'total' });
    expect(first).toMatchObject({
      email: 'zoltan@test.example',
      lastName: 'Őry',
      total: '1.00',
      taxTotal: '0.17',
      amountDue: '1.00',
      items: '1 × SKU-100',
    });
    expect(others).toHaveLength(2);
    await expect(rows({ colour: 'red' })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('needs its permission', async () => {
    const clerk = await shop.a.staff(['orders.order.read']);
    expect((await clerk.get('/api/admin/orders/')).status).toBe(200);
    const placed = await place(shop.a, cart);
    expect(
      (await clerk.post(`/api/admin/orders/${placed.id}/refund`, { reason: 'x', amount: { amount: 1, currency: 'RON' } })).body,
    ).toMatchObject({ code: 'forbidden', permission: 'orders.order.refund' });
    expect((await clerk.patch(`/api/admin/orders/${placed.id}/edit`, { operations: [] })).status).toBe(403);
    expect((await clerk.get('/api/admin/invoices/')).status).toBe(403);
  });
});

describe('e-mails', () => {
  it('are sent once each when an order is placed, shipped and cancelled, with the buyer’s link', async () => {
    const placed = await paid(shop.a, cart);
    // Events of an order and of its parcels are delivered independently.
    await shop.settled();
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, { carrier: 'Curier', trackingNumber: 'TRACK-9' });
    const gone = await place(shop.a, cart);
    await shop.a.admin.post(`/api/admin/orders/${gone.id}/status`, { status: 'cancelled', reason: 'x' });
    const quiet = await place(shop.a, cart);
    await shop.a.admin.post(`/api/admin/orders/${quiet.id}/status`, { status: 'cancelled', reason: 'x', notify: false });
    await shop.settled();
    const sent = async (id: string) =>
      (
        await shop.rows<{ template: string }>('select template from core_mail where key like $1 order by created_at, id', [
          `orders ${id}%`,
        ])
      ).map((mail) => mail.template);
    expect(await sent(placed.id)).toEqual(['orders.placed', 'orders.shipped']);
    expect(await sent(gone.id)).toEqual(['orders.placed', 'orders.cancelled']);
    expect(await sent(quiet.id)).toEqual(['orders.placed']);
    const all = sentMails(shop);
    expect(all).toContain(`/orders/${placed.id}?token=${placed.token}`);
    expect(all).toContain('TRACK-9');
  });
});

describe('the completion job', () => {
  const run = async () => {
    await shop.a.run('orders', (ctx) => ctx.enqueue(queued.complete, {}));
    await shop.settled();
  };
  it('completes a delivered order after the return window', async () => {
    const placed = await paid(shop.a, cart);
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, {});
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/status`, { status: 'delivered' });
    const digital = await paid(shop.a, { lines: [{ price: 10, digital: true }], noShipping: true });
    await run();
    expect((await read(shop.a, placed.id)).status).toBe('delivered');
    shop.clock.advance(14 * 86_400_000 + 60_000);
    await run();
    await run();
    shop.clock.advance(-(14 * 86_400_000 + 60_000));
    for (const id of [placed.id, digital.id]) {
      const order = await read(shop.a, id);
      expect([order.status, order.history.filter((each) => each.to === 'completed').length]).toEqual(['completed', 1]);
    }
  });

  it('continues after a full batch of failing orders, and tries each once per run', async () => {
    const placed = await paid(shop.a, cart);
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/ship`, {});
    await shop.a.admin.post(`/api/admin/orders/${placed.id}/status`, { status: 'delivered' });
    await shop.settled();
    await shop.rows(
      `insert into orders_order select (jsonb_populate_record(o, jsonb_build_object('cart_id', null, 'number', 'STUCK-' || n,
        'id', '00000000-0000-7000-8000-' || lpad(n::text, 12, '0')))).* from orders_order o, generate_series(1, 200) n where o.id = $1`,
      [placed.id],
    );
    await shop.rows(`alter table orders_order add constraint stuck check (status <> 'completed' or number not like 'STUCK-%')`);
    shop.clock.advance(14 * 86_400_000 + 60_000);
    await run();
    shop.clock.advance(-(14 * 86_400_000 + 60_000));
    expect((await read(shop.a, placed.id)).status).toBe('completed');
    expect(await shop.rows(`select distinct status from orders_order where number like 'STUCK-%'`)).toEqual([
      { status: 'delivered' },
    ]);
    await shop.rows('alter table orders_order drop constraint stuck');
    await shop.rows(`delete from orders_order where number like 'STUCK-%'`);
  });
});

describe('personal data', () => {
  const whole = async (tenantId: string): Promise<string> => {
    const tables = await shop.rows<{ name: string }>(
      "select table_name as name from information_schema.tables where table_name like 'orders\\_%' and table_name <> 'orders_invoice'",
    );
    const dumps = [];
    for (const { name } of tables) dumps.push(await shop.rows(`select t::text from ${name} t where tenant_id = $1`, [tenantId]));
    return JSON.stringify(dumps);
  };
  it('P22: is exported completely; after the erasure only documents remain', async () => {
    const email = 'uitat@test.example';
    const address = { ...home, firstName: 'Unikat', lastName: 'Uitatescu', line1: 'Aleea Uitării 9' };
    const placed = await paid(shop.b, { ...cart, email, address });
    await shop.settled();
    await shop.b.admin.post(`/api/admin/orders/${placed.id}/internal-notes`, { text: 'Uitatescu e simpatic' });
    const person = { emails: [email], phones: [] };
    const exported = await shop.b.run('customers', (ctx) => ctx.call(peopleExport, person));
    const rows = exported.find((each) => each.resource === 'orders.order')?.rows;
    expect(rows).toMatchObject([{ number: placed.number, ip: '192.0.2.7', billingAddress: { lastName: 'Uitatescu' } }]);
    expect(JSON.stringify(exported)).not.toContain('simpatic');
    expect(exported.some((each) => each.resource === 'orders.invoice')).toBe(true);

    const erase = async () => {
      const reports: { resource: string; erased: number; kept?: { count: number; reason: string } }[] = [];
      await shop.b.run('customers', (ctx) => ctx.call(peopleErase, { ...person, report: (entry) => void reports.push(entry) }));
      return reports.filter((each) => each.resource.startsWith('orders.'));
    };
    expect(await erase()).toMatchObject([
      { resource: 'orders.order', erased: 0, kept: { count: 1, reason: 'open_order' } },
      { resource: 'orders.invoice', kept: { count: 1, reason: 'fiscal' } },
    ]);
    await shop.b.admin.post(`/api/admin/orders/${placed.id}/status`, { status: 'cancelled', reason: 'x', refund: false });
    await shop.settled();
    expect(await erase()).toMatchObject([
      { resource: 'orders.order', erased: 1 },
      { resource: 'orders.invoice', kept: { count: 2 } },
    ]);
    const dump = await whole(shop.b.id);
    for (const text of ['uitat@', 'Unikat', 'Uitatescu', 'uitatescu', 'Uitării', '192.0.2.7 uitat'])
      expect(dump, text).not.toContain(text);
    expect((await read(shop.b, placed.id)) as object).toMatchObject({
      email: `erased+${placed.id}@invalid`,
      totals: { total: { amount: placed.total } },
      internalNotes: [],
    });
    expect((await shop.b.guest.get(`/api/storefront/orders/${placed.id}?token=${placed.token}`)).status).toBe(404);
    // A second erasure changes nothing.
    expect(await erase()).toEqual([{ resource: 'orders.order', erased: 0 }]);
  });
});
