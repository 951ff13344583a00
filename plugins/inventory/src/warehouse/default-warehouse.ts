import { type Ctx, referenceNotFound, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import en from '../../locales/en.json' with { type: 'json' };
import ro from '../../locales/ro.json' with { type: 'json' };

/** Serialises writers of warehouses. Take it before any row lock. */
export const lockWarehouses = (ctx: Ctx): Promise<void> => lockKeys(ctx, 'warehouse');

/** Returns the id of the default warehouse; creates it if the shop has none. */
export async function defaultWarehouse(ctx: Ctx): Promise<string> {
  const find = (): Promise<{ id: string } | undefined> =>
    ctx.db.first<{ id: string }>(
      sql`select id from inventory_warehouse where tenant_id = ${ctx.tenant.id} and is_default and deleted_at is null`,
    );
  const known = await find();
  if (known) return known.id;
  const now = ctx.clock.now();
  const name = (ctx.tenant.defaultLocale === 'ro' ? ro : en)['warehouse.main'];
  await ctx.db.run(sql`
    insert into inventory_warehouse (tenant_id, id, name, code, active, priority, pickup_enabled, is_default, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${name}, 'MAIN', true, 0, false, true, ${now}, ${now}) on conflict do nothing`);
  return ((await find()) as { id: string }).id;
}

/** Locks warehouses against removal, in id order. Missing: 404 with the pointer. */
export async function lockWarehousesForUse(ctx: Ctx, ids: readonly string[], pointer: string): Promise<void> {
  const wanted = [...new Set(ids)];
  const rows = await ctx.db.rows<{ id: string }>(sql`select id from inventory_warehouse
    where tenant_id = ${ctx.tenant.id} and id = any(${wanted}::uuid[]) and deleted_at is null order by id for key share`);
  if (rows.length < wanted.length) throw referenceNotFound(pointer);
}

/** Creates missing levels without stock. Default: at the default warehouse. */
export async function ensureLevels(ctx: Ctx, variantIds: readonly string[], warehouseId?: string): Promise<void> {
  const at = warehouseId ?? (await defaultWarehouse(ctx));
  const ids = [...new Set(variantIds)].sort();
  const now = ctx.clock.now();
  await ctx.db.run(sql`
    insert into inventory_level (tenant_id, id, variant_id, warehouse_id, on_hand, reserved, backordered, incoming, safety_stock, created_at, updated_at)
    select ${ctx.tenant.id}, x.id, x.variant_id, ${at}, 0, 0, 0, 0, 0, ${now}::timestamptz, ${now}::timestamptz
    from unnest(${ids.map(() => uuidv7(ctx.clock.ms()))}::uuid[], ${ids}::uuid[]) as x (id, variant_id)
    on conflict (tenant_id, variant_id, warehouse_id) do nothing`);
}
