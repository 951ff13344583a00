import type { StockLevel, StockView } from '@storeloom/commerce';
import { type Ctx, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import { isTracked, type StockRule, type StockRules, stockRules } from '../placing/rules.ts';
import { settings } from '../settings.ts';

interface Stock {
  variantId: string;
  available: number;
  backordered: number;
}
/** `available` null: not limited. `room`: how many more may be backordered. */
interface Supply {
  available: number | null;
  room: number;
}

/**
 * Returns the availability of variants of the catalogue. Takes two queries for any number of variants, and none for rules and
 * levels that the caller passes in.
 */
export async function availability(
  ctx: Ctx,
  variantIds: readonly string[],
  known: readonly StockRule[] = [],
  levels: ReadonlyMap<string, StockLevel | null> = new Map(),
): Promise<Map<string, StockView>> {
  const views = new Map<string, StockView>();
  if (variantIds.length === 0) return views;
  const { allowSplitShipment, lowStockThreshold, showStockCount } = ctx.settings(settings);
  const unread = new Set<string>();
  for (const id of variantIds) if (!levels.has(id)) unread.add(id);
  // The components of bundles are known only after their rules are read.
  const [rules, stocks] = await Promise.all([stockRules(ctx, variantIds, known), stocksOf(ctx, [...unread], allowSplitShipment)]);
  const parts: string[] = [];
  for (const id of rules.keys()) if (!levels.has(id) && !unread.has(id)) parts.push(id);
  for (const [id, stock] of await stocksOf(ctx, parts, allowSplitShipment)) stocks.set(id, stock);
  for (const [variantId, level] of levels)
    if (level) stocks.set(variantId, { variantId, available: level[0], backordered: level[1] });
  for (const variantId of variantIds) {
    const rule = rules.get(variantId);
    if (!rule) continue;
    const supply = rule.components ? ofBundle(rule.components, rules, stocks) : ofVariant(rule, stocks);
    const { available } = supply;
    views.set(variantId, {
      variantId,
      available,
      availability: stateOf(supply, lowStockThreshold),
      stock: showStockCount && available !== null ? Math.max(0, available) : null,
    });
  }
  return views;
}

async function stocksOf(ctx: Ctx, variantIds: readonly string[], split: boolean): Promise<Map<string, Stock>> {
  if (variantIds.length === 0) return new Map();
  const most = split ? sql`sum` : sql`max`;
  const rows = await ctx.db.rows<Stock>(sql`
    select l.variant_id as "variantId", coalesce(${most}(l.on_hand - l.reserved - l.safety_stock) filter (where w.active and w.deleted_at is null), 0)::int4 as available,
      sum(l.backordered)::int4 as backordered
    from inventory_level l join inventory_warehouse w on w.tenant_id = l.tenant_id and w.id = l.warehouse_id
    where l.tenant_id = ${ctx.tenant.id} and l.variant_id = any(${[...variantIds]}::uuid[]) group by l.variant_id`);
  return new Map(rows.map((row) => [row.variantId, row]));
}

/** SQL of the sellable units over levels `l` of one variant. The active warehouses are read once for all rows of the statement. */
const available = (ctx: Ctx): RawBuilder<unknown> => {
  const most = ctx.settings(settings).allowSplitShipment ? sql`sum` : sql`max`;
  return sql`coalesce(${most}(l.on_hand - l.reserved - l.safety_stock) filter (where l.warehouse_id = any(array(
    select w.id from inventory_warehouse w where w.tenant_id = ${ctx.tenant.id} and w.active and w.deleted_at is null))), 0)`;
};

/** SQL expression `[available, backordered]` of one variant, for use in another statement. */
export function levelOf(ctx: Ctx, variantId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select json_build_array(${available(ctx)}, sum(l.backordered))
    from inventory_level l where l.tenant_id = ${ctx.tenant.id} and l.variant_id = ${variantId} having count(*) > 0)`;
}

/** SQL expression of an array of `[variantId, available, backordered]`. */
export function levelsOf(ctx: Ctx, variantIds: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select json_agg(json_build_array(l.variant_id, l.available, l.backordered)) from (
    select l.variant_id, ${available(ctx)} as available, sum(l.backordered) as backordered
    from inventory_level l where l.tenant_id = ${ctx.tenant.id} and l.variant_id = any(${variantIds}) group by l.variant_id) l)`;
}

function ofVariant(rule: StockRule, stocks: ReadonlyMap<string, Stock>): Supply {
  const stock = stocks.get(rule.variantId);
  if (!isTracked(rule, stock !== undefined)) return { available: null, room: 0 };
  const limit = rule.backorderLimit ?? Number.MAX_SAFE_INTEGER;
  return {
    available: stock?.available ?? 0,
    room: rule.allowBackorder ? Math.max(0, limit - (stock?.backordered ?? 0)) : 0,
  };
}

/** P25: the scarcest component limits a bundle. An untracked component never limits it; a deleted one makes it unavailable. */
function ofBundle(
  components: NonNullable<StockRule['components']>,
  rules: StockRules,
  stocks: ReadonlyMap<string, Stock>,
): Supply {
  let available: number | null = components.length === 0 ? 0 : null;
  let withBackorder: number | null = available;
  const least = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b));
  for (const { variantId, quantity } of components) {
    const rule = rules.get(variantId);
    const part = rule ? ofVariant(rule, stocks) : { available: 0, room: 0 };
    if (part.available === null) continue;
    const inStock = Math.max(0, part.available);
    available = least(available, Math.floor(inStock / quantity));
    withBackorder = least(withBackorder, Math.floor((inStock + part.room) / quantity));
  }
  return { available, room: available === null || withBackorder === null ? 0 : withBackorder - available };
}

function stateOf({ available, room }: Supply, lowStockThreshold: number): StockView['availability'] {
  if (available === null) return 'in_stock';
  if (available > 0) return available <= lowStockThreshold ? 'low_stock' : 'in_stock';
  return room > 0 ? 'backorder' : 'out_of_stock';
}
