import { type Ctx, notFound, sql, type TableRow } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import type { StoredPricing } from './placing/snapshot.ts';
import { fulfillment, fulfillmentLine, line, order, revision } from './tables.ts';

export type OrderRow = TableRow<typeof order>;
export type LineRow = TableRow<typeof line>;
export type FulfillmentRow = TableRow<typeof fulfillment>;

/** An order with its prices and lines, without the lines that an edit removed. */
export interface OrderData {
  row: OrderRow;
  lines: LineRow[];
  sheet: PricedSheet;
  pricing: StoredPricing;
}

export async function loadLines(ctx: Ctx, orderIds: string | readonly string[]): Promise<LineRow[]> {
  return ctx.rows(line).find({ orderId: orderIds, removedAt: null }, { orderBy: ['position', 'id'] });
}

export async function loadRevision(
  ctx: Ctx,
  orderId: string,
  number: number,
): Promise<{ sheet: PricedSheet; pricing: StoredPricing }> {
  const found = await ctx.rows(revision).first({ orderId, revision: number });
  if (!found) throw new Error(`order ${orderId} has no revision ${number}`);
  return { sheet: JSON.parse(found.sheet) as PricedSheet, pricing: found.pricing };
}

/** Loads the data of several orders, in the given order. */
export async function withAllData(ctx: Ctx, rows: readonly OrderRow[]): Promise<OrderData[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const lines = await loadLines(ctx, ids);
  const priced = await ctx.db.rows<{ orderId: string; sheet: string; pricing: StoredPricing }>(sql`
    select r.order_id as "orderId", r.sheet, r.pricing from orders_revision r join orders_order o on o.tenant_id = r.tenant_id and o.id = r.order_id
    where r.tenant_id = ${ctx.tenant.id} and r.order_id = any(${ids}::uuid[]) and r.revision = o.revision`);
  return rows.map((row) => {
    const found = priced.find((each) => each.orderId === row.id);
    if (!found) throw new Error(`order ${row.id} has no revision ${row.revision}`);
    return {
      row,
      lines: lines.filter((line) => line.orderId === row.id),
      sheet: JSON.parse(found.sheet) as PricedSheet,
      pricing: found.pricing,
    };
  });
}

export async function withData(ctx: Ctx, row: OrderRow): Promise<OrderData> {
  const lines = await loadLines(ctx, row.id);
  return { row, lines, ...(await loadRevision(ctx, row.id, row.revision)) };
}

const placedOrders = (ctx: Ctx) => ctx.once('placed', () => new Map<string, OrderData>());
/** Caches an order placed by this request: until it changes, the buyer's view needs no queries. */
export function cachePlacedOrder(ctx: Ctx, data: OrderData): void {
  placedOrders(ctx)?.set(data.row.id, data);
}
/** The order placed by this request, without parcels, refunds and documents; undefined after a change. */
export const cachedPlacedOrder = (ctx: Ctx, id: string): OrderData | undefined => placedOrders(ctx)?.get(id);
export function dropPlacedOrder(ctx: Ctx, id: string): void {
  placedOrders(ctx)?.delete(id);
}

/** Loads an order without a lock; changes use `lockOrder`. Undefined for an unknown id. */
export async function findOrder(ctx: Ctx, id: string): Promise<OrderData | undefined> {
  const [row, lines, priced] = await Promise.all([
    ctx.rows(order).get(id),
    loadLines(ctx, id),
    ctx.db.first<{ sheet: string; pricing: StoredPricing }>(sql`
      select r.sheet, r.pricing from orders_revision r join orders_order o on o.tenant_id = r.tenant_id and o.id = r.order_id
      where r.tenant_id = ${ctx.tenant.id} and r.order_id = ${id} and r.revision = o.revision`),
  ]);
  if (!row) return undefined;
  if (!priced) throw new Error(`order ${id} has no revision ${row.revision}`);
  return { row, lines, sheet: JSON.parse(priced.sheet) as PricedSheet, pricing: priced.pricing };
}
export async function loadOrder(ctx: Ctx, id: string): Promise<OrderData> {
  const found = await findOrder(ctx, id);
  if (!found) throw notFound();
  return found;
}

export interface FulfillmentData {
  row: FulfillmentRow;
  lines: { lineId: string; quantity: number }[];
}

export async function loadFulfillments(ctx: Ctx, orderId: string | readonly string[]): Promise<FulfillmentData[]> {
  const rows = await ctx.rows(fulfillment).find({ orderId }, { orderBy: ['createdAt', 'id'] });
  if (rows.length === 0) return [];
  const lines = await ctx.rows(fulfillmentLine).find({ orderId }, { orderBy: ['createdAt', 'id'] });
  return rows.map((row) => ({
    row,
    lines: lines.filter((each) => each.fulfillmentId === row.id).map(({ lineId, quantity }) => ({ lineId, quantity })),
  }));
}

/** Locks a fulfilment of the order. @throws 404 */
export async function requireFulfillment(ctx: Ctx, orderId: string, id: string): Promise<FulfillmentData> {
  const row = await ctx.rows(fulfillment).first({ id, orderId }, { lock: true });
  if (!row) throw notFound();
  const lines = await ctx.rows(fulfillmentLine).find({ fulfillmentId: id }, { orderBy: ['createdAt', 'id'] });
  return { row, lines: lines.map(({ lineId, quantity }) => ({ lineId, quantity })) };
}

/** Adds to the quantities of a line. Check constraints of the table refuse inconsistent quantities. */
export async function addQuantities(
  ctx: Ctx,
  lineId: string,
  delta: Partial<Record<'fulfilled' | 'shipped' | 'delivered' | 'returned' | 'cancelled' | 'refunded' | 'restocked', number>>,
): Promise<void> {
  const sets = Object.entries(delta)
    .filter(([, by]) => by !== 0)
    .map(([name, by]) => sql`${sql.id(`quantity_${name}`)} = ${sql.id(`quantity_${name}`)} + ${by}::int`);
  if (sets.length === 0) return;
  await ctx.db.run(
    sql`update orders_line set ${sql.join(sets)}, updated_at = ${ctx.clock.now()}, version = version + 1 where tenant_id = ${ctx.tenant.id} and id = ${lineId}`,
  );
}
