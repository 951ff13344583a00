import { productEvents } from '@storeloom/commerce';
import { type Ctx, sql, uuidv7, withSuffix } from '@storeloom/plugin-sdk';
import { settle } from '../browsing/listing.ts';
import { bundleComponent } from '../bundle/bundle.ts';
import { holdTree } from '../category/place.ts';
import { volumePrice } from '../pricing/volume-price.ts';
import { variant, variantPrice } from '../variant/variant.ts';
import { variantsOf } from '../variant/write.ts';
import { product, productCategory } from './product.ts';
import { roomForProducts } from './quota.ts';
import { setCategories } from './write.ts';

/** `-copy`, `-copy-2`, `-copy-3` … */
const suffixOf = (n: number): string => (n === 1 ? '-copy' : `-copy-${n}`);

/** Copies a product as a draft, without barcodes and stock, with the same suffix for slug and SKUs. Returns its id. */
export async function duplicateProduct(ctx: Ctx, id: string): Promise<string> {
  await roomForProducts(ctx, 1);
  await holdTree(ctx);
  const { id: _, createdAt, updatedAt, version, ...row } = await ctx.rows(product).require(id);
  const variants = (await variantsOf(ctx, [id])).get(id)!;
  const suffix = await freeSuffix(
    ctx,
    row.slug,
    variants.map(({ sku }) => sku),
  );
  const copy = await ctx.rows(product).insert({
    ...row,
    slug: withSuffix(row.slug, suffix, 120),
    status: 'draft',
    publishedAt: null,
    listed: false,
    ratingHundredths: 0,
    ratingCount: 0,
    popularity: 0,
  });
  const links = await ctx.rows(productCategory).find({ productId: id }, { orderBy: ['id'] });
  await setCategories(
    ctx,
    copy.id,
    links.map(({ categoryId }) => categoryId),
  );

  const ids = new Map(variants.map((one) => [one.id, uuidv7(ctx.clock.ms())]));
  await ctx.rows(variant).insertMany(
    variants.map(({ createdAt: _c, updatedAt: _u, version: _v, prices, ...one }) => {
      const sku = withSuffix(one.sku, suffix, 100);
      return { ...one, id: ids.get(one.id)!, productId: copy.id, sku, skuKey: sku.toLowerCase(), barcode: null };
    }),
  );
  await ctx.rows(variantPrice).insertMany(
    variants.flatMap(({ id: from, prices }) =>
      prices.map(({ price, priceListCode, startsAt, endsAt }) => ({
        variantId: ids.get(from)!,
        price,
        priceListCode,
        startsAt,
        endsAt,
      })),
    ),
  );
  const components = await ctx.rows(bundleComponent).find({ productId: id }, { orderBy: ['position', 'id'] });
  await ctx
    .rows(bundleComponent)
    .insertMany(components.map(({ variantId, quantity, position }) => ({ productId: copy.id, variantId, quantity, position })));
  const tiers = await ctx.rows(volumePrice).find({ productId: id }, { orderBy: ['id'] });
  await ctx.rows(volumePrice).insertMany(
    tiers.map(({ id: _i, createdAt: _c, updatedAt: _u, version: _v, ...tier }) => ({
      ...tier,
      productId: copy.id,
      variantId: tier.variantId === null ? null : (ids.get(tier.variantId) ?? null),
    })),
  );
  await settle(ctx, [copy.id]);
  await ctx.emit(productEvents.created, {
    id: copy.id,
    data: { id: copy.id, slug: copy.slug, title: copy.title, status: copy.status },
  });
  return copy.id;
}

/** First suffix with which the slug and every SKU are unused. */
async function freeSuffix(ctx: Ctx, slug: string, skus: readonly string[]): Promise<string> {
  const suffixes = Array.from({ length: 100 }, (_, i) => suffixOf(i + 1));
  const slugs = suffixes.map((suffix) => withSuffix(slug, suffix, 120));
  const keys = suffixes.map((suffix) => skus.map((sku) => withSuffix(sku, suffix, 100).toLowerCase()));
  const taken = await ctx.db.rows<{ name: string }>(sql`
    select slug as name from catalog_product where tenant_id = ${ctx.tenant.id} and slug = any(${slugs}::text[])
    union all
    select sku_key from catalog_variant where tenant_id = ${ctx.tenant.id} and sku_key = any(${keys.flat()}::text[]) and deleted_at is null`);
  const names = new Set(taken.map(({ name }) => name));
  return (
    suffixes.find((_, i) => !names.has(slugs[i]!) && !keys[i]!.some((key) => names.has(key))) ?? `-copy-${uuidv7().slice(-12)}`
  );
}
