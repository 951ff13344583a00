import { type DiscountInput, type DiscountSink, promotionSource } from '@storeloom/commerce';
import type { Target } from '../promotion/promotion.ts';
import { combines, combiningSets, type Reason, rank } from '../promotion/rule.ts';
import type { PromotionMode } from '../settings.ts';
import { type Currencies, evaluate, type Gift, type Offer } from './evaluate.ts';

const targetOrder: readonly Target[] = ['items', 'order', 'shipping'];
/** The promotions applied to a sheet so far. */
export interface ApplyState {
  offers: Offer[];
  gifts: { offer: Offer; gift: Gift }[];
  refused: Map<Offer, { reason: Reason; extra: Record<string, unknown> }>;
  saved: number;
  /** In a trial: lower-ranked offers that don't combine with a higher-ranked one. */
  overruled: Offer[];
}
export function newApplyState(): ApplyState {
  return { offers: [], gifts: [], refused: new Map(), saved: 0, overruled: [] };
}
const notCombinable = { reason: 'coupon_not_combinable' as const, extra: {} };

/**
 * Applies the offers of one target in rank order (R6). An offer that doesn't combine with an applied one is refused; a trial
 * records the applied ones as overruled if the new offer ranks higher.
 */
export function applyOffers(
  sheet: DiscountSink,
  offers: readonly Offer[],
  money: Currencies,
  applied: ApplyState,
  trial: boolean,
): void {
  for (const offer of offers) {
    const outcome = evaluate(offer, sheet, money);
    if ('reason' in outcome) {
      applied.refused.set(offer, outcome);
      continue;
    }
    if (applied.offers.some(({ rule }) => rule.stopFurther && rule.target === offer.rule.target)) {
      applied.refused.set(offer, notCombinable);
      continue;
    }
    const conflicting = applied.offers.filter((other) => !combines(other.rule, offer.rule));
    if (conflicting.length > 0) {
      if (trial && conflicting.every((other) => rank(offer.rule, other.rule) < 0)) {
        applied.overruled = conflicting;
        return;
      }
      applied.refused.set(offer, notCombinable);
      continue;
    }
    if ('gift' in outcome) {
      applied.gifts.push({ offer, gift: outcome.gift });
      // The gift itself isn't added in a trial, but its units can't pay for another offer.
      if (trial && outcome.gift.bought.length > 0) sheet.add(giftDiscount(offer, outcome.gift, []));
    } else {
      // An automatic promotion without an effect isn't applied. A trial runs before the shipping price is known.
      const isPending = trial && offer.rule.target === 'shipping';
      if (offer.code === null && !isPending && sheet.preview(outcome.discount) === 0) continue;
      applied.saved += sheet.add(outcome.discount);
    }
    applied.offers.push(offer);
  }
}

/** The discount of amount 0 that explains a gift in the cart and marks the units that pay for it. */
export function giftDiscount({ rule, code }: Offer, { bought }: Gift, lineIds: string[]): DiscountInput {
  const source = { type: promotionSource, id: rule.id };
  return { source, ...(code === null ? {} : { code }), name: rule.name, target: 'line', lineIds, amount: 0, bought };
}

/** Applies only these offers to a copy of the sheet. */
function tryOffers(sheet: DiscountSink, offers: readonly Offer[], money: Currencies): ApplyState {
  const copy = sheet.fork();
  const applied = newApplyState();
  for (const target of targetOrder) {
    applyOffers(copy, ofTarget(offers, target), money, applied, true);
    if (applied.overruled.length > 0) break;
  }
  return applied;
}

export function ofTarget(offers: readonly Offer[], target: Target): Offer[] {
  return offers.filter(({ rule }) => rule.target === target);
}

/**
 * R7: chooses the offers to apply. The eligible exclusive offer of the highest rank alone; otherwise all offers that combine, where
 * a higher-ranked one displaces lower-ranked ones that it doesn't combine with. With `best_deal`: of these sets, each exclusive
 * offer alone and all combining sets, the one that saves most; ties go by rank.
 */
export function choose(
  sheet: DiscountSink,
  offers: readonly Offer[],
  mode: PromotionMode,
  money: Currencies,
): ReadonlySet<Offer> {
  const exclusive = offers.filter(({ rule }) => rule.exclusive);
  const others = offers.filter(({ rule }) => !rule.exclusive);
  const allCombine = others.every((a, i) => others.slice(i + 1).every((b) => combines(a.rule, b.rule)));
  if (exclusive.length === 0 && allCombine) return new Set(offers);
  const winner = exclusive.find((offer) => tryOffers(sheet, [offer], money).offers.length > 0);
  let best = winner ? [winner] : removeOverruled(sheet, others, money);
  if (mode === 'best_deal') {
    let saved = tryOffers(sheet, best, money).saved;
    for (const set of [
      ...exclusive.map((offer) => [offer]),
      ...combiningSets(others.map(({ rule }) => rule)).map((set) => others.filter(({ rule }) => set.includes(rule))),
    ]) {
      const applied = tryOffers(sheet, set, money);
      if (applied.saved > saved) [best, saved] = [set, applied.saved];
    }
  }
  return new Set(best);
}

/** Removes overruled offers until none is left; each round removes at least one. */
function removeOverruled(sheet: DiscountSink, offers: readonly Offer[], money: Currencies): Offer[] {
  let remaining = [...offers];
  for (;;) {
    const { overruled } = tryOffers(sheet, remaining, money);
    if (overruled.length === 0) return remaining;
    remaining = remaining.filter((offer) => !overruled.includes(offer));
  }
}
