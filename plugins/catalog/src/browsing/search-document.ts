import { type SearchDocument, searchIndex } from '@storeloom/commerce';
import { type Ctx, type LocalText, sql } from '@storeloom/plugin-sdk';
import { hiddenAmong, isShown } from './visible.ts';

interface DocumentRow extends Omit<SearchDocument, 'text' | 'ratingAvg' | 'extra'> {
  description: LocalText | null;
  shortDescription: LocalText | null;
  rating: number;
}

/** Search documents by product id, with categories and their ancestors. Products that shoppers don't see have none. */
export async function searchDocuments(ctx: Ctx, productIds: readonly string[]): Promise<Map<string, SearchDocument>> {
  const rows = await ctx.db.rows<DocumentRow>(sql`
    select t.id as "productId", t.slug, t.title, t.description, t.short_description as "shortDescription", t.tags, t.featured,
      t.created_at as "createdAt", t.position, t.vendor_id as "vendorId", t.price_min_amount as "priceMin", t.price_max_amount as "priceMax",
      t.price_min_currency as currency, t.rating_hundredths as rating, t.rating_count as "ratingCount",
      b.id as "brandId", b.name as "brandName", b.slug as "brandSlug",
      v.skus, v.barcodes, v.ids as "variantIds", coalesce(o.options, '{}') as options, coalesce(c.ids, '[]') as "categoryIds", coalesce(c.names, '[]') as "categoryNames"
    from catalog_product t
    left join catalog_brand b on b.tenant_id = t.tenant_id and b.id = t.brand_id and b.active
    left join lateral (
      select coalesce(json_agg(v.sku order by v.position, v.id), '[]') as skus, coalesce(json_agg(v.id order by v.position, v.id), '[]') as ids,
        coalesce(json_agg(v.barcode order by v.position, v.id) filter (where v.barcode is not null), '[]') as barcodes
      from catalog_variant v where v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null
    ) v on true
    left join lateral (
      select json_object_agg(name, vals) as options from (
        select e.key as name, json_agg(distinct e.value) as vals
        from catalog_variant v cross join lateral jsonb_each_text(v.option_values) e
        where v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null group by e.key) o
    ) o on true
    left join lateral (
      select json_agg(a.id order by a.depth, a.id) as ids, json_agg(a.name order by a.depth, a.id) as names
      from catalog_category a
      where a.tenant_id = t.tenant_id and a.active and exists (
        select from catalog_product_category pc join catalog_category c on c.tenant_id = pc.tenant_id and c.id = pc.category_id
        where pc.tenant_id = t.tenant_id and pc.product_id = t.id and c.path @> jsonb_build_array(a.id::text))
    ) c on true
    where ${isShown(ctx)} and t.id = any(${[...productIds]}::uuid[])`);
  const hidden = await hiddenAmong(
    ctx,
    rows.map((row) => row.productId),
  );
  const documents = new Map<string, SearchDocument>();
  for (const { description, shortDescription, rating, ...document } of rows) {
    const { productId, ratingCount } = document;
    if (hidden.has(productId)) continue;
    documents.set(productId, {
      ...document,
      text: plainTexts(shortDescription, description),
      ratingAvg: ratingCount === 0 ? null : rating / 100,
      extra: await ctx.call(searchIndex, { productId }),
    });
  }
  return documents;
}

/** Joins the texts of each locale and removes HTML markup. */
function plainTexts(...texts: (LocalText | null)[]): LocalText {
  const joined: LocalText = {};
  for (const text of texts) {
    for (const [locale, html] of Object.entries(text ?? {})) {
      const plain = html
        .replace(/<[^>]*>/g, ' ')
        .replace(/&nbsp;/g, ' ')
        .replace(/&lt;/g, '<')
        .replace(/&gt;/g, '>')
        .replace(/&quot;/g, '"')
        .replace(/&amp;/g, '&')
        .replace(/\s+/g, ' ')
        .trim();
      joined[locale] = [joined[locale], plain].filter(Boolean).join(' ');
    }
  }
  return joined;
}

/** A page of product ids in ascending order, for reindexing. */
export async function productIds(ctx: Ctx, after: string | null, limit: number): Promise<string[]> {
  const rows = await ctx.db.rows<{ id: string }>(
    sql`select id from catalog_product where tenant_id = ${ctx.tenant.id} and id > ${after ?? '00000000-0000-0000-0000-000000000000'} order by id limit ${Math.min(Math.max(limit, 1), 10_000)}`,
  );
  return rows.map(({ id }) => id);
}
