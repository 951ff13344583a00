import { contractTest } from '@storeloom/testing';
import { addItem, check, must, reserved, round, serve } from '../test/shop.ts';
import plugin from './index.ts';

contractTest(plugin, {
  async fill(shop) {
    const startsAt = new Date(shop.clock.ms() + 3 * 86_400_000);
    startsAt.setUTCHours(16, 0, 0, 0);
    for (const tenant of [shop.a, shop.b]) {
      await tenant.run('restaurant', (ctx) => ctx.saveSettings({ openingHours: null }));
      await reserved(tenant, { startsAt: startsAt.toISOString() });
      const item = await addItem(tenant);
      const row = await check(tenant, item);
      await must(round(tenant.admin, row.id, [{ menuItemId: item.id, qty: 2 }]), 201);
      await serve(tenant, await check(tenant, item));
    }
    await shop.settled();
  },
});
