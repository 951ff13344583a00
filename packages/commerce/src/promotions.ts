import { type MoneyValue, service } from '@storeloom/plugin-sdk';

/** Promotion codes outside the pricing pipeline. Provided by plugin promotions. */
export interface Promotions {
  /** Issues a single-use code of a promotion, for loyalty rewards and cart recovery. Null: any customer may use it. */
  issueCode(promotionId: string, customerId: string | null): Promise<{ code: string }>;
  /** Redeems a code for a sale outside checkout: promotions with the target `order`. Counts the use in the caller's transaction. @throws as `checkCode` */
  redeemCode(request: {
    code: string;
    base: MoneyValue;
    email: string;
    customerId?: string;
    reference: string;
  }): Promise<{ amount: MoneyValue }>;
  /**
   * Takes back the uses that `redeemCode` counted for a sale that ended, in the caller's transaction: all of them when it was never placed,
   * else those of promotions that may be used again after a cancelled order. Idempotent until `redeemCode` counts again.
   */
  releaseCode(request: { reference: string; reason: 'not_placed' | 'cancelled' }): Promise<void>;
  /** Returns the promotion of a code that can be used now. @throws Problem 404 `coupon_not_found`, 422 `coupon_…` */
  checkCode(code: string, who: { email?: string; customerId?: string }): Promise<{ promotionId: string; name: string }>;
}

/** Token of `Promotions`. */
export const promotions = service<Promotions>('promotions:promotions');

/**
 * `context.facts.promotions` when an existing order is priced again (order edits): its own uses count neither against limits nor as an
 * earlier order.
 */
export interface PromotionFacts {
  orderId?: string;
}

/** `source.type` of a promotion's discounts. */
export const promotionSource = 'promotions.promotion';

/** Why a promotion doesn't apply. `coupon_min_not_met` comes with `missing` (money) or `missingQuantity`. */
export type PromotionReason =
  | 'coupon_not_found'
  | 'coupon_expired'
  | 'coupon_not_started'
  | 'coupon_usage_limit'
  | 'coupon_customer_limit'
  | 'coupon_min_not_met'
  | 'coupon_not_combinable'
  | 'coupon_not_eligible';
