import type { Priced, PriceRequest, PricingContext, PricingLine } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import type { ShippingInput, TaxRate } from '@storeloom/plugin-sdk/money';
import { loadRevision, type OrderData } from '../load.ts';
import { labelText } from '../texts.ts';
import { pipeline } from './context.ts';
import { constantNetLines, inputOf, manualCode, type PlanLine, ratesOf, surchargesOf } from './sheet.ts';

export type FixedShipping = PriceRequest['shippingFixed'];

/** The present shipping at its price, as input of a pricing request. */
export function fixedPrice({ code, name, amount, methodId, taxCategoryId }: ShippingInput, locale: string): FixedShipping {
  const category = taxCategoryId === undefined ? {} : { taxCategoryId };
  return { name: labelText(name, locale), code, amount, methodId: methodId ?? null, ...category };
}

const lineInput = (fields: Pick<PricingLine, 'id' | 'kind' | 'quantity'> & Partial<PricingLine>): PricingLine => ({
  title: '',
  listPrice: 0,
  unitPrice: 0,
  ships: false,
  weightG: 0,
  facts: {},
  ...fields,
});

/** The order's lines, and its surcharges by staff as lines, so that the rates of their tax categories are resolved too. */
function linesOf({ lines, sheet }: OrderData): PricingLine[] {
  const goods = lines.map((line) =>
    lineInput({
      id: line.id,
      kind: line.kind,
      quantity: line.quantity,
      ships: line.ships,
      weightG: line.weightG,
      ...(line.variantId === null ? {} : { variantId: line.variantId }),
      ...(line.data === null ? {} : { data: line.data }),
      ...(line.options === null ? {} : { options: line.options as Record<string, string> }),
    }),
  );
  const byStaff = surchargesOf(sheet).flatMap(({ code, amount, taxCategoryId }, i) =>
    code === manualCode && taxCategoryId !== undefined
      ? [
          lineInput({
            id: `charge:${i + 1}`,
            kind: 'custom',
            quantity: 1,
            unitPrice: amount,
            listPrice: amount,
            taxCategoryId,
            locked: true,
          }),
        ]
      : [],
  );
  return [...goods, ...byStaff];
}

/**
 * The tax rates of the order in another context (another address, a proven VAT number), and its lines at these rates. Goods keep their
 * price, under `constant_net` their net price.
 */
export async function retax(
  ctx: Ctx,
  data: OrderData,
  context: PricingContext,
  shippingFixed: FixedShipping,
): Promise<{ priced: Priced; rates: Record<string, TaxRate[]> | undefined; lines: PlanLine[] }> {
  const present = data.lines.map((line): PlanLine => ({ ...inputOf(data.sheet, line.id), kept: line.quantity }));
  const lines = linesOf(data);
  const prices = new Map(present.map(({ id, unitPrice }) => [id, unitPrice]));
  const priced = await pipeline(ctx).price({
    context,
    lines,
    fixedPrices: Object.fromEntries(lines.map(({ id, unitPrice }) => [id, prices.get(id) ?? unitPrice])),
    skipPromotions: true,
    ...(shippingFixed === undefined ? {} : { shippingFixed }),
  });
  const rates = ratesOf(priced.sheet);
  const { crossBorderPricePolicy } = data.pricing.context.rules;
  if (crossBorderPricePolicy !== 'constant_net' || data.row.priceMode !== 'gross' || !rates)
    return { priced, rates, lines: present };
  const { sheet: first } = await loadRevision(ctx, data.row.id, 1);
  return { priced, rates, lines: constantNetLines(first, data.sheet, present, rates) };
}
