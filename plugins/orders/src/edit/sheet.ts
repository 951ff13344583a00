import type { PricedCharge } from '@storeloom/commerce';
import {
  type AppliedDiscount,
  constantNetPrice,
  createSheet,
  type DiscountInput,
  type PricedSheet,
  type SheetLine,
  type ShippingInput,
  type SurchargeInput,
  type TaxRate,
  type Trace,
  unitsTotal,
} from '@storeloom/plugin-sdk/money';

/** A line of the new sheet; `kept` is its previous quantity, or null for a new line. */
export type PlanLine = SheetLine & { kept: number | null };

export interface SheetPlan {
  lines: readonly PlanLine[];
  /** Replaces the present ones. */
  shipping?: readonly ShippingInput[];
  /** Added to the present ones. */
  surcharges?: readonly SurchargeInput[];
  /** Replaces the fees of the shipping method, or all fees. Surcharges by staff remain. */
  fees?: { replaces: 'shipping' | 'all'; list: readonly SurchargeInput[] };
  /** Default: units keep their discounts. `again`: recalculated by their rules. A list: replaces the present ones. */
  discounts?: 'again' | AppliedDiscount[];
  /** Rates by tax category: of categories new to the order, or of all after a change of location. */
  rates?: Readonly<Record<string, readonly TaxRate[]>>;
}

function traceOf(sheet: PricedSheet): Trace {
  if (!sheet.trace) throw new Error('the sheet has no trace');
  return sheet.trace;
}
/** The input of a line of the sheet. */
export function inputOf(sheet: PricedSheet, lineId: string): SheetLine {
  const found = traceOf(sheet).lines.find((line) => line.id === lineId);
  if (!found) throw new Error(`the sheet has no line ${lineId}`);
  return found;
}
/** Tax rates of the order; undefined without the taxes plugin. */
export function ratesOf(sheet: PricedSheet): Record<string, TaxRate[]> | undefined {
  const step = traceOf(sheet).steps.findLast((each) => each.op === 'taxes');
  return step?.op === 'taxes' ? step.input : undefined;
}
/** Shipping inputs with their ids on the sheet. */
export function shippingOf(sheet: PricedSheet): ShippingInput[] {
  const step = traceOf(sheet).steps.findLast((each) => each.op === 'shipping');
  const inputs = step?.op === 'shipping' ? step.input : [];
  return inputs.map((input, i) => ({ ...input, id: sheet.shippingLines[i]?.id ?? `shipping:${i + 1}` }));
}
/** Fees and surcharges with their ids on the sheet. */
export function surchargesOf(sheet: PricedSheet): SurchargeInput[] {
  const steps = traceOf(sheet).steps.filter((each) => each.op === 'surcharge');
  return steps.map(({ input }, i) => ({ ...input, id: sheet.surcharges[i]?.id ?? `surcharge:${i + 1}` }));
}

/** A priced fee as the input of another sheet. */
export function feeInput({
  code,
  name,
  lineSubtotal: amount,
  taxCategoryId,
  of,
}: Pick<PricedCharge, 'code' | 'name' | 'lineSubtotal' | 'taxCategoryId' | 'of'>): SurchargeInput {
  return { code, name, amount, of, ...(taxCategoryId === null ? {} : { taxCategoryId }) };
}

/** Code of a surcharge that staff added. */
export const manualCode = 'manual';

function surchargesIn(before: PricedSheet, { fees, surcharges = [] }: SheetPlan): SurchargeInput[] {
  const present = surchargesOf(before);
  if (!fees) return [...present, ...surcharges];
  const kept = present.filter(
    (charge) => charge.code === manualCode || (fees.replaces === 'shipping' && charge.of !== 'shipping'),
  );
  const ids = new Set([...kept, ...surcharges].map(({ id }) => id));
  const freeId = (n: number): string => (ids.has(`surcharge:${n}`) ? freeId(n + 1) : `surcharge:${n}`);
  const replaced = fees.list.map((fee) => {
    const id = freeId(1);
    ids.add(id);
    return { ...fee, id };
  });
  return [...kept, ...replaced, ...surcharges];
}

