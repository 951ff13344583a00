import { allocate } from './allocate.ts';
import { checkAmount } from './rounding.ts';
import { running } from './sheet-inputs.ts';
import type {
  AppliedDiscount,
  PriceBreakdown,
  PricedSheet,
  SheetContext,
  SheetLine,
  ShippingInput,
  SplitStep,
  SurchargeInput,
  TaxGroup,
  Totals,
} from './sheet-types.ts';
import { type RateShare, type RateWeight, type ShippedGoods, shippingShares, shippingWeights } from './shipping-tax.ts';
import { calculateTax, summarizeTax, type TaxEntry, type TaxStep } from './tax.ts';
import { type PriceMode, type RateSet, rateSet, type TaxAmount, type TaxRate } from './tax-rate.ts';
import type { UnitGroup } from './units.ts';

/** A line, shipping line or surcharge after the discounts so far. */
export interface PriceState {
  id: string;
  quantity: number;
  subtotal: number;
  discountTotal: number;
  /** Lowest price of a unit (R17). */
  minPrice: number;
  /** The units, grouped by their discounts so far; their totals add up to `subtotal − discountTotal`. */
  units: UnitGroup[];
  discounts: PriceBreakdown['discounts'];
}

/** Everything that prices depend on. Tenders and cash rounding are separate. */
export interface PriceInputs {
  context: SheetContext;
  lines: { input: SheetLine; state: PriceState }[];
  shipping: { input: ShippingInput; state: PriceState }[];
  surcharges: { input: SurchargeInput; state: PriceState }[];
  discounts: AppliedDiscount[];
  /** Undefined until taxes are set: nothing is taxed. */
  rates: Record<string, TaxRate[]> | undefined;
}

/** Prices with tax, before tenders and cash rounding. */
export type Prices = Pick<PricedSheet, 'lines' | 'shippingLines' | 'surcharges' | 'taxSummary'> & {
  totals: Omit<Totals, 'cashRounding' | 'tenders' | 'amountDue'>;
  splits: SplitStep[];
  taxes: TaxStep[];
};

/** Calculates taxes and totals of the current inputs (step 6 of R6). */
export function price(inputs: PriceInputs): Prices {
  const { context } = inputs;
  const sets = rateSets(inputs);
  const goods = inputs.lines.map(({ input, state }) => ({ input, state, parts: taxParts(input, state, sets) }));
  const shipped = goods.filter(({ input }) => input.ships !== false).flatMap(({ parts }) => parts);
  const mode = context.shippingTaxMode ?? 'proportional';
  const fixedId = mode === 'fixed_category' ? context.shippingTaxCategoryId : undefined;
  const usual = shippingWeights(mode, shipped, sets(undefined), fixedId === undefined ? undefined : sets(fixedId));

  const splits: SplitStep[] = [];
  const entries: TaxEntry[] = goods.flatMap(({ state, parts }) => parts.map(({ amount, set }) => entry(state, amount, set)));
  const split = [...inputs.shipping, ...inputs.surcharges].map(({ input, state }) => {
    const own = input.taxCategoryId;
    const weights: RateWeight[] = own === undefined ? usual : [{ set: sets(own), weight: 1 }];
    const shares = shippingShares(running(state), weights);
    splits.push(splitStep(state, own === undefined ? mode : 'category', weights, shares));
    for (const share of shares) entries.push(entry(state, share.amount, share.set));
    return shares.length;
  });

  const taxes: TaxStep[] = [];
  const amounts = calculateTax(entries, { priceMode: context.priceMode, level: context.taxRoundingLevel ?? 'line' }, taxes);
  let next = 0;
  const members = (state: PriceState, count: number): PriceBreakdown => {
    const from = next;
    next += count;
    return priceMembers(state, entries.slice(from, next), amounts.slice(from, next), context.priceMode);
  };
  const lines = goods.map(({ input, state, parts }) => ({
    id: input.id,
    quantity: input.quantity,
    unitPrice: input.unitPrice,
    listPrice: input.listPrice ?? input.unitPrice,
    ...members(state, parts.length),
  }));
  const shippingLines = inputs.shipping.map(({ input, state }, i) => ({
    id: state.id,
    code: input.code,
    name: input.name,
    methodId: input.methodId ?? null,
    ...members(state, split[i]!),
  }));
  const surcharges = inputs.surcharges.map(({ input, state }, i) => ({
    id: state.id,
    code: input.code,
    name: input.name,
    of: input.of,
    ...members(state, split[inputs.shipping.length + i]!),
  }));
  const all: PriceBreakdown[] = [...lines, ...shippingLines, ...surcharges];
  return {
    lines,
    shippingLines,
    surcharges,
    taxSummary: summarizeTax(all.flatMap((one) => one.taxGroups)),
    totals: totalsOf(lines, shippingLines, surcharges),
    splits,
    taxes,
  };
}

