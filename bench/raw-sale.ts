// Cart and checkout of the raw program: reads and writes the same rows as a sale through the API, in the same tables with the same indexes,
// with hand-written SQL. It knows the only shipping price and tax rate in advance, checks only stock, and reads no row twice.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';

interface CartLine {
  id: string;
  kind: 'product';
  variantId: string;
  quantity: number;
  title: string;
}
interface Item {
  id: string;
  productId: string;
  sku: string;
  title: string;
  price: number;
  weightG: number;
  ships: boolean;
  image: string | null;
  categories: string[];
}
interface Level {
  id: string;
  variantId: string;
  warehouseId: string;
  available: number;
}
interface Answer {
  status: number;
  body: Record<string, unknown>;
}
export interface AddBody {
  cart?: string;
  variantId: string;
  quantity: number;
}
export interface PlaceBody {
  cart: string;
  email: string;
  address: Record<string, unknown> & { country: string; firstName: string; lastName: string };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');
const now = (): string => new Date().toISOString();
const ron = (amount: number) => ({ amount, currency: 'RON' });
const taxIn = (gross: number): number => Math.round((gross * 21) / 121);

export async function sale(pool: pg.Pool, tenant: string) {
  const query = async <R>(client: pg.Pool | pg.PoolClient, name: string, text: string, values: unknown[]): Promise<R[]> =>
    (await client.query({ name, text, values })).rows as R[];
  const [setUp] = await query<{ rate: string | null; method: string; payment: string; price: number }>(
    pool,
    'set-up',
    `select (select id from taxes_rate where tenant_id = $1 order by rate_ppm desc limit 1) as rate,
      (select id from payments_payment_method where tenant_id = $1 and code = 'bank-transfer') as payment,
      m.id as method, coalesce(m.price_amount, (select min(price_amount) from shipping_rate r where r.tenant_id = $1), 0)::int as price
    from shipping_method m where m.tenant_id = $1 and m.enabled order by m.position limit 1`,
    [tenant],
  );
  if (!setUp) throw new Error('the shop has no delivery method');
  const { rate, method, payment, price: delivery } = setUp;

  /** Runs one transaction with its idempotency row. */
  async function once(
    key: string,
    route: string,
    body: string,
    work: (client: pg.PoolClient) => Promise<Answer>,
  ): Promise<Answer> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rowCount } = await client.query({
        name: 'claim',
        text: `insert into core_idempotency (tenant_id, scope, key, request_hash, state, status, answer, created_at)
          values ($1, $2, $3, $4, 'committed', 0, '', $5) on conflict do nothing`,
        values: [tenant, route, key, hash(body), now()],
      });
      if (rowCount === 0) throw new Error('a repeat');
      const answer = await work(client);
      await query(
        client,
        'answered',
        "update core_idempotency set state = 'final', status = $4, answer = $5 where tenant_id = $1 and scope = $2 and key = $3",
        [tenant, route, key, answer.status, JSON.stringify(answer.body)],
      );
      await client.query('commit');
      return answer;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  const cartOf = async (client: pg.PoolClient, token: string) =>
    (
      await query<{ id: string; lines: CartLine[] }>(
        client,
        'cart',
        "select id, lines from checkout_cart where tenant_id = $1 and token_hash = $2 and status = 'open' for update",
        [tenant, hash(token)],
      )
    )[0];
  const itemsOf = (client: pg.PoolClient, ids: string[]) =>
    query<Item>(
      client,
      'items',
      `select v.id, v.product_id as "productId", v.sku, p.title ->> 'ro' as title, v.price_amount::int as price, coalesce(v.weight_g, p.weight_g, 0) as "weightG",
        p.type = 'physical' as ships, p.images -> 0 ->> 'url' as image, v.option_values, p.options, p.tags, p.brand_id, p.tax_category_id,
        (select coalesce(json_agg(distinct a.id), '[]') from catalog_product_category pc
         join catalog_category c on c.tenant_id = pc.tenant_id and c.id = pc.category_id
         cross join lateral jsonb_array_elements_text(c.path) a (id)
         where pc.tenant_id = p.tenant_id and pc.product_id = p.id) as categories,
        (select json_agg(x.*) from catalog_variant_price x where x.tenant_id = v.tenant_id and x.variant_id = v.id) as prices,
        (select json_agg(q.*) from catalog_volume_price q where q.tenant_id = p.tenant_id and q.product_id = p.id) as tiers,
        (select json_agg(b.*) from catalog_bundle_component b where b.tenant_id = p.tenant_id and b.product_id = p.id) as components
      from catalog_variant v join catalog_product p on p.tenant_id = v.tenant_id and p.id = v.product_id
      where v.tenant_id = $1 and v.id = any($2::uuid[]) and v.deleted_at is null and p.listed`,
      [tenant, ids],
    );
  const stockOf = (client: pg.PoolClient, ids: string[]) =>
    query<{ variantId: string; available: number }>(
      client,
      'stock',
      `select l.variant_id as "variantId", sum(l.on_hand - l.reserved - l.safety_stock)::int as available from inventory_level l
        join inventory_warehouse w on w.tenant_id = l.tenant_id and w.id = l.warehouse_id
        where l.tenant_id = $1 and l.variant_id = any($2::uuid[]) and w.active group by l.variant_id`,
      [tenant, ids],
    );

