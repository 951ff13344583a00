import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '@storeloom/data';
import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { type TestClient, type TestShop, type TestTenant, testShop } from '@storeloom/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

let shop: TestShop;
const open: Socket[] = [];

beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'search', 'data-exchange', 'customers', 'orders'], workers: false });
  const csv = ['slug,sku,price,title[ro]', ...Array.from({ length: 120 }, (_, i) => `p-${i},P-${i},1.00,Product ${i}`)].join(
    '\n',
  );
  for (const { admin } of [shop.a, shop.b]) {
    const imported = await admin.call('POST', '/api/admin/import/products?format=native', {
      raw: { content: csv, type: 'text/csv' },
    });
    expect(imported.body, imported.text).toMatchObject({ created: 120 });
  }
  // More than the sockets of both sides buffer.
  await shop.rows(
    `update catalog_product set status = 'active', description = jsonb_build_object('ro', (select string_agg(md5(n::text), '') from generate_series(1, 6000) n)) where tenant_id = $1`,
    [shop.a.id],
  );
});
afterAll(() => shop?.stop());
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await expect.poll(busyConnections).toBe(0);
});

const busyConnections = (): number => {
  const { pool } = shop.kernel.database;
  return pool.totalCount - pool.idleCount;
};

/** Addresses of clients; the clients of the test have another one. */
const addresses = ['127.0.0.2', '127.0.0.3'];

