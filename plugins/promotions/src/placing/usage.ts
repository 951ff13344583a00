import { type Ctx, f, table } from '@storeloom/plugin-sdk';
import { normalizeEmail } from '@storeloom/plugin-sdk/people';

/** A use of a promotion by an order or another sale. Reverted rows are kept, so that a use can't be reverted twice. */
export const usage = table('usage', {
  promotionId: f.id(),
  orderId: f.ref('orders.order').optional(),
  /** The reference of a sale outside checkout. */
  reference: f.text({ max: 200 }).optional(),
  customerId: f.ref('customers.customer').optional(),
  /** Keyed hash: recognises a repeated address without storing it. */
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
