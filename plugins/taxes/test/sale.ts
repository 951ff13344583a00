import { type Priced, type PriceRequest, type PricingContext, pricing } from '@storeloom/commerce';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import type { Address } from '@storeloom/plugin-sdk/people';
import type { TestTenant } from '@storeloom/testing';
import { addressIn } from './tax-shop.ts';

export const place = (country: string, more: Record<string, unknown> = {}): Address =>
  ({ company: null, vatId: null, line2: null, region: null, phone: null, email: null, ...addressIn(country, more) }) as Address;

/** A line at a fixed price. */
export const line = (id: string, unitPrice: number, more: Record<string, unknown> = {}): PriceRequest['lines'][number] => ({
  id,
  kind: 'product',
  quantity: 1,
  title: id,
  listPrice: unitPrice,
  unitPrice,
  ships: true,
  weightG: 0,
  locked: true,
  facts: {},
  ...more,
});
export const shipping = (amount: number) => ({ shippingFixed: { name: 'Post', code: 'post', amount, methodId: null } });

/** Prices lines by the real pipeline in the shop's own unit of work. */
export function price(
  tenant: TestTenant,
  lines: PriceRequest['lines'],
  context: Partial<PricingContext> = {},
  more: Partial<PriceRequest> = {},
): Promise<Priced> {
  return tenant.run('taxes', async (ctx) => {
    const service = ctx.require(pricing);
    const resolved = await service.context({ purpose: 'cart', ...context });
    return service.price({ context: resolved, lines, ...more });
  });
}

export const summary = ({ sheet }: { sheet: PricedSheet }) =>
  sheet.taxSummary.map((row) => [row.ratePpm, row.categoryCode, row.base, row.tax]);
