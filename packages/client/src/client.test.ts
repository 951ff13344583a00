import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient } from './client.ts';
import { InsufficientStock, NotFound, ValidationFailed } from './errors.ts';
import { fetchVia } from './node.ts';
import { ConnectionFailed, ProblemError, type StoreloomError, Timeout, UnexpectedResponse } from './problem-error.ts';
import { catalog, checkout, dataExchange, identity, orders, workspace } from './slices/index.ts';
import { session, type TokenSource } from './tokens.ts';

interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}
type Reply = { status?: number; headers?: Record<string, string>; body?: unknown; breaks?: boolean };

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that keeps what it received and replies with what `reply` returns; `end` sends a reply. */
async function serve(reply: (request: Received, index: number) => Reply | 'hang' | 'reset') {
  const received: Received[] = [];
  const server = createServer(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    received.push(request);
    const answer = reply(request, received.length - 1);
    if (answer === 'hang') return;
    if (answer === 'reset') return void incoming.socket.destroy();
    const { status = 200, headers = {}, body } = answer;
    outgoing.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json', ...headers });
    if (answer.breaks) return void outgoing.write(String(body), () => incoming.socket.destroy());
    outgoing.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { received, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const problem = (status: number, code: string, more: object = {}): Reply => ({
  status,
  body: {
    type: `urn:storeloom:error:${code}`,
    title: 'Title',
    status,
    code,
    detail: null,
    instance: '/x',
    requestId: 'r-12345678',
    errors: [],
    ...more,
  },
});
const rejection = async <E = ProblemError>(promise: PromiseLike<unknown>): Promise<E> =>
  promise.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: E) => error,
  );

describe('methods', () => {
  test('send the method, path, query, body and headers of their route', async () => {
    const { baseUrl, received } = await serve(() => ({ body: { id: '1' } }));
    const client = createClient({ baseUrl: `${baseUrl}/`, token: 'secret', slices: [catalog, orders, workspace], locale: 'ro' });
    await client.admin.products.get('a/b');
    await client.admin.orders.refund('1', { amount: { amount: 100, currency: 'RON' } } as never);
    await client.admin.products.update('1', { status: 'active' }, { ifMatch: 3 });
    await client.admin.settings.store();
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/admin/products/a%2Fb',
      'POST /api/admin/orders/1/refund',
      'PATCH /api/admin/products/1',
      'GET /api/admin/settings/store',
    ]);
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'accept-language': 'ro' });
    expect(received[1]?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(JSON.parse(received[1]?.body ?? '')).toEqual({ amount: { amount: 100, currency: 'RON' } });
    expect(received[2]?.headers['if-match']).toBe('"3"');
    expect(received[2]?.headers['idempotency-key']).toBeUndefined();
    expect(typeof client.admin.settings.store.replace).toBe('function');
  });

  test('write operators, lists and free keys of a query as the API reads them', async () => {
    const { baseUrl, received } = await serve(() => ({ body: { data: [], page: { limit: 20, nextCursor: null } } }));
    const client = createClient({ baseUrl, slices: [catalog] });
    await client.admin.products.list({ status: { in: ['active', 'draft'] }, sort: '-createdAt', total: true }).page();
    await client
      .storefront()
      .products.list({ option: { Size: 'M & L' }, price: { gte: 500 } } as never)
      .page();
    const queries = received.map(({ url }) => Object.fromEntries(new URL(url, baseUrl).searchParams));
    expect(queries).toEqual([
      { 'status[in]': 'active,draft', sort: '-createdAt', total: 'true' },
      { 'option[Size]': 'M & L', 'price[gte]': '500' },
    ]);
  });

  test('refuse an empty id before anything is sent: it would address the whole list', async () => {
    const { baseUrl, received } = await serve(() => ({ status: 204 }));
    const client = createClient({ baseUrl, slices: [catalog] });
    expect(() => client.admin.products.remove('')).toThrow(/needs a text or a number/);
    expect(() => client.admin.products.remove(undefined as never)).toThrow(TypeError);
    expect(received).toEqual([]);
  });

  test('return a file as a stream with its name, or the JSON that says when it is ready', async () => {
    const { baseUrl, received } = await serve(({ url }) =>
      url.includes('pdf')
        ? {
            headers: {
              'content-type': 'application/pdf',
              'content-disposition': `attachment; filename="x.pdf"; filename*=UTF-8''factur%C4%83.pdf`,
            },
            body: '%PDF',
          }
        : {
            headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="products.csv"' },
            body: 'a,b\n1,2\n',
          },
    );
    const client = createClient({ baseUrl, slices: [orders, dataExchange] });
    const pdf = await client.admin.invoices.pdf('1');
    expect([pdf.type, pdf.filename, pdf.size, await pdf.text()]).toEqual(['application/pdf', 'factură.pdf', undefined, '%PDF']);
    const csv = await client.admin.export.productsCsv({ status: { in: ['active'] } } as never);
    expect([csv.type, csv.filename]).toEqual(['text/csv', 'products.csv']);
    const chunks: Uint8Array[] = [];
    for await (const chunk of csv.body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('a,b\n1,2\n');
    expect(received).toHaveLength(2);
  });

  test('upload a Blob as form data, and send CSV text with its own type', async () => {
    const { baseUrl, received } = await serve(() => ({ status: 201, body: {} }));
    const client = createClient({ baseUrl, slices: [workspace, dataExchange] });
    await client.admin.uploads.create(new File(['pixels'], 'lamp.png', { type: 'image/png' }));
    await client.admin.import.products('Handle,Title\nlamp,Lamp\n');
    expect(received[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(received[0]?.body).toContain('name="file"; filename="lamp.png"');
    expect(received[1]?.headers['content-type']).toBe('text/csv');
    expect(received[1]?.body).toBe('Handle,Title\nlamp,Lamp\n');
  });
});

describe('lists', () => {
  const pages = () =>
    serve(({ url }) => {
      const cursor = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0);
      return {
        body: {
          data: [{ id: cursor * 2 + 1 }, { id: cursor * 2 + 2 }],
          page: { limit: 2, nextCursor: cursor < 2 ? String(cursor + 1) : null },
        },
      };
    });

  test('are read page by page, with the query of the first', async () => {
    const { baseUrl, received } = await pages();
    const client = createClient({ baseUrl, slices: [catalog] });
    const ids: unknown[] = [];
    for await (const product of client.admin.products.list({ limit: 2 })) ids.push(product.id);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6]);
    expect(received.map(({ url }) => url.split('?')[1])).toEqual(['limit=2', 'limit=2&cursor=1', 'limit=2&cursor=2']);
  });

  test('request no page that the loop does not reach', async () => {
    const { baseUrl, received } = await pages();
    const list = createClient({ baseUrl, slices: [catalog] }).admin.products.list();
    expect(received).toHaveLength(0);
    expect(await list.toArray({ max: 3 })).toHaveLength(3);
    expect(received).toHaveLength(2);
    expect((await list.page()).page.nextCursor).toBe('1');
    expect(await list.toArray({ max: 0 })).toEqual([]);
    expect(received).toHaveLength(3);
  });
});

