import type { ProductImport } from '@storeloom/commerce';
import { type Ctx, type IdRange, idBatches, type LocalText, sql } from '@storeloom/plugin-sdk';
import { productList, stockCondition } from '../product/read.ts';

const batchSize = 100;

type ExportVariant = Required<ProductImport['variants'][number]> & { id: string; active: boolean };
/** A product in the import format, with ids and fields that only exports contain. */
interface ProductExport extends Omit<ProductImport, 'type' | 'variants'> {
  id: string;
  type: string;
  featured: boolean;
  createdAt: string;
  updatedAt: string;
  variants: ExportVariant[];
}

interface Raw extends Omit<ProductExport, 'images'> {
  images: { url: string; alt: LocalText | null; position: number }[];
}

/**
 * Exports products that match the filters of the admin list, in id order. Each batch has a transaction of its own, so a slow reader holds no
 * connection; products created after the first batch are left out, so the export ends.
 */
export async function* exportProducts(ctx: Ctx, filter: Record<string, string>): AsyncIterable<Record<string, unknown>[]> {
  const query = productList.parse(new URLSearchParams(filter));
  const conditions = sql.join([sql`t.tenant_id = ${ctx.tenant.id}`, stockCondition(ctx, query), ...query.conditions], sql` and `);
  const money = (column: string) =>
    sql.raw(
      `case when v.${column}_amount is not null then json_build_object('amount', v.${column}_amount, 'currency', v.${column}_currency) end`,
    );
  const read = (inner: Ctx, { after, last }: IdRange): Promise<Raw[]> =>
    inner.db.rows<Raw>(sql`
      select t.id, t.slug, t.title, t.description, t.short_description as "shortDescription", t.status, t.type, t.tags, t.options, t.seo, t.images,
        t.featured, t.created_at as "createdAt", t.updated_at as "updatedAt",
        (select b.name from catalog_brand b where b.tenant_id = t.tenant_id and b.id = t.brand_id) as brand,
        (select json_agg(a.name ->> ${ctx.tenant.defaultLocale} order by a.depth)
         from (select c.path from catalog_product_category pc join catalog_category c on c.tenant_id = pc.tenant_id and c.id = pc.category_id
               where pc.tenant_id = t.tenant_id and pc.product_id = t.id order by c.depth desc, c.position, c.id limit 1) deepest
         join catalog_category a on a.tenant_id = t.tenant_id and deepest.path @> jsonb_build_array(a.id::text)) as "categoryPath",
        (select coalesce(json_agg(json_build_object('id', v.id, 'sku', v.sku, 'barcode', v.barcode, 'optionValues', v.option_values,
            'price', ${money('price')}, 'compareAtPrice', ${money('compare_at_price')}, 'cost', ${money('cost')}, 'weightG', v.weight_g,
            'trackInventory', v.track_inventory, 'allowBackorder', v.allow_backorder, 'position', v.position, 'active', v.active) order by v.position, v.id), '[]')
         from catalog_variant v where v.tenant_id = t.tenant_id and v.product_id = t.id and v.deleted_at is null) as variants
      from catalog_product t where ${conditions} and t.id > ${after} and t.id <= ${last} order by t.id limit ${batchSize}`);
  for await (const rows of idBatches(ctx, 'catalog_product', batchSize, read)) yield rows.map((row) => exported(ctx, row));
}

/** Omits cost prices without `catalog.cost.read`, so that an import of the file doesn't change them. */
function exported(ctx: Ctx, row: Raw): Record<string, unknown> {
  const mayCost = ctx.can('catalog.cost.read');
  return {
    ...row,
    images: row.images.map(({ url, alt, position }) => ({ url, alt: alt?.[ctx.tenant.defaultLocale] ?? null, position })),
    variants: row.variants.map(({ cost, ...one }) => (mayCost ? { ...one, cost } : one)),
  };
}
