// The raw program: node:http and pg, hand-written SQL for the same pages, without framework, tenancy and business rules.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { sale } from './raw-sale.ts';

const pool = new pg.Pool({ connectionString: process.env.RAW_DATABASE_URL ?? '', max: 12 });
const tenant = process.env.RAW_TENANT ?? '';

const card = `t.id, t.slug, t.title, t.images -> 0 as image,
  (select json_build_object('id', b.id, 'name', b.name, 'slug', b.slug) from catalog_brand b where b.tenant_id = t.tenant_id and b.id = t.brand_id) as brand,
  (select json_agg(json_build_object('id', v.id, 'price', v.price_amount, 'compareAt', v.compare_at_price_amount, 'available', coalesce(l.available, 0)) order by v.position, v.id)
   from catalog_variant v left join lateral (select sum(l.on_hand - l.reserved - l.safety_stock) as available from inventory_level l where l.tenant_id = v.tenant_id and l.variant_id = v.id) l on true
   where v.tenant_id = t.tenant_id and v.product_id = t.id) as variants`;
const statements = {
  list: `select ${card}, t.position from catalog_product t where t.tenant_id = $1 and t.listed order by t.position, t.id limit 21`,
  after: `select ${card}, t.position from catalog_product t where t.tenant_id = $1 and t.listed and (t.position, t.id) > ($2, $3) order by t.position, t.id limit 21`,
  // The data of the API's product page: category path, dated prices, quantity prices, metafields.
  detail: `select t.id, t.slug, t.title, t.description, t.short_description, t.type, t.images, t.options, t.tags, t.seo, t.returnable, t.rating_hundredths, t.rating_count,
    (select json_build_object('id', b.id, 'name', b.name, 'slug', b.slug) from catalog_brand b where b.tenant_id = t.tenant_id and b.id = t.brand_id and b.active) as brand,
    (select json_agg(json_build_object('id', a.id, 'name', a.name, 'slug', a.slug) order by a.depth) from catalog_category a
     where a.tenant_id = t.tenant_id and a.id = any(array(select jsonb_array_elements_text(d.path)::uuid from (
       select c.path from catalog_product_category pc join catalog_category c on c.tenant_id = pc.tenant_id and c.id = pc.category_id
       where pc.tenant_id = t.tenant_id and pc.product_id = t.id and c.active order by c.depth desc, c.position, c.id limit 1) d))) as breadcrumbs,
    (select json_agg(json_build_object('id', v.id, 'sku', v.sku, 'barcode', v.barcode, 'options', v.option_values, 'weight', v.weight_g,
        'price', case when v.dated then coalesce((select x.price_amount from catalog_variant_price x where x.tenant_id = v.tenant_id and x.variant_id = v.id
          and x.price_list_code is null and (x.starts_at is null or x.starts_at <= now()) and (x.ends_at is null or x.ends_at > now())
          order by x.starts_at desc nulls last limit 1), v.price_amount) else v.price_amount end,
        'compareAt', v.compare_at_price_amount, 'available', coalesce(l.available, 0)) order by v.position, v.id)
     from catalog_variant v left join lateral (select sum(l.on_hand - l.reserved - l.safety_stock) as available from inventory_level l
       where l.tenant_id = v.tenant_id and l.variant_id = v.id) l on true
     where v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null) as variants,
    (select json_agg(json_build_object('variantId', q.variant_id, 'minQuantity', q.min_quantity, 'price', q.price_amount, 'percentBp', q.percent_bp))
     from catalog_volume_price q where q.tenant_id = t.tenant_id and q.product_id = t.id) as tiers
    from catalog_product t where t.tenant_id = $1 and t.slug = $2 and t.listed and t.published_at <= now()`,
  metafields: `select d.namespace, d.key, m.value from workspace_metafield m join workspace_metafield_definition d on d.tenant_id = m.tenant_id and d.id = m.definition_id
    where m.tenant_id = $1 and m.entity_type = 'catalog.product' and m.entity_id = $2 and d.visible_on_storefront`,
  categories: `select c.id, c.parent_id, c.name, c.slug, c.position, (select count(*) from catalog_placement p where p.tenant_id = c.tenant_id and p.category_id = c.id) as n from catalog_category c where c.tenant_id = $1 and c.active order by c.position`,
  admin: `select t.*, (select json_agg(v.*) from catalog_variant v where v.tenant_id = t.tenant_id and v.product_id = t.id) as variants from catalog_product t where t.tenant_id = $1 order by t.created_at desc, t.id desc limit 51`,
};
type Row = Record<string, unknown> & {
  id: string;
  position: number;
  title: Record<string, string>;
  variants: { price: number; available: number }[] | null;
};

async function query(name: keyof typeof statements, values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ name, text: statements[name], values })).rows;
}
const view = (row: Row): Record<string, unknown> => {
  const prices = (row.variants ?? []).map((variant) => variant.price);
  return {
    ...row,
    title: row.title.ro,
    price: { amount: Math.min(...prices), currency: 'RON' },
    priceRange: { min: Math.min(...prices), max: Math.max(...prices) },
    inStock: row.variants?.some((variant) => variant.available > 0),
  };
};

// As in the API's writes, rows are accessed by key, so a generic plan is sufficient.
const salePool = new pg.Pool({
  connectionString: process.env.RAW_DATABASE_URL ?? '',
  max: 12,
  options: '-c plan_cache_mode=force_generic_plan',
});
const { add, place } = await sale(salePool, tenant);

const server = createServer(async (req, res) => {
  try {
    const url = new URL(req.url ?? '/', 'http://localhost');
    let body: unknown;
    if (req.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const work = url.pathname === '/cart' ? add : place;
      const answer = await work(String(req.headers['idempotency-key']), Buffer.concat(chunks).toString());
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
      return;
    } else if (url.pathname === '/products') {
      const cursor = url.searchParams.get('cursor')?.split(',');
      const rows = cursor ? await query('after', [tenant, cursor[0], cursor[1]]) : await query('list', [tenant]);
      const last = rows[19];
      body = { data: rows.slice(0, 20).map(view), next: rows.length > 20 && last ? `${last.position},${last.id}` : null };
    } else if (url.pathname.startsWith('/products/')) {
      const [row] = await query('detail', [tenant, url.pathname.slice(10)]);
      body = row && { ...view(row), metafields: await query('metafields', [tenant, row.id]) };
    } else if (url.pathname === '/categories') body = await query('categories', [tenant]);
    else if (url.pathname === '/admin') body = await query('admin', [tenant]);
    res.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null));
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on port ${(server.address() as AddressInfo).port}\n`));
process.on('SIGTERM', () => process.exit(0));
