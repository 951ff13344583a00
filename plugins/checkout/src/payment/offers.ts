import { type Payments, type PricingContext, payments } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';

export type PaymentOffer = Awaited<ReturnType<Payments['methods']>>[number];

/** Payment methods for an amount, buyer and country. Cart and placing use the same list. */
export function paymentOffers(ctx: Ctx, context: PricingContext, due: number): Promise<PaymentOffer[]> {
  const country = (context.shippingAddress ?? context.billingAddress)?.country;
  return ctx.require(payments).methods({
    total: money(due, context.currency),
    ...(country === undefined ? {} : { country }),
    ...(context.customer ? { customerGroupIds: context.customer.groupIds } : {}),
  });
}
