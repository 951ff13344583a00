import { contractTest } from '@storeloom/testing';
import { capture, place, plugins } from '../test/shop.ts';
import orders from './index.ts';

contractTest(orders, {
  plugins: plugins.filter((name) => name !== 'orders'),
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      const order = await place(tenant, { lines: [{ price: 1000, quantity: 2 }, { price: 500 }] });
      await capture(tenant, order);
      await tenant.admin.post(`/api/admin/orders/${order.id}/internal-notes`, { text: 'note' });
      await tenant.admin.post(`/api/admin/orders/${order.id}/fulfillments`, {
        lines: [{ lineId: order.lineIds[0], quantity: 1 }],
      });
      await tenant.admin.post(`/api/admin/orders/${order.id}/refund`, { reason: 'x', amount: { amount: 5, currency: 'RON' } });
      await tenant.admin.post('/api/admin/invoices/', { orderId: order.id });
    }
    await shop.settled();
  },
});
