import { entityEvents, f } from '@storeloom/plugin-sdk';

const product = { id: f.id(), slug: f.slug(), title: f.i18n({ max: 300 }), status: f.oneOf(['draft', 'active', 'archived']) };

/** Events of `catalog.product`. */
export const productEvents = entityEvents('catalog.product', {
  created: { public: true, title: 'Product created', data: product },
  updated: { public: true, title: 'Product or variants updated', data: product },
  archived: { public: true, title: 'Product archived', data: product },
  deleted: { title: 'Product deleted', data: { id: f.id(), slug: f.slug(), variantIds: f.list(f.id()) } },
});
/** Events of `catalog.variant`. */
export const variantEvents = entityEvents('catalog.variant', {
  price_changed: {
    public: true,
    title: 'Price changed',
    data: {
      id: f.id(),
      productId: f.id(),
      sku: f.text(),
      priceListCode: f.text().optional(),
      price: f.money(),
      previousPrice: f.money(),
    },
  },
});
/** Events of `catalog.category`. */
export const categoryEvents = entityEvents('catalog.category', {
  created: { title: 'Category created', data: { id: f.id() } },
  updated: { public: true, title: 'Category updated', data: { id: f.id() } },
  deleted: { title: 'Category deleted', data: { id: f.id() } },
});
/** Events of `catalog.brand`. */
export const brandEvents = entityEvents('catalog.brand', {
  created: { title: 'Brand created', data: { id: f.id() } },
  updated: { title: 'Brand updated', data: { id: f.id() } },
  deleted: { title: 'Brand deleted', data: { id: f.id() } },
});
