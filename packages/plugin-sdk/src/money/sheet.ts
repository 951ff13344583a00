import { cashRound } from './cash.ts';
import { exponentOf } from './currency.ts';
import { type ComputedDiscount, computeDiscount } from './discount.ts';
import type { DiscountInput } from './discount-types.ts';
import type { UnitRun } from './parts.ts';
import { checkPositive } from './rounding.ts';
import { applied, copyDiscount, namedLines, pick } from './sheet-discounts.ts';
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
import { groupRuns, markBought } from './units.ts';

/**
 * The pricing sheet: steps 2 to 7 of R6 for a cart, order, draft or point-of-sale ticket. It starts with resolved unit prices;
 * the pipeline then calls, in this order, `addDiscount` (line, then order), `setShipping`, `addDiscount` (shipping),
 * `addSurcharge`, `setTaxes`, `roundCash`, `addTender` and `finish`. Each call sees the effects of the ones before. Once a tender
 * or cash rounding is added, prices can't change any more (an `Error`).
 *
 * Amounts are integers in minor units of the context's currency, in its price mode. Deterministic, no I/O.
 *
 * @throws MoneyError 422 `money_invalid` for a negative, fractional or too large amount
 * @throws RangeError for a programming error: an unknown line, quantity 0, a rate out of range, a category without rates
 */
export class Sheet {
  /** Settings of the calculation. */
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

  /** Returns the lines after the discounts so far, in order. */
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

