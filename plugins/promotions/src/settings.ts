import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  /** Which of conflicting promotions applies: the one with the higher priority, or the one that saves the buyer most. */
  promotionMode: f.oneOf(['priority', 'best_deal']).default('priority').store(),
  /** Percentages apply to the remaining amount one after the other, or all to the same amount. */
  percentStacking: f.oneOf(['sequential', 'parallel']).default('sequential').store(),
  /** Maximum number of codes in a cart. */
  maxCodes: f.int({ min: 1, max: 20 }).default(5).store(),
} satisfies Shape;
export type PromotionMode = 'priority' | 'best_deal';
