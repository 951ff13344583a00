import { customers } from '@storeloom/commerce';
import { type Ctx, invalidParameter, type RawBuilder, sql, uuidPattern } from '@storeloom/plugin-sdk';
import { withAllData } from '../load.ts';
import { order } from '../tables.ts';
import { publicViews } from './public-view.ts';

interface Cursor {
  placedAt: string;
  id: string;
}
/** Accepts only the format of `writeCursor`: Date parses more than PostgreSQL does ("1", 30 February, the year 0). */
const isInstant = (text: string): boolean => /^(?!0000)\d{4}-\d{2}-\d{2}T/.test(text) && new Date(text).toISOString() === text;
function readCursor(text: string): Cursor {
  try {
    const [placedAt, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    if (typeof placedAt === 'string' && typeof id === 'string' && uuidPattern.test(id) && isInstant(placedAt))
      return { placedAt, id };
  } catch {
    // Reported below as an invalid cursor.
  }
  throw invalidParameter('cursor', 'is not a cursor of this list');
}
const writeCursor = ({ placedAt, id }: Cursor): string => Buffer.from(JSON.stringify([placedAt, id])).toString('base64url');

/**
 * SQL condition of the orders that a customer may see: those placed while signed in and, once the address is confirmed, guest orders with
 * it. Anyone can register with a foreign address, so nothing of its owner is visible before the confirmation.
 */
async function visibleTo(ctx: Ctx, customerId: string): Promise<RawBuilder<unknown>> {
  const customer = await ctx.use(customers)?.get(customerId);
  if (customer && customer.emailVerifiedAt !== null)
    return sql`(customer_id = ${customerId} or (customer_id is null and email = ${customer.email.toLowerCase()}))`;
  return sql`(customer_id = ${customerId} and not exists (select from orders_history h
    where h.tenant_id = orders_order.tenant_id and h.order_id = orders_order.id and h.from_status is null and h.actor_type = 'guest'))`;
}

export async function isVisibleTo(ctx: Ctx, orderId: string, customerId: string): Promise<boolean> {
  const row = await ctx.db.first(
    sql`select 1 from orders_order where tenant_id = ${ctx.tenant.id} and id = ${orderId} and ${await visibleTo(ctx, customerId)}`,
  );
  return row !== undefined;
}

/** Public views of a customer's orders, newest first. */
export async function ofCustomer(ctx: Ctx, customerId: string, options: { limit: number; cursor?: string }) {
  const after = options.cursor === undefined ? undefined : readCursor(options.cursor);
  const from = after ? sql` and (placed_at, id) < (${after.placedAt}::timestamptz, ${after.id}::uuid)` : sql``;
  const found = await ctx.db.rows<Cursor>(sql`select id, placed_at as "placedAt" from orders_order
    where tenant_id = ${ctx.tenant.id} and ${await visibleTo(ctx, customerId)}${from} order by placed_at desc, id desc limit ${options.limit + 1}`);
  const shown = found.slice(0, options.limit);
  const rows = shown.length === 0 ? [] : await ctx.rows(order).find({ id: shown.map(({ id }) => id) });
  const sorted = shown.flatMap(({ id }) => rows.find((row) => row.id === id) ?? []);
  const last = shown.at(-1);
  return {
    data: await publicViews(ctx, await withAllData(ctx, sorted)),
    nextCursor: found.length > options.limit && last ? writeCursor(last) : null,
  };
}

/** Orders that aren't with their buyer yet. */
export async function openCount(ctx: Ctx, customerId: string, email?: string): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(sql`select count(*)::int8 as n from orders_order
    where tenant_id = ${ctx.tenant.id} and (customer_id = ${customerId} or email = ${email?.toLowerCase() ?? null}) and status not in ('delivered', 'completed', 'cancelled')`);
  return row?.n ?? 0;
}

/** Placed and not cancelled, by id or e-mail. */
export async function countPlaced(ctx: Ctx, who: { customerId?: string; email?: string }): Promise<number> {
  const { customerId, email } = who;
  if (customerId === undefined && email === undefined) return 0;
  const conditions = [
    ...(customerId === undefined ? [] : [sql`customer_id = ${customerId}`]),
    ...(email === undefined ? [] : [sql`email = ${email.toLowerCase()}`]),
  ];
  const row = await ctx.db.first<{ n: number }>(sql`select count(*)::int8 as n from orders_order
    where tenant_id = ${ctx.tenant.id} and status <> 'cancelled' and (${sql.join(conditions, sql` or `)})`);
  return row?.n ?? 0;
}
