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
  /** 404 or 422 `coupon_…` when the code can't be put on a cart now. */
  checkCode(code: string, who: { email?: string; customerId?: string }): Promise<{ promotionId: string; name: string }>;
}
export const promotions = service<Promotions>('promotions:promotions');
