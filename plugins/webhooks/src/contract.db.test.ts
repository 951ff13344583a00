import { contractTest } from '@storeloom/testing';
import { announce, subscribe } from '../test/shop.ts';
import plugin from './index.ts';

contractTest(plugin, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      await subscribe(tenant, 'http://127.0.0.1:9/hook', { events: ['*'] });
      await announce(tenant, 2);
    }
    await shop.settled();
  },
});