  const lineView = ({ id, quantity }: CartLine, item: Item) => ({
    id,
    variantId: item.id,
    productId: item.productId,
    sku: item.sku,
    title: item.title,
    image: item.image,
    quantity,
    unitPrice: ron(item.price),
    tax: ron(taxIn(item.price * quantity)),
    total: ron(item.price * quantity),
  });

  async function add(key: string, text: string): Promise<Answer> {
    const { cart: known, variantId, quantity } = JSON.parse(text) as AddBody;
    return once(key, '/cart', text, async (client) => {
      const found = known === undefined ? undefined : await cartOf(client, known);
      const token = known ?? randomBytes(24).toString('base64url');
      const lines = found?.lines ?? [];
      const same = lines.find((line) => line.variantId === variantId);
      if (same) same.quantity += quantity;
      else lines.push({ id: randomUUID(), kind: 'product', variantId, quantity, title: '' });
      const ids = lines.map((line) => line.variantId);
      const items = new Map((await itemsOf(client, ids)).map((item) => [item.id, item]));
      const stock = new Map((await stockOf(client, ids)).map((row) => [row.variantId, row.available]));
      const views = lines.map((line) => {
        const item = items.get(line.variantId);
        if (!item || (stock.get(line.variantId) ?? 0) < line.quantity) throw new Error('not to be had');
        line.title = item.title;
        return lineView(line, item);
      });
      const total = views.reduce((sum, view) => sum + view.total.amount, 0);
      const id = found?.id ?? randomUUID();
      if (found)
        await query(
          client,
          'keep',
          'update checkout_cart set lines = $3::jsonb, value_amount = $4, last_activity_at = $5, updated_at = $5, version = version + 1 where tenant_id = $1 and id = $2',
          [tenant, id, JSON.stringify(lines), total, now()],
        );
      else
        await query(
          client,
          'make',
          `insert into checkout_cart (tenant_id, id, kind, status, token_hash, currency, locale, lines, codes, tenders, value_amount, value_currency,
            last_activity_at, created_at, updated_at) values ($1, $2, 'cart', 'open', $3, 'RON', 'ro', $4::jsonb, '[]', '[]', $5, 'RON', $6, $6, $6)`,
          [tenant, id, hash(token), JSON.stringify(lines), total, now()],
        );
      return { status: 201, body: { id, cartToken: token, lines: views, totals: { total: ron(total), tax: ron(taxIn(total)) } } };
    });
  }