  /** Returns the discounted amount of the selected lines, or of all: the base of conditions and shipping prices. */
  itemsTotal(lineIds?: readonly string[]): number {
    return pick(this.#inputs.lines, lineIds).reduce((sum, { state }) => sum + running(state), 0);
  }

  /** Returns the discounted amount of shipping. */
  shippingTotal(): number {
    return this.#inputs.shipping.reduce((sum, { state }) => sum + running(state), 0);
  }

  /**
   * Returns the units of the selected lines (or of all) that can form a set, in runs of the same line and value, ordered by value:
   * those with a price above 0 that belong to no set yet. Each unit costs what its own discounts left, and its share of the
   * discounts of the whole line (R13).
   */
  units(order: 'least_expensive' | 'most_expensive', lineIds?: readonly string[]): (UnitRun & { lineId: string })[] {
    const runs = pick(this.#inputs.lines, lineIds).flatMap(({ state }) =>
      groupRuns(state.units)
        .filter(({ group }) => !state.units[group]!.inSet)
        .map(({ amount, count }) => ({ lineId: state.id, amount, count })),
    );
    return runs.sort((a, b) => (order === 'least_expensive' ? a.amount - b.amount : b.amount - a.amount));
  }

  /** Returns what `addDiscount` would do, without applying it. */
  preview(input: DiscountInput): AppliedDiscount {
    const copy = discountInput(input);
    return applied(copy, this.#compute(copy).result);
  }

  /**
   * Applies a discount, allocated and capped by R4, R8 and R17: the `amount` of the result can be less than requested, down to 0.
   * The target `shipping` requires `setShipping` first.
   */
  addDiscount(input: DiscountInput): AppliedDiscount {
    this.#change();
    const copy = discountInput(input);
    const { result, units } = this.#compute(copy);
    const discount = applied(copy, result);
    const states = new Map(
      (copy.target === 'shipping' ? this.#inputs.shipping : this.#inputs.lines).map(({ state }) => [state.id, state]),
    );
    for (const [i, { id }] of result.lines.entries()) states.get(id)!.units = units[i]!;
    for (const { lineId, quantity } of copy.bought ?? [])
      for (const { state } of pick(this.#inputs.lines, [lineId])) state.units = markBought(state.units, quantity);
    for (const { id, amount } of discount.shares) {
      const state = states.get(id)!;
      state.discountTotal += amount;
      state.discounts.push({ source: discount.source, code: discount.code, name: discount.name, amount });
    }
    this.#inputs.discounts.push(discount);
    this.#record({ op: 'discount', input: copy, ...result });
    return copyDiscount(discount);
  }

  /**
   * Replaces the shipping lines.
   *
   * @throws Error once a discount on shipping was applied
   */
  setShipping(shipping: readonly ShippingInput[]): void {
    this.#change();
    const discounted = this.#inputs.discounts.some((discount) => discount.target === 'shipping');
    if (discounted) throw new Error('shipping is already discounted');
    const inputs = shipping.map(shippingInput);
    this.#inputs.shipping = inputs.map((input, i) => ({
      input,
      state: chargeState(input.id ?? `shipping:${i + 1}`, input.amount),
    }));
    checkUnique(this.#inputs.shipping.map(({ state }) => state));
    this.#record({ op: 'shipping', input: inputs });
  }

  /** Adds a payment or delivery fee. */
  addSurcharge(input: SurchargeInput): void {
    this.#change();
    const copy = surchargeInput(input);
    const { surcharges } = this.#inputs;
    const state = chargeState(copy.id ?? `surcharge:${surcharges.length + 1}`, copy.amount);
    checkUnique([...surcharges.map((one) => one.state), state]);
    surcharges.push({ input: copy, state });
    this.#record({ op: 'surcharge', input: copy });
  }

  /** Returns the tax categories that `setTaxes` needs rates for. */
  taxCategoryIds(): string[] {
    const { context, lines, shipping, surcharges } = this.#inputs;
    const ids = [...lines, ...shipping, ...surcharges].map(({ input }) => input.taxCategoryId);
    const shared = lines.flatMap(({ input }) => (input.taxShares ?? []).map((share) => share.taxCategoryId));
    return [...new Set([...ids, ...shared, context.defaultTaxCategoryId, context.shippingTaxCategoryId])].filter(
      (id) => id !== undefined,
    );
  }

  /**
   * Sets the rates by tax category, the result of `tax.quote`. If it is never called, nothing is taxed and the summary has one
   * row at 0 ppm.
   */
  setTaxes(rates: Readonly<Record<string, readonly TaxRate[]>>): void {
    this.#change();
    const copy = Object.fromEntries(Object.entries(rates).map(([id, list]) => [id, plainCopy([...list])]));
    for (const list of Object.values(copy)) rateSet(list);
    this.#inputs.rates = copy;
    this.#record({ op: 'taxes', input: copy });
  }

  /**
   * Rounds the amount paid in cash (default: all that is due) to the smallest coin `step` and returns the difference. Rule R12.
   */
  roundCash(step: number, amount: number = this.due()): number {
    const { difference } = cashRound(checkPositive(amount, 'a cash amount'), step);
    this.#settling = true;
    this.#cashRounding += difference;
    this.#record({ op: 'cash_rounding', rule: 'R12', step, amount, difference });
    return difference;
  }

  /** Pays as much of the amount due as the tender covers; returns the amount taken, which can be 0. */
  addTender(input: TenderInput): number {
    const copy = tenderInput(input);
    const due = this.due();
    const amount = Math.min(checkPositive(copy.amount, 'a tender'), due);
    this.#settling = true;
    if (amount > 0) this.#tenders.push({ type: copy.type, reference: copy.reference ?? null, amount });
    this.#record({ op: 'tender', rule: 'R8', input: copy, due, amount });
    return amount;
  }

  /** Returns the amount due: total and cash rounding less tenders. */
  due(): number {
    return this.totals().amountDue;
  }

  /** Returns the current totals; `captured` is what payments have captured already, in minor units. */
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

  /** Returns the finished calculation with its trace: plain JSON. */
  finish(options: { captured?: number } = {}): PricedSheet {
    const captured = options.captured ?? 0;
    const totals = this.totals(captured);
    const { lines, shippingLines, surcharges, taxSummary, splits, taxes } = this.#price();
    // The result belongs to the caller, who can change it: the next call recalculates.
    this.#prices = undefined;
    const { currency, priceMode } = this.context;
    const steps = captured === 0 ? [...this.#steps] : [...this.#steps, { op: 'captured' as const, amount: captured }];
    const inputs = this.#inputs.lines.map(({ input }) => input);
    const trace: Trace | null =
      this.context.trace === false ? null : { version: 1, context: this.context, lines: inputs, steps, splits, taxes, totals };
    const discounts = this.#inputs.discounts.map(copyDiscount);
    return { currency, priceMode, lines, shippingLines, surcharges, discounts, totals, taxSummary, trace };
  }

  /** Returns an independent sheet in the same state, to compare alternatives (the best discount of R7). */
  fork(): Sheet {
    const copy = new Sheet(this.context, []);
    Object.assign(copy.#inputs, plainCopy(this.#inputs));
    copy.#tenders = plainCopy(this.#tenders);
    copy.#cashRounding = this.#cashRounding;
    copy.#settling = this.#settling;
    copy.#steps = [...this.#steps];
    return copy;
  }

  #compute(input: DiscountInput): ComputedDiscount {
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
    if (this.#settling) throw new Error('prices are final: the sheet has a tender or cash rounding');
    this.#prices = undefined;
  }

  #record(step: TraceStep): void {
    if (this.context.trace !== false) this.#steps.push(step);
  }
}

/** Returns a sheet for these lines. Their order breaks ties in allocations (R4). See `Sheet`. */
export function createSheet(context: SheetContext, lines: readonly SheetLine[]): Sheet {
  return new Sheet(context, lines);
}
