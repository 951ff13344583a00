import { cashRound } from './cash.ts';
import { exponentOf } from './currency.ts';
import { computeDiscount, worthRuns } from './discount.ts';
import type { DiscountInput, DiscountResult } from './discount-types.ts';
import type { UnitRun } from './parts.ts';
import { checkPositive } from './rounding.ts';
import { applied, copyDiscount, isPercent, namedLines, pick } from './sheet-discounts.ts';
import {
  chargeState,
  checkUnique,
  contextInput,
  discountInput,
  discountTarget,
  lineInput,
  lineState,
  plainCopy,
  room,
  running,
  shippingInput,
  surchargeInput,
  tenderInput,
} from './sheet-inputs.ts';
import { type PriceInputs, type Prices, price } from './sheet-price.ts';
import type {
  AppliedDiscount,
  DiscountedLine,
  PricedSheet,
  SheetContext,
  SheetLine,
  ShippingInput,
  SurchargeInput,
  Tender,
  TenderInput,
  Totals,
  Trace,
  TraceStep,
} from './sheet-types.ts';
import { rateSet, type TaxRate } from './tax-rate.ts';

/**
 * The pricing sheet: steps 2 to 7 of R6 on one cart, order, draft or sale. It starts with the resolved unit prices; the pipeline then
 * calls, in this order, `addDiscount` (line, then order), `setShipping`, `addDiscount` (shipping), `addSurcharge`, `setTaxes`,
 * `roundCash`, `addTender` and `finish`. Each call is visible to the next one at once. Once a tender or the cash rounding is on it,
 * prices don't move any more (an `Error`).
 *
 * Amounts are integers in minor units of the context's currency, in its price mode. Deterministic, no I/O. Amounts from outside that
 * are negative, fractional or too large: 422 `money_invalid`. Faults of the calling code (unknown line, quantity 0, a rate out of
 * range, a category without rates): `RangeError`.
 */
export class Sheet {
  readonly context: SheetContext;
  readonly #inputs: PriceInputs;
  #tenders: Tender[] = [];
  #cashRounding = 0;
  #settling = false;
  #steps: TraceStep[] = [];
  #prices: Prices | undefined;

  constructor(context: SheetContext, lines: readonly SheetLine[]) {
    exponentOf(context.currency);
    this.context = contextInput(context);
    this.#inputs = {
      context: this.context,
      lines: lines.map((line) => ({ input: lineInput(line), state: lineState(line) })),
      shipping: [],
      surcharges: [],
      discounts: [],
      rates: undefined,
    };
    checkUnique(this.#inputs.lines.map(({ state }) => state));
  }

