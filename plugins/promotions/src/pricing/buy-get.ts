/** Units of one line with the same price, as the money sheet returns them, least expensive first. */
export interface UnitRun {
  lineId: string;
  amount: number;
  count: number;
}
export interface BuyGetRule {
  /** Lines whose units count as bought, and lines whose units can be discounted. They may overlap. */
  buy: ReadonlySet<string>;
  get: ReadonlySet<string>;
  buyQuantity: number;
  getQuantity: number;
  /** Maximum number of complete sets. */
  maxSets?: number;
}

export interface LineUnits {
  lineId: string;
  quantity: number;
}
export interface Sets {
  sets: number;
  /** Units to discount. */
  units: LineUnits[];
  /** Units that pay for the sets. */
  bought: LineUnits[];
}

/**
 * Buy X get Y on the units of a cart, which come least expensive first. A unit is either bought or discounted, only complete sets
 * count, the least expensive eligible units are discounted and the most expensive ones are bought. Without a complete set nothing
 * is.
 */
export function discountedUnits(units: readonly UnitRun[], rule: BuyGetRule): Sets {
  const { buy, get } = rule;
  const countUnits = (matches: (lineId: string) => boolean): number =>
    units.reduce((sum, run) => sum + (matches(run.lineId) ? run.count : 0), 0);
  const onlyBuy = countUnits((id) => buy.has(id) && !get.has(id));
  const onlyGet = countUnits((id) => get.has(id) && !buy.has(id));
  const both = countUnits((id) => get.has(id) && buy.has(id));
  const isPossible = (sets: number): boolean =>
    Math.max(0, sets * rule.buyQuantity - onlyBuy) + Math.max(0, sets * rule.getQuantity - onlyGet) <= both;
  const sets = largest(
    Math.min(
      rule.maxSets ?? Number.MAX_SAFE_INTEGER,
      Math.floor((onlyBuy + onlyGet + both) / (rule.buyQuantity + rule.getQuantity)),
    ),
    isPossible,
  );
  if (sets === 0) return { sets, units: [], bought: [] };
  // Units that could be either: this many can be discounted; the others must count as bought.
  let discountable = both - Math.max(0, sets * rule.buyQuantity - onlyBuy);
  let left = sets * rule.getQuantity;
  const picked = new Map<string, number>();
  const remaining: UnitRun[] = [];
  for (const run of units) {
    const { lineId, count: available } = run;
    const taken = get.has(lineId) ? Math.min(available, left, buy.has(lineId) ? discountable : left) : 0;
    remaining.unshift({ ...run, count: available - taken });
    if (taken === 0) continue;
    if (buy.has(lineId)) discountable -= taken;
    left -= taken;
    picked.set(lineId, (picked.get(lineId) ?? 0) + taken);
  }
  // Units that can't be discounted are bought first: the others may still be discounted by another promotion.
  const payers = [...remaining.filter(({ lineId }) => !get.has(lineId)), ...remaining.filter(({ lineId }) => get.has(lineId))];
  const bought = takeUnits(
    payers.filter(({ lineId }) => buy.has(lineId)),
    sets * rule.buyQuantity,
  );
  return { sets, units: [...picked].map(([lineId, quantity]) => ({ lineId, quantity })), bought };
}

/** Takes units in the given order, by line. */
export function takeUnits(runs: readonly UnitRun[], quantity: number): LineUnits[] {
  let left = quantity;
  const taken = new Map<string, number>();
  for (const { lineId, count } of runs) {
    const some = Math.min(count, left);
    if (some === 0) continue;
    taken.set(lineId, (taken.get(lineId) ?? 0) + some);
    left -= some;
  }
  return [...taken].map(([lineId, quantity]) => ({ lineId, quantity }));
}

/**
 * The largest number up to `bound` for which `isPossible` holds, by binary search: if it holds for n, it holds for all smaller
 * numbers.
 */
function largest(bound: number, isPossible: (n: number) => boolean): number {
  let low = 0;
  let high = bound;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isPossible(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
