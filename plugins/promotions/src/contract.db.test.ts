import { contractTest } from '@storeloom/testing';
import { promote } from '../test/store.ts';
import promotions from './index.ts';

contractTest(promotions, {
  plugins: ['catalog'],
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      await promote(tenant, { code: 'ONE' });
      await promote(tenant, { codes: ['A-1', 'A-2'] });
    }
  },
});