/** Sends the head of a request and `body`, and reads only the first bytes of the response. Resolves with its status. */
function unread(
  client: TestClient,
  method: string,
  path: string,
  body?: { length: number; sent: Buffer; type: string },
  localAddress?: string,
) {
  const { port } = new URL(client.base);
  const socket = connect({ port: Number(port), host: '127.0.0.1', ...(localAddress === undefined ? {} : { localAddress }) });
  open.push(socket);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${client.host}`,
    ...(client.headers.authorization === undefined ? [] : [`authorization: ${client.headers.authorization}`]),
    ...(body ? [`content-length: ${body.length}`, `content-type: ${body.type}`] : []),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  if (body) socket.write(body.sent);
  return new Promise<number>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (bytes) => {
      socket.pause();
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1]));
    });
  });
}

const sleeping = (tenant: TestTenant, seconds: number) =>
  tenant.run('catalog', (ctx: Ctx) => ctx.db.run(sql`select pg_sleep(${seconds})`));
/** Everything that a visitor and staff of the other shop, and a probe, need. */
async function othersAreServed(): Promise<void> {
  const started = performance.now();
  const responses = await Promise.all([
    shop.b.guest.get('/health'),
    shop.b.guest.get('/api/storefront/products/'),
    shop.b.guest.get('/api/storefront/search?q=product'),
    shop.b.admin.get('/api/admin/products/'),
    shop.b.admin.get('/api/admin/export/customers.csv'),
    shop.b.admin.call('POST', '/api/admin/import/products?format=native', {
      raw: { content: 'slug,sku,price,title[ro]\nother,O-1,1.00,Other', type: 'text/csv' },
    }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  // The wait for a connection is a minute in tests: an answer after it would be no answer.
  expect(performance.now() - started).toBeLessThan(20_000);
}

describe('a tenant that takes all it can get', () => {
  it('sends exports to clients that don’t read without holding a database connection', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        unread(shop.a.admin, 'GET', '/api/admin/export/products.csv', undefined, addresses[i % 2]),
      ),
    );
    expect(statuses).toEqual(Array.from({ length: 16 }, () => 200));
    await expect.poll(busyConnections).toBe(0);
    await othersAreServed();
    expect((await shop.a.admin.get('/api/admin/products/?limit=1')).status).toBe(200);
    // One more of the same tenant is refused instead of queued; the other tenant's isn't.
    const refused = await shop.a.admin.get('/api/admin/export/products.csv');
    expect(refused.body).toMatchObject({ status: 503, code: 'unavailable' });
    expect(refused.headers['retry-after']).toBeDefined();
    expect((await shop.b.admin.get('/api/admin/export/products.csv')).status).toBe(200);
    for (const socket of open.splice(0)) socket.destroy();
    await expect.poll(async () => (await shop.a.admin.get('/api/admin/export/products.csv')).status).toBe(200);
    // Each export is on record, also the interrupted ones.
    const [audited] = await shop.rows<{ n: number }>(
      `select count(*)::int as n from core_audit where entity = 'catalog.product' and action = 'data-exchange.product.export' and tenant_id = $1`,
      [shop.a.id],
    );
    expect(audited?.n).toBeGreaterThanOrEqual(17);
  });

  it('gives a whole export to a client that pauses, without what was created since it began', async () => {
    const whole = shop.a.admin.get('/api/admin/export/products.csv');
    const { port } = new URL(shop.a.admin.base);
    const socket = connect(Number(port), '127.0.0.1');
    open.push(socket);
    socket.write(
      `GET /api/admin/export/products.csv HTTP/1.1\r\nhost: ${shop.a.host}\r\nauthorization: ${shop.a.admin.headers.authorization}\r\nconnection: close\r\n\r\n`,
    );
    const parts: Buffer[] = [];
    await new Promise<void>((resolve) => {
      socket.once('data', (bytes) => {
        socket.pause();
        parts.push(bytes);
        resolve();
      });
    });
    await shop.a.admin.call('POST', '/api/admin/import/products?format=native', {
      raw: { content: 'slug,sku,price,title[ro]\nlate-one,L-1,1.00,Late', type: 'text/csv' },
    });
    socket.on('data', (bytes) => parts.push(bytes)).resume();
    await new Promise((resolve) => socket.once('close', resolve));
    const text = Buffer.concat(parts).toString('utf8');
    expect(text).toContain('p-119,');
    expect(text).not.toContain('late-one');
    expect((await whole).text.match(/^p-\d+,/gm)).toHaveLength(120);
  });

  it('holds at most two thirds of the connections, and others are served in turn', async () => {
    const work = Array.from({ length: 40 }, () => sleeping(shop.a, 0.4));
    await expect.poll(busyConnections).toBe(8);
    const before = performance.now();
    await sleeping(shop.b, 0);
    expect(performance.now() - before).toBeLessThan(400);
    await othersAreServed();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, busyConnections())), 20);
    await Promise.all(work);
    clearInterval(watch);
    // Eight of the tenant, and what the watch of the clock and the rest of the process take.
    expect(most).toBeLessThanOrEqual(10);
  });

  it('two tenants leave a connection to the platform, and a third tenant its turn', async () => {
    const work = [shop.a, shop.b].flatMap((tenant) => Array.from({ length: 24 }, () => sleeping(tenant, 0.4)));
    await expect.poll(busyConnections).toBe(11);
    const before = performance.now();
    expect((await shop.b.guest.get('/health')).status).toBe(200);
    expect(performance.now() - before).toBeLessThan(1500);
    await Promise.all(work);
  });

  it('can’t fill the memory with bodies that it never completes', async () => {
    const body = { length: 950_000, sent: Buffer.alloc(940_000, 0x20), type: 'application/json' };
    for (let i = 0; i < 75; i++) void unread(shop.a.admin, 'POST', '/api/admin/products/', body).catch(() => undefined);
    await expect
      .poll(async () => (await shop.a.admin.post('/api/admin/products/', { title: 'x'.repeat(960_000) })).body.code)
      .toBe('unavailable');
    await othersAreServed();
    expect((await shop.a.admin.get('/api/admin/products/?limit=1')).status).toBe(200);
  });

  it('doesn’t lose its own writes to bodies that a visitor only announces', async () => {
    const body = { length: 950_000, sent: Buffer.alloc(100, 0x20), type: 'application/json' };
    const refused: number[] = [];
    const visitor = shop.a.guest;
    for (let i = 0; i < 75; i++)
      void unread(visitor, 'POST', '/api/storefront/recommendations/track', body).then(
        (status) => refused.push(status),
        () => undefined,
      );
    await sleep(1000);
    expect((await shop.a.admin.post('/api/admin/products/', { title: { ro: 'Lamp' } })).body).toMatchObject({
      title: { ro: 'Lamp' },
    });
    expect(refused).toEqual([]);
  });

  it('can’t take the sockets and the disk with uploads and imports that it never completes', async () => {
    const body = { length: 10_000_000, sent: Buffer.from('slug,sku,price\n'), type: 'text/csv' };
    const refused: number[] = [];
    for (let i = 0; i < 20; i++)
      void unread(shop.a.admin, 'POST', '/api/admin/import/products?format=native', body, addresses[i % 2]).then(
        (status) => refused.push(status),
        () => undefined,
      );
    await expect.poll(() => refused).toEqual(Array.from({ length: 8 }, () => 503));
    const one = () =>
      shop.a.admin.call('POST', '/api/admin/import/products?format=native', {
        raw: { content: 'slug,sku,price,title[ro]\nx,X-1,1.00,X', type: 'text/csv' },
      });
    expect((await one()).status).toBe(503);
    await othersAreServed();
    for (const socket of open.splice(0)) socket.destroy();
    await expect.poll(async () => (await one()).status).toBe(200);
  });

  it('leaves a part of its exports, uploads and bodies to others than the client that takes most', async () => {
    const [greedy] = addresses;
    const statuses = await Promise.all(
      Array.from({ length: 13 }, () => unread(shop.a.admin, 'GET', '/api/admin/export/products.csv', undefined, greedy)),
    );
    expect(statuses.sort()).toEqual([...Array.from({ length: 12 }, () => 200), 503]);
    expect((await shop.a.admin.get('/api/admin/export/products.csv')).status).toBe(200);
    const upload = { length: 10_000_000, sent: Buffer.from('slug,sku,price\n'), type: 'text/csv' };
    const path = '/api/admin/import/products?format=native';
    const refused: number[] = [];
    for (let i = 0; i < 10; i++)
      void unread(shop.a.admin, 'POST', path, upload, greedy).then(
        (status) => refused.push(status),
        () => undefined,
      );
    await expect.poll(() => refused).toEqual([503]);
    const raw = { content: 'slug,sku,price,title[ro]\ny,Y-1,1.00,Y', type: 'text/csv' };
    expect((await shop.a.admin.call('POST', path, { raw })).status).toBe(200);
    const body = { length: 950_000, sent: Buffer.alloc(940_000, 0x20), type: 'application/json' };
    for (let i = 0; i < 60; i++) void unread(shop.a.admin, 'POST', '/api/admin/products/', body, greedy).catch(() => undefined);
    await sleep(1000);
    expect((await shop.a.admin.post('/api/admin/products/', { title: { ro: 'Lamp' } })).status).toBe(201);
  });

  it('has uploads by a form counted as its own, and not those without its ticket', async () => {
    const file = Buffer.from('x'.repeat(1000));
    const presigned = await shop.b.admin.post<{ fields: { ticket: string } }>('/api/admin/uploads/presign', {
      filename: 'a.csv',
      contentType: 'text/csv',
      size: 900_000,
      purpose: 'image',
    });
    expect(presigned.status, presigned.text).toBe(200);
    const form = (ticket: string) => ({
      length: 900_000,
      sent: Buffer.concat([
        Buffer.from(`--form\r\ncontent-disposition: form-data; name="ticket"\r\n\r\n${ticket}\r\n`),
        Buffer.from('--form\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n'),
        file,
      ]),
      type: 'multipart/form-data; boundary=form',
    });
    const own = () =>
      shop.b.admin.call('POST', '/api/admin/import/products?format=native', {
        raw: { content: 'slug,sku,price,title[ro]\nz,Z-1,1.00,Z', type: 'text/csv' },
      });
    const refused: number[] = [];
    const send = (count: number, ticket: string): void => {
      for (let i = 0; i < count; i++)
        void unread(shop.b.guest, 'POST', '/api/uploads/direct', form(ticket), addresses[i % 2]).then(
          (status) => refused.push(status),
          () => undefined,
        );
    };
    send(16, 'not a ticket');
    await expect.poll(() => refused.length).toBe(16);
    expect(new Set(refused)).toEqual(new Set([401]));
    refused.length = 0;
    send(14, presigned.body.fields.ticket);
    await expect.poll(() => refused).toEqual([503, 503]);
    expect((await own()).status).toBe(503);
    expect((await shop.a.admin.get('/api/admin/products/?limit=1')).status).toBe(200);
    for (const socket of open.splice(0)) socket.destroy();
    await expect.poll(async () => (await own()).status).toBe(200);
  });

  it('keeps connections for its visitors while its jobs take all they can, and runs a job beside them', async () => {
    let isOver = false;
    const job = (seconds: number) => inBackground(() => sleeping(shop.a, seconds));
    const jobs = Array.from({ length: 40 }, () => job(0.3));
    await expect.poll(busyConnections).toBe(4);
    const before = performance.now();
    await Promise.all(Array.from({ length: 4 }, () => sleeping(shop.a, 0)));
    expect(performance.now() - before).toBeLessThan(250);
    const visitors = Array.from({ length: 16 }, async () => {
      while (!isOver) await sleeping(shop.a, 0.05);
    });
    // More visitors than connections: the jobs go on.
    await Promise.all(jobs.slice(0, 8));
    await job(0);
    isOver = true;
    await Promise.all([...visitors, ...jobs]);
  });

  it('leaves the other tenant its service while exports, searches and imports saturate', async () => {
    let over = false;
    const loop = async (send: () => Promise<unknown>): Promise<void> => {
      while (!over) await send();
    };
    const load = [
      ...Array.from({ length: 12 }, () => unread(shop.a.admin, 'GET', '/api/admin/export/products.csv')),
      ...Array.from({ length: 30 }, (_, i) => loop(() => shop.a.guest.get(`/api/storefront/search?q=product%20${i}`))),
      ...Array.from({ length: 10 }, () => loop(() => sleeping(shop.a, 0.2))),
    ];
    await expect.poll(busyConnections).toBeGreaterThanOrEqual(6);
    for (let i = 0; i < 3; i++) await othersAreServed();
    over = true;
    await Promise.all(load);
  });
});
