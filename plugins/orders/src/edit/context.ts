import { type Pricing, type PricingContext, pricing } from '@storeloom/commerce';
import { type Ctx, problem } from '@storeloom/plugin-sdk';
import type { OrderData } from '../load.ts';

/** The pricing pipeline. @throws 501 `provider_not_configured` without checkout */
export function pipeline(ctx: Ctx): Pricing {
  const service = ctx.use(pricing);
  if (!service)
    throw problem('provider_not_configured', {
      provider: 'checkout',
      detail: 'Order edits need the checkout plugin, which is off.',
    });
  return service;
}

type Overrides = Pick<PricingContext, 'shippingAddress' | 'billingAddress' | 'paymentMethod' | 'vat'>;
type Addresses = Omit<Overrides, 'paymentMethod' | 'vat'>;
const vatIdOf = ({ billingAddress, shippingAddress }: { [name in keyof Addresses]: Addresses[name] | null }): string | null =>
  billingAddress?.vatId ?? shippingAddress?.vatId ?? null;

/**
 * The pricing context of the order: its buyer, currency, exchange rate and rules. `at`: today's prices, or the tax rates of the day of
 * placement.
 */
export function editContext(
  ctx: Ctx,
  { row, pricing }: OrderData,
  at: 'today' | 'placed',
  { paymentMethod: requestedMethod, vat: proven, ...addresses }: Overrides = {},
): Promise<PricingContext> {
  const { context } = pricing;
  const { channel, currency, priceMode, locale, codes, rules, shippingMethodId, pickupPointId, paymentMethod, fx, vat, company } =
    context;
  // The check of the order's VAT number proves nothing about another number.
  const methodCode = requestedMethod ?? paymentMethod;
  const hasSameVatId = vatIdOf({ ...row, ...addresses }) === vatIdOf(row);
  return pipeline(ctx).context({
    purpose: 'edit',
    at: at === 'today' ? ctx.clock.now() : context.at,
    channel,
    currency,
    priceMode,
    locale,
    codes: [...codes],
    rules,
    email: row.email,
    // The order's own use of a promotion doesn't count towards its limits.
    facts: { promotions: { orderId: row.id } },
    billingAddress: row.billingAddress,
    ...(row.shippingAddress === null ? {} : { shippingAddress: row.shippingAddress }),
    ...addresses,
    ...(shippingMethodId === undefined ? {} : { shippingMethodId }),
    ...(pickupPointId === undefined ? {} : { pickupPointId }),
    ...(methodCode === undefined ? {} : { paymentMethod: methodCode }),
    ...(fx === undefined ? {} : { fx }),
    ...(proven ? { vat: proven } : vat === undefined || !hasSameVatId ? {} : { vat }),
    ...(company === undefined ? {} : { company }),
    ...(row.customerId === null ? {} : { customer: { id: row.customerId, groupIds: [...context.groupIds] } }),
  });
}
