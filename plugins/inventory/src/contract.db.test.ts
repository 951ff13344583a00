import { contractTest } from '@storeloom/testing';
import { makeGoods } from '../test/shop.ts';
import plugin from './index.ts';

contractTest(plugin, {
  plugins: ['catalog'],
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      await makeGoods(tenant, 5);
      const soldOut = await makeGoods(tenant, 0);
      const response = await tenant.guest.post('/api/storefront/back-in-stock/', {
        variantId: soldOut,
        email: 'waits@example.org',
      });
      if (response.status !== 202) throw new Error(response.text);
    }
  },
});
