import type { DiscountSink } from '@storeloom/commerce';
import type { Target } from '../promotion/promotion.ts';
import { combines, combining, type Reason, rank } from '../promotion/rule.ts';
import type { PromotionMode } from '../settings.ts';
import { evaluate, type Gift, type Money, type Offer } from './evaluate.ts';

const order: readonly Target[] = ['items', 'order', 'shipping'];
/** What has happened on a sheet so far. */
export interface Applied {
  offers: Offer[];
  gifts: { offer: Offer; gift: Gift }[];
  refused: Map<Offer, { reason: Reason; extra: Record<string, unknown> }>;
  saved: number;
  /** In a trial: weaker ones that stand in the way of a stronger one. */
  overruled: Offer[];
}
export function nothingApplied(): Applied {
  return { offers: [], gifts: [], refused: new Map(), saved: 0, overruled: [] };
}
const notCombinable = { reason: 'coupon_not_combinable' as const, extra: {} };

/**
 * Applies the offers of one target in their order (R6). An offer that doesn't combine with one before it is refused; in a trial a stronger
 * one is remembered as overruling the weaker ones instead.
 */
export function applyOffers(sheet: DiscountSink, offers: readonly Offer[], money: Money, applied: Applied, trial: boolean): void {
  let stopped = false;
  for (const offer of offers) {
    const outcome = evaluate(offer, sheet, money);
    if ('reason' in outcome) {
      applied.refused.set(offer, outcome);
      continue;
    }
    if (stopped) {
      applied.refused.set(offer, notCombinable);
      continue;
    }
    const rivals = applied.offers.filter((other) => !combines(other.rule, offer.rule));
    if (rivals.length > 0) {
      if (trial && rivals.every((other) => rank(offer.rule, other.rule) < 0)) {
        applied.overruled = rivals;
        return;
      }
      applied.refused.set(offer, notCombinable);
      continue;
    }
    if ('gift' in outcome) applied.gifts.push({ offer, gift: outcome.gift });
    else {
      // What applies by itself and takes nothing off isn't there. A trial runs before shipping has its price.
      const pending = trial && offer.rule.target === 'shipping';
      if (offer.code === null && !pending && sheet.preview(outcome.discount) === 0) continue;
      applied.saved += sheet.add(outcome.discount);
    }
    applied.offers.push(offer);
    stopped = offer.rule.stopFurther;
  }
}

/** A whole run on a copy: what these offers alone would do. */
function attempt(sheet: DiscountSink, offers: readonly Offer[], money: Money): Applied {
  const copy = sheet.fork();
  const applied = nothingApplied();
  for (const target of order) {
    applyOffers(copy, ofTarget(offers, target), money, applied, true);
    if (applied.overruled.length > 0) break;
  }
  return applied;
}

export function ofTarget(offers: readonly Offer[], target: Target): Offer[] {
  return offers.filter(({ rule }) => rule.target === target);
}

/**
 * R7: which offers may be tried. The eligible exclusive one of the highest priority alone; else all that get along, a stronger one before
 * the weaker ones that it doesn't combine with. With `best_deal`: of these sets, each exclusive one alone and all sets that combine, the
 * one that saves most; equal savings go by priority.
 */
export function choose(sheet: DiscountSink, offers: readonly Offer[], mode: PromotionMode, money: Money): ReadonlySet<Offer> {
  const exclusive = offers.filter(({ rule }) => rule.exclusive);
  const others = offers.filter(({ rule }) => !rule.exclusive);
  const peaceful = others.every((a, i) => others.slice(i + 1).every((b) => combines(a.rule, b.rule)));
  if (exclusive.length === 0 && peaceful) return new Set(offers);
  const winner = exclusive.find((offer) => attempt(sheet, [offer], money).offers.length > 0);
  let best = winner ? [winner] : settle(sheet, others, money);
  if (mode === 'best_deal') {
    let saved = attempt(sheet, best, money).saved;
    for (const set of [
      ...exclusive.map((offer) => [offer]),
      ...combining(others.map(({ rule }) => rule)).map((set) => others.filter(({ rule }) => set.includes(rule))),
    ]) {
      const applied = attempt(sheet, set, money);
      if (applied.saved > saved) [best, saved] = [set, applied.saved];
    }
  }
  return new Set(best);
}

/** Weaker offers give way to stronger ones of a later target until nothing is overruled; each round drops at least one. */
function settle(sheet: DiscountSink, offers: readonly Offer[], money: Money): Offer[] {
  let left = [...offers];
  for (;;) {
    const { overruled } = attempt(sheet, left, money);
    if (overruled.length === 0) return left;
    left = left.filter((offer) => !overruled.includes(offer));
  }
}
