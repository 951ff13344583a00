import { get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Ctx, definePlugin, dryRun, job, route } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestShop, testShop } from '../index.ts';

describe('the kernel', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['identity'] });
  });
  afterAll(() => shop?.stop());

  it('answers health, root and unknown paths', async () => {
    const health = await shop.a.guest.get('/health');
    expect(health.status).toBe(200);
    expect(health.body.ok).toBe(true);
    expect((await shop.a.guest.get('/')).body.name).toBe('Storeloom');
    const unknown = await shop.a.guest.get('/api/storefront/nothing');
    expect(unknown.status).toBe(404);
    expect(unknown.body.code).toBe('not_found');
    expect(unknown.headers['content-type']).toContain('application/problem+json');
    for (const { headers } of [health, unknown]) expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('explains every error code that it can answer with, at its address', async () => {
    const domain = [...shop.kernel.contributions.errors.keys()];
    expect(domain.length).toBeGreaterThan(0);
    for (const code of ['not_found', 'plugin_incompatible', ...domain]) {
      const page = await shop.a.guest.get(`/errors/${code}`);
      expect([page.status, page.body.code, typeof page.body.help]).toEqual([200, code, 'string']);
    }
    expect((await shop.a.guest.get('/errors/no_such_code')).status).toBe(404);
    expect((await shop.a.guest.get('/errors/%00')).status).toBeLessThan(500);
  });
});

describe('what is hardly HTTP', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['identity'] });
  });
  afterAll(() => shop?.stop());

  it.each([
    ['a header that is too long', `GET / HTTP/1.1\r\nhost: a\r\nx-big: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a method that is none', 'FOO / HTTP/1.1\r\nhost: a\r\n\r\n', 400],
    ['a control character', 'GET / HTTP/1.1\r\nhost: a\r\nif-match: "\u0001"\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc', 400],
    [
      'a compressed body',
      'POST /api/auth/login HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}',
      415,
    ],
    ['no host', 'GET /api/storefront/nothing HTTP/1.1\r\nconnection: close\r\n\r\n', 404],
  ])('answers %s with a problem', async (_, request, status) => {
    const socket = connect(Number(new URL(shop.bases[0] as string).port), '127.0.0.1');
    socket.write(request);
    const [head, body] = (await text(socket)).split('\r\n\r\n') as [string, string];
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status, type: expect.stringMatching(/^urn:storeloom:error:/), errors: [] });
  });
});

describe('a job', () => {
  let shop: TestShop;
  beforeAll(async () => {
    const plugin = definePlugin({ name: 'example-hello', jobs: { stubborn: { retryLimit: 11, run: async () => undefined } } });
    shop = await testShop({ plugins: ['example-hello'], modules: { 'example-hello': plugin }, workers: false });
  });
  afterAll(() => shop?.stop());

  it('is tried as often as it declares, unless its sender says otherwise', async () => {
    await shop.a.run('example-hello', async (ctx) => {
      await ctx.enqueue(job<{ name?: string; n?: number }>('stubborn'), { n: 1 });
      await ctx.enqueue(job<{ name?: string; n?: number }>('stubborn'), { n: 2 }, { retryLimit: 2 });
    });
    const rows = await shop.rows<{ retry_limit: number }>(
      `select retry_limit from jobs.job where data ->> 'name' = 'stubborn' order by retry_limit`,
    );
    expect(rows.map((row) => row.retry_limit)).toEqual([2, 11]);
  });
});

describe('a dry run', () => {
  const name = 'example-hello';
  let shop: TestShop;
  beforeAll(async () => {
    const plugin = definePlugin({ name, jobs: { count: { run: async () => undefined } } });
    shop = await testShop({ plugins: [name], modules: { [name]: plugin }, workers: false });
  });
  afterAll(() => shop?.stop());

  it('gives its answer and undoes itself, in a transaction of its own or amid other work', async () => {
    const told: number[] = [];
    const work = async (ctx: Ctx, n: number): Promise<number> => {
      await ctx.enqueue(job<{ name?: string; n?: number }>('count'), { n });
      await ctx.audit({ entity: 'example-hello.count', entityId: String(n) });
      ctx.onCommit(() => void told.push(n));
      return n;
    };
    expect(await shop.a.run(name, (ctx) => dryRun(ctx, (inner) => work(inner, 1)), { transaction: 'none' })).toBe(1);
    await shop.a.run(name, async (ctx) => {
      await work(ctx, 2);
      expect(await dryRun(ctx, (inner) => work(inner, 3))).toBe(3);
      const refused = dryRun(ctx, async (inner) => {
        await work(inner, 4);
        throw new Error('refused');
      });
      await expect(refused).rejects.toThrow('refused');
      await work(ctx, 5);
    });
    const jobs = await shop.rows(
      `select (data -> 'data' ->> 'n')::int as n from jobs.job where data ->> 'name' = 'count' order by n`,
    );
    const audited = await shop.rows(`select entity_id::int as n from core_audit where entity = 'example-hello.count' order by n`);
    expect([jobs, audited, told]).toEqual([
      [{ n: 2 }, { n: 5 }],
      [{ n: 2 }, { n: 5 }],
      [2, 5],
    ]);
  });
});

describe('a request', () => {
  let shop: TestShop;
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const waiting = route('GET', '/example-hello/wait', { summary: 'Waits', response: {} }, async (ctx) => {
    started.resolve();
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
    aborted.resolve();
    return {};
  });
  const shelf = route(
    'GET',
    '/example-hello/shelf',
    { summary: 'Public', response: {}, cache: { maxAge: 5, tags: [] } },
    async () => ({}),
  );
  beforeAll(async () => {
    const plugin = definePlugin({ name: 'example-hello', storefront: [waiting, shelf] });
    shop = await testShop({ plugins: ['example-hello'], modules: { 'example-hello': plugin } });
  });
  afterAll(() => shop?.stop());

  it('notices that the client disconnects', async () => {
    const request = get(`${shop.bases[0]}/api/storefront/example-hello/wait`, { headers: { host: shop.a.host } });
    request.on('error', () => undefined);
    await started.promise;
    request.destroy();
    await aborted.promise;
  });

  it('sets Vary for shared caches, for every caller', async () => {
    const answers = await Promise.all([
      shop.a.guest.get('/api/storefront/example-hello/shelf'),
      shop.a.guest.with({ origin: `http://${shop.a.host}` }).get('/api/storefront/example-hello/shelf'),
    ]);
    for (const { headers } of answers) expect(headers.vary).toBe('Host, Accept-Language, Authorization, Cookie, Origin');
  });
});
