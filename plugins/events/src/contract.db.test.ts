import { contractTest } from '@storeloom/testing';
import { addType, buy, must, publish } from '../test/shop.ts';
import plugin from './index.ts';

contractTest(plugin, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      const event = await publish(shop, tenant);
      const type = await addType(tenant, event.id);
      await must(buy(tenant.guest, event.id, [[type.id, 2]]), 201);
    }
    await shop.settled();
  },
});
