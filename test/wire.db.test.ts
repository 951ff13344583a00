import { randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { files } from '@storeloom/plugin-sdk';
import type { TestClient, TestResponse, TestShop } from '@storeloom/testing';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exposedHeaders } from '../packages/core/src/http/cors.ts';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { bodiesOf } from './support/bodies.ts';
import { fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';
import { filledPath } from './support/members.ts';

/** Headers and conditions of responses, over every route of the repository's plugins. */
const partner = 'https://partner.example';
let till: Till;
let shop: TestShop;
let fileUrl: string;
beforeAll(async () => {
  till = await openTill(everyPlugin);
  shop = till.shop;
  await fill(till, shop.a);
  await shop.settled();
  for (let i = 0; i < 6; i++) {
    const made = await shop.a.admin.post('/api/admin/products/', {
      title: `A product of the wire ${i}`,
      status: 'active',
      type: 'service',
      variants: [{ sku: `WIRE-${i}`, optionValues: {}, price: { amount: 1000 + i, currency: 'RON' } }],
    });
    if (made.status !== 201) throw new Error(made.text);
  }
  const saved = await shop.a.admin.put('/api/admin/settings/store', { allowedOrigins: [partner] });
  if (saved.status !== 200) throw new Error(saved.text);
  fileUrl = await shop.a.run('workspace', async (ctx) => {
    const service = ctx.require(files);
    const { key } = await service.put(Buffer.from('0123456789'.repeat(300)), {
      name: 'sizes.txt',
      contentType: 'text/plain; charset=utf-8',
      public: true,
    });
    return service.url(key);
  });
});
afterAll(() => till?.stop());

const from = (origin: string): { headers: { origin: string } } => ({ headers: { origin } });
const concrete = (path: string): string => path.replace(/\{\w+\}/g, () => randomUUID());
const bytesOf = async (client: TestClient, path: string, headers: Record<string, string>) => {
  const response = await request(`${client.base}${path}`, { headers: { host: client.host, ...client.headers, ...headers } });
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes: Buffer.from(await response.body.arrayBuffer()),
  };
};
/** A list that guests get from the cache, with a next page. */
const cachedList = '/api/storefront/products/?limit=1';

