import { get } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { definePlugin, f, Problem, sql } from '@storeloom/plugin-sdk';
import { createRouter, type PluginRouters, routeOptions } from '@storeloom/plugin-sdk/router';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { badInputs, isolationFaults, type TestShop, testShop } from '../index.ts';

const name = 'example-hello';
const read = { permission: `${name}.item.read` } as const;
const admin = `/api/admin/${name}`;
const front = `/api/storefront/${name}`;
const unknownId = '0190a000-0000-7000-8000-000000000001';

/** Bodies that a handler may answer with, by the path that does. */
const bodies: Record<string, () => unknown> = {
  object: () => ({ id: 1, version: 4 }),
  html: () => '<p>hello</p>',
  text: () => 'hello',
  buffer: () => Buffer.from('hello'),
  stream: () => Readable.from(['hel', 'lo']),
  blob: () => new Blob(['hello'], { type: 'text/plain' }),
  'web-stream': () => new Blob(['hello']).stream(),
  response: () => new Response('hello', { status: 202, headers: { 'x-made': 'by fetch' } }),
};

function router(r: PluginRouters): void {
  r.admin.prefix(`/${name}`);
  r.admin.use(async (koa, next) => {
    koa.set('x-first', 'use');
    koa.set('access-control-allow-origin', '*');
    koa.set('x-content-type-options', 'none');
    await next();
  });
  r.admin.use('/guarded', (koa, next) => {
    if (koa.get('x-key') !== 'open') koa.throw(403, 'The key is missing.');
    return next();
  });
  r.admin.param('itemId', async (id, koa, next) => {
    koa.append('x-param', `${id} ${koa.state.ctx.tenant.slug}`);
    await next();
  });
  r.admin.get('item', '/items/:itemId', routeOptions(read), (koa) => {
    koa.body = {
      params: koa.params,
      url: String(koa.router.url('item', { itemId: koa.params.itemId })),
      route: koa._matchedRouteName,
      query: koa.query,
      ip: koa.ip,
    };
  });
  r.admin.get('/items/newest', routeOptions(read), (koa) => void (koa.body = { newest: true }));
  r.admin.get('/guarded/:itemId', routeOptions(read), (koa) => void (koa.body = { guarded: true }));
  r.admin.all('/any', routeOptions(read), async (koa, next) => {
    koa.append('x-steps', 'all');
    await next();
    koa.body ??= { method: koa.method };
  });
  r.admin.get('/any', (koa) => void (koa.body = { explicit: koa.method }));
  const parts = createRouter();
  parts.use(async (koa, next) => {
    await next();
    koa.set('x-nested', 'yes');
  });
  parts.get('/parts/:part', routeOptions({ ...read, params: { part: f.slug() } }), (koa) => void (koa.body = koa.params));
  r.admin.use('/nested/:itemId', parts.routes());
  r.admin.post(
    '/items',
    routeOptions({
      permission: `${name}.item.create`,
      transaction: 'request',
      body: { title: f.text({ max: 20 }) },
      query: { copies: f.int({ min: 1, max: 9 }).default(1) },
      response: { title: f.text(), copies: f.int(), tenant: f.id() },
      status: 201,
    }),
    async (koa) => {
      const { ctx, req } = koa.state;
      const row = await ctx.db.first<{ tenant: string }>(sql`select current_setting('app.tenant_id') as tenant`);
      await ctx.audit({ entity: `${name}.item`, entityId: req.body.title });
      if (req.body.title === 'refused') koa.throw(409, 'There is one already.');
      koa.status = 201;
      koa.body = { title: req.body.title, copies: req.query.copies, tenant: row?.tenant };
    },
  );
  r.admin.get('/outside', routeOptions(read), (koa) => void (koa.body = typeof koa.state.ctx.db));
  r.admin.get('/inside', routeOptions(read), async (koa) => {
    koa.body = await koa.state.ctx.transaction((ctx) => ctx.db.first(sql`select current_setting('app.tenant_id') as tenant`));
  });
  r.admin.put(
    '/upload',
    routeOptions({ ...read, rawBody: 'stream', contentTypes: ['text/csv'], maxBytes: 1000 }),
    async (koa) => void (koa.body = { length: (await text(koa.req)).length }),
  );
  for (const [path, body] of Object.entries(bodies))
    r.storefront.get(`/${name}/bodies/${path}`, (koa) => void (koa.body = body()));
  const faults: Record<string, (koa: Parameters<Parameters<typeof r.storefront.use>[0]>[0]) => unknown> = {
    nothing: () => undefined,
    error: () => {
      throw new Error('the secret of the shop');
    },
    problem: () => {
      throw new Problem('insufficient_stock', { available: 2 });
    },
    thrown: (koa) => {
      koa.set('x-left', 'behind');
      koa.throw(429, 'Slow down.', { headers: { 'retry-after': '7', 'set-cookie': 'a=b' } });
    },
    status: (koa) => {
      koa.status = 403;
      koa.body = 'Not on Sundays.';
    },
    teapot: (koa) => koa.throw(418),
    hidden: (koa) => koa.throw(502, 'the password of the provider'),
    failed: (koa) => {
      koa.status = 500;
      koa.body = 'the secret of the shop';
    },
    away: (koa) => koa.throw(503, 'the secret of the shop', { headers: { 'retry-after': '3' } }),
    raw: (koa) => {
      koa.respond = false;
      koa.res.end('past everything');
    },
  };
  for (const [path, run] of Object.entries(faults)) r.storefront.get(`/${name}/faults/${path}`, (koa) => run(koa));
  r.storefront.get(`/${name}/stream`, (koa) => {
    const kind = koa.get('x-stream');
    koa.body = Readable.from(
      (async function* () {
        yield 'hel';
        if (kind === 'failing') throw new Error('the database is gone');
        while (kind === 'endless') yield 'x'.repeat(100_000);
      })(),
    );
  });
  r.storefront.get(`/${name}/empty`, (koa) => void (koa.body = null));
  r.storefront.get(`/${name}/moved`, (koa) => koa.redirect('/elsewhere'));
  r.storefront.get(
    `/${name}/mine`,
    routeOptions({ auth: 'customer' }),
    (koa) => void (koa.body = { type: koa.state.ctx.actor.type }),
  );
}

