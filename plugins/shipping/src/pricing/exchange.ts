import { fx, type PricingContext } from '@storeloom/commerce';
import type { Ctx, MoneyValue } from '@storeloom/plugin-sdk';
import { convert } from '@storeloom/plugin-sdk/money';
import type { Exchange } from './rate-price.ts';

/**
 * Conversion into the context's currency: from the shop's currency by the cart's rate, from others by today's. Zero is zero in every
 * currency, without a rate.
 */
export async function exchangeFor(
  ctx: Ctx,
  context: Pick<PricingContext, 'currency' | 'fx'>,
  amounts: readonly (MoneyValue | null)[],
): Promise<Exchange> {
  const known = new Map<string, string>();
  if (context.fx) known.set(ctx.tenant.currency, context.fx.rate);
  for (const money of amounts) {
    if (!money || money.amount === 0 || money.currency === context.currency || known.has(money.currency)) continue;
    const rate = await ctx.use(fx)?.rate(money.currency, context.currency);
    if (rate) known.set(money.currency, rate.rate);
  }
  return (money) => {
    if (money.amount === 0 || money.currency === context.currency) return money.amount;
    const rate = known.get(money.currency);
    return rate === undefined ? undefined : convert(money, context.currency, rate).amount;
  };
}
