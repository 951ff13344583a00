import { get } from 'node:http';
import { definePlugin, route } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestShop, testShop } from './testing/index.ts';

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

  it('hears of a caller who hangs up', { timeout: 20_000 }, async () => {
    const request = get(`${shop.bases[0]}/api/storefront/example-hello/wait`, { headers: { host: shop.a.host } });
    request.on('error', () => undefined);
    await started.promise;
    request.destroy();
    await aborted.promise;
  });

  it('tells shared caches what an answer depends on, whoever asks', async () => {
    const answers = await Promise.all([
      shop.a.guest.get('/api/storefront/example-hello/shelf'),
      shop.a.guest.with({ origin: `http://${shop.a.host}` }).get('/api/storefront/example-hello/shelf'),
    ]);
    for (const { headers } of answers)
      expect(headers.vary).toBe('Host, Accept-Language, Authorization, Cookie, X-Cart-Token, Origin');
  });
});
