import { allocate } from './allocate.ts';
import { compareRows } from './tax.ts';
import type { RateSet } from './tax-rate.ts';

/** R10: whose rate shipping takes: those of the goods in proportion, the highest of them, or that of one category. */
export type ShippingTaxMode = 'proportional' | 'highest_rate' | 'fixed_category';

/** A line of goods that ships: its discounted amount in the price mode, and list price × quantity for carts of free goods. */
export interface ShippedGoods {
  set: RateSet;
  amount: number;
  listAmount: number;
}

/** A rate group that shipping is spread over, and its weight. */
export interface RateWeight {
  set: RateSet;
  weight: number;
}

/** The part of a shipping amount that one rate group takes, in the price mode. */
export interface RateShare extends RateWeight {
  amount: number;
}

/**
 * R10: weights of the rate groups for shipping and surcharges. `fixed` is the named category and wins when given; all weights 0 (free
 * goods): list price × quantity; still 0, or nothing ships: the default category alone.
 */
export function shippingWeights(
  mode: ShippingTaxMode,
  goods: readonly ShippedGoods[],
  fallback: RateSet,
  fixed?: RateSet,
): RateWeight[] {
  if (fixed || mode === 'fixed_category') return [{ set: fixed ?? fallback, weight: 1 }];
  let groups = weigh(goods, (line) => line.amount);
  if (groups.length === 0) groups = weigh(goods, (line) => line.listAmount);
  if (groups.length === 0) return [{ set: fallback, weight: 1 }];
  return mode === 'highest_rate' ? groups.slice(0, 1) : groups;
}

/** A discounted shipping amount over the weights by R4; ties to the higher rate. An amount of 0 stays with the first group. */
export function shippingShares(amount: number, weights: readonly RateWeight[]): RateShare[] {
  const shares = allocate(
    amount,
    weights.map((group) => group.weight),
  );
  const all = weights.map((group, i) => ({ ...group, amount: shares[i]! }));
  const due = all.filter((share) => share.amount !== 0);
  return due.length > 0 ? due : all.slice(0, 1);
}

function weigh(goods: readonly ShippedGoods[], weight: (line: ShippedGoods) => number): RateWeight[] {
  const groups = new Map<string, RateWeight>();
  for (const line of goods) {
    const group = groups.get(line.set.key);
    if (group) group.weight += weight(line);
    else groups.set(line.set.key, { set: line.set, weight: weight(line) });
  }
  const heavy = [...groups.values()].filter((group) => group.weight > 0);
  return heavy.sort((a, b) => compareRows(a.set, b.set) || (a.set.key < b.set.key ? -1 : 1));
}
