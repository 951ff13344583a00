import { badParameter, type Ctx, sql, uuidPattern } from '@storeloom/plugin-sdk';
import { withAllData } from './load.ts';
import { customersToken } from './neighbours.ts';
import { publicViews } from './public-view.ts';
import { order } from './tables.ts';

interface Cursor {
  placedAt: string;
  id: string;
}
/** As this list wrote it. The parser takes more than the database does: "1", the 30th of February, the year 0. */
const isInstant = (text: string): boolean => /^(?!0000)\d{4}-\d{2}-\d{2}T/.test(text) && new Date(text).toISOString() === text;
function readCursor(text: string): Cursor {
  try {
    const [placedAt, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    if (typeof placedAt === 'string' && typeof id === 'string' && uuidPattern.test(id) && isInstant(placedAt))
      return { placedAt, id };
  } catch {
    // Not a cursor: said below.
  }
  throw badParameter('cursor', 'is not a cursor of this list');
}
const writeCursor = ({ placedAt, id }: Cursor): string => Buffer.from(JSON.stringify([placedAt, id])).toString('base64url');

/** A guest's orders are the customer's too, once the address is confirmed. */
async function confirmedEmail(ctx: Ctx, customerId: string): Promise<string | null> {
  const customer = await ctx.use(customersToken)?.get(customerId);
  return customer && customer.emailVerifiedAt !== null ? customer.email.toLowerCase() : null;
}

/** Orders of a customer, newest first, as the buyer sees them. */
export async function ofCustomer(ctx: Ctx, customerId: string, options: { limit: number; cursor?: string }) {
  const email = await confirmedEmail(ctx, customerId);
  const after = options.cursor === undefined ? undefined : readCursor(options.cursor);
  const whose =
    email === null
      ? sql`customer_id = ${customerId}`
      : sql`(customer_id = ${customerId} or (customer_id is null and email = ${email}))`;
  const from = after ? sql` and (placed_at, id) < (${after.placedAt}::timestamptz, ${after.id}::uuid)` : sql``;
  const found = await ctx.db.rows<Cursor>(sql`select id, placed_at as "placedAt" from orders_order
    where tenant_id = ${ctx.tenant.id} and ${whose}${from} order by placed_at desc, id desc limit ${options.limit + 1}`);
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
export async function openCount(ctx: Ctx, customerId: string): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(sql`select count(*)::int8 as n from orders_order
    where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId} and status not in ('delivered', 'completed', 'cancelled')`);
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
