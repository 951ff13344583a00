import type { DiscountSink } from '@storeloom/commerce';
import type { Target } from '../promotion/promotion.ts';
import { type Reason, rank } from '../promotion/rule.ts';
import type { PromotionMode } from '../settings.ts';
import type { Currencies, Gift, Offer } from './evaluate.ts';
import { type ApplyState, applyOffers, choose, giftDiscount, newApplyState, ofTarget } from './plan.ts';

/** A code without an applicable offer. */
export interface RefusedCode {
  code: string;
  reason: Reason;
  extra: Record<string, unknown>;
}
export interface RunInput {
  offers: readonly Offer[];
  refused: readonly RefusedCode[];
  mode: PromotionMode;
  money: Currencies;
  /** A shipping method is chosen, so shipping promotions take part in the choice. */
  shippingExpected: boolean;
  /** The variant to add when a gift is given as a product. */
  variantOf(productId: string): Promise<string | undefined>;
}

/** Applies the promotions of one cart in the three phases of `discounts.collect`. */
export class PromotionRun {
  private readonly input: RunInput;
  private readonly offers: readonly Offer[];
  /** Offers that took part in the choice; others are applied later if they combine. */
  private readonly compared: ReadonlySet<Offer>;
  private chosen: ReadonlySet<Offer>;
  /** The sheet without promotions, for another choice when a gift is unavailable. */
  private readonly blank: DiscountSink;
  private readonly unavailable = new Set<Offer>();
  private readonly applied: ApplyState = newApplyState();

  constructor(input: RunInput, sheet: DiscountSink) {
    this.input = input;
    this.offers = [...input.offers].sort((a, b) => rank(a.rule, b.rule));
    const isCompared = ({ rule, code }: Offer): boolean => rule.target !== 'shipping' || code !== null || input.shippingExpected;
    const compared = this.offers.filter(isCompared);
    this.compared = new Set(compared);
    this.blank = sheet.fork();
    this.chosen = choose(sheet, compared, input.mode, input.money);
    for (const { code, reason, extra } of input.refused) sheet.reject(code, reason, extra);
  }

  async phase(sheet: DiscountSink, target: Target): Promise<void> {
    const { applied, compared } = this;
    const targetOffers = ofTarget(this.offers, target).filter(
      ({ code }) => target !== 'shipping' || code !== null || sheet.shipping() !== null,
    );
    const tried = new Set<Offer>();
    const nextOffer = (): Offer | undefined =>
      targetOffers.find((offer) => !tried.has(offer) && (this.chosen.has(offer) || !compared.has(offer)));
    for (let offer = nextOffer(); offer; offer = nextOffer()) {
      tried.add(offer);
      applyOffers(sheet, [offer], this.input.money, applied, false);
      // Before the next offer: the units that pay for a gift can't pay for another offer.
      for (const { gift } of applied.gifts.splice(0)) await this.addGift(sheet, offer, gift);
    }
    this.rejectCodes(sheet, targetOffers);
  }

  /** A gift is also a discount of amount 0, which explains the added line in the cart. */
  private async addGift(sheet: DiscountSink, offer: Offer, gift: Gift): Promise<void> {
    const { rule } = offer;
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
      this.unavailable.add(offer);
      const { mode, money } = this.input;
      // The offers that it excluded or outranked can apply.
      this.chosen = choose(
        this.blank,
        [...this.compared].filter((other) => !this.unavailable.has(other)),
        mode,
        money,
      );
      return;
    }
    sheet.add(giftDiscount(offer, gift, lineIds));
  }

  /** Rejects each code without an effect, with its reason. */
  private rejectCodes(sheet: DiscountSink, offers: readonly Offer[]): void {
    for (const offer of offers) {
      const { rule, code } = offer;
      if (code === null || this.applied.offers.includes(offer)) continue;
      const { reason, extra } = this.applied.refused.get(offer) ?? this.reasonNotChosen(sheet, offer);
      sheet.reject(code, reason, { promotionId: rule.id, name: rule.name, ...extra });
    }
  }

  /** The reason of the offer alone; if it would apply alone, it conflicts with others. */
  private reasonNotChosen(sheet: DiscountSink, offer: Offer): { reason: Reason; extra: Record<string, unknown> } {
    const alone = newApplyState();
    applyOffers(sheet.fork(), [offer], this.input.money, alone, true);
    return alone.refused.get(offer) ?? { reason: 'coupon_not_combinable', extra: {} };
  }
}