/** A discount on the remaining units of its lines: the share of the first units of each (R13). */
export function retainedDiscount(discount: AppliedDiscount, lines: readonly PlanLine[]): AppliedDiscount {
  const shares = discount.shares.flatMap(({ id, amount }) => {
    const line = lines.find((each) => each.id === id);
    if (!line) return [];
    const units = line.kept ?? line.quantity;
    return [{ id, amount: line.quantity < units ? unitsTotal(amount, units, 0, line.quantity) : amount }];
  });
  return { ...discount, shares };
}
function fixedInput({ source, code, name, target, shares }: AppliedDiscount): DiscountInput {
  const amounts = shares.map(({ id, amount }) => ({ lineId: id, amount }));
  return { source, name, target, shares: amounts, ...(code === null ? {} : { code }) };
}

/** Discounts as inputs of the new sheet. Those on shipping are recalculated on the new shipping. */
function discountsOf(before: PricedSheet, plan: SheetPlan): DiscountInput[] {
  if (Array.isArray(plan.discounts)) return plan.discounts.map(fixedInput);
  const inputs = traceOf(before).steps.flatMap((step) => (step.op === 'discount' ? [step.input] : []));
  return before.discounts.map((discount, i) => {
    const input = inputs[i] as DiscountInput;
    return plan.discounts === 'again' || discount.target === 'shipping'
      ? input
      : fixedInput(retainedDiscount(discount, plan.lines));
  });
}

/**
 * The sheet of an edited order. Kept units keep price, discounts and tax rates; everything else comes from the plan. Its trace replays.
 */
export function rebuild(before: PricedSheet, plan: SheetPlan): PricedSheet {
  const sheet = createSheet(
    traceOf(before).context,
    plan.lines.map(({ kept: _, ...line }) => line),
  );
  const discounts = discountsOf(before, plan);
  const shipping = plan.shipping ?? shippingOf(before);
  for (const discount of discounts) if (discount.target !== 'shipping') sheet.addDiscount(discount);
  if (shipping.length > 0) {
    sheet.setShipping(shipping);
    for (const discount of discounts) if (discount.target === 'shipping') sheet.addDiscount(discount);
  }
  for (const charge of surchargesIn(before, plan)) sheet.addSurcharge(charge);
  const rates = { ...ratesOf(before), ...plan.rates };
  if (Object.keys(rates).length > 0) sheet.setTaxes(rates);
  for (const { type, reference, amount } of before.totals.tenders)
    sheet.addTender({ type, amount, ...(reference === null ? {} : { reference }) });
  return sheet.finish();
}

/**
 * R9, `constant_net`: prices at another location. Calculated from the price at placement while the line has it, so that returning to the
 * first address restores the exact price; a price set by staff is converted from its present value.
 */
export function constantNetLines(
  first: PricedSheet,
  before: PricedSheet,
  lines: readonly PlanLine[],
  rates: Readonly<Record<string, readonly TaxRate[]>>,
): PlanLine[] {
  const placed = ratesOf(first);
  const present = ratesOf(before);
  if (!placed || !present) return [...lines];
  return lines.map((line) => {
    const key = line.taxCategoryId ?? '';
    const [from, now, to] = [placed[key], present[key], rates[key]];
    if (!from || !now || !to) return line;
    const origin = traceOf(first).lines.find((each) => each.id === line.id);
    const hasFirstPrice = origin !== undefined && netPrice(origin.unitPrice, from, now) === line.unitPrice;
    return { ...line, unitPrice: hasFirstPrice ? netPrice(origin.unitPrice, from, to) : netPrice(line.unitPrice, now, to) };
  });
}
function netPrice(price: number, from: readonly TaxRate[], to: readonly TaxRate[]): number {
  return sameRates(from, to) ? price : constantNetPrice(price, from, to);
}
function sameRates(a: readonly TaxRate[], b: readonly TaxRate[]): boolean {
  const key = (rates: readonly TaxRate[]): string => JSON.stringify(rates.map((rate) => [rate.ratePpm, rate.compound ?? false]));
  return key(a) === key(b);
}
