// The yardstick: node:http and pg, hand-written SQL for the same pages, no framework, no tenancy, no rules.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

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
  detail: `select ${card}, t.description, t.options, t.tags, t.seo,
    (select json_agg(json_build_object('id', a.id, 'name', a.name, 'slug', a.slug)) from catalog_product_category pc join catalog_category a on a.tenant_id = pc.tenant_id and a.id = pc.category_id where pc.tenant_id = t.tenant_id and pc.product_id = t.id) as breadcrumbs
    from catalog_product t where t.tenant_id = $1 and t.slug = $2 and t.listed`,
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

/** Carts and orders are rows of tables of its own, with the same work: lines with prices, stock taken by a guarded update, one transaction. */
await pool.query(`create table if not exists bench_cart (id uuid primary key, created_at timestamptz not null default now());
  create table if not exists bench_cart_line (cart_id uuid not null, id uuid primary key, variant_id uuid not null, quantity int not null, unique (cart_id, variant_id));
  create table if not exists bench_order (id uuid primary key, number bigserial, cart_id uuid unique, email text, total bigint, address jsonb, created_at timestamptz not null default now());
  create table if not exists bench_order_line (order_id uuid not null, id uuid primary key, variant_id uuid not null, quantity int not null, price bigint, tax bigint, snapshot jsonb);
  create table if not exists bench_event (id uuid primary key, data jsonb);
  create table if not exists bench_payment (id uuid primary key, order_id uuid, amount bigint)`);

async function cartOf(client: pg.PoolClient, id: string): Promise<{ lines: Record<string, unknown>[]; total: number }> {
  const { rows } = await client.query({
    name: 'cart',
    text: `select l.id, l.variant_id as "variantId", l.quantity, v.price_amount as price, v.sku, p.title, coalesce((select sum(s.on_hand - s.reserved) from inventory_level s where s.tenant_id = v.tenant_id and s.variant_id = v.id), 0) as available
    from bench_cart_line l join catalog_variant v on v.tenant_id = $2 and v.id = l.variant_id join catalog_product p on p.tenant_id = v.tenant_id and p.id = v.product_id where l.cart_id = $1 order by l.id`,
    values: [id, tenant],
  });
  const total = rows.reduce((sum: number, row: { price: string; quantity: number }) => sum + Number(row.price) * row.quantity, 0);
  return { lines: rows, total };
}
async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function addToCart(body: { cart?: string; variantId: string; quantity: number }): Promise<unknown> {
  return inTransaction(async (client) => {
    const cart = body.cart ?? randomUUID();
    if (!body.cart) await client.query('insert into bench_cart (id) values ($1)', [cart]);
    await client.query(
      'insert into bench_cart_line (cart_id, id, variant_id, quantity) values ($1, $2, $3, $4) on conflict (cart_id, variant_id) do update set quantity = bench_cart_line.quantity + excluded.quantity',
      [cart, randomUUID(), body.variantId, body.quantity],
    );
    return { id: cart, ...(await cartOf(client, cart)) };
  });
}
async function place(body: { cart: string; email: string; address: unknown }): Promise<unknown> {
  return inTransaction(async (client) => {
    await client.query('select 1 from bench_cart where id = $1 for update', [body.cart]);
    const { lines, total } = await cartOf(client, body.cart);
    const order = randomUUID();
    await client.query('insert into bench_order (id, cart_id, email, total, address) values ($1, $2, $3, $4, $5)', [
      order,
      body.cart,
      body.email,
      total,
      JSON.stringify(body.address),
    ]);
    for (const line of lines) {
      const { rowCount } = await client.query(
        'update inventory_level set reserved = reserved + $3 where tenant_id = $1 and variant_id = $2 and on_hand - reserved >= $3',
        [tenant, line.variantId, line.quantity],
      );
      if (rowCount === 0) throw new Error('out of stock');
      await client.query(
        'insert into bench_order_line (order_id, id, variant_id, quantity, price, tax, snapshot) values ($1, $2, $3, $4, $5, $6, $7)',
        [
          order,
          randomUUID(),
          line.variantId,
          line.quantity,
          line.price,
          Math.round((Number(line.price) * 21) / 121),
          JSON.stringify(line),
        ],
      );
    }
    await client.query('insert into bench_payment (id, order_id, amount) values ($1, $2, $3)', [randomUUID(), order, total]);
    await client.query('insert into bench_event (id, data) values ($1, $2)', [randomUUID(), JSON.stringify({ order, total })]);
    return { id: order, total, lines };
  });
}

const server = createServer(async (req, res) => {
  try {
    const url = new URL(req.url ?? '/', 'http://localhost');
    let body: unknown;
    if (req.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const given = JSON.parse(Buffer.concat(chunks).toString()) as never;
      body = url.pathname === '/cart' ? await addToCart(given) : await place(given);
    } else if (url.pathname === '/products') {
      const cursor = url.searchParams.get('cursor')?.split(',');
      const rows = cursor ? await query('after', [tenant, cursor[0], cursor[1]]) : await query('list', [tenant]);
      const last = rows[19];
      body = { data: rows.slice(0, 20).map(view), next: rows.length > 20 && last ? `${last.position},${last.id}` : null };
    } else if (url.pathname.startsWith('/products/')) {
      const [row] = await query('detail', [tenant, url.pathname.slice(10)]);
      body = row && view(row);
    } else if (url.pathname === '/categories') body = await query('categories', [tenant]);
    else if (url.pathname === '/admin') body = await query('admin', [tenant]);
    res.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null));
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on port ${(server.address() as AddressInfo).port}\n`));
process.on('SIGTERM', () => process.exit(0));