let shop: TestShop;
beforeAll(async () => {
  const plugin = definePlugin({ name, router });
  // The routes declare little of what their middleware answers.
  shop = await testShop({ plugins: [name], modules: { [name]: plugin }, workers: false, checkResponses: false });
});
afterAll(() => shop?.stop());

describe('the chain of a route', () => {
  it('is middleware, param, handler; koa has the parameters, the names and the caller', async () => {
    const { status, body, headers } = await shop.a.admin.get(`${admin}/items/${unknownId}/`);
    expect([status, body]).toEqual([
      200,
      {
        params: { itemId: unknownId },
        url: `${admin}/items/${unknownId}`,
        route: 'item',
        query: {},
        ip: '127.0.0.1',
      },
    ]);
    expect(headers).toMatchObject({ 'x-first': 'use', 'x-param': `${unknownId} ${shop.a.slug}` });
  });

  it('is that of the most specific route; `all` and a route of its own run in the order of declaration', async () => {
    expect((await shop.a.admin.get(`${admin}/items/newest`)).body).toEqual({ newest: true });
    const explicit = await shop.a.admin.get(`${admin}/any`);
    expect([explicit.body, explicit.headers['x-steps']]).toEqual([{ explicit: 'GET' }, 'all']);
    expect((await shop.a.admin.delete(`${admin}/any`)).body).toEqual({ method: 'DELETE' });
  });

  it('holds nested routers with the parameters of where they are mounted', async () => {
    const { body, headers } = await shop.a.admin.get(`${admin}/nested/${unknownId}/parts/wheel`);
    expect([body, headers['x-nested']]).toMatchObject([{ itemId: unknownId, part: 'wheel' }, 'yes']);
    expect((await shop.a.admin.get(`${admin}/items/newest`)).headers).not.toHaveProperty('x-nested');
  });

  it('is not left out by another spelling of the path', async () => {
    const paths = [`${admin}/guarded/${unknownId}`, `${admin}/%67uarded/${unknownId}`, `${admin}/guarded/${unknownId}/`];
    for (const path of paths) {
      expect((await shop.a.admin.get(path)).body).toMatchObject({ code: 'forbidden', detail: 'The key is missing.' });
      expect((await shop.a.admin.get(path, { headers: { 'x-key': 'open' } })).body).toEqual({ guarded: true });
    }
  });
});

