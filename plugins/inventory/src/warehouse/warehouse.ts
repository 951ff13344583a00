import { levelEvents } from '@storeloom/commerce';
import {
  type BaseRow,
  type Ctx,
  checkVersion,
  f,
  invalid,
  isEmptyPatch,
  type JobData,
  type PatchOf,
  problem,
  type RowOf,
  resource,
  sql,
} from '@storeloom/plugin-sdk';
import { addressFields } from '@storeloom/plugin-sdk/people';
import { warehouseEvents } from '../events.ts';
import { announceArrivals } from '../flows/arrivals.ts';
import { queued } from '../queued.ts';
import { lockWarehouses } from './default-warehouse.ts';

const address = addressFields();
const fields = {
  name: f.text().search(),
  code: f
    .text({ max: 40, pattern: /^[\w.-]+$/ })
    .unique()
    .filter()
    .search()
    .sort(),
  address: f.object({ ...address, firstName: address.firstName.optional(), lastName: address.lastName.optional() }).optional(),
  active: f.bool().default(true).filter(),
  /** Orders are assigned to the lowest priority first. */
  priority: f.int({ min: 0, max: 100_000 }).default(0).sort(),
  pickupEnabled: f.bool().default(false).filter(),
  /** Countries that it ships to; none: all. */
  countries: f.list(address.country, { max: 250 }).optional(),
  isDefault: f.bool().default(false),
};
const defaultWarehouseProblem = (detail: string) => problem('default_warehouse', { detail });
type Row = RowOf<typeof fields> & BaseRow;

/** Exactly one warehouse is the default, and it is active. */
export const warehouse = resource('warehouse', {
  path: 'warehouses',
  verbs: ['list', 'create', 'update', 'remove'],
  defaultSort: 'priority',
  fields,
  uniques: [{ name: 'inventory_warehouse_is_default_key', fields: [], where: 'is_default and deleted_at is null' }],
  indexes: [{ name: 'inventory_warehouse_priority_idx', fields: ['priority', 'id'] }],
  sqlOnly: { inventory_warehouse_code_key: 'expression: the code is compared without regard to case' },
  deletes: 'soft',
  before: {
    async create(ctx, input): Promise<{ isDefault: boolean }> {
      await lockWarehouses(ctx);
      const isDefault = input.isDefault || !(await findDefault(ctx));
      if (isDefault && !input.active) throw invalid('/active', 'invalid', 'the default warehouse must be active');
      if (isDefault) await clearDefault(ctx);
      return { isDefault };
    },
    async remove(ctx, row) {
      if (row.isDefault)
        throw defaultWarehouseProblem("The default warehouse can't be removed. Make another warehouse the default first.");
      await requireEmpty(ctx, row.id);
    },
  },
  routes: {
    update: { problems: ['default_warehouse', 'duplicate'] },
    remove: { problems: ['default_warehouse', 'warehouse_not_empty'] },
  },
  handlers: {
    update: (ctx, req) =>
      updateWarehouse(ctx, (req.params as { id: string }).id, req.body as PatchOf<typeof fields>, req.ifMatch),
  },
});

async function findDefault(ctx: Ctx): Promise<Row | undefined> {
  return ctx.rows(warehouse).first({ isDefault: true });
}
async function clearDefault(ctx: Ctx): Promise<void> {
  await ctx.rows(warehouse).updateWhere({ isDefault: true }, { isDefault: false });
}

/** Refuses to remove a warehouse with stock or reservations. Locks the levels, so that no stock arrives meanwhile. */
async function requireEmpty(ctx: Ctx, id: string): Promise<void> {
  const rows = await ctx.db.rows<{ onHand: number; reserved: number }>(sql`
    select on_hand as "onHand", reserved from inventory_level where tenant_id = ${ctx.tenant.id} and warehouse_id = ${id}
    order by variant_id, warehouse_id for no key update`);
  const onHand = rows.reduce((sum, row) => sum + row.onHand, 0);
  const reserved = rows.reduce((sum, row) => sum + row.reserved, 0);
  if (onHand > 0 || reserved > 0)
    throw problem('warehouse_not_empty', { detail: 'The warehouse contains stock or has reservations.', onHand, reserved });
}

async function updateWarehouse(ctx: Ctx, id: string, patch: PatchOf<typeof fields>, version: number | undefined): Promise<Row> {
  await lockWarehouses(ctx);
  const rows = ctx.rows(warehouse);
  const before = await rows.require(id, { lock: true });
  checkVersion(version, before);
  if (isEmptyPatch(patch)) return before;
  if (before.isDefault && patch.isDefault === false) throw defaultWarehouseProblem('Make another warehouse the default instead.');
  if (before.isDefault && patch.active === false)
    throw defaultWarehouseProblem("The default warehouse can't be deactivated. Make another warehouse the default first.");
  const becomesDefault = patch.isDefault === true && !before.isDefault;
  if (becomesDefault && !(patch.active ?? before.active))
    throw invalid('/active', 'invalid', 'the default warehouse must be active');
  if (becomesDefault) await clearDefault(ctx);
  const after = await rows.update(id, patch);
  await ctx.audit({ entity: 'inventory.warehouse', entityId: id, before, after });
  await ctx.emit(warehouseEvents.updated, { id, data: { id } });
  if (after.active !== before.active) {
    ctx.dropCache('catalog');
    await ctx.enqueue(queued.republishLevels, { warehouseId: id, opened: after.active });
  }
  return after;
}

/**
 * A warehouse was activated or deactivated: publishes its levels again, 100 a job, so that subscribers update their stock figures.
 */
export async function republishLevels(
  ctx: Ctx,
  { warehouseId, opened, after = '00000000-0000-0000-0000-000000000000' }: JobData<typeof queued.republishLevels>,
): Promise<void> {
  const rows = await ctx.db.rows<{ id: string; variantId: string; onHand: number; reserved: number; available: number }>(sql`
    select id, variant_id as "variantId", on_hand as "onHand", reserved, on_hand - reserved - safety_stock as available
    from inventory_level where tenant_id = ${ctx.tenant.id} and warehouse_id = ${warehouseId} and id > ${after} and on_hand > 0 order by id limit 100`);
  for (const row of rows) await ctx.emit(levelEvents.changed, { id: row.id, data: { ...row, warehouseId } });
  if (opened)
    await announceArrivals(
      ctx,
      rows
        .filter((row) => row.available > 0)
        .map(({ variantId, available }) => ({ variantId, units: available, wasSoldOut: true })),
    );
  const last = rows.at(-1);
  if (rows.length === 100 && last) await ctx.enqueue(queued.republishLevels, { warehouseId, opened, after: last.id });
}
