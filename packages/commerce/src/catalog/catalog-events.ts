import { entityEvents, f } from '@storeloom/plugin-sdk';

const product = { id: f.id(), slug: f.slug(), title: f.i18n({ max: 300 }), status: f.oneOf(['draft', 'active', 'archived']) };

/** Events of `catalog.product`. */
export const productEvents = entityEvents('catalog.product', {
  created: { public: true, title: 'A product was made', data: product },
  updated: { public: true, title: 'A product or its variants changed', data: product },
  archived: { public: true, title: 'A product was archived', data: product },
  deleted: { title: 'A product was removed', data: { id: f.id(), slug: f.slug(), variantIds: f.list(f.id()) } },
});
/** Events of `catalog.variant`. */
export const variantEvents = entityEvents('catalog.variant', {
  price_changed: {
    public: true,
    title: 'A price changed',
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
  created: { title: 'A category was made', data: { id: f.id() } },
  updated: { public: true, title: 'A category changed', data: { id: f.id() } },
  deleted: { title: 'A category was removed', data: { id: f.id() } },
});
/** Events of `catalog.brand`. */
export const brandEvents = entityEvents('catalog.brand', {
  created: { title: 'A brand was made', data: { id: f.id() } },
  updated: { title: 'A brand changed', data: { id: f.id() } },
  deleted: { title: 'A brand was removed', data: { id: f.id() } },
});
