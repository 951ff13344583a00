// The plain program: a shop as a developer would write it by hand with node:http and pg, with its own small tables: one join per page, one
// transaction per order. No tenancy, row-level security, promotions, taxes, outbox or audit.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.RAW_DATABASE_URL ?? '', max: 10 });

/** Copies the products of the tenant into tables with the columns that a plain shop needs. */
async function fill(tenantId: string): Promise<void> {
  await pool.query(`drop schema if exists plain cascade; create schema plain;
    create table plain.product (id uuid primary key, slug text not null unique, title text not null, description text, image text, created_at timestamptz not null);
    create index on plain.product (created_at desc, id desc);
    create table plain.variant (id uuid primary key, product_id uuid not null references plain.product, sku text not null unique, options jsonb not null, price integer not null, stock integer not null check (stock >= 0), position integer not null);
    create index on plain.variant (product_id);
    create table plain.shipping_method (id uuid primary key, name text not null, price integer not null);
    create table plain.cart (id uuid primary key, status text not null, created_at timestamptz not null default now());
    create table plain.cart_line (cart_id uuid not null references plain.cart, variant_id uuid not null references plain.variant, quantity integer not null, primary key (cart_id, variant_id));
    create table plain.orders (id uuid primary key, number bigint generated always as identity unique, cart_id uuid not null references plain.cart, email text not null, address jsonb not null, total integer not null, created_at timestamptz not null default now());
    create table plain.order_line (order_id uuid not null references plain.orders, variant_id uuid not null references plain.variant, title text not null, sku text not null, quantity integer not null, price integer not null, primary key (order_id, variant_id));
    create table plain.payment (id uuid primary key, order_id uuid not null references plain.orders, method text not null, status text not null, amount integer not null);
    create index on plain.payment (order_id)`);
  await pool.query(
    `insert into plain.product select id, slug, title ->> 'ro', description ->> 'ro', images -> 0 ->> 'url', created_at
     from catalog_product where tenant_id = $1 and listed`,
    [tenantId],
  );
  await pool.query(
    `insert into plain.variant select v.id, v.product_id, v.sku, v.option_values, v.price_amount, 1000000, v.position
     from catalog_variant v join plain.product p on p.id = v.product_id where v.tenant_id = $1 and v.deleted_at is null`,
    [tenantId],
  );
  await pool.query(`insert into plain.shipping_method values (gen_random_uuid(), 'Courier', 1500)`);
  await pool.query('vacuum analyze plain.product, plain.variant');
}
await fill(process.env.RAW_TENANT ?? '');

const variants = `(select json_agg(json_build_object('id', v.id, 'sku', v.sku, 'options', v.options, 'price', v.price, 'available', v.stock) order by v.position)
  from plain.variant v where v.product_id = p.id) as variants`;
const texts = {
  list: `select p.id, p.slug, p.title, p.image, ${variants} from plain.product p order by p.created_at desc, p.id desc limit 20`,
  count: 'select count(*)::int as total from plain.product',
  detail: `select p.*, ${variants} from plain.product p where p.slug = $1`,
  cart: `insert into plain.cart (id, status) values ($1, 'open') on conflict (id) do nothing`,
  line: `insert into plain.cart_line values ($1, $2, $3) on conflict (cart_id, variant_id) do update set quantity = plain.cart_line.quantity + excluded.quantity`,
  lines: `select l.variant_id as "variantId", l.quantity, v.price, v.sku, p.title, p.image from plain.cart_line l
    join plain.cart c on c.id = l.cart_id and c.status = 'open' join plain.variant v on v.id = l.variant_id join plain.product p on p.id = v.product_id
    where l.cart_id = $1 order by l.variant_id`,
  methods: 'select id, name, price from plain.shipping_method',
  lock: `select id from plain.cart where id = $1 and status = 'open' for update`,
  stock: 'update plain.variant set stock = stock - $2 where id = $1 and stock >= $2',
  order: 'insert into plain.orders (id, cart_id, email, address, total) values ($1, $2, $3, $4, $5) returning number::int',
  orderLine: 'insert into plain.order_line values ($1, $2, $3, $4, $5, $6)',
  payment: `insert into plain.payment values ($1, $2, $3, 'created', $4)`,
  close: `update plain.cart set status = 'ordered' where id = $1`,
};
type Row = Record<string, unknown>;
type CartLine = { variantId: string; quantity: number; price: number; sku: string; title: string };
type Client = Pick<pg.ClientBase, 'query'>;
const run = (client: Client | pg.Pool, name: keyof typeof texts, values: unknown[] = []): Promise<pg.QueryResult<Row>> =>
  client.query<Row>({ name, text: texts[name], values });

