import { contractTest } from '@storeloom/testing';
import dashboard from './index.ts';

contractTest(dashboard, {
  async fill(shop) {
    for (const { admin } of [shop.a, shop.b]) {
      await admin.patch('/api/admin/dashboard/layout', { items: [] });
      await admin.post('/api/admin/dashboard/layouts', { name: 'Kept', items: [] });
      await admin.put('/api/admin/dashboard/preset', { items: [] });
    }
  },
});
