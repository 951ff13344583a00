import { notifications } from '@storeloom/plugin-sdk';
import { contractTest } from '@storeloom/testing';
import workspace from './index.ts';
import { pushSubscription } from './push-table.ts';

contractTest(workspace, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      await tenant.run('workspace', (ctx) =>
        ctx
          .require(notifications)
          .notifyStaff({ type: 'test', title: { ro: 'Salut', en: 'Hello' }, body: { ro: 'Text', en: 'Text' } }),
      );
      const { customerId } = await tenant.customer();
      const definition = { entityType: 'customers.customer', namespace: 'shop', key: 'size', type: 'string' };
      await tenant.admin.post('/api/admin/metafields/definitions', definition);
      await tenant.admin.put(`/api/admin/metafields/customers.customer/${customerId}`, {
        metafields: [{ namespace: 'shop', key: 'size', value: tenant.slug }],
      });
      await tenant.admin.put('/api/admin/settings/views.customers.customer', { value: [{ name: tenant.slug }] });
      await tenant.run('workspace', (ctx) =>
        ctx.rows(pushSubscription).insert({
          endpoint: `https://push.example/${tenant.slug}`,
          p256dh: 'p',
          auth: 'a',
          customerId,
        }),
      );
    }
  },
});
