import { customers, type PlaceInput } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { PlaceOrderInput } from './body.ts';

/** Finds or creates the customer record of a guest's e-mail address, so that orders, e-mails and erasure have an owner. */
export async function guestCustomer(ctx: Ctx, request: PlaceOrderInput): Promise<string> {
  const { firstName, lastName, company, vatId, phone } = request.billingAddress;
  const { id, created } = await ctx
    .require(customers)
    .upsert({ email: request.email, phone, firstName, lastName, company, vatId: request.vatId ?? vatId });
  // A guest proves no ownership of the address, so they must not subscribe an existing customer.
  if (created && request.consents.marketing) await recordMarketingConsent(ctx, id);
  return id;
}

function recordMarketingConsent(ctx: Ctx, customerId: string): Promise<void> {
  return ctx.require(customers).recordConsent({
    purpose: 'marketing',
    granted: true,
    source: 'checkout',
    subject: customerId,
    customerId,
    ip: ctx.ip,
  });
}

/** Records the consents of the order, once for each version of the text. A one-click order repeats consents that are on record. */
export async function recordConsents(ctx: Ctx, { consents, instrumentId }: PlaceOrderInput, customerId: string): Promise<void> {
  if (instrumentId !== null) return;
  for (const purpose of ['terms', 'age'] as const)
    if (consents[purpose])
      await ctx
        .require(customers)
        .recordConsent({ purpose, granted: true, source: 'checkout', subject: customerId, customerId, ip: ctx.ip, once: true });
}

/** Saves what a signed-in customer asked to keep: the address, and the consent to marketing. */
export async function saveForCustomer(ctx: Ctx, request: PlaceOrderInput, input: PlaceInput): Promise<void> {
  if (ctx.actor.type !== 'customer' || input.customerId === null) return;
  if (request.consents.marketing) await recordMarketingConsent(ctx, input.customerId);
  if (request.saveAddress)
    await ctx.require(customers).saveAddress(input.customerId, { ...(request.shippingAddress ?? request.billingAddress) });
}
