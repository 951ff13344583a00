import { type Ctx, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { coverBackorders } from '../placing/cover.ts';
import { type Book, conflict } from './book.ts';
import { publishChanges } from './publish.ts';

function movementActor({ actor }: Ctx): { type: string; id: string | null } {
  const { type } = actor;
  if (type === 'staff' || type === 'operator') return { type, id: actor.userId };
  if (type === 'customer') return { type, id: actor.customerId };
  if (type === 'provider') return { type, id: actor.provider };
  return { type, id: type === 'system' ? actor.reason : null };
}

/**
 * Covers backorders from freed stock, then writes levels, reservations and movements in one statement. Its update checks the
 * available stock, and the number of updated rows is compared. Publishes the events last.
 */
export async function writeBook(ctx: Ctx, book: Book): Promise<void> {
  await coverBackorders(ctx, book);
  const changed = book.changed();
  if (changed.length === 0 && book.rows.size === 0) return;
  const tenantId = ctx.tenant.id;
  const now = ctx.clock.now();
  const levels = changed.map((each) => {
    const before = book.before(each);
    return {
      id: each.id,
      on_hand: each.onHand - before.onHand,
      reserved: each.reserved - before.reserved,
      backordered: each.backordered - before.backordered,
      safety_stock: each.safetyStock,
      reorder_point: each.reorderPoint,
      taken: book.taken.get(each.id) ?? 0,
    };
  });
  const rows = [...book.rows.values()].map((row) => ({
    id: row.id,
    order_id: row.orderId,
    order_line_id: row.orderLineId,
    level_id: row.levelId,
    variant_id: row.variantId,
    warehouse_id: row.warehouseId,
    quantity: row.quantity,
    backordered: row.backordered,
    restocked: row.restocked,
    state: row.state,
    country: row.country,
    expires_at: row.expiresAt,
    created_at: row.createdAt,
  }));
  const actor = movementActor(ctx);
  const movements = book.movements.map(({ level, ...each }) => ({
    ...each,
    id: uuidv7(ctx.clock.ms()),
    level_id: level.id,
    variant_id: level.variantId,
    warehouse_id: level.warehouseId,
  }));
  const updateLevels = sql`
    update inventory_level l set on_hand = l.on_hand + x.on_hand, reserved = l.reserved + x.reserved, backordered = l.backordered + x.backordered,
      safety_stock = x.safety_stock, reorder_point = x.reorder_point, updated_at = ${now}, version = l.version + 1
    from jsonb_to_recordset(${JSON.stringify(levels)}::jsonb) as x (id uuid, on_hand int, reserved int, backordered int, safety_stock int,
      reorder_point int, taken int)
    where l.tenant_id = ${tenantId} and l.id = any(${changed.map(({ id }) => id)}::uuid[]) and l.id = x.id and (x.taken = 0 or l.on_hand + x.on_hand - l.reserved - l.safety_stock >= x.taken)
    returning l.id`;
  const upsertReservations = sql`
    insert into inventory_reservation as r (tenant_id, id, order_id, order_line_id, level_id, variant_id, warehouse_id, quantity, backordered, restocked,
      state, country, expires_at, created_at, updated_at)
    select ${tenantId}, x.id, x.order_id, x.order_line_id, x.level_id, x.variant_id, x.warehouse_id, x.quantity, x.backordered, x.restocked,
      x.state, x.country, x.expires_at, x.created_at, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (id uuid, order_id uuid, order_line_id uuid, level_id uuid, variant_id uuid, warehouse_id uuid,
      quantity int, backordered int, restocked int, state text, country text, expires_at timestamptz, created_at timestamptz)
    on conflict (tenant_id, id) do update set level_id = excluded.level_id, warehouse_id = excluded.warehouse_id, quantity = excluded.quantity,
      backordered = excluded.backordered, restocked = excluded.restocked, state = excluded.state, expires_at = excluded.expires_at,
      updated_at = excluded.updated_at, version = r.version + 1`;
  const insertMovements = sql`
    insert into inventory_movement (tenant_id, id, level_id, variant_id, warehouse_id, delta, reason, before, after, actor_type, actor_id,
      reference, note, source, created_at)
    select ${tenantId}, x.id, x.level_id, x.variant_id, x.warehouse_id, x.delta, x.reason, x.before, x.after, ${actor.type}::text, ${actor.id}::text,
      x.reference, x.note, x.source, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(movements)}::jsonb) as x (id uuid, level_id uuid, variant_id uuid, warehouse_id uuid, delta int,
      reason text, before int, after int, reference text, note text, source text)`;
  const parts = [
    sql`updated as (${updateLevels})`,
    ...(rows.length > 0 ? [sql`upserted as (${upsertReservations})`] : []),
    ...(movements.length > 0 ? [sql`inserted as (${insertMovements})`] : []),
  ];
  const result = await ctx.db.first<{ n: number }>(sql`with ${sql.join(parts)} select count(*)::int8 as n from updated`);
  if (result?.n !== changed.length) throw conflict();
  for (const { id, to } of book.transitions)
    await ctx.history({ entity: 'inventory.reservation', entityId: id, from: 'active', to, reason: book.reason });
  await publishChanges(ctx, book);
}
