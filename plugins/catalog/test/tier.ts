import type { Tier } from '../src/pricing/tiers.ts';

let count = 0;
/** A quantity step without a price of its own, for everybody and always. */
export const tier = (minQuantity: number, more: Partial<Tier> = {}): Tier => ({
  id: `t${++count}`,
  variantId: null,
  minQuantity,
  price: null,
  percentBp: null,
  fixedOff: null,
  mode: 'all_units',
  aggregate: 'variant',
  customerGroupId: null,
  startsAt: null,
  endsAt: null,
  allowIncreasing: false,
  ...more,
});
