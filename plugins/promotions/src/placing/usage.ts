import { type Ctx, f, table } from '@storeloom/plugin-sdk';
import { normalizeEmail } from '@storeloom/plugin-sdk/people';

/** A use of a promotion by an order or another sale. Reverted rows are kept, so that a use can't be reverted twice. */
export const usage = table(
  'usage',
  {
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
  },
  {
    uniques: [
      { name: 'promotions_usage_order_id_key', fields: ['promotionId', 'orderId'] },
      { name: 'promotions_usage_reference_key', fields: ['promotionId', 'reference'] },
    ],
    indexes: [
      { name: 'promotions_usage_customer_idx', fields: ['customerId', 'promotionId'], where: 'customer_id is not null' },
      { name: 'promotions_usage_email_idx', fields: ['emailHash', 'promotionId'], where: 'email_hash is not null' },
      { name: 'promotions_usage_order_idx', fields: ['orderId'] },
    ],
    sqlOnly: { promotions_usage_live_idx: 'index with included columns, so that totals are read from the index alone' },
  },
);

export function emailHash(ctx: Ctx, email: string): string {
  return ctx.sign('promotions.email', normalizeEmail(email));
}