describe('admission', () => {
  it('asks for a token, for the permission, and for a plugin that is on', async () => {
    const path = `${admin}/items/${unknownId}`;
    expect((await shop.a.guest.get(path)).status).toBe(401);
    expect((await shop.operator.get(path)).status).toBe(401);
    const staff = await shop.a.staff([`${name}.item.create`]);
    expect((await staff.get(path)).body).toMatchObject({ code: 'forbidden', permission: `${name}.item.read` });
    expect((await shop.a.guest.get(`${front}/mine`)).status).toBe(401);
    expect((await (await shop.a.customer()).get(`${front}/mine`)).body).toEqual({ type: 'customer' });
    const elsewhere = shop.a.guest.with({ host: 'nowhere.example' });
    expect((await elsewhere.get(`${front}/bodies/text`)).body.code).toBe('tenant_not_found');
    const override = { pluginId: name, enabled: false, reason: 'a test' };
    const put = (value: object) => shop.operator.put(`/api/super-admin/tenants/${shop.b.id}/plugin-overrides`, value);
    expect((await put(override)).status).toBe(200);
    expect((await shop.b.admin.get(path)).body).toMatchObject({ status: 403, code: 'plugin_not_enabled', plugin: name });
    expect((await shop.b.guest.get(`${front}/bodies/text`)).body).toMatchObject({ status: 404, code: 'not_found' });
    expect((await put({ ...override, enabled: true })).status).toBe(200);
    expect((await shop.b.guest.get(`${front}/bodies/text`)).status).toBe(200);
  });

  it('validates path, query, body and media type before the chain runs', async () => {
    const items = `${admin}/items`;
    expect((await shop.a.admin.get(`${items}/7`)).status).toBe(404);
    expect((await shop.a.admin.get(`${items}/newest?page=2`)).body.code).toBe('invalid_parameter');
    expect((await shop.a.admin.get(`${admin}/nested/${unknownId}/parts/Wheel!`)).status).toBe(404);
    expect((await shop.a.admin.post(`${items}?copies=10`, { title: 'x' })).body.code).toBe('invalid_parameter');
    expect((await shop.a.admin.post(items, { title: 'x', more: 1 })).body.code).toBe('unknown_field');
    expect((await shop.a.admin.post(items, {})).status).toBe(422);
    const upload = (type: string, content: string) => shop.a.admin.call('PUT', `${admin}/upload`, { raw: { type, content } });
    expect((await upload('text/csv', 'a;b')).body).toEqual({ length: 3 });
    expect((await upload('text/html', 'a;b')).status).toBe(415);
    expect((await upload('text/csv', 'x'.repeat(1001))).status).toBe(413);
    const { status, headers } = await shop.a.admin.call('PATCH', items, { body: {} });
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });

  it('is passed by no bad input and leads to no row of another tenant', async () => {
    const bad = await badInputs(shop, { count: 400, plugins: [name] });
    expect(bad.faults.filter((fault) => !/\/(?:faults|outside)/.test(fault))).toEqual([]);
    const isolation = await isolationFaults(shop, name, { least: 5 });
    expect(isolation.probes).toBeGreaterThan(0);
    expect(isolation.faults).toEqual([]);
  });
});

describe('the unit of work', () => {
  it('is none unless the route asks for one', async () => {
    expect((await shop.a.admin.get(`${admin}/outside`)).status).toBe(500);
    expect((await shop.a.admin.get(`${admin}/inside`)).body).toEqual({ tenant: shop.a.id });
  });

  it('of `request` is one transaction with its audit row, undone by an error, and replayed by its key', async () => {
    const audited = async (id: string): Promise<number> =>
      (await shop.rows(`select 1 from core_audit where entity = '${name}.item' and entity_id = $1`, [id])).length;
    const key = { 'idempotency-key': 'a-key-of-the-test' };
    const first = await shop.a.admin.post(`${admin}/items?copies=2`, { title: 'one' }, key);
    expect([first.status, first.body]).toEqual([201, { title: 'one', copies: 2, tenant: shop.a.id }]);
    const again = await shop.a.admin.post(`${admin}/items?copies=2`, { title: 'one' }, key);
    expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([201, first.body, 'true']);
    expect(await audited('one')).toBe(1);
    const refused = await shop.a.admin.post(`${admin}/items`, { title: 'refused' });
    expect(refused.body).toMatchObject({ status: 409, code: 'conflict', detail: 'There is one already.' });
    expect(await audited('refused')).toBe(0);
  });
});