  async function place(key: string, text: string): Promise<Answer> {
    const { cart: token, email, address } = JSON.parse(text) as PlaceBody;
    return once(key, '/place', text, async (client) => {
      const cart = await cartOf(client, token);
      if (!cart) throw new Error('no cart');
      const at = now();
      const items = new Map(
        (
          await itemsOf(
            client,
            cart.lines.map((line) => line.variantId),
          )
        ).map((item) => [item.id, item]),
      );
      const goods = cart.lines.map((line) => ({ line: { ...line, id: randomUUID() }, item: items.get(line.variantId) as Item }));
      const subtotal = goods.reduce((sum, { line, item }) => sum + item.price * line.quantity, 0);
      const total = subtotal + delivery;
      const order = randomUUID();
      const [customer] = await query<{ id: string }>(
        client,
        'customer',
        `insert into customers_customer as c (tenant_id, id, email, first_name, last_name, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
          on conflict (tenant_id, email) do update set updated_at = excluded.updated_at, version = c.version + 1 returning id`,
        [tenant, randomUUID(), email, address.firstName, address.lastName, at],
      );
      if (rate !== null)
        await query(client, 'rate', 'select rate_ppm from taxes_rate where tenant_id = $1 and id = $2 for key share', [
          tenant,
          rate,
        ]);
      const levels = await query<Level>(
        client,
        'levels',
        `select l.id, l.variant_id as "variantId", l.warehouse_id as "warehouseId", l.on_hand - l.reserved - l.safety_stock as available
          from inventory_level l join inventory_warehouse w on w.tenant_id = l.tenant_id and w.id = l.warehouse_id
          where l.tenant_id = $1 and l.variant_id = any($2::uuid[]) and w.active order by l.variant_id, l.warehouse_id for no key update of l`,
        [tenant, [...items.keys()]],
      );
      for (const { line } of goods) {
        const level = levels.find((one) => one.variantId === line.variantId && one.available >= line.quantity);
        if (!level) throw new Error('out of stock');
        await query(
          client,
          'reserve',
          `with taken as (update inventory_level set reserved = reserved + $3, updated_at = $4, version = version + 1 where tenant_id = $1 and id = $2)
          insert into inventory_reservation (tenant_id, id, order_id, order_line_id, level_id, variant_id, warehouse_id, quantity, backordered, restocked, state,
            country, created_at, updated_at) values ($1, $5, $6, $7, $2, $8, $9, $3, 0, 0, 'active', $10, $4, $4)`,
          [tenant, level.id, line.quantity, at, randomUUID(), order, line.id, line.variantId, level.warehouseId, address.country],
        );
      }
      const [counter] = await query<{ value: number }>(
        client,
        'number',
        `insert into orders_number as c (tenant_id, series, value) values ($1, $2, 1)
          on conflict (tenant_id, series) do update set value = c.value + 1 returning value::int`,
        [tenant, `bench-${at.slice(0, 4)}`],
      );
      const number = `B${at.slice(0, 4)}-${String(counter?.value).padStart(6, '0')}`;
      const secret = randomBytes(24).toString('base64url');
      await query(
        client,
        'order',
        `insert into orders_order (tenant_id, id, number, cart_id, status, payment_status, fulfillment_status, channel, customer_id, email, locale, currency,
          price_mode, billing_address, shipping_address, country, revision, total_amount, total_currency, amount_due_amount, amount_due_currency,
          captured_amount, captured_currency, refunded_amount, refunded_currency, tendered_amount, tendered_currency, payment_method, paid_later, ip, user_agent,
          token_hash, token_expires_at, search_text, placed_at, created_at, updated_at)
        values ($1, $2, $3, $4, 'pending', 'unpaid', 'unfulfilled', 'web', $5, $6, 'ro', 'RON', 'gross', $7, $7, $8, 1, $9, 'RON', $9, 'RON', 0, 'RON', 0, 'RON',
          0, 'RON', 'bank-transfer', false, '127.0.0.1', 'bench', $10, $11::timestamptz + interval '90 days', $12, $11, $11, $11)`,
        [
          tenant,
          order,
          number,
          cart.id,
          customer?.id,
          email,
          JSON.stringify(address),
          address.country,
          total,
          hash(secret),
          at,
          [number, email, address.firstName, address.lastName, ...goods.map(({ item }) => item.sku)].join(' '),
        ],
      );
      for (const [position, { line, item }] of goods.entries())
        await query(
          client,
          'line',
          `insert into orders_line (tenant_id, id, order_id, position, kind, variant_id, product_id, sku, title, image, ships, weight_g, quantity, facts,
            created_at, updated_at) values ($1, $2, $3, $4, 'product', $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb, $14, $14)`,
          [
            tenant,
            line.id,
            order,
            position,
            item.id,
            item.productId,
            item.sku,
            item.title,
            item.image,
            item.ships,
            item.weightG,
            line.quantity,
            JSON.stringify({ categoryIds: item.categories }),
            at,
          ],
        );
      const lines = goods.map(({ line, item }) => lineView(line, item));
      const totals = { subtotal: ron(subtotal), shipping: ron(delivery), tax: ron(taxIn(total)), total: ron(total) };
      await query(
        client,
        'revision',
        'insert into orders_revision (tenant_id, id, order_id, revision, sheet, pricing, created_at) values ($1, $2, $3, 1, $4, $5::jsonb, $6)',
        [tenant, randomUUID(), order, JSON.stringify({ lines, totals }), JSON.stringify({ currency: 'RON', method, rate }), at],
      );
      await query(
        client,
        'history',
        "insert into orders_history (tenant_id, id, order_id, to_status, actor_type, created_at) values ($1, $2, $3, 'pending', 'guest', $4)",
        [tenant, randomUUID(), order, at],
      );
      const paymentId = randomUUID();
      await query(
        client,
        'payment',
        `insert into payments_payment (tenant_id, id, for_type, for_id, method_id, method_code, provider, status, amount_amount, amount_currency, intent_amount,
          authorized_amount, captured_amount, refunded_amount, capture, description, locale, save_instrument, given_back, voiding, email, created_at, updated_at)
        values ($1, $2, 'orders.order', $3, $4, 'bank-transfer', 'bank_transfer', 'created', $5, 'RON', $5, 0, 0, 0, 'auto', $6, 'ro', false, false, false, $7, $8, $8)`,
        [tenant, paymentId, order, payment, total, number, email, at],
      );
      await query(
        client,
        'converted',
        `update checkout_cart set status = 'converted', order_id = $3, order_token = $4, email = $5, shipping_address = $6::jsonb, shipping_method_id = $7,
          converted_at = $8, last_activity_at = $8, updated_at = $8, version = version + 1 where tenant_id = $1 and id = $2`,
        [tenant, cart.id, order, secret, email, JSON.stringify(address), method, at],
      );
      await query(
        client,
        'statuses',
        `insert into core_status_history (tenant_id, id, entity, entity_id, to_status, at, actor_type)
          select $1, gen_random_uuid(), x.entity, x.id, x.status, $2, 'guest'
          from (values ('orders.order', $3::uuid, 'pending'), ('payments.payment', $4::uuid, 'created'), ('checkout.cart', $5::uuid, 'converted')) x (entity, id, status)`,
        [tenant, at, order, paymentId, cart.id],
      );
      const event = async (aggregate: string, type: string, data: unknown, subscribers: string[]): Promise<void> => {
        await query(
          client,
          'event',
          `with counter as (insert into core_event_counter as c (tenant_id, aggregate, last) values ($1, $2, 1)
            on conflict (tenant_id, aggregate) do update set last = c.last + 1 returning last),
          event as (insert into core_event (tenant_id, id, type, aggregate, sequence, data, created_at) select $1, $3, $4, $2, last, $5::jsonb, $6 from counter returning sequence)
          insert into core_event_delivery (tenant_id, event_id, plugin, aggregate, sequence, created_at) select $1, $3, plugin, $2, sequence, $6 from event, unnest($7::text[]) plugin`,
          [tenant, aggregate, randomUUID(), type, JSON.stringify(data), at, subscribers],
        );
      };
      await event(order, 'orders.order.placed', { id: order, number, email, total: ron(total), lines }, ['orders']);
      await event(cart.id, 'checkout.cart.converted', { cartId: cart.id, orderId: order }, []);
      await query(
        client,
        'job',
        `insert into jobs.job_common (name, data, group_id, policy) values ('events', $1::jsonb, $2, 'standard')`,
        [JSON.stringify({ tenantId: tenant, plugin: 'orders', aggregate: order }), tenant],
      );
      return {
        status: 201,
        body: { order: { id: order, number, email, lines, totals }, orderToken: secret, payment: { id: paymentId } },
      };
    });
  }
  return { add, place };
}
