import { promotions } from '@storeloom/commerce';
import { type Ctx, domainError, type MoneyValue, Problem } from '@storeloom/plugin-sdk';

export interface Coupon {
  code: string;
  orderRef: string;
  email: string;
  customerId: string | null;
}
/** By it promotions know the sale. */
const referenceOf = (orderRef: string): string => `events ${orderRef}`;

/** Uses the code for the sale and gives what it takes off. @throws `coupon_…` */
export async function redeem(ctx: Ctx, base: MoneyValue, { code, orderRef, email, customerId }: Coupon): Promise<number> {
  const service = ctx.use(promotions);
  if (!service) throw domainError('/coupon', 'coupon_not_found', 'is unknown');
  const reference = referenceOf(orderRef);
  try {
    const { amount } = await service.redeemCode({ code, base, email, reference, ...(customerId === null ? {} : { customerId }) });
    return amount.amount;
  } catch (error) {
    throw atCoupon(error);
  }
}

/** Promotions call the member `code`; in the body of a sale it is `coupon`. */
function atCoupon(error: unknown): unknown {
  if (!(error instanceof Problem) || !error.extra.errors) return error;
  const errors = error.extra.errors.map((fault) => (fault.pointer === '/code' ? { ...fault, pointer: '/coupon' } : fault));
  return new Problem(error.code, { ...error.extra, errors });
}

/** A sale that ended lets go of its code. */
export async function letGo(ctx: Ctx, orderRef: string, reason: 'not_placed' | 'cancelled'): Promise<void> {
  await ctx.use(promotions)?.releaseCode({ reference: referenceOf(orderRef), reason });
}

/** Uses the code once more for a sale that had let go of it; false where it is no longer to be had. */
export async function redeemAgain(ctx: Ctx, base: MoneyValue, coupon: Coupon): Promise<boolean> {
  const service = ctx.use(promotions);
  if (!service) return true;
  const { code, email, customerId } = coupon;
  try {
    await service.checkCode(code, { email, ...(customerId === null ? {} : { customerId }) });
  } catch (error) {
    if (error instanceof Problem && error.code.startsWith('coupon_')) return false;
    throw error;
  }
  // Lost between the two: the transaction ends, and the next try is told above.
  await redeem(ctx, base, coupon);
  return true;
}
