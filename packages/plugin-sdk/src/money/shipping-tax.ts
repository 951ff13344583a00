import { allocate } from './allocate.ts';
import { compareRows } from './tax.ts';
import type { RateSet } from './tax-rate.ts';

/**
 * How shipping is taxed: `proportional` to the rates of the goods, at the `highest_rate` among them, or as one `fixed_category`.
 * Rule R10.
 */
export type ShippingTaxMode = 'proportional' | 'highest_rate' | 'fixed_category';

/** A line of goods that is delivered. */
export interface ShippedGoods {
  /** Tax rates of the line. */
  set: RateSet;
  /** Discounted amount in minor units, in the price mode. */
  amount: number;
  /** List price × quantity, for carts of free goods. */
  listAmount: number;
}

/** A set of tax rates that shipping is spread over, and its weight. */
export interface RateWeight {
  /** Tax rates. */
  set: RateSet;
  /** Integer ≥ 0. */
  weight: number;
}

/** The part of a shipping amount that one set of rates applies to. */
export interface RateShare extends RateWeight {
  /** Minor units in the price mode. */
  amount: number;
}

/**
 * Returns the weights of the tax rates for shipping and surcharges. A `fixed` set takes all. If all weights are 0 (free goods),
 * list price × quantity is used; if that is 0 too, or nothing is delivered, the `fallback` takes all. Rule R10.
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

/**
 * Splits a discounted shipping amount over the weights (R4); equal remainders go to the higher rate. An amount of 0 stays with
 * the first set.
 */
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
