import { startTestCluster } from './testing/cluster.ts';
const cluster = await startTestCluster();
process.env.TEST_DATABASE_URL = cluster.ownerUrl;
process.env.TEST_SUPERUSER_URL = cluster.superuserUrl;
const { testShop } = await import('./testing/index.ts');
const shop = await testShop({ plugins: ['catalog'], workers: false });
const fill = async (tenantId: string, n: number) => {
  await shop.rows(`insert into catalog_brand (tenant_id,id,name,slug,active,created_at,updated_at) select $1, gen_random_uuid(), 'Brand '||i, 'brand-'||i, true, now(), now() from generate_series(1,50) i`, [tenantId]);
  await shop.rows(`insert into catalog_category (tenant_id,id,name,slug,position,active,path,depth,created_at,updated_at)
    select $1, x.id, jsonb_build_object('ro','Cat '||i), 'cat-'||i, i, true, jsonb_build_array(x.id), 1, now(), now() from (select gen_random_uuid() id, i from generate_series(1,10) i) x`, [tenantId]);
  await shop.rows(`insert into catalog_category (tenant_id,id,name,slug,position,active,parent_id,path,depth,created_at,updated_at)
    select $1, x.id, jsonb_build_object('ro','Sub '||i), 'sub-'||x.slug||'-'||i, i, true, x.parent, jsonb_build_array(x.parent, x.id), 2, now(), now() from (select gen_random_uuid() id, c.id parent, c.slug, i from catalog_category c, generate_series(1,5) i where c.tenant_id=$1 and c.depth=1) x`, [tenantId]);
  await shop.rows(`insert into catalog_product (tenant_id,id,title,slug,description,status,type,brand_id,options,images,tags,featured,returnable,published_at,position,bundle_pricing,listed,in_stock,price_min_amount,price_min_currency,price_max_amount,price_max_currency,rating_hundredths,rating_count,popularity,title_sort,search_text,created_at,updated_at)
   select $1, gen_random_uuid(), jsonb_build_object('ro','Produs '||i,'en','Product '||i), 'produs-'||i, jsonb_build_object('ro', repeat('<p>Lorem ipsum dolor sit amet</p>', 40)), 'active','physical', (select id from catalog_brand where tenant_id=$1 and slug='brand-'||(1+i%50)), '[{"name":"Size","values":["S","M","L"]}]', '[{"url":"/files/a.webp","alt":{"ro":"x"},"position":0}]', '["tag"]', i%100=0, true, now()-interval '1 day', (i*7919)%$2, 'fixed', true, true, 1000+i%9000,'RON',1200+i%9000,'RON', (i*37)%500, 3, (i*31)%1000, 'produs '||i, 'produs-'||i||' produs '||i||' sku-'||i, now()-i*interval '1 minute', now() from generate_series(1,$2::int) i`, [tenantId, n]);
  await shop.rows(`insert into catalog_variant (tenant_id,id,product_id,sku,option_values,price_amount,price_currency,compare_at_price_amount,compare_at_price_currency,track_inventory,allow_backorder,position,active,digital_files,sku_key,option_key,dated,created_at,updated_at)
   select $1, gen_random_uuid(), p.id, p.slug||s.v, jsonb_build_object('Size', s.v), p.price_min_amount + s.n*100,'RON', case when p.featured then 20000 end, case when p.featured then 'RON' end, true,false,s.n,true,'[]',p.slug||s.v, '["'||s.v||'"]', false, now(), now() from catalog_product p, (values ('S',0),('M',1),('L',2)) s(v,n) where p.tenant_id=$1`, [tenantId]);
  await shop.rows(`insert into catalog_price_history (tenant_id,id,variant_id,price_amount,price_currency,created_at) select $1, gen_random_uuid(), v.id, v.price_amount,'RON', now() from catalog_variant v where tenant_id=$1`, [tenantId]);
  await shop.rows(`insert into catalog_product_category (tenant_id,id,product_id,category_id,created_at,updated_at) select $1, gen_random_uuid(), p.id, (select id from catalog_category where tenant_id=$1 and depth=2 order by slug offset (abs(hashtext(p.slug))%50) limit 1), now(), now() from catalog_product p where p.tenant_id=$1`, [tenantId]);
  await shop.rows(`insert into catalog_placement (tenant_id, category_id, product_id) select pc.tenant_id, a.id::uuid, pc.product_id from catalog_product_category pc join catalog_category c on c.tenant_id=pc.tenant_id and c.id=pc.category_id cross join lateral jsonb_array_elements_text(c.path) a(id) where pc.tenant_id=$1 on conflict do nothing`, [tenantId]);
};
await fill(shop.a.id, 1000);
await fill(shop.b.id, 10000);
await shop.rows('vacuum analyze');
const pg = shop.kernel.database.pool as any;
let count = 0;
const query = (await import('pg')).default.Client.prototype.query;
(await import('pg')).default.Client.prototype.query = function (this: any, ...a: any[]) { const t = typeof a[0] === 'string' ? a[0] : a[0].text; if (t && !/^(begin|commit|rollback)/.test(t)) { count++; if (process.env.SHOW) console.log(t.slice(0, 200)); } return query.apply(this, a); } as any;
let last: any;
const P2 = (await import('pg')).default;
const q2 = P2.Client.prototype.query;
P2.Client.prototype.query = function (this: any, ...a: any[]) { if (a[0]?.text && /catalog_/.test(a[0].text) && !/explain/.test(a[0].text)) last = a[0]; return q2.apply(this, a as any); } as any;
const explain = async (t: any, path: string) => {
  await t.guest.with({ 'x-cart-token': 'x'.repeat(43) }).get(path);
  const { text, values } = last;
  const c = new P2.Client({ connectionString: shop.prepared ? process.env.DBURL : '' });
  const pool = shop.kernel.database.pool as any;
  const cl = await pool.connect();
  await cl.query(`begin; select set_config('app.tenant_id', '${t.id}', true), set_config('role','storeloom_app', true)`);
  const r = await cl.query({ text: 'explain (analyze, buffers, costs off) ' + text, values });
  console.log('\n== ' + path + '\n' + r.rows.map((x: any) => x['QUERY PLAN']).join('\n'));
  await cl.query('rollback'); cl.release();
};
if (process.env.EXPLAIN) { for (const path of process.env.EXPLAIN.split(' ')) await explain(shop.b, path); await shop.stop(); await cluster.stop(); process.exit(0); }
const time = async (t: any, path: string, n = 60) => {
  const client = t.guest.with({ 'x-cart-token': 'x'.repeat(43) });
  const times: number[] = [];
  let first: any;
  for (let i = 0; i < n; i++) {
    const s = performance.now();
    const c = count;
    const r = await client.get(path);
    times.push(performance.now() - s);
    if (r.status !== 200) throw new Error(r.text);
    if (i === n - 1) first = { body: r.body, queries: count - c, bytes: r.text.length };
  }
  times.sort((a, b) => a - b);
  console.log(t.slug, path.slice(0, 90).padEnd(90), 'p50', times[n >> 1]!.toFixed(2), 'p90', times[Math.floor(n * 0.9)]!.toFixed(2), 'queries', first.queries, 'bytes', first.bytes);
  return first.body;
};
for (const t of [shop.a, shop.b]) {
  const page = await time(t, '/api/storefront/products/?limit=20');
  let cursor = page.page.nextCursor;
  const slug = page.data[0].slug;
  for (let i = 0; i < 40; i++) cursor = (await t.guest.get<any>(`/api/storefront/products/?limit=20&cursor=${cursor}`)).body.page.nextCursor ?? cursor;
  await time(t, `/api/storefront/products/?limit=20&cursor=${cursor}`);
  if (t === shop.b) {
    for (let i = 0; i < 60; i++) cursor = (await t.guest.get<any>(`/api/storefront/products/?limit=100&cursor=${cursor}`)).body.page.nextCursor ?? cursor;
    await time(t, `/api/storefront/products/?limit=20&cursor=${cursor}`);
  }
  await time(t, `/api/storefront/products/?limit=20&sort=-price`);
  await time(t, `/api/storefront/products/?limit=20&sort=title`);
  await time(t, `/api/storefront/products/?limit=20&category=cat-3`);
  await time(t, `/api/storefront/products/?limit=20&category=cat-3&sort=price&total=true`);
  await time(t, `/api/storefront/products/?limit=20&brand=brand-7`);
  await time(t, `/api/storefront/products/?limit=20&option[Size]=M&price[gte]=2000`);
  await time(t, `/api/storefront/products/featured?limit=20`);
  await time(t, `/api/storefront/products/${slug}`);
  await time(t, `/api/storefront/categories/`);
  const admin = { ...t, guest: t.admin } as any; admin.guest.with = () => t.admin;
  await time(admin, '/api/admin/products/?limit=20');
  await time(admin, '/api/admin/products/?limit=20&q=produs-77');
}
if (process.env.EXPLAIN) {
  // left to the reader
}
const s = performance.now();
await shop.stop();
await cluster.stop();
process.exit(0);
