import type { Priced, PricingContext } from '@storeloom/commerce';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import type { OrderData } from '../load.ts';

/** The pricing context of an order. No personal data, because revisions are immutable, also for an erasure. */
export interface StoredPricing {
  context: Pick<
    PricingContext,
    | 'at'
    | 'channel'
    | 'currency'
    | 'priceMode'
    | 'locale'
    | 'codes'
    | 'rules'
    | 'shippingMethodId'
    | 'pickupPointId'
    | 'paymentMethod'
    | 'fx'
    | 'vat'
    | 'company'
  > & { groupIds: string[]; taxExempt: boolean };
  /** The shop's currency at placement, from which `fx.rate` converts. */
  baseCurrency: string;
  promotions: Priced['promotions'];
  treatment: Priced['treatment'];
  taxReason: string | null;
  countsForOss: boolean;
  /** Carrier and tax category by shipping line. */
  shipping: { id: string; carrier: string | null; taxCategoryId: string | null }[];
}

export function storedPricing(priced: Priced, baseCurrency: string): StoredPricing {
  const { context } = priced;
  const { at, channel, currency, priceMode, locale, codes, rules } = context;
  const optional = ['shippingMethodId', 'pickupPointId', 'paymentMethod', 'fx', 'vat', 'company'] as const;
  return {
    context: {
      at,
      channel,
      currency,
      priceMode,
      locale,
      codes: [...codes],
      rules: { ...rules },
      ...Object.fromEntries(optional.filter((name) => context[name] !== undefined).map((name) => [name, context[name]])),
      groupIds: [...(context.customer?.groupIds ?? [])],
      taxExempt: context.customer?.taxExempt ?? false,
    },
    baseCurrency,
    promotions: priced.promotions,
    treatment: priced.treatment,
    taxReason: priced.taxReason,
    countsForOss: priced.countsForOss,
    shipping: priced.shippingLines.map(({ id, carrier, taxCategoryId }) => ({ id, carrier, taxCategoryId })),
  };
}

const promotionSource = 'promotions.promotion';
/** Discount of each promotion, in minor units. */
export function promotionAmountsOf(sheet: PricedSheet): Record<string, number> {
  const amounts: Record<string, number> = {};
  for (const { source, amount } of sheet.discounts)
    if (source.type === promotionSource) amounts[source.id] = (amounts[source.id] ?? 0) + amount;
  return amounts;
}
/** Promotions with a discount or a gift. */
export function promotionIdsOf({ sheet, lines }: Pick<OrderData, 'sheet' | 'lines'>): string[] {
  const discounts = sheet.discounts.filter(({ source, amount }) => source.type === promotionSource && amount > 0);
  // A gift is a line and has no discount.
  const gifts = lines.flatMap(({ facts, quantity, quantityCancelled }) => {
    const { promotionId } = (facts?.gift ?? {}) as { promotionId?: unknown };
    return typeof promotionId === 'string' && quantity > quantityCancelled ? [promotionId] : [];
  });
  return [...new Set([...discounts.map(({ source }) => source.id), ...gifts])];
}
