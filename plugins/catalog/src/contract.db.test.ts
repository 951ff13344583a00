import { contractTest } from '@storeloom/testing';
import { make, makeProduct, ron, sized, sizes } from '../test/shop.ts';
import catalog from './index.ts';

contractTest(catalog, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b]) {
      const brand = await make(tenant.admin, '/api/admin/brands/', { name: 'Marca' });
      const parent = await make(tenant.admin, '/api/admin/categories/', { name: 'Haine' });
      const category = await make(tenant.admin, '/api/admin/categories/', { name: 'Tricouri', parentId: parent.id });
      const shirt = await makeProduct(tenant, {
        title: 'Tricou',
        brandId: brand.id,
        categoryIds: [category.id],
        options: sizes,
        variants: [sized('T-S', 'S'), sized('T-M', 'M', 12_000, { prices: [{ price: ron(9000), priceListCode: 'vip' }] })],
      });
      const kit = await makeProduct(tenant, { title: 'Set', type: 'bundle' });
      await make(
        tenant.admin,
        `/api/admin/bundles/${kit.id}`,
        { components: [{ variantId: shirt.variants[0].id, quantity: 2 }] },
        200,
      );
      await make(tenant.admin, `/api/admin/volume-prices/${shirt.id}`, { minQuantity: 3, percentBp: 1000 });
      const customer = await tenant.customer();
      await make(customer, '/api/storefront/wishlist/items', { variantId: shirt.variants[0].id });
    }
  },
});
