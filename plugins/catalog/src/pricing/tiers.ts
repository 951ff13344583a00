import { type Money, mulRatio, percentBp } from '@storeloom/plugin-sdk/money';

/** A quantity price: one of `price`, `percentBp`, `fixedOff`. */
export interface Tier {
  id: string;
  /** Null: every variant of the product. */
  variantId: string | null;
  minQuantity: number;
  price: Money | null;
  percentBp: number | null;
  fixedOff: Money | null;
  mode: 'all_units' | 'graduated';
  aggregate: 'variant' | 'product';
  /** Null: the general level. */
  customerGroupId: string | null;
  startsAt: string | null;
  endsAt: string | null;
  allowIncreasing: boolean;
}

/** Units counted over all cart lines of the variant, and of its product. */
export interface Quantities {
  variant: number;
  product: number;
}

/** What tiers are read with: the variant, the level's list price, and how money of the base currency becomes the buyer's. */
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

/** The currency of a tier's money, null for a percentage. */
export function tierCurrency(tier: Tier): string | null {
  return (tier.price ?? tier.fixedOff)?.currency ?? null;
}

/** Unit price that a tier makes of the list price, in minor units of the buyer's currency; never below 0. */
export function tierPrice(tier: Tier, context: TierContext): number {
  if (tier.price) return context.convert(tier.price);
  if (tier.percentBp !== null) return context.listPrice - percentBp(context.listPrice, tier.percentBp);
  return Math.max(0, context.listPrice - (tier.fixedOff ? context.convert(tier.fixedOff) : 0));
}

/** Tiers of one group (null: general) that say something to this variant and currency: money in the buyer's currency, else in the base one. */
export function tiersFor(tiers: readonly Tier[], group: string | null, at: string, context: TierContext): Tier[] {
  const fitting = tiers.filter(
    (tier) =>
      tier.customerGroupId === group &&
      (tier.variantId === null || tier.variantId === context.variantId) &&
      inWindow(tier, at) &&
      [null, context.currency, context.baseCurrency].includes(tierCurrency(tier)),
  );
  const own = (tier: Tier): boolean => tierCurrency(tier) === context.currency;
  // A price in the buyer's currency is used as it is: the converted one of the same scope and step gives way to it.
  return fitting.filter(
    (tier) =>
      own(tier) ||
      !fitting.some(
        (other) =>
          own(other) &&
          tierCurrency(tier) !== null &&
          other.variantId === tier.variantId &&
          other.minQuantity === tier.minQuantity,
      ),
  );
}

const reach = (tier: Tier, quantities: Quantities): number =>
  tier.aggregate === 'product' ? quantities.product : quantities.variant;

/**
 * The tier that a quantity earns: the highest `minQuantity` it reaches; of equal ones the variant's own, then the cheaper. It depends on
 * the quantity alone, not on how it came about (P24).
 */
export function winningTier(tiers: readonly Tier[], quantities: Quantities, context: TierContext): Tier | undefined {
  let best: Tier | undefined;
  for (const tier of tiers) {
    if (tier.minQuantity > reach(tier, quantities)) continue;
    if (!best || better(tier, best, context)) best = tier;
  }
  return best;
}

function better(a: Tier, b: Tier, context: TierContext): boolean {
  if (a.minQuantity !== b.minQuantity) return a.minQuantity > b.minQuantity;
  if ((a.variantId === null) !== (b.variantId === null)) return a.variantId !== null;
  return tierPrice(a, context) < tierPrice(b, context);
}

/**
 * Unit price under the winning tier. `all_units`: its price for every unit. `graduated`: each unit costs what its own step costs, the
 * first ones the list price; the unit price is the average over the counted quantity, rounded once (R2).
 */
export function priceUnder(winner: Tier, tiers: readonly Tier[], quantities: Quantities, context: TierContext): number {
  if (winner.mode === 'all_units') return tierPrice(winner, context);
  const quantity = reach(winner, quantities);
  const steps = tiers
    .filter((tier) => tier.mode === 'graduated' && tier.aggregate === winner.aggregate && tier.minQuantity <= quantity)
    .sort((a, b) => a.minQuantity - b.minQuantity || (better(a, b, context) ? 1 : -1));
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
 * The first step of a ladder that is dearer than the one below it, the list price being the lowest. Steps that allow it are skipped over.
 * The ladder is what one variant sees at one level.
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
