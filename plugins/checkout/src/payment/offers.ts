import { type Payments, type PricingContext, payments } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';

export type PaymentOffer = Awaited<ReturnType<Payments['methods']>>[number];

/** What so much may be paid with, by this buyer at this place. Placing asks the same, so what is shown is what is taken. */
export function paymentOffers(ctx: Ctx, context: PricingContext, due: number): Promise<PaymentOffer[]> {
  const country = (context.shippingAddress ?? context.billingAddress)?.country;
  return ctx.require(payments).methods({
    total: money(due, context.currency),
    ...(country === undefined ? {} : { country }),
    ...(context.customer ? { customerGroupIds: context.customer.groupIds } : {}),
  });
}
