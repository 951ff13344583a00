import {
  discountsCollect,
  linesResolve,
  type Priced,
  type PriceRequest,
  type PricingContext,
  type PricingLine,
  type ShippingState,
  type Surcharge,
  surchargesCollect,
  taxQuote,
} from '@storeloom/commerce';
import { referenceNotFound } from '@storeloom/plugin-sdk';
import type { PricingHost } from './host.ts';
import { toPriced } from './priced.ts';
import { checkAddress, chooseShipping } from './shipping.ts';
import { DiscountRun } from './sink.ts';
import { constantNet, sheetRates } from './tax.ts';
import { collectTenders } from './tenders.ts';

export interface PipelineRequest extends PriceRequest {
  /** Placing an order: missing or unavailable inputs are errors instead of warnings. */
  strict?: boolean;
}

/**
 * Step 4: fills the lines from their plugins.
 * @throws Problem 404 at the line when no tap fills it
 */
export async function resolveLines(
  host: Pick<PricingHost, 'call'>,
  context: PricingContext,
  lines: PricingLine[],
): Promise<PricingLine[]> {
  if (lines.length === 0) return [];
  const resolved = await host.call(linesResolve, { context, lines });
  resolved.lines.forEach((line, i) => {
    if (line.title === '') throw referenceNotFound(`/lines/${i}`);
  });
  return resolved.lines;
}

function withFixedPrices(lines: PricingLine[], { fixedPrices = {}, promoteFixed = false }: PriceRequest): PricingLine[] {
  return lines.map((line) => {
    const price = Object.hasOwn(fixedPrices, line.id) ? fixedPrices[line.id] : undefined;
    if (price === undefined) return line;
    const { minPrice: _, catalogDiscounts: __, ...rest } = line;
    return { ...rest, unitPrice: price, ...(promoteFixed ? {} : { locked: true }) };
  });
}

/** Steps 4 and 5: items with their discounts. Shipping quotes use this without the later steps. */
export async function openSheet(host: PricingHost, request: PipelineRequest): Promise<DiscountRun> {
  const { context } = request;
  const resolved = withFixedPrices(await resolveLines(host, context, request.lines), request);
  const run = new DiscountRun(host, context, await constantNet(host, context, resolved));
  const promote = !request.skipPromotions && run.resolved.length > 0;
  if (promote) await host.call(discountsCollect, { context, phase: 'lines', sheet: run });
  for (const discount of request.manualDiscounts ?? []) if (discount.target === 'line') run.add(discount);
  if (promote) await host.call(discountsCollect, { context, phase: 'order', sheet: run });
  for (const discount of request.manualDiscounts ?? []) if (discount.target === 'order') run.add(discount);
  return run;
}

function fixedShipping(fixed: NonNullable<PriceRequest['shippingFixed']>, context: PricingContext): ShippingState {
  return { ...fixed, discount: 0, carrier: null, pickupPointId: context.pickupPointId ?? null };
}

/** Steps 4–10 on a resolved context. Taps contribute inputs and `plugin-sdk/money` calculates. Writes nothing. */
export async function runPricing(host: PricingHost, request: PipelineRequest): Promise<Priced> {
  const { context } = request;
  const run = await openSheet(host, request);

  // 6 shipping price, 7 shipping discounts
  if (request.strict) checkAddress(context, run);
  const shipping = request.shippingFixed
    ? fixedShipping(request.shippingFixed, context)
    : await chooseShipping(host, context, run, request.strict ?? false);
  if (shipping) run.setShipping(shipping);
  if (!request.skipPromotions && run.resolved.length > 0)
    await host.call(discountsCollect, { context, phase: 'shipping', sheet: run });
  for (const discount of request.manualDiscounts ?? []) if (discount.target === 'shipping') run.add(discount);

  // 8 fees
  const surcharges: Surcharge[] = [];
  if (run.resolved.length > 0) {
    const running = run.itemsTotal() + run.sheet.shippingTotal();
    for (const charge of await host.call(surchargesCollect, { context, lines: run.lines(), shipping: run.shipping(), running })) {
      run.sheet.addSurcharge(charge);
      surcharges.push(charge);
    }
  }

  // 9 tax: undefined when the taxes plugin is off
  const tax =
    run.resolved.length > 0
      ? await host.call(taxQuote, {
          context,
          categoryIds: run.sheet.taxCategoryIds(),
          lines: run.resolved,
          preview(quote) {
            const copy = run.sheet.fork();
            copy.setTaxes(sheetRates(quote));
            return copy.finish();
          },
        })
      : undefined;
  if (tax) run.sheet.setTaxes(sheetRates(tax));

  // 10 tenders
  const tenders = await collectTenders(host, context, run, request.requestedTenders ?? []);
  const sheet = run.sheet.finish(request.captured === undefined ? {} : { captured: request.captured });
  return toPriced({ context, run, shipping, surcharges, tax, tenders, sheet, codesKnown: host.isOn('promotions') });
}
