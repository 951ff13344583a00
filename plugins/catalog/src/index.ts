import { catalog, currencyUses as currencyUsesHook, linesResolve, placeCheck } from '@storeloom/commerce';
import {
  definePlugin,
  fileUses as fileUsesHook,
  migrations,
  peopleErase,
  peopleExport,
  provide,
  quotaUsage,
} from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { erasePerson, exportPerson, wishlistItem, wishlistRoutes } from './browsing/wishlist.ts';
import { bundleComponent, bundleRoutes } from './bundle/bundle.ts';
import { category } from './category/category.ts';
import { currencyUses } from './currency-uses.ts';
import { batchHandlers, emits, handlers, jobs } from './events.ts';
import { fileUses } from './file-uses.ts';
import { checkPlacing } from './placing/place.ts';
import { resolveLines } from './pricing/lines.ts';
import { priceHistory } from './pricing/price-history.ts';
import { volumePrice, volumePriceRoutes } from './pricing/volume-price.ts';
import { brand } from './product/brand.ts';
import { bulkRoute } from './product/bulk.ts';
import { product, productCategory } from './product/product.ts';
import { productUsage } from './product/quota.ts';
import { productRoutes } from './product/routes.ts';
import { catalogService } from './service.ts';
import { storefrontRoutes } from './storefront.ts';
import { variant, variantPrice } from './variant/variant.ts';

export default definePlugin({
  name: 'catalog',
  tables: [product, productCategory, variant, variantPrice, priceHistory, bundleComponent, volumePrice, wishlistItem],
  migrations: migrations(import.meta.url, [
    '0001_catalog.sql',
    '0002_card.sql',
    '0003_variant_stock.sql',
    '0004_function_privileges.sql',
    '0005_facet_values.sql',
    '0006_variant_image.sql',
  ]),
  admin: [...productRoutes, bulkRoute, category, brand, ...bundleRoutes, ...volumePriceRoutes],
  storefront: [...storefrontRoutes, ...wishlistRoutes],
  provides: [provide(catalog, catalogService)],
  hooks(h) {
    h.on(linesResolve, resolveLines, { stage: 10 });
    h.on(placeCheck, checkPlacing, { stage: 10 });
    h.on(currencyUsesHook, currencyUses);
    h.on(quotaUsage, productUsage);
    h.on(fileUsesHook, fileUses);
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: { emits, on: handlers, onMany: batchHandlers },
  jobs,
  permissions: { 'catalog.cost.read': 'See cost prices' },
  errors: {
    category_cycle: { status: 409, title: 'Category cycle' },
    last_variant: { status: 409, title: 'Last active variant' },
    not_a_bundle: { status: 409, title: 'Product is not a bundle' },
    digital_file_missing: { status: 409, title: 'Digital file missing' },
    option_mismatch: { status: 422, title: 'Option mismatch' },
    bundle_nested: { status: 422, title: 'Nested bundle' },
    tier_increases: { status: 422, title: 'Unit price increases with quantity' },
    too_many: { status: 422, title: 'Too many items' },
  },
  locales: { en, ro },
});