describe('the answer', () => {
  it.each([
    ['object', 'application/json; charset=utf-8', '{"id":1,"version":4}'],
    ['html', 'text/html; charset=utf-8', '<p>hello</p>'],
    ['text', 'text/plain; charset=utf-8', 'hello'],
    ['buffer', 'application/octet-stream', 'hello'],
    ['stream', 'application/octet-stream', 'hello'],
    ['blob', 'text/plain; charset=utf-8', 'hello'],
    ['web-stream', 'application/octet-stream', 'hello'],
    ['response', 'text/plain;charset=UTF-8', 'hello'],
  ])('takes a body that is a %s', async (path, type, content) => {
    for (const base of [front, front.replace('/api/', '/api/v1/')]) {
      const { status, headers, text: sent } = await shop.a.guest.get(`${base}/bodies/${path}`);
      expect([status, headers['content-type'], sent]).toEqual([path === 'response' ? 202 : 200, type, content]);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'x-request-id': expect.any(String),
      });
      if (path === 'html') expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
  });

  it('answers conditional requests and HEAD', async () => {
    const { headers } = await shop.a.guest.get(`${front}/bodies/object`);
    expect(headers.etag).toBe('"4"');
    const fresh = await shop.a.guest.get(`${front}/bodies/object`, { headers: { 'if-none-match': '"4"' } });
    expect([fresh.status, fresh.text]).toEqual([304, '']);
    const head = await shop.a.guest.call('HEAD', `${front}/bodies/text`);
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await shop.a.guest.get(`${front}/empty`)).status).toBe(204);
    const moved = await shop.a.guest.get(`${front}/moved`);
    expect([moved.status, moved.headers.location]).toEqual([302, '/elsewhere']);
  });

  it('keeps the headers of the pipeline', async () => {
    const origin = { origin: 'https://evil.example' };
    const { headers } = await shop.a.admin.get(`${admin}/items/newest`, { headers: origin });
    expect(headers).toMatchObject({ 'x-first': 'use', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it.each([
    ['nothing', 404, { code: 'not_found', detail: null }],
    ['error', 500, { code: 'internal_error', detail: null }],
    ['problem', 409, { code: 'insufficient_stock', available: 2 }],
    ['thrown', 429, { code: 'rate_limited', detail: 'Slow down.' }],
    ['status', 403, { code: 'forbidden', detail: 'Not on Sundays.' }],
    ['teapot', 400, { code: 'malformed_request' }],
    ['hidden', 500, { code: 'internal_error', detail: null }],
    ['failed', 500, { code: 'internal_error', detail: null }],
    ['away', 503, { code: 'unavailable', detail: null }],
    ['raw', 500, { code: 'internal_error', detail: null }],
  ])('is a problem where a handler ends in: %s', async (path, status, members) => {
    const answer = await shop.a.guest.get(`${front}/faults/${path}`);
    expect(answer.body).toMatchObject({ status, ...members });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json; charset=utf-8']);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.text).not.toMatch(/secret|password/);
    if (path === 'thrown') expect(answer.headers['retry-after']).toBe('7');
    for (const header of ['set-cookie', 'x-left']) expect(answer.headers).not.toHaveProperty(header);
  });
});

it('counts what ends in 500 as an error of the plugin', async () => {
  const errors = async (): Promise<number> =>
    Number(/plugin_errors_total\{plugin="example-hello"\} (\d+)/.exec((await shop.a.guest.get('/metrics')).text)?.[1] ?? 0);
  const before = await errors();
  for (const path of ['error', 'hidden', 'failed', 'raw', 'status', 'away']) await shop.a.guest.get(`${front}/faults/${path}`);
  expect((await errors()) - before).toBe(4);
});

it('counts a stream that fails as an error of the plugin, and none for a client that leaves', async () => {
  const { guest } = shop.a;
  const errors = async (): Promise<number> =>
    Number(/plugin_errors_total\{plugin="example-hello"\} (\d+)/.exec((await guest.get('/metrics')).text)?.[1] ?? 0);
  const before = await errors();
  await new Promise((resolve) => {
    const request = get(`${guest.base}${front}/stream`, { headers: { host: guest.host, 'x-stream': 'endless' } }, (response) => {
      response.once('data', () => request.destroy()).once('close', resolve);
      response.on('error', () => undefined);
    });
  });
  await expect(guest.get(`${front}/stream`, { headers: { 'x-stream': 'failing' } })).rejects.toThrow();
  await expect.poll(errors).toBe(before + 1);
});

it('is documented and measured like every other route', async () => {
  const { body } = await shop.a.guest.get<{ paths: Record<string, Record<string, Record<string, unknown>>> }>('/openapi.json');
  const create = body.paths[`${admin}/items`]?.post;
  expect(create).toMatchObject({ 'x-plugin': name, 'x-permission': `${name}.item.create`, tags: [name] });
  expect(Object.keys(create?.responses as object)).toEqual(expect.arrayContaining(['201', '401', '403', '422']));
  expect(create?.parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' });
  expect(body.paths[`${admin}/nested/{itemId}/parts/{part}`]?.get?.parameters).toMatchObject([
    { name: 'itemId', in: 'path', schema: { format: 'uuid' } },
    { name: 'part', in: 'path' },
  ]);
  const any = Object.entries(body.paths[`${admin}/any`] ?? {});
  expect(any.map(([method]) => method).sort()).toEqual(['delete', 'get', 'patch', 'post', 'put']);
  expect((await shop.a.guest.get('/metrics')).text).toContain(`${admin}/items/{itemId}`);
});
