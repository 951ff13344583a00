import { contractTest } from '@storeloom/testing';
import { cartPath, type Json, product, ron, visitor } from '../test/goods.ts';
import { checkoutPath, placeBody } from '../test/till.ts';
import checkout from './index.ts';

contractTest(checkout, {
  plugins: ['catalog', 'orders', 'payments', 'currencies'],
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      await tenant.admin.post('/api/admin/payment-methods/', { code: 'cod', name: 'cod', provider: 'cod', enabled: true });
      const { variantId } = await product(tenant, 1000, { type: 'service' });
      const bought = await visitor(tenant, [variantId, 1]);
      const placed = await bought.client.post(`${checkoutPath}/place`, placeBody(1000));
      if (placed.status !== 201) throw new Error(placed.text);
      const customer = await tenant.customer();
      await customer.post('/api/storefront/consent-log/', { purpose: 'marketing', granted: true, textVersion: '1' });
      const cart = (await customer.post<Json>(`${cartPath}/items`, { variantId, quantity: 2 })).body;
      const recovered = await tenant.admin.post('/api/admin/abandoned-carts/', { cartId: cart.id });
      if (recovered.status !== 201) throw new Error(recovered.text);
      const lines = [{ variantId, quantity: 1, unitPrice: ron(900) }];
      const draft = await tenant.admin.post<Json>('/api/admin/draft-orders/', { currency: 'RON', lines });
      await tenant.admin.post(`/api/admin/draft-orders/${draft.body.id}/generate-link`);
      await tenant.admin.post('/api/admin/cart-recovery-config/', { enabled: true, steps: [] });
    }
  },
});
