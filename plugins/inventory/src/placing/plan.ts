import { availableAt, byWarehouse, type Level, serves } from '../level/level.ts';

/** Units of a variant that an order line takes; `each` is how many go into one unit of the line (a bundle's component). */
export interface Goods {
  variantId: string;
  orderLineId: string;
  quantity: number;
  each: number;
}
/** What the catalogue says about stock of a variant. */
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
 * Which warehouse gives what: the first one serving the country that has everything; else line by line, from the first that has all of
 * it, split over several where the shop allows that. What is in no stock is backordered, where the catalogue allows it, up to its limit.
 * Gives what can be had of the variants that are short if it doesn't work out. Changes nothing.
 */
export function planReservation(
  levels: readonly Level[],
  goods: readonly Goods[],
  rules: ReadonlyMap<string, BackorderRule>,
  { split, country }: { split: boolean; country: string | null },
): Plan {
  const usable = levels.filter((each) => serves(each, country)).sort(byWarehouse);
  const ofVariant = Map.groupBy(usable, (each) => each.variantId);
  const demand = new Map<string, number>();
  for (const { variantId, quantity } of goods) demand.set(variantId, (demand.get(variantId) ?? 0) + quantity);
  const room = new Map([...demand.keys()].map((id) => [id, backorderRoom(levels, id, rules.get(id) ?? noBackorder)]));

  const warehouses = [...new Set(usable.map((each) => each.warehouseId))];
  /** What one warehouse lacks. */
  const lacks = (warehouseId: string, beyond: ReadonlyMap<string, number>): Map<string, number> => {
    const short = new Map<string, number>();
    for (const [variantId, units] of demand) {
      const at = ofVariant.get(variantId)?.find((each) => each.warehouseId === warehouseId);
      const possible = at ? Math.max(0, availableAt(at)) + (beyond.get(variantId) ?? 0) : 0;
      if (units > possible) short.set(variantId, possible);
    }
    return short;
  };
  const full = (id: string): boolean => lacks(id, new Map()).size === 0;
  const one = warehouses.find(full) ?? (split ? undefined : warehouses.find((id) => lacks(id, room).size === 0));
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
    // The place that comes closest says what is short.
    const there = (short: ReadonlyMap<string, number>): number => [...short.values()].reduce((sum, units) => sum + units, 0);
    const short = warehouses.map((id) => lacks(id, room)).sort((a, b) => a.size - b.size || there(b) - there(a))[0];
    return { takes: null, short: short ?? new Map([...demand.keys()].map((id) => [id, 0])) };
  }
  const short = new Map<string, number>();
  for (const [variantId, units] of demand) {
    const own = ofVariant.get(variantId) ?? [];
    const stock = own.reduce((sum, each) => sum + Math.max(0, availableAt(each)), 0);
    const possible = own.length > 0 ? stock + (room.get(variantId) as number) : 0;
    if (units > possible) short.set(variantId, possible);
  }
  return short.size > 0 ? { takes: null, short } : { takes: take(usable, goods, room), short: null };
}

/** How many more may be ordered beyond the stock. */
function backorderRoom(levels: readonly Level[], variantId: string, rule: BackorderRule): number {
  if (!rule.allowBackorder) return 0;
  if (rule.backorderLimit === null) return Number.MAX_SAFE_INTEGER;
  const waiting = levels.reduce((sum, each) => sum + (each.variantId === variantId ? each.backordered : 0), 0);
  return Math.max(0, rule.backorderLimit - waiting);
}

/** The levels hold enough; in order of the warehouses. */
function take(levels: readonly Level[], goods: readonly Goods[], room: ReadonlyMap<string, number>): Take[] {
  const left = new Map(levels.map((each) => [each.id, Math.max(0, availableAt(each))]));
  const takes: Take[] = [];
  for (const { variantId, orderLineId, quantity } of goods) {
    const own = levels.filter((each) => each.variantId === variantId);
    const leftAt = (each: Level): number => left.get(each.id) as number;
    const whole = own.find((each) => leftAt(each) >= quantity);
    let open = quantity;
    for (const at of whole ? [whole] : own) {
      const units = Math.min(open, leftAt(at));
      if (units === 0) continue;
      takes.push({ level: at, orderLineId, quantity: units, backordered: 0 });
      left.set(at.id, leftAt(at) - units);
      open -= units;
      if (open === 0) break;
    }
    const first = own[0];
    if (open === 0) continue;
    if (!first || open > (room.get(variantId) ?? 0)) throw new Error(`the plan for variant ${variantId} is short of ${open}`);
    const same = takes.find((each) => each.level === first && each.orderLineId === orderLineId);
    if (same) {
      same.quantity += open;
      same.backordered += open;
    } else takes.push({ level: first, orderLineId, quantity: open, backordered: open });
  }
  return takes;
}
