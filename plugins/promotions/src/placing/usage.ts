import { type Ctx, f, table } from '@storeloom/plugin-sdk';
import { normalizeEmail } from '@storeloom/plugin-sdk/people';

/** One use of a promotion by an order or another sale. Reverted ones stay, so that nothing is reverted twice. */
export const usage = table('usage', {
  promotionId: f.id(),
  orderId: f.ref('orders.order').optional(),
  /** What the sale outside checkout calls itself. */
  reference: f.text({ max: 200 }).optional(),
  customerId: f.ref('customers.customer').optional(),
  /** Keyed hash: tells the same address again, and nothing else. */
  emailHash: f.text({ max: 100 }).optional(),
  codeId: f.id().optional(),
  code: f.text({ max: 60 }).optional(),
  discount: f.money({ min: 0 }),
  baseDiscount: f.money({ min: 0 }),
  revertedAt: f.instant().optional(),
});

export function emailHash(ctx: Ctx, email: string): string {
  return ctx.sign('promotions.email', normalizeEmail(email));
}
