import { type Ctx, f, route, sql } from '@storeloom/plugin-sdk';
import { textsOf } from '../texts.ts';
import { type WarehouseDocument, warehouseDocumentReply } from './sheet-render.ts';

/** Units of a line to pick. */
export interface PickLine {
  orderNumber: string;
  warehouseId: string | null;
  variantId: string | null;
  sku: string | null;
  title: string;
  quantity: number;
  children: { variantId: string; quantity: number; title: string; sku: string }[] | null;
}
export interface PickRow {
  warehouseId: string | null;
  bin: string | null;
  sku: string;
  title: string;
  quantity: number;
  orders: string[];
}

/** Sums units by warehouse and item, with bundles as their components, sorted by bin. */
export function pickRows(lines: readonly PickLine[]): PickRow[] {
  const rows = new Map<string, PickRow>();
  const add = (line: PickLine, item: { variantId: string | null; sku: string | null; title: string }, quantity: number): void => {
    const key = JSON.stringify([line.warehouseId, item.variantId ?? `${item.sku} ${item.title}`]);
    const row = rows.get(key) ?? {
      warehouseId: line.warehouseId,
      bin: null,
      sku: item.sku ?? '',
      title: item.title,
      quantity: 0,
      orders: [],
    };
    row.quantity += quantity;
    if (!row.orders.includes(line.orderNumber)) row.orders.push(line.orderNumber);
    rows.set(key, row);
  };
  for (const line of lines) {
    if (line.children) for (const part of line.children) add(line, part, part.quantity * line.quantity);
    else add(line, line, line.quantity);
  }
  const order = (row: PickRow): string => JSON.stringify([row.warehouseId ?? '', row.bin ?? '', row.sku, row.title]);
  return [...rows.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Open parcels and unfulfilled units of confirmed orders. With a warehouse: its parcels only. */
async function waitingLines(ctx: Ctx, warehouseId: string | null, orderIds: readonly string[] | null): Promise<PickLine[]> {
  const { id } = ctx.tenant;
  const orderFilter = orderIds === null ? sql`` : sql` and o.id = any(${orderIds}::uuid[])`;
  const warehouseFilter = warehouseId === null ? sql`` : sql` and w.warehouse_id = ${warehouseId}`;
  return ctx.db.rows<PickLine>(sql`
    select o.number as "orderNumber", w.warehouse_id as "warehouseId", l.variant_id as "variantId", l.sku, l.title, w.quantity, l.children
    from (
      select p.order_id, p.warehouse_id, x.line_id, x.quantity
      from orders_fulfillment p join orders_fulfillment_line x on x.tenant_id = p.tenant_id and x.fulfillment_id = p.id
      where p.tenant_id = ${id} and p.status in ('pending', 'packed')
      union all
      select u.order_id, null::uuid, u.id, u.quantity - u.quantity_cancelled - u.quantity_fulfilled
      from orders_line u join orders_order c on c.tenant_id = u.tenant_id and c.id = u.order_id
      where u.tenant_id = ${id} and u.ships and u.removed_at is null and u.quantity - u.quantity_cancelled - u.quantity_fulfilled > 0
        and c.status in ('confirmed', 'processing')
    ) w
    join orders_line l on l.tenant_id = ${id} and l.id = w.line_id
    join orders_order o on o.tenant_id = ${id} and o.id = w.order_id
    where o.status in ('confirmed', 'processing')${orderFilter}${warehouseFilter}
    order by o.placed_at, o.id, l.position`);
}

function pickPaper(ctx: Ctx, rows: readonly PickRow[]): WarehouseDocument {
  const t = textsOf(ctx.locale);
  const warehouses = [...new Set(rows.map((row) => row.warehouseId))];
  return {
    title: t('pdf.pickList'),
    facts: [ctx.clock.now().slice(0, 16).replace('T', ' ')],
    blocks: [],
    tables: warehouses.map((warehouse) => ({
      title: warehouse === null ? t('pdf.noWarehouse') : `${t('pdf.warehouse')} ${warehouse}`,
      columns: [
        { title: t('pdf.bin'), width: 60 },
        { title: t('pdf.sku'), width: 100 },
        { title: t('pdf.item'), width: 175.28 },
        { title: t('pdf.quantity'), width: 60, align: 'right' },
        { title: t('pdf.orders'), width: 120 },
      ],
      rows: rows
        .filter((row) => row.warehouseId === warehouse)
        .map((row) => [row.bin ?? '', row.sku, row.title, String(row.quantity), row.orders.join(', ')]),
    })),
    note: null,
  };
}

export const pickListRoute = route(
  'GET',
  '/orders/pick-list',
  {
    permission: 'orders.order.read',
    summary: 'Print the pick list of open orders',
    query: {
      format: f.oneOf(['pdf', 'html']).default('pdf'),
      warehouseId: f.id().optional(),
      orderIds: f.list(f.id(), { max: 200 }).optional(),
    },
    produces: ['application/pdf', 'text/html'],
  },
  async (ctx, req) => {
    const { format, warehouseId, orderIds } = req.query;
    const paper = pickPaper(ctx, pickRows(await waitingLines(ctx, warehouseId, orderIds)));
    return warehouseDocumentReply(paper, format, 'pick-list', {
      locale: ctx.locale,
      author: ctx.tenant.name,
      at: ctx.clock.now(),
      t: textsOf(ctx.locale),
    });
  },
);
