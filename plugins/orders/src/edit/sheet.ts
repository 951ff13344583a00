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

/** A line of the sheet to be: a kept one says how many units it had. */
export type PlanLine = SheetLine & { kept: number | null };

export interface SheetPlan {
  lines: readonly PlanLine[];
  /** Instead of those that stand. */
  shipping?: readonly ShippingInput[];
  /** Beside those that stand. */
  surcharges?: readonly SurchargeInput[];
  /** Default: what each unit was given stays. `again`: by their own rules on the new prices. A list: instead of those that stand. */
  discounts?: 'again' | AppliedDiscount[];
  /** Rates by tax category: of categories that are new to the order, or all of them where the place changed. */
  rates?: Readonly<Record<string, readonly TaxRate[]>>;
}

function traceOf(sheet: PricedSheet): Trace {
  if (!sheet.trace) throw new Error('an order keeps the trace of its prices');
  return sheet.trace;
}
/** The line as it went into the sheet. */
export function inputOf(sheet: PricedSheet, lineId: string): SheetLine {
  const found = traceOf(sheet).lines.find((line) => line.id === lineId);
  if (!found) throw new Error(`the sheet has no line ${lineId}`);
  return found;
}
/** Rates that the order was taxed with; undefined where taxes were off. */
export function ratesOf(sheet: PricedSheet): Record<string, TaxRate[]> | undefined {
  const step = traceOf(sheet).steps.findLast((each) => each.op === 'taxes');
  return step?.op === 'taxes' ? step.input : undefined;
}
/** What went in for shipping, each with the id it has on the sheet. */
export function shippingOf(sheet: PricedSheet): ShippingInput[] {
  const step = traceOf(sheet).steps.findLast((each) => each.op === 'shipping');
  const inputs = step?.op === 'shipping' ? step.input : [];
  return inputs.map((input, i) => ({ ...input, id: sheet.shippingLines[i]?.id ?? `shipping:${i + 1}` }));
}
function surchargesOf(sheet: PricedSheet): SurchargeInput[] {
  const steps = traceOf(sheet).steps.filter((each) => each.op === 'surcharge');
  return steps.map(({ input }, i) => ({ ...input, id: sheet.surcharges[i]?.id ?? `surcharge:${i + 1}` }));
}

/** A discount as it was given, on what is left of its lines: the share of the first units of each (R13). */
export function keptDiscount(discount: AppliedDiscount, lines: readonly PlanLine[]): AppliedDiscount {
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

/** Discounts as inputs of the new sheet, in their order. Those on shipping count on the new shipping, by their own rule. */
function discountsOf(before: PricedSheet, plan: SheetPlan): DiscountInput[] {
  if (Array.isArray(plan.discounts)) return plan.discounts.map(fixedInput);
  const inputs = traceOf(before).steps.flatMap((step) => (step.op === 'discount' ? [step.input] : []));
  return before.discounts.map((discount, i) => {
    const input = inputs[i] as DiscountInput;
    return plan.discounts === 'again' || discount.target === 'shipping' ? input : fixedInput(keptDiscount(discount, plan.lines));
  });
}

/**
 * The sheet of an edited order. Units that stay keep their price and their discounts, their tax its rates; nothing is looked up again but
 * what the plan brings. Its trace replays.
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
  for (const charge of [...surchargesOf(before), ...(plan.surcharges ?? [])]) sheet.addSurcharge(charge);
  const rates = { ...ratesOf(before), ...plan.rates };
  if (Object.keys(rates).length > 0) sheet.setTaxes(rates);
  for (const { type, reference, amount } of before.totals.tenders)
    sheet.addTender({ type, amount, ...(reference === null ? {} : { reference }) });
  return sheet.finish();
}

/**
 * R9, `constant_net`: a price as it is at another place. From the price at placing wherever the line still has it, so that an address that
 * comes back brings back the first price exactly; a price that staff have set goes from where it is.
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
    const untouched = origin !== undefined && netPrice(origin.unitPrice, from, now) === line.unitPrice;
    return { ...line, unitPrice: untouched ? netPrice(origin.unitPrice, from, to) : netPrice(line.unitPrice, now, to) };
  });
}
function netPrice(price: number, from: readonly TaxRate[], to: readonly TaxRate[]): number {
  return sameRates(from, to) ? price : constantNetPrice(price, from, to);
}
function sameRates(a: readonly TaxRate[], b: readonly TaxRate[]): boolean {
  const key = (rates: readonly TaxRate[]): string => JSON.stringify(rates.map((rate) => [rate.ratePpm, rate.compound ?? false]));
  return key(a) === key(b);
}
