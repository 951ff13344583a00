import { catalog } from '@storeloom/commerce';
import { type Ctx, f, type ListQuery, list, listOf, notFound, type Page, type RowOf, route, sql } from '@storeloom/plugin-sdk';
import { stockRules } from '../placing/rules.ts';
import { movementReasons } from './level.ts';

export const levelFields = {
  id: f.id(),
  variantId: f.id(),
  sku: f.text().optional().describe('Null after the variant was deleted from the catalogue'),
  warehouseId: f.id(),
  onHand: f.int(),
  reserved: f.int(),
  backordered: f.int().describe('Units of `reserved` that wait for a receipt'),
  incoming: f.int(),
  safetyStock: f.int(),
  reorderPoint: f.int().optional(),
  available: f.int().describe('onHand − reserved − safetyStock'),
  createdAt: f.instant(),
  updatedAt: f.instant(),
  version: f.int(),
};
export type LevelView = RowOf<typeof levelFields>;

const available = '(t.on_hand - t.reserved - t.safety_stock)';
const isBelowReorderPoint = sql.raw(`(t.reorder_point is not null and ${available} <= t.reorder_point)`);
const select = sql`t.id, t.variant_id as "variantId", t.warehouse_id as "warehouseId", t.on_hand as "onHand", t.reserved, t.backordered, t.incoming,
  t.safety_stock as "safetyStock", t.reorder_point as "reorderPoint", ${sql.raw(available)} as available,
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.version`;
const from = sql`inventory_level t join inventory_warehouse w on w.tenant_id = t.tenant_id and w.id = t.warehouse_id and w.deleted_at is null`;

async function withSku(ctx: Ctx, rows: Omit<LevelView, 'sku'>[]): Promise<LevelView[]> {
  const rules = await stockRules(
    ctx,
    rows.map((row) => row.variantId),
  );
  return rows.map((row) => ({ ...row, sku: rules.get(row.variantId)?.sku ?? null }));
}

export async function levelView(ctx: Ctx, id: string): Promise<LevelView> {
  const rows = await ctx.db.rows<LevelView>(
    sql`select ${select} from ${from} where t.tenant_id = ${ctx.tenant.id} and t.id = ${id}`,
  );
  const [view] = await withSku(ctx, rows);
  if (!view) throw notFound();
  return view;
}

const levels = list({
  defaultSort: '-createdAt',
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    variantId: { field: f.id(), operators: ['eq', 'in'] },
    warehouseId: { field: f.id(), operators: ['eq', 'in'] },
    // Only the catalogue knows it: `skuCondition` resolves it before the statement runs.
    sku: { field: f.text({ max: 100 }), operators: ['eq'], where: () => sql`true` },
    belowReorderPoint: {
      field: f.bool(),
      operators: ['eq'],
      where: (_, value) => (value ? isBelowReorderPoint : sql`not ${isBelowReorderPoint}`),
    },
    available: { field: f.int(), column: available },
    onHand: { field: f.int() },
  },
  sorts: {
    createdAt: { column: 't.created_at', type: 'timestamptz' },
    updatedAt: { column: 't.updated_at', type: 'timestamptz' },
    available: { column: available, type: 'int8' },
    onHand: { column: 't.on_hand', type: 'int8' },
  },
});

async function skuCondition(ctx: Ctx, query: ListQuery): Promise<ReturnType<typeof sql>> {
  const sku = query.filters.get('sku')?.get('eq');
  if (typeof sku !== 'string') return sql`true`;
  const variant = await ctx.require(catalog).variantBySku(sku);
  return variant ? sql`t.variant_id = ${variant.id}` : sql`false`;
}

export const listLevels = route(
  'GET',
  '/inventory/',
  {
    permission: 'inventory.level.read',
    summary: 'Stock of each variant in each warehouse',
    query: levels,
    response: levelFields,
    list: true,
  },
  async (ctx, req): Promise<Page<LevelView>> => {
    const query = req.query as ListQuery;
    const where = sql`t.tenant_id = ${ctx.tenant.id} and ${await skuCondition(ctx, query)}`;
    return levels.run<Omit<LevelView, 'sku'>, LevelView>(ctx, query, { select, from, where }, (rows) => withSku(ctx, rows));
  },
);

const reportShape = {
  warehouseId: f.id(),
  code: f.text(),
  name: f.text(),
  skus: f.int().describe('Variants with stock on hand'),
  onHand: f.int(),
  reserved: f.int(),
  available: f.int(),
  belowReorderPoint: f.int().describe('Levels at or below their reorder point'),
};

export const warehouseReport = route(
  'GET',
  '/inventory/warehouses',
  {
    permission: 'inventory.level.read',
    summary: 'Stock totals of each warehouse',
    response: reportShape,
    list: true,
  },
  async (ctx) =>
    listOf(
      await ctx.db.rows<RowOf<typeof reportShape>>(sql`
        select w.id as "warehouseId", w.code, w.name, count(t.id) filter (where t.on_hand > 0) as skus, coalesce(sum(t.on_hand), 0)::int8 as "onHand",
          coalesce(sum(t.reserved), 0)::int8 as reserved, coalesce(sum(${sql.raw(available)}), 0)::int8 as available,
          count(t.id) filter (where ${isBelowReorderPoint}) as "belowReorderPoint"
        from inventory_warehouse w left join inventory_level t on t.tenant_id = w.tenant_id and t.warehouse_id = w.id
        where w.tenant_id = ${ctx.tenant.id} and w.deleted_at is null group by w.id, w.code, w.name, w.priority order by w.priority, w.id`),
    ),
);

const movements = list({
  defaultSort: '-createdAt',
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    warehouseId: { field: f.id(), operators: ['eq', 'in'] },
    reason: { field: f.oneOf(movementReasons) },
    reference: { field: f.text(), operators: ['eq'] },
    createdAt: { field: f.instant() },
  },
  sorts: { createdAt: { column: 't.created_at', type: 'timestamptz' } },
});
const movementShape = {
  id: f.id(),
  variantId: f.id(),
  warehouseId: f.id(),
  delta: f.int(),
  reason: f.oneOf(movementReasons),
  before: f.int(),
  after: f.int(),
  actor: f.object({ type: f.text(), id: f.text().optional() }),
  reference: f.text().optional(),
  note: f.text().optional(),
  createdAt: f.instant(),
};
export const listMovements = route(
  'GET',
  '/inventory/{variantId}/movements',
  {
    permission: 'inventory.level.read',
    summary: 'Stock movements of a variant, newest first',
    additive: true,
    query: movements,
    response: movementShape,
    list: true,
  },
  async (ctx, req) => {
    const variantId = req.params.variantId as string;
    const where = sql`t.tenant_id = ${ctx.tenant.id} and t.variant_id = ${variantId}`;
    const known = await ctx.db.first(sql`select 1 from inventory_level t where ${where} limit 1`);
    if (!known && !(await stockRules(ctx, [variantId])).has(variantId)) throw notFound();
    return movements.run<RowOf<typeof movementShape>>(ctx, req.query as ListQuery, {
      select: sql`t.id, t.variant_id as "variantId", t.warehouse_id as "warehouseId", t.delta, t.reason, t.before, t.after,
        json_build_object('type', t.actor_type, 'id', t.actor_id) as actor, t.reference, t.note, t.created_at as "createdAt"`,
      from: sql`inventory_movement t`,
      where,
    });
  },
);