const linesOf = async (client: Client | pg.Pool, cart: string): Promise<CartLine[]> =>
  (await run(client, 'lines', [cart])).rows as CartLine[];
const totalOf = (lines: readonly CartLine[]): number => lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
const cartView = (cart: string, lines: readonly CartLine[]): Row => ({ cart, lines, total: totalOf(lines) });

async function inTransaction<T>(work: (client: Client) => Promise<T>): Promise<T> {
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

const add = ({
  cart = randomUUID(),
  variantId,
  quantity,
}: {
  cart?: string;
  variantId: string;
  quantity: number;
}): Promise<Row> =>
  inTransaction(async (client) => {
    await run(client, 'cart', [cart]);
    await run(client, 'line', [cart, variantId, quantity]);
    return cartView(cart, await linesOf(client, cart));
  });

const place = ({ cart, email, address }: { cart: string; email: string; address: object }): Promise<Row> =>
  inTransaction(async (client) => {
    if ((await run(client, 'lock', [cart])).rowCount === 0) throw new Error('the cart is not open');
    const lines = await linesOf(client, cart);
    for (const { variantId, quantity } of lines)
      if ((await run(client, 'stock', [variantId, quantity])).rowCount === 0) throw new Error('insufficient stock');
    const shipping = ((await run(client, 'methods')).rows[0] as { price: number }).price;
    const total = totalOf(lines) + shipping;
    const id = randomUUID();
    const { rows } = await run(client, 'order', [id, cart, email, JSON.stringify(address), total]);
    for (const { variantId, title, sku, quantity, price } of lines)
      await run(client, 'orderLine', [id, variantId, title, sku, quantity, price]);
    await run(client, 'payment', [randomUUID(), id, 'bank-transfer', total]);
    await run(client, 'close', [cart]);
    return { id, number: rows[0]?.number, email, lines, total };
  });

async function bodyOf(req: IncomingMessage): Promise<never> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as never;
}

async function serve(req: IncomingMessage): Promise<unknown> {
  const url = new URL(req.url ?? '/', 'http://localhost');
  switch (`${req.method} ${url.pathname}`) {
    case 'GET /products': {
      const [{ rows }, { rows: counted }] = await Promise.all([run(pool, 'list'), run(pool, 'count')]);
      return { data: rows, total: counted[0]?.total };
    }
    case 'POST /cart':
      return add(await bodyOf(req));
    case 'GET /cart': {
      const cart = url.searchParams.get('cart') ?? '';
      return cartView(cart, await linesOf(pool, cart));
    }
    case 'POST /quotes':
      await bodyOf(req);
      return { data: (await run(pool, 'methods')).rows };
    case 'POST /place':
      return place(await bodyOf(req));
    default:
      return url.pathname.startsWith('/products/') ? (await run(pool, 'detail', [url.pathname.slice(10)])).rows[0] : undefined;
  }
}

const server = createServer(async (req, res) => {
  const headers = { 'content-type': 'application/json' };
  try {
    const body = await serve(req);
    res.writeHead(body === undefined ? 404 : 200, headers).end(JSON.stringify(body ?? null));
  } catch (error) {
    res.writeHead(500, headers).end(JSON.stringify({ error: String(error) }));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on port ${(server.address() as AddressInfo).port}\n`));
process.on('SIGTERM', () => process.exit(0));
