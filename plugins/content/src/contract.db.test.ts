import { contractTest, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make } from '../test/shop.ts';
import plugin from './index.ts';

contractTest(plugin, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      const page = await make(tenant, '/pages/', { title: 'One', status: 'published', showInMenu: true });
      await make(tenant, '/sections/', { page: page.id, type: 'banner', placement: 'top' });
      await make(tenant, '/blog/posts', { title: 'Post', tags: ['a'] });
      await make(tenant, '/redirects/', { fromPath: '/old', to: '/new' });
    }
  },
});

describe('the demo', () => {
  let shop: TestShop;
  beforeAll(async () => {
    shop = await testShop({ plugins: ['content'] });
  });
  afterAll(() => shop?.stop());

  it('has pages, a post and a banner that visitors see; a second run changes nothing', async () => {
    for (let i = 0; i < 2; i++) await shop.a.run('content', (ctx) => plugin.seeds?.demo?.(ctx) as Promise<void>);
    const pages = await shop.a.guest.get<Json>('/api/storefront/pages/?showInMenu=true');
    expect(pages.body.data.map((row: Json) => [row.path, row.title])).toEqual([
      ['/pages/about', 'Despre noi'],
      ['/pages/delivery', 'Livrare'],
    ]);
    expect((await shop.a.guest.get<Json>('/api/storefront/blog/posts')).body.data).toHaveLength(1);
    expect((await shop.a.guest.get<Json>('/api/storefront/banners/home-top')).body.data).toMatchObject([
      { settings: { heading: 'Bun venit' } },
    ]);
    const versions = await shop.rows<Json>('select version from content_page where tenant_id = $1', [shop.a.id]);
    expect(versions).toEqual([{ version: 1 }, { version: 1 }]);
  });
});
