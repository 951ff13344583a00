import type { PlaceInput, PricingContext } from '@storeloom/commerce';
import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { customer } from './customer.ts';
import { directory } from './directory.ts';

/** Channels in which staff choose the customer. */
const pricedByStaff: ReadonlySet<PricingContext['channel']> = new Set(['draft', 'b2b', 'subscription']);

/** Who buys: groups, price list, discount, exemption. */
export async function resolveCustomer(ctx: Ctx, context: PricingContext): Promise<PricingContext> {
  const id = context.customer?.id ?? (ctx.actor.type === 'customer' ? ctx.actor.customerId : undefined);
  // Staff priced the draft for this customer, also when a guest opens its link.
  const groups = await directory(ctx).groupsOf(id ?? null, { recorded: pricedByStaff.has(context.channel) });
  if (id === undefined && groups.length === 0) return context;
  const [first] = groups;
  const row = id === undefined ? undefined : await ctx.rows(customer).get(id);
  return {
    ...context,
    ...(context.email === undefined && row ? { email: row.email } : {}),
    customer: {
      ...(context.customer ?? {}),
      id: id ?? null,
      groupIds: groups.map((group) => group.id),
      ...(first?.priceListCode ? { priceListCode: first.priceListCode } : {}),
      ...(first?.discountBp ? { groupDiscountBp: first.discountBp } : {}),
      ...(groups.some((group) => group.taxExempt) ? { taxExempt: true } : {}),
      ordersCount: row?.ordersCount ?? 0,
    },
  };
}

/** Consents are the law's, not a plugin's option; age is asked for by what is bought. */
export async function checkBuyer(ctx: Ctx, input: PlaceInput): Promise<void> {
  if (input.consents && !input.consents.terms)
    throw problem('consent_required', {
      detail: 'Acceptance of the terms is required.',
      errors: [{ pointer: '/consents/terms', code: 'consent_required', message: 'must be true' }],
    });
  if (!input.cart?.customerId) return;
  const row = await ctx.rows(customer).get(input.cart.customerId);
  if (row?.status === 'disabled') throw problem('order_refused');
}

/** Whether guests, who belong to the default group, pay other prices than the general ones. */
export async function pricesVary(ctx: Ctx): Promise<true | undefined> {
  const [first] = await directory(ctx).groupsOf(null);
  return (first !== undefined && (first.priceListCode !== null || (first.discountBp ?? 0) > 0)) || undefined;
}
