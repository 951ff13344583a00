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