function totalsOf(lines: PriceBreakdown[], shipping: PriceBreakdown[], surcharges: PriceBreakdown[]): Prices['totals'] {
  const all = [...lines, ...shipping, ...surcharges];
  return {
    itemsSubtotal: total(lines, (line) => line.lineSubtotal),
    itemsDiscount: total(lines, (line) => line.discountTotal),
    shipping: total(shipping, (line) => line.lineSubtotal),
    shippingDiscount: total(shipping, (line) => line.discountTotal),
    surcharges: total(surcharges, (line) => line.lineSubtotal - line.discountTotal),
    taxTotal: total(all, (line) => line.tax),
    total: total(all, (line) => line.total),
  };
}

function total(lines: readonly PriceBreakdown[], member: (line: PriceBreakdown) => number): number {
  return checkAmount(lines.reduce((sum, line) => sum + member(line), 0));
}

/** Returns the part of a line that each tax category has: all of it, or the shares of a bundle summed by category. */
function taxParts(
  input: SheetLine,
  state: PriceState,
  sets: (categoryId: string | undefined) => RateSet,
): (ShippedGoods & { set: RateSet })[] {
  const amount = running(state);
  const listAmount = (input.listPrice ?? input.unitPrice) * input.quantity;
  const weights = new Map<RateSet, number>();
  for (const { taxCategoryId, weight } of input.taxShares ?? []) {
    const set = sets(taxCategoryId);
    weights.set(set, (weights.get(set) ?? 0) + weight);
  }
  const shares = [...weights].filter(([, weight]) => weight > 0);
  if (shares.length === 0) return [{ set: sets(input.taxCategoryId), amount, listAmount }];
  const split = (total: number): number[] =>
    allocate(
      total,
      shares.map(([, weight]) => weight),
    );
  const [amounts, listAmounts] = [split(amount), split(listAmount)];
  return shares.map(([set], i) => ({ set, amount: amounts[i]!, listAmount: listAmounts[i]! }));
}

function entry(state: PriceState, amount: number, set: RateSet): TaxEntry {
  return { id: state.id, amount, quantity: state.quantity, set };
}

/** Returns rate sets by category. A category missing from the result of `tax.quote` is an error, so that nothing stays untaxed by accident. */
function rateSets({ rates, context }: PriceInputs): (categoryId: string | undefined) => RateSet {
  const made = new Map<string, RateSet>();
  const none = rateSet([], rates ? undefined : 'O');
  return (categoryId) => {
    const id = categoryId ?? context.defaultTaxCategoryId;
    if (!rates || id === undefined) return none;
    let set = made.get(id);
    if (!set) {
      if (!Object.hasOwn(rates, id)) throw new RangeError(`no tax rates for category ${id}`);
      set = rateSet(rates[id]!);
      made.set(id, set);
    }
    return set;
  };
}

function priceMembers(
  state: PriceState,
  entries: readonly TaxEntry[],
  taxes: readonly TaxAmount[],
  priceMode: PriceMode,
): PriceBreakdown {
  const taxGroups: TaxGroup[] = entries.map(({ set, amount }, i) => {
    const { tax } = taxes[i]!;
    const base = priceMode === 'gross' ? amount - tax : amount;
    return { ratePpm: set.ratePpm, categoryCode: set.categoryCode, rates: [...set.rates], amount, base, tax };
  });
  const taxLines = entries.flatMap(({ set }, i) =>
    set.rates.map((rate, k) => ({ ratePpm: rate.ratePpm, name: rate.name ?? null, amount: taxes[i]!.parts[k]! })),
  );
  const tax = taxes.reduce((sum, one) => sum + one.tax, 0);
  const discounted = running(state);
  const gross = priceMode === 'gross' ? discounted : discounted + tax;
  return {
    lineSubtotal: state.subtotal,
    discounts: state.discounts.map((discount) => ({ ...discount, source: { ...discount.source } })),
    discountTotal: state.discountTotal,
    taxLines,
    tax,
    total: checkAmount(gross),
    net: gross - tax,
    taxGroups,
  };
}

function splitStep(
  state: PriceState,
  mode: SplitStep['mode'],
  weights: readonly RateWeight[],
  shares: readonly RateShare[],
): SplitStep {
  const groups = weights.map(({ set, weight }) => ({
    ratePpm: set.ratePpm,
    categoryCode: set.categoryCode,
    weight,
    amount: shares.find((share) => share.set === set)?.amount ?? 0,
  }));
  return { rule: 'R10', id: state.id, mode, base: running(state), groups };
}
