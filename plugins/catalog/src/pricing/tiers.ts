import { type Money, mulRatio, percentBp } from '@storeloom/plugin-sdk/money';

/** A volume price of a product. Exactly one of `price`, `percentBp` and `fixedOff` is set. */
export interface Tier {
  id: string;
  /** Null: applies to every variant of the product. */
  variantId: string | null;
  minQuantity: number;
  price: Money | null;
  percentBp: number | null;
  fixedOff: Money | null;
  mode: 'all_units' | 'graduated';
  aggregate: 'variant' | 'product';
  /** Null: applies to all buyers. */
  customerGroupId: string | null;
  startsAt: string | null;
  endsAt: string | null;
  allowIncreasing: boolean;
}

/** Units in all cart lines of the variant and in all cart lines of its product. */
export interface Quantities {
  variant: number;
  product: number;
}

/** Input of tier calculations. `listPrice` is the list price of the price level; `convert` returns minor units of the buyer's currency. */
export interface TierContext {
  variantId: string;
  listPrice: number;
  currency: string;
  baseCurrency: string;
  convert(money: Money): number;
}

export function inWindow({ startsAt, endsAt }: { startsAt: string | null; endsAt: string | null }, at: string): boolean {
  return (startsAt === null || startsAt <= at) && (endsAt === null || at < endsAt);
}

/** Currency of the tier's price or discount amount. Null: the tier is a percentage. */
export function tierCurrency(tier: Tier): string | null {
  return (tier.price ?? tier.fixedOff)?.currency ?? null;
}

/** Unit price under the tier, in minor units of the buyer's currency; at least 0. */
export function tierPrice(tier: Tier, context: TierContext): number {
  if (tier.price) return context.convert(tier.price);
  if (tier.percentBp !== null) return context.listPrice - percentBp(context.listPrice, tier.percentBp);
  return Math.max(0, context.listPrice - (tier.fixedOff ? context.convert(tier.fixedOff) : 0));
}

/**
 * Active tiers of a customer group (null: all buyers) that apply to the variant. Amounts are in the buyer's currency or in the base
 * currency.
 */
export function tiersFor(tiers: readonly Tier[], group: string | null, at: string, context: TierContext): Tier[] {
  const applicable = tiers.filter(
    (tier) =>
      tier.customerGroupId === group &&
      (tier.variantId === null || tier.variantId === context.variantId) &&
      inWindow(tier, at) &&
      [null, context.currency, context.baseCurrency].includes(tierCurrency(tier)),
  );
  const own = (tier: Tier): boolean => tierCurrency(tier) === context.currency;
  // A tier in the buyer's currency replaces the base-currency tier with the same variant and minimum quantity.
  return applicable.filter(
    (tier) =>
      own(tier) ||
      !applicable.some(
        (other) =>
          own(other) &&
          tierCurrency(tier) !== null &&
          other.variantId === tier.variantId &&
          other.minQuantity === tier.minQuantity,
      ),
  );
}

const countedQuantity = (tier: Tier, quantities: Quantities): number =>
  tier.aggregate === 'product' ? quantities.product : quantities.variant;

/**
 * The tier with the highest `minQuantity` that the quantity reaches. Among equal minimums, a tier of the variant precedes one of the
 * product, then the lower price precedes. The result depends only on the quantity, not on the order of cart changes (P24).
 */
export function winningTier(tiers: readonly Tier[], quantities: Quantities, context: TierContext): Tier | undefined {
  let best: Tier | undefined;
  for (const tier of tiers) {
    if (tier.minQuantity > countedQuantity(tier, quantities)) continue;
    if (!best || isBetterTier(tier, best, context)) best = tier;
  }
  return best;
}

function isBetterTier(a: Tier, b: Tier, context: TierContext): boolean {
  if (a.minQuantity !== b.minQuantity) return a.minQuantity > b.minQuantity;
  if ((a.variantId === null) !== (b.variantId === null)) return a.variantId !== null;
  return tierPrice(a, context) < tierPrice(b, context);
}

/**
 * Unit price under the winning tier. `all_units`: the tier's price for every unit. `graduated`: each unit has the price of the tier it
 * falls into, and units below the first tier have the list price; the unit price is the average, rounded once (R2).
 */
export function priceUnder(winner: Tier, tiers: readonly Tier[], quantities: Quantities, context: TierContext): number {
  if (winner.mode === 'all_units') return tierPrice(winner, context);
  const quantity = countedQuantity(winner, quantities);
  const steps = tiers
    .filter((tier) => tier.mode === 'graduated' && tier.aggregate === winner.aggregate && tier.minQuantity <= quantity)
    .sort((a, b) => a.minQuantity - b.minQuantity || (isBetterTier(a, b, context) ? 1 : -1));
  let total = 0;
  let from = 1;
  let price = context.listPrice;
  for (const step of steps) {
    total += price * (step.minQuantity - from);
    from = step.minQuantity;
    price = tierPrice(step, context);
  }
  total += price * (quantity - from + 1);
  return mulRatio(total, 1, quantity);
}

/**
 * The first tier that is more expensive than the tier below it; the list price counts as the lowest tier. Ignores tiers that set
 * `allowIncreasing`. `tiers` are those of one variant at one price level.
 */
export function increasingStep(tiers: readonly Tier[], context: TierContext): Tier | undefined {
  let below = context.listPrice;
  const mins = [...new Set(tiers.map((tier) => tier.minQuantity))].sort((a, b) => a - b);
  for (const min of mins) {
    const step = winningTier(
      tiers.filter((tier) => tier.minQuantity === min),
      { variant: min, product: min },
      context,
    )!;
    const price = tierPrice(step, context);
    if (price > below && !step.allowIncreasing) return step;
    below = price;
  }
  return undefined;
}
