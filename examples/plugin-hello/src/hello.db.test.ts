import { contractTest, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import plugin from './index.ts';

contractTest(plugin);

describe('hello', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: [plugin] });
  });
  afterAll(() => shop?.stop());

  it('greets in the language of the visitor, and each shop with its own words', async () => {
    const { a, b } = shop;
    expect((await a.admin.post('/api/admin/example-greetings/', { text: { ro: 'Salut', en: 'Hello' } })).status).toBe(201);
    const answer = await a.guest.with({ 'accept-language': 'en' }).get('/api/storefront/example-hello/');
    expect(answer.body).toMatchObject({ message: 'Welcome!', greetings: [{ text: 'Hello' }] });
    expect((await b.guest.get('/api/storefront/example-hello')).body).toMatchObject({ message: 'Bun venit!', greetings: [] });
  });
});
