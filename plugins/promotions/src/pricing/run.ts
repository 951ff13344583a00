import { type DiscountSink, promotionSource } from '@storeloom/commerce';
import type { Target } from '../promotion/promotion.ts';
import { type Reason, rank } from '../promotion/rule.ts';
import type { PromotionMode } from '../settings.ts';
import type { Gift, Money, Offer } from './evaluate.ts';
import { type Applied, applyOffers, choose, nothingApplied, ofTarget } from './plan.ts';

/** A code that no offer came of. */
export interface RefusedCode {
  code: string;
  reason: Reason;
  extra: Record<string, unknown>;
}
export interface RunInput {
  offers: readonly Offer[];
  refused: readonly RefusedCode[];
  mode: PromotionMode;
  money: Money;
  /** Something will be sent: shipping promotions count when promotions are weighed against each other. */
  shippingExpected: boolean;
  /** The variant that stands for a product given as a gift. */
  variantOf(productId: string): Promise<string | undefined>;
}

/** The promotions of one cart through the three phases of `discounts.collect`. */
export class PromotionRun {
  private readonly input: RunInput;
  private readonly offers: readonly Offer[];
  /** Those weighed against each other at the start; others may join later where they get along. */
  private readonly weighed: ReadonlySet<Offer>;
  private readonly chosen: ReadonlySet<Offer>;
  private readonly applied: Applied = nothingApplied();

  constructor(input: RunInput, sheet: DiscountSink) {
    this.input = input;
    this.offers = [...input.offers].sort((a, b) => rank(a.rule, b.rule));
    const takesPart = ({ rule, code }: Offer): boolean => rule.target !== 'shipping' || code !== null || input.shippingExpected;
    const weighed = this.offers.filter(takesPart);
    this.weighed = new Set(weighed);
    this.chosen = choose(sheet, weighed, input.mode, input.money);
    for (const { code, reason, extra } of input.refused) sheet.reject(code, reason, extra);
  }

  async phase(sheet: DiscountSink, target: Target): Promise<void> {
    const { applied, chosen, weighed } = this;
    const own = ofTarget(this.offers, target).filter(
      ({ code }) => target !== 'shipping' || code !== null || sheet.shipping() !== null,
    );
    const allowed = own.filter((offer) => chosen.has(offer) || !weighed.has(offer));
    applyOffers(sheet, allowed, this.input.money, applied, false);
    for (const { offer, gift } of applied.gifts.splice(0)) await this.give(sheet, offer, gift);
    this.explain(sheet, own);
  }

  /** A gift shows among the discounts with amount 0, so that the cart says where the line comes from. */
  private async give(sheet: DiscountSink, offer: Offer, gift: Gift): Promise<void> {
    const { rule, code } = offer;
    const variantIds = [...gift.variantIds];
    for (const productId of gift.productIds) {
      const variantId = await this.input.variantOf(productId);
      if (variantId !== undefined && !variantIds.includes(variantId)) variantIds.push(variantId);
    }
    for (const variantId of variantIds)
      await sheet.addGift({ promotionId: rule.id, variantId, quantity: gift.quantity, name: rule.name });
    const lineIds = sheet
      .lines()
      .filter(({ facts }) => (facts.gift as { promotionId?: unknown } | undefined)?.promotionId === rule.id)
      .map(({ id }) => id);
    if (lineIds.length === 0) {
      this.applied.offers.splice(this.applied.offers.indexOf(offer), 1);
      this.applied.refused.set(offer, { reason: 'coupon_not_eligible', extra: {} });
      return;
    }
    const source = { type: promotionSource, id: rule.id };
    sheet.add({ source, ...(code === null ? {} : { code }), name: rule.name, target: 'line', lineIds, amount: 0 });
  }

  /** Says of each code without effect why. */
  private explain(sheet: DiscountSink, offers: readonly Offer[]): void {
    for (const offer of offers) {
      const { rule, code } = offer;
      if (code === null || this.applied.offers.includes(offer)) continue;
      const { reason, extra } = this.applied.refused.get(offer) ?? this.whyNotChosen(sheet, offer);
      sheet.reject(code, reason, { promotionId: rule.id, name: rule.name, ...extra });
    }
  }

  /** Its own reason first; else others stand in the way. */
  private whyNotChosen(sheet: DiscountSink, offer: Offer): { reason: Reason; extra: Record<string, unknown> } {
    const alone = nothingApplied();
    applyOffers(sheet.fork(), [offer], this.input.money, alone, true);
    return alone.refused.get(offer) ?? { reason: 'coupon_not_combinable', extra: {} };
  }
}
