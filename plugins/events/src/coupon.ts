import { promotions } from '@storeloom/commerce';
import { type Ctx, domainError, type MoneyValue, Problem, withPointers } from '@storeloom/plugin-sdk';

export interface Coupon {
  code: string;
  orderRef: string;
  email: string;
  customerId: string | null;
}
/** Reference of the purchase in promotions. */
const referenceOf = (orderRef: string): string => `events ${orderRef}`;
const customerOf = ({ customerId }: Coupon) => (customerId === null ? {} : { customerId });

/** Redeems the code and returns the discount. @throws `coupon_…` at `/coupon` */
export async function redeem(ctx: Ctx, base: MoneyValue, coupon: Coupon): Promise<number> {
  const service = ctx.use(promotions);
  if (!service) throw domainError('/coupon', 'coupon_not_found', 'is not known');
  const { code, orderRef, email } = coupon;
  const request = { code, base, email, reference: referenceOf(orderRef), ...customerOf(coupon) };
  const rename = (pointer: string) => (pointer === '/code' ? '/coupon' : pointer);
  return (await withPointers(rename, () => service.redeemCode(request))).amount.amount;
}

/** Releases the code of a purchase that ended. */
export async function releaseCoupon(ctx: Ctx, orderRef: string, reason: 'not_placed' | 'cancelled'): Promise<void> {
  await ctx.use(promotions)?.releaseCode({ reference: referenceOf(orderRef), reason });
}

/** Redeems a released code again; false where it is no longer available. */
export async function redeemAgain(ctx: Ctx, base: MoneyValue, coupon: Coupon): Promise<boolean> {
  const service = ctx.use(promotions);
  if (!service) return true;
  try {
    await service.checkCode(coupon.code, { email: coupon.email, ...customerOf(coupon) });
  } catch (error) {
    if (error instanceof Problem && error.code.startsWith('coupon_')) return false;
    throw error;
  }
  // If another purchase takes the code in between, this throws, and the retry of the job gets false above.
  await redeem(ctx, base, coupon);
  return true;
}
