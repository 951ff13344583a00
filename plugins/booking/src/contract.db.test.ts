import { contractTest } from '@storeloom/testing';
import { addService, addStaff, at, book, must } from '../test/shop.ts';
import plugin from './index.ts';

contractTest(plugin, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      const service = await addService(tenant);
      await addStaff(tenant, [service], { email: 'person@example.org' });
      await must(book(tenant.guest, { serviceId: service.id, startsAt: at(shop, 3, '10:00') }), 201);
    }
    await shop.settled();
  },
});