describe('retries', () => {
  test('a POST after 503 twice creates one object: each attempt has the same Idempotency-Key', async () => {
    const created = new Map<string, object>();
    const { baseUrl, received } = await serve(({ headers }, index) => {
      if (index < 2) return problem(503, 'unavailable');
      created.set(String(headers['idempotency-key']), {});
      return { status: 201, body: { id: '1' } };
    });
    const client = createClient({ baseUrl, slices: [catalog] });
    await client.admin.products.create({ title: 'Lamp' } as never);
    expect(received).toHaveLength(3);
    expect(created.size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    await client.admin.products.create({ title: 'Lamp' } as never, { idempotencyKey: 'order-4711' });
    expect(received.at(-1)?.headers['idempotency-key']).toBe('order-4711');
  });

  test('PATCH, PUT, DELETE and POSTs whose response is not stored are sent once', async () => {
    const { baseUrl, received } = await serve(() => problem(503, 'unavailable'));
    const client = createClient({ baseUrl, slices: [catalog, identity, workspace] });
    const calls = [
      client.admin.products.update('1', {}),
      client.admin.products.remove('1'),
      client.admin.settings.store.replace({} as never),
      client.auth.login({ email: 'a@b.ro', password: 'x' } as never),
    ];
    for (const error of await Promise.all(calls.map((call) => rejection(call)))) expect(error.code).toBe('unavailable');
    expect(received.map(({ method }) => method).sort()).toEqual(['DELETE', 'PATCH', 'POST', 'PUT']);
  });

  test('wait as long as Retry-After says, in seconds or until a date', async () => {
    const times: number[] = [];
    const { baseUrl } = await serve((_, index) => {
      times.push(Date.now());
      if (index === 0) return { ...problem(429, 'rate_limited'), headers: { 'retry-after': '1' } };
      // Dates have whole seconds.
      if (index === 1)
        return { ...problem(503, 'unavailable'), headers: { 'retry-after': new Date(Date.now() + 2000).toUTCString() } };
      return { body: {} };
    });
    await createClient({ baseUrl, slices: [catalog] }).admin.products.get('1');
    const [first, second, third] = times as [number, number, number];
    expect(second - first).toBeGreaterThanOrEqual(995);
    expect(third - second).toBeGreaterThanOrEqual(950);
  });

  test('end with the error where Retry-After is longer than a caller would wait', async () => {
    const { baseUrl, received } = await serve(() => ({ ...problem(429, 'rate_limited'), headers: { 'retry-after': '3600' } }));
    const error = await rejection(createClient({ baseUrl, slices: [catalog] }).admin.products.get('1'));
    expect([error.code, error.retryAfter, received.length]).toEqual(['rate_limited', 3_600_000, 1]);
  });

  test('repeat a connection that breaks, and no refusal', async () => {
    const { baseUrl, received } = await serve((_, index) => (index === 0 ? 'reset' : problem(404, 'not_found')));
    const error = await rejection(createClient({ baseUrl, slices: [catalog] }).admin.products.get('1'));
    expect([error instanceof NotFound, received.length]).toEqual([true, 2]);
  });

  test('repeat a response that breaks off, and follow no redirect', async () => {
    const long = { 'content-length': '1000' };
    const { baseUrl, received } = await serve((_, index) =>
      index === 0
        ? { headers: long, body: '{"id":', breaks: true }
        : index === 1
          ? { body: { id: '1' } }
          : { status: 301, headers: { location: '/elsewhere' } },
    );
    for (const client of [
      createClient({ baseUrl, slices: [catalog] }),
      createClient({ baseUrl: 'http://shop.example', slices: [catalog], fetch: fetchVia(baseUrl) }),
    ]) {
      received.length = 0;
      expect((await client.admin.products.get('1')).id).toBe('1');
      const error = await rejection(client.admin.products.create({} as never));
      expect([error.code, error.status, received.length]).toEqual(['unexpected_response', 301, 3]);
    }
  });

  test('can be switched off for a client and for a call', async () => {
    const { baseUrl, received } = await serve(() => problem(503, 'unavailable'));
    await rejection(createClient({ baseUrl, slices: [catalog], retries: 0 }).admin.products.get('1'));
    await rejection(createClient({ baseUrl, slices: [catalog] }).admin.products.get('1', { retries: 0 }));
    expect(received).toHaveLength(2);
  });
});

describe('errors', () => {
  test('have the class of their code, the request, the pointers and the page about the code', async () => {
    const { baseUrl } = await serve((_, index) =>
      index === 0
        ? problem(422, 'validation_failed', { errors: [{ pointer: '/title', code: 'too_short', message: 'must not be empty' }] })
        : problem(409, 'insufficient_stock', { detail: 'Lamp: 2 available', available: 2 }),
    );
    const { admin } = createClient({ baseUrl, slices: [catalog] });
    const invalid = await rejection(admin.products.create({} as never));
    expect(invalid).toBeInstanceOf(ValidationFailed);
    expect(invalid).toBeInstanceOf(ProblemError);
    expect(invalid).not.toBeInstanceOf(InsufficientStock);
    expect(invalid).toMatchObject({
      name: 'ValidationFailed',
      code: 'validation_failed',
      status: 422,
      requestId: 'r-12345678',
      docs: `${baseUrl}/errors/validation_failed`,
    });
    expect(invalid.pointers['/title']?.message).toBe('must not be empty');
    const short = await rejection(admin.products.create({} as never));
    expect(short).toBeInstanceOf(InsufficientStock);
    expect([short.message, short.problem.available]).toEqual(['Lamp: 2 available', 2]);
  });

  test('tell a page of a proxy from a response of the API', async () => {
    const { baseUrl } = await serve((_, index) => ({
      status: index === 0 ? 502 : 200,
      headers: { 'content-type': 'text/html' },
      body: '<h1>Bad gateway</h1>',
    }));
    const { admin } = createClient({ baseUrl, slices: [catalog], retries: 0 });
    const error = await rejection(admin.products.get('1'));
    expect(error).toBeInstanceOf(UnexpectedResponse);
    expect([error.status, error.message]).toEqual([502, expect.stringContaining('Bad gateway')]);
    expect(await rejection(admin.products.get('1'))).toBeInstanceOf(UnexpectedResponse);
  });

  test('are a timeout, a failed connection, or the reason of the caller’s signal', async () => {
    const { baseUrl } = await serve(() => 'hang');
    const { admin } = createClient({ baseUrl, slices: [catalog], retries: 0 });
    const late = await rejection(admin.products.get('1', { timeout: 60 }));
    expect(late).toBeInstanceOf(Timeout);
    expect(late).not.toBeInstanceOf(ConnectionFailed);
    const aborter = new AbortController();
    setTimeout(() => aborter.abort(new Error('left the page')), 30);
    expect((await rejection(admin.products.get('1', { signal: aborter.signal }))).message).toBe('left the page');
    const closed = createClient({ baseUrl: 'http://127.0.0.1:9', slices: [catalog], retries: 0 });
    const failed = await rejection<StoreloomError>(closed.admin.products.get('1'));
    expect([failed instanceof ConnectionFailed, failed.cause instanceof TypeError]).toEqual([true, true]);
  });

  test('of the caller’s hooks are thrown as they are', async () => {
    const { baseUrl, received } = await serve(() => ({ body: {} }));
    const hooks = { request: () => Promise.reject(new Error('no consent')) };
    const error = await rejection(createClient({ baseUrl, slices: [catalog], hooks }).admin.products.get('1'));
    expect([error.message, received.length]).toEqual(['no consent', 0]);
  });
});

describe('tokens', () => {
  /** Accepts `Bearer t<n>` of the present n only. */
  const guarded = (valid: () => string) =>
    serve(({ headers, url }) =>
      url === '/api/auth/refresh'
        ? { body: { accessToken: 't2', refreshToken: 'r2', tokenType: 'Bearer', expiresIn: 900 } }
        : headers.authorization === `Bearer ${valid()}`
          ? { body: { id: '1' } }
          : problem(401, 'unauthenticated'),
    );

  test('are renewed once for parallel calls, and each call is repeated once', async () => {
    const { baseUrl, received } = await guarded(() => 't2');
    const anonymous = createClient({ baseUrl, slices: [identity, catalog] });
    const stored = vi.fn();
    const renew = (refreshToken: string) => anonymous.auth.refresh({ refreshToken });
    const client = anonymous.as(session({ accessToken: 't1', refreshToken: 'r1' }, { renew, onTokens: stored }));
    await Promise.all(Array.from({ length: 8 }, () => client.admin.products.get('1')));
    expect(received.filter(({ url }) => url === '/api/auth/refresh')).toHaveLength(1);
    expect(JSON.parse(received.find(({ url }) => url === '/api/auth/refresh')?.body ?? '')).toEqual({ refreshToken: 'r1' });
    expect(received).toHaveLength(17);
    expect(stored.mock.calls).toEqual([[{ accessToken: 't2', refreshToken: 'r2' }]]);
  });

  test('whose renewal uses the same client and is refused end the call', async () => {
    const { baseUrl, received } = await serve(() => problem(401, 'unauthenticated'));
    const token = session({ accessToken: 't1', refreshToken: 'r1' }, { renew: (refreshToken) => refresh(refreshToken) });
    const client = createClient({ baseUrl, token, slices: [identity, catalog] });
    const refresh = (refreshToken: string) => client.auth.refresh({ refreshToken });
    expect((await rejection(client.admin.products.get('1'))).code).toBe('unauthenticated');
    expect(received.map(({ url }) => url)).toEqual(['/api/admin/products/1', '/api/auth/refresh']);
  });

  test('that the API refuses after the renewal end the call', async () => {
    const { baseUrl, received } = await guarded(() => 'never');
    const source: TokenSource = { get: () => 't1', refresh: async () => 't2' };
    const error = await rejection(createClient({ baseUrl, token: source, slices: [catalog] }).admin.products.get('1'));
    expect([error.code, received.length]).toEqual(['unauthenticated', 2]);
  });

  test('without a renewal fail immediately, also where a renewal has none', async () => {
    const { baseUrl, received } = await guarded(() => 't2');
    await rejection(createClient({ baseUrl, token: () => 't1', slices: [catalog] }).admin.products.get('1'));
    await rejection(
      createClient({ baseUrl, token: { get: () => 't1', refresh: async () => undefined }, slices: [catalog] }).admin.products.get(
        '1',
      ),
    );
    expect(received).toHaveLength(2);
  });
});

describe('the storefront', () => {
  test('is that of its host, and keeps the cart that a response contains', async () => {
    const { baseUrl, received } = await serve(() => ({ body: { id: '1', cartToken: 'cart-1' } }));
    const urls: string[] = [];
    const client = createClient({
      baseUrl: 'https://api.example/',
      slices: [catalog, checkout],
      hooks: { request: ({ url }) => void urls.push(url) },
      fetch: fetchVia(baseUrl),
    });
    const onCartToken = vi.fn();
    const shop = client.storefront({ host: 'shop.example', onCartToken, locale: 'ro' });
    await shop.cart.items.create({ variantId: '1', quantity: 1 } as never);
    await shop.cart.get();
    const customer = shop.as('customer-token');
    await customer.cart.get();
    expect(urls[0]).toBe('https://shop.example/api/storefront/cart/items');
    expect(received.map(({ headers }) => [headers.host, headers['x-cart-token'], headers.authorization])).toEqual([
      ['shop.example', undefined, undefined],
      ['shop.example', 'cart-1', undefined],
      ['shop.example', 'cart-1', 'Bearer customer-token'],
    ]);
    expect(onCartToken.mock.calls).toEqual([['cart-1']]);
    expect([shop.cartToken, customer.cartToken]).toEqual(['cart-1', 'cart-1']);
    expect(client.storefront({ host: 'other.example' }).cartToken).toBeUndefined();
  });

  test('never gets the token of staff: hosts belong to tenants', async () => {
    const { baseUrl, received } = await serve(() => ({ body: {} }));
    const client = createClient({ baseUrl, token: 'staff', slices: [checkout] });
    await client.storefront().cart.get();
    await client.as('other').storefront({ token: 'customer' }).cart.get();
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer customer']);
  });

  test('never sends the cart of one shop to another', async () => {
    const { baseUrl, received } = await serve(() => ({ body: { cartToken: 'cart-1' } }));
    const client = createClient({ baseUrl: 'https://api.example', slices: [checkout], fetch: fetchVia(baseUrl) });
    await client.storefront({ host: 'a.example' }).cart.get();
    await client.storefront({ host: 'b.example' }).cart.get();
    expect(received[1]?.headers['x-cart-token']).toBeUndefined();
  });
});

test('a request that no method covers returns its JSON, and repeats a POST only with a key', async () => {
  const { baseUrl, received } = await serve((_, index) => (index === 0 ? { body: { ok: true } } : problem(503, 'unavailable')));
  const client = createClient({ baseUrl, slices: [] });
  expect(await client.request('GET', '/health', { query: { deep: true } })).toEqual({ ok: true });
  await rejection(client.request('POST', '/api/x', { body: {} }));
  expect(received).toHaveLength(2);
  await rejection(client.request('POST', '/api/x', { body: {}, idempotencyKey: 'key-12345' }));
  expect(received).toHaveLength(5);
});

test('slices are typed: a wrong property, a wrong value and a method of another plugin do not compile', () => {
  const client = createClient({ baseUrl: 'http://x', slices: [catalog] });
  const typed = (): unknown => [
    // @ts-expect-error orders is not among the slices
    client.admin.orders,
    // @ts-expect-error no such status
    client.admin.products.list({ status: 'gone' }),
    // @ts-expect-error the title is required
    client.admin.products.create({}),
    // @ts-expect-error an id is a text
    client.admin.products.get(1),
  ];
  expect(typeof typed).toBe('function');
});