  /** The lines as they stand, in order. */
  lines(): DiscountedLine[] {
    return this.#inputs.lines.map(({ input, state }) => ({
      id: input.id,
      quantity: input.quantity,
      unitPrice: input.unitPrice,
      lineSubtotal: state.subtotal,
      discountTotal: state.discountTotal,
      running: running(state),
      room: room(state),
    }));
  }

  /** Discounted amount of the lines named, or of all: what conditions and shipping prices look at. */
  itemsTotal(lineIds?: readonly string[]): number {
    return pick(this.#inputs.lines, lineIds).reduce((sum, { state }) => sum + running(state), 0);
  }

  /** Discounted shipping. */
  shippingTotal(): number {
    return this.#inputs.shipping.reduce((sum, { state }) => sum + running(state), 0);
  }

  /**
   * The units of the lines named (or all) that still cost something, cheapest or dearest first, in runs of the same line and worth:
   * each at its share of what the line costs now (R13).
   */
  units(order: 'least_expensive' | 'most_expensive', lineIds?: readonly string[]): (UnitRun & { lineId: string })[] {
    const runs = pick(this.#inputs.lines, lineIds).flatMap(({ state }) =>
      worthRuns(running(state), state.quantity).map((run) => ({ ...run, lineId: state.id })),
    );
    return runs.sort((a, b) => (order === 'least_expensive' ? a.amount - b.amount : b.amount - a.amount));
  }

  /** What `addDiscount` would do, without doing it. */
  preview(input: DiscountInput): AppliedDiscount {
    const copy = discountInput(input);
    return applied(copy, this.#compute(copy));
  }

  /**
   * Takes a discount off: allocated and capped by R4, R8 and R17, so the answer's `amount` may be less than asked for, down to 0.
   * A discount of target `shipping` counts on the shipping set before.
   */
  addDiscount(input: DiscountInput): AppliedDiscount {
    this.#change();
    const copy = discountInput(input);
    const result = this.#compute(copy);
    const discount = applied(copy, result);
    const states = new Map(
      (copy.target === 'shipping' ? this.#inputs.shipping : this.#inputs.lines).map(({ state }) => [state.id, state]),
    );
    for (const { id, amount } of discount.shares) {
      const state = states.get(id)!;
      state.discountTotal += amount;
      if (isPercent(copy)) state.percentOff += amount;
      state.discounts.push({ source: discount.source, code: discount.code, name: discount.name, amount });
    }
    this.#inputs.discounts.push(discount);
    this.#record({ op: 'discount', input: copy, ...result });
    return copyDiscount(discount);
  }

  /** The shipping lines, in place of those set before. Once shipping is discounted it stays as it is (an `Error`). */
  setShipping(shipping: readonly ShippingInput[]): void {
    this.#change();
    const discounted = this.#inputs.discounts.some((discount) => discount.target === 'shipping');
    if (discounted) throw new Error('shipping is discounted already');
    const inputs = shipping.map(shippingInput);
    this.#inputs.shipping = inputs.map((input, i) => ({
      input,
      state: chargeState(input.id ?? `shipping:${i + 1}`, input.amount),
    }));
    checkUnique(this.#inputs.shipping.map(({ state }) => state));
    this.#record({ op: 'shipping', input: inputs });
  }

  /** A fee of payment or delivery. */
  addSurcharge(input: SurchargeInput): void {
    this.#change();
    const copy = surchargeInput(input);
    const { surcharges } = this.#inputs;
    const state = chargeState(copy.id ?? `surcharge:${surcharges.length + 1}`, copy.amount);
    checkUnique([...surcharges.map((one) => one.state), state]);
    surcharges.push({ input: copy, state });
    this.#record({ op: 'surcharge', input: copy });
  }

  /** The tax categories whose rates `setTaxes` must name. */
  taxCategoryIds(): string[] {
    const { context, lines, shipping, surcharges } = this.#inputs;
    const ids = [...lines, ...shipping, ...surcharges].map(({ input }) => input.taxCategoryId);
    const shared = lines.flatMap(({ input }) => (input.taxShares ?? []).map((share) => share.taxCategoryId));
    return [...new Set([...ids, ...shared, context.defaultTaxCategoryId, context.shippingTaxCategoryId])].filter(
      (id) => id !== undefined,
    );
  }

  /** Rates by tax category, the answer of `tax.quote`. Never called: nothing is taxed, one summary row at 0 ppm. */
  setTaxes(rates: Readonly<Record<string, readonly TaxRate[]>>): void {
    this.#change();
    const copy = Object.fromEntries(Object.entries(rates).map(([id, list]) => [id, plainCopy([...list])]));
    for (const list of Object.values(copy)) rateSet(list);
    this.#inputs.rates = copy;
    this.#record({ op: 'taxes', input: copy });
  }

  /**
   * R12: rounds what is paid in cash (all that is still due, or the `amount` of it) to the step, and gives the difference.
   */
  roundCash(step: number, amount: number = this.due()): number {
    const { difference } = cashRound(checkPositive(amount, 'a cash amount'), step);
    this.#settling = true;
    this.#cashRounding += difference;
    this.#record({ op: 'cash_rounding', rule: 'R12', step, amount, difference });
    return difference;
  }

  /** Pays with a tender: as much of its amount as is still due. Gives what was taken, which may be 0. */
  addTender(input: TenderInput): number {
    const copy = tenderInput(input);
    const due = this.due();
    const amount = Math.min(checkPositive(copy.amount, 'a tender'), due);
    this.#settling = true;
    if (amount > 0) this.#tenders.push({ type: copy.type, reference: copy.reference ?? null, amount });
    this.#record({ op: 'tender', rule: 'R8', input: copy, due, amount });
    return amount;
  }

  /** What is still to be paid: total, cash rounding and tenders so far. */
  due(): number {
    return this.totals().amountDue;
  }

  /** Totals as they stand; `captured` is what payments have taken already. */
  totals(captured = 0): Totals {
    const { totals } = this.#price();
    const tendered = this.#tenders.reduce((sum, tender) => sum + tender.amount, 0);
    return {
      ...totals,
      cashRounding: this.#cashRounding,
      tenders: this.#tenders.map((tender) => ({ ...tender })),
      amountDue: Math.max(0, totals.total + this.#cashRounding - tendered - checkPositive(captured, 'what was captured')),
    };
  }

  /** The finished calculation with its trace: plain JSON. */
  finish(options: { captured?: number } = {}): PricedSheet {
    const captured = options.captured ?? 0;
    const totals = this.totals(captured);
    const { lines, shippingLines, surcharges, taxSummary, splits, taxes } = this.#price();
    // What was handed out is the caller's; the next call calculates afresh.
    this.#prices = undefined;
    const { currency, priceMode } = this.context;
    const steps = captured === 0 ? [...this.#steps] : [...this.#steps, { op: 'captured' as const, amount: captured }];
    const inputs = this.#inputs.lines.map(({ input }) => input);
    const trace: Trace | null =
      this.context.trace === false ? null : { version: 1, context: this.context, lines: inputs, steps, splits, taxes, totals };
    const discounts = this.#inputs.discounts.map(copyDiscount);
    return { currency, priceMode, lines, shippingLines, surcharges, discounts, totals, taxSummary, trace };
  }

  /** A sheet of its own in the same state, to try things on (the best deal of R7). */
  fork(): Sheet {
    const copy = new Sheet(this.context, []);
    Object.assign(copy.#inputs, plainCopy(this.#inputs));
    copy.#tenders = plainCopy(this.#tenders);
    copy.#cashRounding = this.#cashRounding;
    copy.#settling = this.#settling;
    copy.#steps = [...this.#steps];
    return copy;
  }

  #compute(input: DiscountInput): DiscountResult {
    const named = namedLines(input);
    const { lines, shipping } = this.#inputs;
    const open = lines.filter((line) => !line.input.locked || named !== undefined);
    const picked = input.target === 'shipping' ? pick(shipping, named) : pick(open, named);
    return computeDiscount(
      input,
      picked.map(({ state }) => discountTarget(state)),
      this.context.percentStacking ?? 'sequential',
    );
  }

  #price(): Prices {
    this.#prices ??= price(this.#inputs);
    return this.#prices;
  }

  #change(): void {
    if (this.#settling) throw new Error('prices are settled: a tender or the cash rounding is on the sheet');
    this.#prices = undefined;
  }

  #record(step: TraceStep): void {
    if (this.context.trace !== false) this.#steps.push(step);
  }
}

/** A sheet for these lines, in this order (the order breaks ties, R4). See `Sheet`. */
export function createSheet(context: SheetContext, lines: readonly SheetLine[]): Sheet {
  return new Sheet(context, lines);
}
