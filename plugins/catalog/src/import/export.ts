import { type ProductImport, taxes } from '@storeloom/commerce';
import { type Ctx, type IdRange, idBatches, type LocalText, sql } from '@storeloom/plugin-sdk';
import { isoText } from '../pricing/sellable.ts';
import { productList, shopCondition } from '../product/read.ts';

const batchSize = 100;

type ExportVariant = Required<ProductImport['variants'][number]> & { id: string };
/** A product in the import format, with ids and fields that only exports contain. */
interface ProductExport extends Omit<ProductImport, 'type' | 'variants'> {
  id: string;
  type: string;
  createdAt: string;
  updatedAt: string;
  variants: ExportVariant[];
}

interface Raw extends Omit<ProductExport, 'categoryPath' | 'taxCategory'> {
  taxCategoryId: string | null;
  images: { url: string; alt: LocalText | null; position: number }[];
  paths: string[][];
}

/**
 * Exports products that match the filters of the admin list, in id order. Each batch has a transaction of its own, so a slow reader holds no
 * connection; products created after the first batch are left out, so the export ends.
 */
export async function* exportProducts(ctx: Ctx, filter: Record<string, string>): AsyncIterable<Record<string, unknown>[]> {
  const query = productList.parse(new URLSearchParams(filter));
  const ofShop = await ctx.transaction((inner) => shopCondition(inner, query), { readOnly: true });
  const conditions = sql.join([sql`t.tenant_id = ${ctx.tenant.id}`, ofShop, ...query.conditions], sql` and `);
  const money = (column: string) =>
    sql.raw(
      `case when v.${column}_amount is not null then json_build_object('amount', v.${column}_amount, 'currency', v.${column}_currency) end`,
    );
  const read = (inner: Ctx, { after, last }: IdRange): Promise<Raw[]> =>
    inner.db.rows<Raw>(sql`
      select t.id, t.slug, t.title, t.description, t.short_description as "shortDescription", t.status, t.type, t.tags, t.options, t.seo, t.images,
        t.featured, t.returnable, t.min_age as "minAge", t.weight_g as "weightG", t.hs_code as "hsCode", t.country_of_origin as "countryOfOrigin",
        t.tax_category_id as "taxCategoryId", t.published_at as "publishedAt", t.position, t.metadata, t.created_at as "createdAt", t.updated_at as "updatedAt",
        (select b.name from catalog_brand b where b.tenant_id = t.tenant_id and b.id = t.brand_id) as brand,
        (select coalesce(json_agg(p.names), '[]') from (
           select json_agg(a.name ->> ${ctx.tenant.defaultLocale} order by a.depth) as names
           from catalog_product_category pc join catalog_category c on c.tenant_id = pc.tenant_id and c.id = pc.category_id
           join catalog_category a on a.tenant_id = t.tenant_id and c.path @> jsonb_build_array(a.id::text)
           where pc.tenant_id = t.tenant_id and pc.product_id = t.id group by c.id) p) as paths,
        (select coalesce(json_agg(json_build_object('id', v.id, 'sku', v.sku, 'barcode', v.barcode, 'optionValues', v.option_values,
            'price', ${money('price')}, 'compareAtPrice', ${money('compare_at_price')}, 'cost', ${money('cost')}, 'minPrice', ${money('min_price')}, 'image', v.image, 'weightG', v.weight_g,
            'dimsMm', v.dims_mm, 'trackInventory', v.track_inventory, 'allowBackorder', v.allow_backorder, 'backorderLimit', v.backorder_limit,
            'minPerOrder', v.min_per_order, 'maxPerOrder', v.max_per_order, 'step', v.step, 'position', v.position, 'active', v.active,
            'digitalFiles', v.digital_files, 'metadata', v.metadata, 'prices', (
              select coalesce(json_agg(json_build_object('price', json_build_object('amount', p.price_amount, 'currency', p.price_currency),
                  'priceListCode', p.price_list_code, 'startsAt', ${isoText('p.starts_at')}, 'endsAt', ${isoText('p.ends_at')})
                order by p.id), '[]')
              from catalog_variant_price p where p.tenant_id = v.tenant_id and p.variant_id = v.id)) order by v.position, v.id), '[]')
         from catalog_variant v where v.tenant_id = t.tenant_id and v.product_id = t.id and v.deleted_at is null) as variants
      from catalog_product t where ${conditions} and t.id > ${after} and t.id <= ${last} order by t.id limit ${batchSize}`);
  const categories = await ctx.transaction(async (inner) => inner.use(taxes)?.categories(), { readOnly: true });
  const codes = new Map(categories?.map(({ id, code }) => [id, code]));
  for await (const rows of idBatches(ctx, 'catalog_product', batchSize, read)) yield rows.map((row) => exported(ctx, row, codes));
}

/** Omits cost prices without `catalog.cost.read`, so that an import of the file doesn't change them. */
function exported(
  ctx: Ctx,
  { paths, taxCategoryId, ...row }: Raw,
  taxCodes: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const mayCost = ctx.can('catalog.cost.read');
  // The deepest first. By name, which an import into another shop keeps.
  const [categoryPath = null, ...otherCategoryPaths] = paths.sort(
    (a, b) => b.length - a.length || (a.join('\n') < b.join('\n') ? -1 : 1),
  );
  return {
    ...row,
    categoryPath,
    otherCategoryPaths,
    taxCategory: taxCodes.get(taxCategoryId ?? '') ?? null,
    variants: row.variants.map(({ cost, ...one }) => (mayCost ? { ...one, cost } : one)),
  };
}
