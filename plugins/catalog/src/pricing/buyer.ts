import { fx as fxService, type PricingContext } from '@storeloom/commerce';
import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { convert, type Money } from '@storeloom/plugin-sdk/money';
import type { Sellable } from './sellable.ts';
import type { Buyer } from './unit-price.ts';

type BuyerContext = Pick<PricingContext, 'at' | 'currency' | 'fx' | 'customer' | 'company'>;

/** The buyer of a pricing context, with exchange rates for the base currencies of the items. */
export async function buyerOf(
  ctx: Ctx,
  { at, currency, fx, customer, company }: BuyerContext,
  items: Iterable<Sellable>,
): Promise<Buyer> {
  const rates = new Map<string, string>();
  if (fx) rates.set(ctx.tenant.currency, fx.rate);
  for (const { source } of items) {
    const base = source.base.currency;
    if (base === currency || rates.has(base)) continue;
    const known = await ctx.use(fxService)?.rate(base, currency, at);
    if (known) rates.set(base, known.rate);
  }
  return {
    at,
    currency,
    companyList: company?.priceListCode ?? null,
    groupList: customer?.priceListCode ?? null,
    groupIds: customer?.groupIds ?? [],
    groupDiscountBp: customer?.groupDiscountBp ?? null,
    convert: (money) => convertAmount(money, currency, rates),
  };
}

/** Converts the unit price, not the line total, so that it is rounded once (R11). */
function convertAmount(money: Money, currency: string, rates: ReadonlyMap<string, string>): number {
  if (money.currency === currency) return money.amount;
  const rate = rates.get(money.currency);
  if (rate === undefined)
    throw problem('currency_mismatch', { detail: `There is no exchange rate from ${money.currency} to ${currency}. Add one.` });
  return convert(money, currency, rate).amount;
}

/** A buyer without price lists or groups. Its prices are in `currency` and aren't convertAmount. */
export function guestBuyer(at: string, currency: string): Buyer {
  const rejectConversion = (money: Money): number => {
    throw problem('currency_mismatch', {
      detail: `A price in ${money.currency} can't be shown in ${currency}.`,
    });
  };
  return { at, currency, companyList: null, groupList: null, groupIds: [], groupDiscountBp: null, convert: rejectConversion };
}
