import { type MoneyValue, service } from '@storeloom/plugin-sdk';

export interface Promotions {
  /** A single-use code of a promotion, for loyalty rewards and cart recovery. */
  issueCode(promotionId: string, customerId: string | null): Promise<{ code: string }>;
  /** For sales outside checkout: cart promotions of target `order`; usage counted in the caller's transaction; errors as on the cart. */
  redeemCode(request: {
    code: string;
    base: MoneyValue;
    email: string;
    customerId?: string;
    reference: string;
  }): Promise<{ amount: MoneyValue }>;
  /**
   * Takes back, in the caller's transaction, what `redeemCode` has counted for a sale that ended: `never_made`, then all of it; `cancelled`,
   * then only promotions that may be used again after a cancelled order. Once, however often it is called; `redeemCode` counts it anew.
   */
  releaseCode(request: { reference: string; reason: 'never_made' | 'cancelled' }): Promise<void>;
  /** 404 or 422 `coupon_…` when the code can't be put on a cart now. */
  checkCode(code: string, who: { email?: string; customerId?: string }): Promise<{ promotionId: string; name: string }>;
}

export const promotions = service<Promotions>('promotions:promotions');

/**
 * `context.facts.promotions`, left by whoever prices an order that exists (order edits): what that order itself has used counts neither
 * against limits nor as an order before it.
 */
export interface PromotionFacts {
  orderId?: string;
}

/** Source of the discounts, in the money sheet and on lines: `source.type`. */
export const promotionSource = 'promotions.promotion';

/** `reason` of a promotion that doesn't apply. `coupon_min_not_met` comes with `missing` (money) or `missingQuantity`. */
export type PromotionReason =
  | 'coupon_not_found'
  | 'coupon_expired'
  | 'coupon_not_started'
  | 'coupon_usage_limit'
  | 'coupon_customer_limit'
  | 'coupon_min_not_met'
  | 'coupon_not_combinable'
  | 'coupon_not_eligible';
