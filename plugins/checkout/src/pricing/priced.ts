import type {
  AppliedDiscount,
  Priced,
  PricedCharge,
  PricingContext,
  ShippingState,
  Surcharge,
  TaxLine,
  TaxQuote,
  Tender,
} from '@storeloom/commerce';
import type { AppliedDiscount as MoneyDiscount, PriceBreakdown, PricedSheet } from '@storeloom/plugin-sdk/money';
import type { DiscountRun } from './sink.ts';

export interface PricedParts {
  context: PricingContext;
  run: DiscountRun;
  shipping: ShippingState | null;
  surcharges: readonly Surcharge[];
  tax: TaxQuote | undefined;
  tenders: readonly Tender[];
  sheet: PricedSheet;
  /** Whether the promotions plugin is on. */
  codesKnown: boolean;
}

/** Source type of discounts that staff grant, as opposed to promotions. */
export const manualSource = 'checkout.draft-order';

function discounts(breakdown: PriceBreakdown): AppliedDiscount[] {
  return breakdown.discounts.map(({ source, code, name, amount }) => ({ promotionId: source.id, source, code, name, amount }));
}
function taxLines(breakdown: PriceBreakdown): TaxLine[] {
  return breakdown.taxLines.map(({ ratePpm, name, amount }) => ({ ratePpm, name: name ?? '', amount }));
}
function breakdownView(
  breakdown: PriceBreakdown,
): Pick<PricedCharge, 'lineSubtotal' | 'discounts' | 'discountTotal' | 'taxLines' | 'tax' | 'total'> {
  const { lineSubtotal, discountTotal, tax, total } = breakdown;
  return { lineSubtotal, discounts: discounts(breakdown), discountTotal, taxLines: taxLines(breakdown), tax, total };
}

/** Combines the calculated sheet with the resolved lines, charges and promotions. Carts show the result and orders store it. */
export function toPriced(parts: PricedParts): Priced {
  const { context, run, shipping, surcharges, tax, tenders, sheet } = parts;
  return {
    context,
    lines: run.resolved.map((line, i) => ({ ...line, ...breakdownView(sheet.lines[i]!) })),
    shippingLines: sheet.shippingLines.map((line) => ({
      id: line.id,
      code: line.code,
      name: String(line.name),
      methodId: line.methodId,
      carrier: shipping?.carrier ?? null,
      taxCategoryId: shipping?.taxCategoryId ?? null,
      of: 'shipping',
      ...breakdownView(line),
    })),
    surcharges: sheet.surcharges.map((charge, i) => ({
      id: charge.id,
      code: charge.code,
      name: String(charge.name),
      methodId: null,
      carrier: null,
      taxCategoryId: surcharges[i]?.taxCategoryId ?? null,
      of: charge.of,
      ...breakdownView(charge),
    })),
    promotions: promotions(parts),
    taxSummary: sheet.taxSummary,
    treatment: tax?.treatment ?? 'untaxed',
    taxReason: tax?.reason ?? null,
    taxHold: tax?.hold ?? false,
    countsForOss: tax?.countsForOss ?? false,
    totals: { ...sheet.totals, tenders: [...tenders] },
    trace: sheet.trace,
    sheet,
    warnings: run.warnings,
  };
}

/** One entry for each promotion and code, then the codes that don't apply, each with its reason. */
function promotions({ context, run, sheet, codesKnown }: PricedParts): Priced['promotions'] {
  const entries = new Map<string, Priced['promotions'][number]>();
  for (const discount of sheet.discounts as readonly MoneyDiscount[]) {
    if (discount.source.type === manualSource) continue;
    const key = JSON.stringify([discount.source.id, discount.code]);
    const entry = entries.get(key);
    if (entry) entry.amount += discount.amount;
    else
      entries.set(key, {
        promotionId: discount.source.id,
        code: discount.code,
        name: discount.name,
        applied: true,
        amount: discount.amount,
        reason: null,
      });
  }
  const all = [...entries.values()];
  for (const code of context.codes) {
    if (all.some((entry) => entry.code !== null && sameCode(entry.code, code))) continue;
    const rejection = run.rejections.find((each) => sameCode(each.code, code));
    const { promotionId, name, ...extra } = rejection?.extra ?? {};
    all.push({
      promotionId: typeof promotionId === 'string' ? promotionId : '',
      code,
      name: typeof name === 'string' ? name : code,
      applied: false,
      amount: 0,
      reason: rejection?.reason ?? (codesKnown ? 'coupon_not_eligible' : 'coupon_not_found'),
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    });
  }
  return all;
}

/** Compares codes without case and surrounding whitespace. */
export function sameCode(a: string, b: string): boolean {
  return normalCode(a) === normalCode(b);
}
function normalCode(code: string): string {
  return code.normalize('NFC').trim().toUpperCase();
}