describe('CORS', () => {
  const permits = (response: TestResponse<unknown>): boolean =>
    response.headers['access-control-allow-origin'] === partner &&
    response.headers['access-control-allow-credentials'] === 'true' &&
    /\borigin\b/i.test(String(response.headers.vary));

  it('is on the response of every route, refused requests included', async () => {
    const faults: string[] = [];
    for (const { route, path, family } of shop.kernel.routes) {
      for (const client of family === 'admin' ? [shop.a.guest, shop.a.admin] : [shop.a.guest]) {
        const body = route.method === 'GET' ? {} : { body: { unknown: 1 } };
        const response = await client.call(route.method, concrete(path), { ...from(partner), ...body });
        if (!permits(response)) faults.push(`${response.status} ${route.method} ${path}`);
      }
    }
    expect(shop.kernel.routes.length).toBeGreaterThan(500);
    expect(faults).toEqual([]);
  });

  it('is on responses that no route gives', async () => {
    const { guest } = shop.a;
    const responses = [
      await guest.get('/nowhere', from(partner)),
      await guest.call('PUT', '/api/storefront/products/', from(partner)),
      await guest.get('/api/storefront/products/%zz', from(partner)),
      await guest.call('POST', '/api/auth/login', { ...from(partner), raw: { content: '{', type: 'application/json' } }),
      await guest.call('POST', '/api/auth/login', { ...from(partner), raw: { content: 'x', type: 'text/plain' } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 405, 400, 400, 415]);
    for (const response of responses) expect(permits(response), response.text).toBe(true);
  });

  it('is on cached, unchanged, streamed and static responses', async () => {
    const { guest, admin } = shop.a;
    const first = await guest.get(cachedList, from(partner));
    const etag = String(first.headers.etag);
    const unchanged = await guest.get(cachedList, { headers: { origin: partner, 'if-none-match': etag } });
    expect(unchanged.status).toBe(304);
    const responses = [
      first,
      await guest.get(cachedList, from(partner)),
      unchanged,
      await guest.get(fileUrl, from(partner)),
      await guest.get('/openapi.json', from(partner)),
      await guest.get('/errors/not_found', from(partner)),
      await admin.get('/api/admin/export/products.csv', from(partner)),
    ];
    for (const response of responses) {
      expect(response.status, response.text).toBeLessThan(400);
      expect(permits(response), response.text.slice(0, 100)).toBe(true);
    }
  });

  it('is not for origins of others, of another scheme or of another port', async () => {
    const port = new URL(shop.a.guest.base).port;
    const isAllowed = async (origin: string, host = `${shop.a.host}:${port}`): Promise<boolean> =>
      (await shop.a.guest.get('/health', { headers: { origin, host } })).headers['access-control-allow-origin'] === origin;
    expect(await isAllowed(`http://${shop.a.host}:${port}`)).toBe(true);
    expect(await isAllowed(`http://${shop.a.host}`, shop.a.host)).toBe(true);
    // A proxy that ends TLS.
    expect(await isAllowed(`https://${shop.a.host}`, shop.a.host)).toBe(true);
    for (const origin of [
      'null',
      'https://other.example',
      'http://partner.example',
      `${partner}:8443`,
      `${partner}.evil.example`,
      `http://${shop.a.host}`,
      `http://${shop.a.host}:81`,
      `https://${shop.a.host}`,
      `ftp://${shop.a.host}:${port}`,
      `http://${shop.b.host}:${port}`,
    ])
      expect(await isAllowed(origin), origin).toBe(false);
  });

  it('keeps shared caches from serving a response to an origin that it does not name', async () => {
    for (const path of [cachedList, fileUrl, '/openapi.json'])
      expect((await shop.a.guest.get(path)).headers.vary, path).toMatch(/\borigin\b/i);
  });

  it('lets scripts read every header that the document describes', async () => {
    const document = (await shop.kernel.openapi()) as {
      paths: Record<string, Record<string, { responses?: Record<string, { headers?: Record<string, unknown> }> }>>;
      components: { responses: Record<string, { headers?: Record<string, unknown> }> };
    };
    const named = new Set<string>();
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    for (const { headers = {} } of [
      ...operations.flatMap(({ responses = {} }) => Object.values(responses)),
      ...Object.values(document.components.responses),
    ])
      for (const name of Object.keys(headers)) named.add(name.toLowerCase());
    const exposed = new Set(exposedHeaders.map((name) => name.toLowerCase()));
    expect(named.size).toBeGreaterThan(4);
    expect([...named].filter((name) => !exposed.has(name))).toEqual([]);
    const { headers } = await shop.a.guest.get('/health', from(partner));
    expect(headers['access-control-expose-headers']).toBe(exposedHeaders.join(', '));
    for (const name of ['ratelimit', 'ratelimit-policy', 'content-disposition', 'link', 'etag', 'location', 'retry-after'])
      expect(exposed.has(name), name).toBe(true);
  });
});

describe('writes with cookies', () => {
  it('are refused from another scheme or port of the same host', async () => {
    const { guest, host } = shop.a;
    const cookie = `cart=${'x'.repeat(43)}`;
    const token = await guest.get<{ csrfToken: string }>('/api/csrf-token', { headers: { cookie } });
    const write = (origin: string, headers: Record<string, string> = {}) =>
      guest.post(
        '/api/storefront/cart/promotion',
        { code: 'NONE' },
        { cookie, origin, 'x-csrf-token': token.body.csrfToken, ...headers },
      );
    for (const origin of [`http://${host}:81`, `https://${host}:444`, `http://${shop.b.host}`, 'null'])
      expect((await write(origin)).body, origin).toMatchObject({ code: 'csrf_failed' });
    expect((await write(`http://${host}`)).body).not.toMatchObject({ code: 'csrf_failed' });
    // A caller that isn't a trusted proxy can't change the scheme.
    expect((await write(`http://${host}`, { 'x-forwarded-proto': 'https' })).body).not.toMatchObject({ code: 'csrf_failed' });
  });
});

describe('a cached response', () => {
  it('has the headers of the first one', async () => {
    const path = '/api/storefront/products/?limit=2';
    const cold = await shop.a.guest.get(path);
    const warm = await shop.a.guest.get(path);
    const named = ({ headers }: TestResponse) => {
      const { date: _, 'x-request-id': __, ...others } = headers;
      return others;
    };
    expect(cold.headers.link).toMatch(/rel="next"/);
    expect(named(warm)).toEqual(named(cold));
  });

  it('is the same twice on every list and object that guests may read', async () => {
    const cached = shop.kernel.routes.filter(({ route, path }) => route.options.cache && !path.includes('{'));
    expect(cached.length).toBeGreaterThan(3);
    for (const { path } of cached) {
      // Not in the cache before: the other tests read the default locale.
      const english = { headers: { 'accept-language': 'en' } };
      const [first, second] = [await shop.a.guest.get(path, english), await shop.a.guest.get(path, english)];
      const names = ({ headers }: TestResponse): string[] => Object.keys(headers).sort();
      expect(names(second), path).toEqual(names(first));
    }
  });
});

describe('compression', () => {
  const accepting = (client: TestClient, path: string, coding: string) => bytesOf(client, path, { 'accept-encoding': coding });

  it('serves br and gzip with the same content, and an ETag that matches', async () => {
    for (const path of ['/openapi.json', '/api/storefront/products/', fileUrl]) {
      const plain = await bytesOf(shop.a.guest, path, {});
      expect(plain.headers['content-encoding']).toBeUndefined();
      const br = await accepting(shop.a.guest, path, 'gzip, deflate, br');
      expect(br.headers, path).toMatchObject({ 'content-encoding': 'br', vary: expect.stringMatching(/accept-encoding/i) });
      expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
      expect(br.bytes.length).toBeLessThan(plain.bytes.length / 2);
      const gzip = await accepting(shop.a.guest, path, 'br;q=0, gzip');
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
      const again = await bytesOf(shop.a.guest, path, {
        'accept-encoding': 'br',
        'if-none-match': String(br.headers.etag),
      });
      expect(again.status, path).toBe(304);
      expect((await accepting(shop.a.guest, path, 'identity')).headers['content-encoding']).toBeUndefined();
    }
  });

  it('compresses exports while they are written', async () => {
    const path = '/api/admin/export/products.csv';
    const plain = await bytesOf(shop.a.admin, path, {});
    const gzip = await accepting(shop.a.admin, path, 'gzip');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
  });

  it('is not used below 1 KB, nor on responses that carry tokens', async () => {
    expect((await accepting(shop.a.guest, '/health', 'br')).headers['content-encoding']).toBeUndefined();
    expect((await accepting(shop.a.guest, '/api/csrf-token', 'br')).headers['content-encoding']).toBeUndefined();
    const made = await shop.a.admin.post<{ id: string }>(
      '/api/admin/webhooks/',
      { url: 'https://receiver.example/hook', events: ['orders.order.placed'], description: 'x'.repeat(200) },
      { 'accept-encoding': 'br' },
    );
    expect(made.headers['content-encoding']).toBeUndefined();
  });
});

describe('content negotiation', () => {
  it('refuses a media type that the route does not produce, before the route has an effect', async () => {
    const accept = { accept: 'application/xml' };
    expect((await shop.a.guest.get('/api/storefront/products/', { headers: accept })).body).toMatchObject({
      code: 'not_acceptable',
      status: 406,
    });
    const count = async (): Promise<number> => (await shop.rows('select from content_page')).length;
    const before = await count();
    const refused = await shop.a.admin.post('/api/admin/pages/', { title: 'A page', slug: randomUUID() }, accept);
    expect(refused.status, refused.text).toBe(406);
    expect(await count()).toBe(before);
    for (const fine of ['application/json', '*/*', 'application/*;q=0.5', 'text/html, application/json;q=0.9'])
      expect((await shop.a.guest.get('/api/storefront/products/', { headers: { accept: fine } })).status, fine).toBe(200);
  });

  it('refuses it on every route that answers with JSON', async () => {
    const faults: string[] = [];
    for (const { route, path, family, middleware } of shop.kernel.routes) {
      if (family === 'webhooks' || middleware || route.options.produces !== undefined || route.method !== 'GET') continue;
      const client = family === 'admin' ? shop.a.admin : family === 'super-admin' ? shop.operator : shop.a.guest;
      const { status } = await client.get(concrete(path), { headers: { accept: 'application/xml' } });
      if (![406, 401, 404].includes(status)) faults.push(`${status} ${path}`);
    }
    expect(faults).toEqual([]);
  });
});

describe('ranges of a file', () => {
  const ranged = (range: string, more: Record<string, string> = {}) => shop.a.guest.get(fileUrl, { headers: { range, ...more } });

  it('are served with 206 and their position', async () => {
    const part = await ranged('bytes=3-5');
    expect(part.status).toBe(206);
    expect(part.text).toBe('345');
    expect(part.headers).toMatchObject({ 'content-range': 'bytes 3-5/3000', 'content-length': '3', 'accept-ranges': 'bytes' });
    expect((await ranged('bytes=-2')).text).toBe('89');
    const whole = await shop.a.guest.get(fileUrl);
    expect(whole.headers['accept-ranges']).toBe('bytes');
    expect((await ranged('bytes=0-1', { 'if-range': String(whole.headers.etag) })).status).toBe(206);
    expect((await ranged('bytes=0-1', { 'if-range': '"another"' })).status).toBe(200);
    expect((await ranged('bytes=0-1', { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
  });

  it('behind the end are 416 with the size', async () => {
    const part = await ranged('bytes=3000-');
    expect(part.body).toMatchObject({ status: 416, code: 'range_not_satisfiable' });
    expect(part.headers['content-range']).toBe('bytes */3000');
  });

  it('that are malformed or several give the whole file', async () => {
    for (const range of ['bytes=5-1', 'bytes=0-1,4-5', 'pages=1-2']) expect((await ranged(range)).status, range).toBe(200);
  });
});

describe('Location', () => {
  it('of a created resource can be read, and is left out where the resource has no route of its own', async () => {
    const faults: string[] = [];
    for (const { method, path, family, body } of await bodiesOf(shop)) {
      if (method !== 'POST') continue;
      const client = family === 'admin' ? shop.a.admin : shop.a.guest;
      const { status, headers } = await client.post(concrete(path), body);
      if (typeof headers.location !== 'string' || !headers.location.startsWith('/') || status >= 300) continue;
      const read = await client.get(headers.location);
      if (read.status !== 200) faults.push(`${read.status} ${headers.location}`);
    }
    expect(faults).toEqual([]);
    const { admin } = shop.a;
    const page = await admin.post<{ id: string }>('/api/admin/products/', {
      title: 'Located',
      variants: [{ sku: 'LOCATED', optionValues: {}, price: { amount: 1000, currency: 'RON' } }],
    });
    expect(page.headers.location).toBe(`/api/admin/products/${page.body.id}`);
    expect((await admin.get(String(page.headers.location))).body).toMatchObject({ id: page.body.id });
    const group = await admin.post<{ id: string }>('/api/admin/customer-groups/', { name: 'Located', code: 'located' });
    expect(group.status, group.text).toBe(201);
    expect((await admin.get(`/api/admin/customer-groups/${group.body.id}`)).status).toBe(405);
    expect(group.headers.location).toBeUndefined();
  });

  it('is documented where it is sent', async () => {
    const document = (await shop.kernel.openapi()) as {
      paths: Record<string, Record<string, { responses: Record<string, { headers?: Record<string, unknown> }> }>>;
    };
    const documented = (path: string): boolean => document.paths[path]?.post?.responses['201']?.headers?.Location !== undefined;
    expect(documented('/api/admin/products')).toBe(true);
    expect(documented('/api/admin/customer-groups')).toBe(false);
  });
});

describe('ETag', () => {
  it('is documented exactly where a GET sends it', async () => {
    const document = (await shop.kernel.openapi()) as {
      paths: Record<string, { get?: { responses: Record<string, { headers?: Record<string, unknown> }> } }>;
    };
    const faults: string[] = [];
    let [checked, tagged] = [0, 0];
    for (const [path, { get }] of Object.entries(document.paths)) {
      if (!get || path.startsWith('/api/v1') || path.startsWith('/api/webhooks') || path === '/metrics') continue;
      const client = path.startsWith('/api/admin')
        ? shop.a.admin
        : path.startsWith('/api/super-admin')
          ? shop.operator
          : shop.a.guest;
      const response = await client.get(path === '/files/{key}' ? fileUrl : await filledPath(client, path));
      if (response.status !== 200) continue;
      checked += 1;
      const [documented, sent] = [get.responses['200']?.headers?.ETag !== undefined, response.headers.etag !== undefined];
      if (sent) tagged += 1;
      if (documented !== sent) faults.push(`${path} documents ${documented}, sends ${sent}`);
    }
    expect(checked).toBeGreaterThan(100);
    expect(tagged).toBeGreaterThan(30);
    expect(faults).toEqual([]);
  });
});
