import { availableAt, compareWarehouses, type Level, serves } from '../level/level.ts';

/**
 * Units of a variant that an order line takes; `each` is the number in one unit of the line (more than 1 for a bundle's component).
 */
export interface Goods {
  variantId: string;
  orderLineId: string;
  quantity: number;
  each: number;
}
/** Backorder settings of a variant. */
export interface BackorderRule {
  allowBackorder: boolean;
  backorderLimit: number | null;
}
interface Take {
  level: Level;
  orderLineId: string;
  quantity: number;
  backordered: number;
}
export type Plan = { takes: Take[]; short: null } | { takes: null; short: Map<string, number> };

const noBackorder: BackorderRule = { allowBackorder: false, backorderLimit: null };

/**
 * Chooses the warehouses: the first one that serves the country and has everything; otherwise line by line, from the first that has
 * the whole line, or from several where the shop allows split shipments. Missing units are backordered up to the variant's limit.
 * If the stock is insufficient, `short` has the available units of each short variant. Pure function.
 */
export function planReservation(
  levels: readonly Level[],
  goods: readonly Goods[],
  rules: ReadonlyMap<string, BackorderRule>,
  { split, country }: { split: boolean; country: string | null },
): Plan {
  const usable = levels.filter((each) => serves(each, country)).sort(compareWarehouses);
  const ofVariant = Map.groupBy(usable, (each) => each.variantId);
  const demand = new Map<string, number>();
  for (const { variantId, quantity } of goods) demand.set(variantId, (demand.get(variantId) ?? 0) + quantity);
  const room = new Map([...demand.keys()].map((id) => [id, backorderRoom(levels, id, rules.get(id) ?? noBackorder)]));

  const warehouses = [...new Set(usable.map((each) => each.warehouseId))];
  /** Short variants of one warehouse, with the units available there. */
  const shortagesAt = (warehouseId: string, beyond: ReadonlyMap<string, number>): Map<string, number> => {
    const short = new Map<string, number>();
    for (const [variantId, units] of demand) {
      const at = ofVariant.get(variantId)?.find((each) => each.warehouseId === warehouseId);
      const possible = at ? Math.max(0, availableAt(at)) + (beyond.get(variantId) ?? 0) : 0;
      if (units > possible) short.set(variantId, possible);
    }
    return short;
  };
  const hasEverything = (id: string): boolean => shortagesAt(id, new Map()).size === 0;
  const one = warehouses.find(hasEverything) ?? (split ? undefined : warehouses.find((id) => shortagesAt(id, room).size === 0));
  if (one !== undefined)
    return {
      takes: take(
        usable.filter((each) => each.warehouseId === one),
        goods,
        room,
      ),
      short: null,
    };

  if (!split) {
    // The warehouse with the fewest short lines determines the shortage.
    const totalUnits = (short: ReadonlyMap<string, number>): number => [...short.values()].reduce((sum, units) => sum + units, 0);
    const short = warehouses
      .map((id) => shortagesAt(id, room))
      .sort((a, b) => a.size - b.size || totalUnits(b) - totalUnits(a))[0];
    return { takes: null, short: short ?? new Map([...demand.keys()].map((id) => [id, 0])) };
  }
  const short = new Map<string, number>();
  for (const [variantId, units] of demand) {
    const variantLevels = ofVariant.get(variantId) ?? [];
    const stock = variantLevels.reduce((sum, each) => sum + Math.max(0, availableAt(each)), 0);
    const possible = variantLevels.length > 0 ? stock + (room.get(variantId) as number) : 0;
    if (units > possible) short.set(variantId, possible);
  }
  return short.size > 0 ? { takes: null, short } : { takes: take(usable, goods, room), short: null };
}

/** Units that may still be backordered. */
function backorderRoom(levels: readonly Level[], variantId: string, rule: BackorderRule): number {
  if (!rule.allowBackorder) return 0;
  if (rule.backorderLimit === null) return Number.MAX_SAFE_INTEGER;
  const waiting = levels.reduce((sum, each) => sum + (each.variantId === variantId ? each.backordered : 0), 0);
  return Math.max(0, rule.backorderLimit - waiting);
}

/** Takes the units in the order of the warehouses. The caller has checked that the stock suffices. */
function take(levels: readonly Level[], goods: readonly Goods[], room: ReadonlyMap<string, number>): Take[] {
  const left = new Map(levels.map((each) => [each.id, Math.max(0, availableAt(each))]));
  const takes: Take[] = [];
  for (const { variantId, orderLineId, quantity } of goods) {
    const variantLevels = levels.filter((each) => each.variantId === variantId);
    const leftAt = (each: Level): number => left.get(each.id) as number;
    const single = variantLevels.find((each) => leftAt(each) >= quantity);
    let open = quantity;
    for (const at of single ? [single] : variantLevels) {
      const units = Math.min(open, leftAt(at));
      if (units === 0) continue;
      takes.push({ level: at, orderLineId, quantity: units, backordered: 0 });
      left.set(at.id, leftAt(at) - units);
      open -= units;
      if (open === 0) break;
    }
    const first = variantLevels[0];
    if (open === 0) continue;
    if (!first || open > (room.get(variantId) ?? 0)) throw new Error(`Stock plan of variant ${variantId} lacks ${open} units`);
    const same = takes.find((each) => each.level === first && each.orderLineId === orderLineId);
    if (same) {
      same.quantity += open;
      same.backordered += open;
    } else takes.push({ level: first, orderLineId, quantity: open, backordered: open });
  }
  return takes;
}
