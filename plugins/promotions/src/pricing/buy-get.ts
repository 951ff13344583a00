/** Units of one line that cost the same: what the money sheet gives, cheapest first. */
export interface UnitRun {
  lineId: string;
  amount: number;
  count: number;
}
export interface BuyGet {
  /** Lines whose units can be bought for it, and lines whose units can be had cheaper. They may overlap. */
  buy: ReadonlySet<string>;
  get: ReadonlySet<string>;
  buyQuantity: number;
  getQuantity: number;
  /** At most so many whole sets. */
  maxSets?: number;
}

/**
 * Buy X get Y on the units of a cart, cheapest first: the bought and the cheaper units are never the same ones, only whole sets count,
 * and the cheapest units that can be had cheaper are. Gives how many units of each line those are; empty when there is no whole set.
 */
export function cheaperUnits(
  units: readonly UnitRun[],
  wish: BuyGet,
): { sets: number; units: { lineId: string; quantity: number }[] } {
  const { buy, get } = wish;
  const count = (of: (lineId: string) => boolean): number =>
    units.reduce((sum, run) => sum + (of(run.lineId) ? run.count : 0), 0);
  const onlyBuy = count((id) => buy.has(id) && !get.has(id));
  const onlyGet = count((id) => get.has(id) && !buy.has(id));
  const both = count((id) => get.has(id) && buy.has(id));
  const fits = (sets: number): boolean =>
    Math.max(0, sets * wish.buyQuantity - onlyBuy) + Math.max(0, sets * wish.getQuantity - onlyGet) <= both;
  const sets = largest(
    Math.min(
      wish.maxSets ?? Number.MAX_SAFE_INTEGER,
      Math.floor((onlyBuy + onlyGet + both) / (wish.buyQuantity + wish.getQuantity)),
    ),
    fits,
  );
  if (sets === 0) return { sets, units: [] };
  // Of the units that could be either, so many must be left to be bought.
  let shared = both - Math.max(0, sets * wish.buyQuantity - onlyBuy);
  let left = sets * wish.getQuantity;
  const picked = new Map<string, number>();
  for (const { lineId, count: available } of units) {
    if (!get.has(lineId)) continue;
    const taken = Math.min(available, left, buy.has(lineId) ? shared : left);
    if (taken === 0) continue;
    if (buy.has(lineId)) shared -= taken;
    left -= taken;
    picked.set(lineId, (picked.get(lineId) ?? 0) + taken);
  }
  return { sets, units: [...picked].map(([lineId, quantity]) => ({ lineId, quantity })) };
}

/** The largest number up to a bound that fits; what fits is without gaps from 0. */
function largest(bound: number, fits: (n: number) => boolean): number {
  let low = 0;
  let high = bound;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
