import type { Fx, PricingContext } from '@storeloom/commerce';
import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { convert } from '@storeloom/plugin-sdk/money';
import { enabledCurrencies } from './currency.ts';
import { ageWarning, rateAt } from './fx-rate.ts';

export function fxService(ctx: Ctx): Fx {
  return {
    async convert(value, to, at = ctx.clock.now()) {
      const known = await rateAt(ctx, value.currency, to, at);
      if (!known)
        throw problem('currency_mismatch', { detail: `There is no exchange rate from ${value.currency} to ${to}. Add one.` });
      return convert(value, to, known.rate);
    },
    async rate(base, quote, at = ctx.clock.now()) {
      const known = await rateAt(ctx, base, quote, at);
      if (known) ageWarning(ctx, known);
      return known && { rate: known.rate, rateId: known.rateId, asOf: known.asOf };
    },
    enabled: () => enabledCurrencies(ctx),
  };
}

/** A cart in another currency fixes its rate when it takes it; afterwards the context brings it along. */
export async function fixRate(ctx: Ctx, context: PricingContext): Promise<PricingContext> {
  const { currency, fx, at } = context;
  if (currency === ctx.tenant.currency || fx) return context;
  if (!(await enabledCurrencies(ctx)).some((each) => each.code === currency))
    throw problem('currency_mismatch', { detail: `${currency} isn't an active currency of this shop.` });
  const known = await rateAt(ctx, ctx.tenant.currency, currency, at);
  // Prices may be set in the currency itself: only a price that must be converted asks for the rate.
  return known ? { ...context, fx: { rate: known.rate, rateId: known.rateId } } : context;
}
