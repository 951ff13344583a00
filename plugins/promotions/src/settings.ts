import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  /** What wins where promotions exclude each other: the higher priority, or what saves the buyer most. */
  promotionMode: f.oneOf(['priority', 'best_deal']).default('priority').store(),
  /** A percentage counts on what earlier percentages left, or all count on the same amount. */
  percentStacking: f.oneOf(['sequential', 'parallel']).default('sequential').store(),
  /** Codes that one cart may hold. */
  maxCodes: f.int({ min: 1, max: 20 }).default(5).store(),
} satisfies Shape;
export type PromotionMode = 'priority' | 'best_deal';
