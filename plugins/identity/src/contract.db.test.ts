import { contractTest } from '@storeloom/testing';
import { addStaff } from '../test/clients.ts';
import identity from './index.ts';

contractTest(identity, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      const made = await tenant.admin.post<{ id: string }>('/api/admin/rbac/roles', {
        name: 'Clerks',
        permissions: ['identity.self.use'],
      });
      await addStaff(tenant, [made.body.id]);
      await tenant.customer();
    }
  },
});
