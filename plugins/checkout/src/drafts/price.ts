import type { DiscountInput, Priced, PriceRequest, PricingContext, PricingLine } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { Address } from '@storeloom/plugin-sdk/people';
import { manualSource } from '../pricing/priced.ts';
import { makePricing, priceOrder } from '../pricing/service.ts';
import { blankLine } from '../pricing/sink.ts';
import type { DraftValues } from './fields.ts';

export interface DraftRequest {
  lines: PricingLine[];
  pricing: Pick<PriceRequest, 'fixedPrices' | 'promoteFixed' | 'manualDiscounts' | 'shippingFixed' | 'skipPromotions'>;
}

/** Converts a draft to a pricing request; `id` returns the id of each pricing line. */
export function draftRequest(draftId: string, draft: DraftValues, id: (position: number) => string): DraftRequest {
  const ids = draft.lines.map((_, i) => id(i));
  const source = { type: manualSource, id: draftId };
  const fixedPrices: Record<string, number> = {};
  const manualDiscounts: DiscountInput[] = [];
  const lines = draft.lines.map((line, i) => {
    const lineId = ids[i]!;
    if (line.discount)
      manualDiscounts.push({ source, name: 'Discount', target: 'line', lineIds: [lineId], ...discountValue(line.discount) });
    const more = line.note === null ? {} : { custom: { note: line.note } };
    if (line.variantId === null) {
      const price = line.unitPrice?.amount ?? 0;
      const head = { title: line.title ?? '', unitPrice: price, listPrice: price, locked: true };
      return blankLine({ id: lineId, kind: 'custom', quantity: line.quantity, ...head, ...more });
    }
    if (line.unitPrice) fixedPrices[lineId] = line.unitPrice.amount;
    return blankLine({ id: lineId, kind: 'product', variantId: line.variantId, quantity: line.quantity, ...more });
  });
  // Naming the lines makes a staff discount apply to locked prices too.
  if (draft.discount && lines.length > 0)
    manualDiscounts.push({ source, name: 'Discount', target: 'order', lineIds: ids, ...discountValue(draft.discount) });
  const { shipping } = draft;
  return {
    lines,
    pricing: {
      fixedPrices,
      promoteFixed: draft.applyPromotions,
      manualDiscounts,
      skipPromotions: !draft.applyPromotions,
      ...(shipping?.price
        ? {
            shippingFixed: {
              name: shipping.name ?? 'Shipping',
              code: 'draft',
              amount: shipping.price.amount,
              methodId: shipping.methodId,
            },
          }
        : {}),
    },
  };
}

function discountValue(discount: {
  percentBp: number | null;
  amount: { amount: number } | null;
}): Pick<DiscountInput, 'amount' | 'percentBp'> {
  return discount.amount ? { amount: discount.amount.amount } : { percentBp: discount.percentBp ?? 0 };
}

/** Pricing context of a draft, with its customer's prices for every caller. */
export function draftContext(
  draft: DraftValues & { source?: string },
): Partial<PricingContext> & Pick<PricingContext, 'channel' | 'currency' | 'codes'> {
  return {
    channel: draft.source === 'rfq' ? 'b2b' : 'draft',
    currency: draft.currency,
    codes: [],
    customer: draft.customerId === null ? undefined : { id: draft.customerId, groupIds: [] },
    ...(draft.email === null ? {} : { email: draft.email }),
    ...(draft.shipping?.methodId && !draft.shipping.price ? { shippingMethodId: draft.shipping.methodId } : {}),
  } as Partial<PricingContext> & Pick<PricingContext, 'channel' | 'currency' | 'codes'>;
}

/** Prices the draft. Shipping by a method needs an address; without one it is left out. */
export async function priceDraft(
  ctx: Ctx,
  draftId: string,
  draft: DraftValues & { source?: string },
  shippingAddress?: Address,
): Promise<Priced> {
  const context = await makePricing(ctx).context({
    ...draftContext(draft),
    purpose: 'draft',
    ...(shippingAddress ? { shippingAddress } : {}),
  });
  const { lines, pricing } = draftRequest(draftId, draft, (i) => `line-${i + 1}`);
  return priceOrder(ctx, { context, lines, ...pricing });
}
