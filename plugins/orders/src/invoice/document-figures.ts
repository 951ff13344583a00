import {
  allocate,
  type InvoiceEntry,
  type InvoiceFigures,
  invoiceFigures,
  mulRatio,
  type PricedSheet,
  type TaxGroup,
} from '@storeloom/plugin-sdk/money';
import { type Booked, openInvoice, rateKey } from './open-invoices.ts';

interface Part {
  id: string;
  kind: InvoiceEntry['kind'];
  group: TaxGroup;
}
function partsOf(sheet: PricedSheet): Part[] {
  const kinds = [
    ['line', sheet.lines],
    ['shipping', sheet.shippingLines],
    ['surcharge', sheet.surcharges],
  ] as const;
  return kinds.flatMap(([kind, list]) => list.flatMap((one) => one.taxGroups.map((group) => ({ id: one.id, kind, group }))));
}
const keyOf = ({ id, kind, group }: Part): string => `${kind} ${id} ${group.ratePpm} ${group.categoryCode}`;

interface Change {
  part: Part;
  /** In the price mode. */
  amount: number;
  /** With tax. */
  paid: number;
}
interface Sides {
  plus: Change[];
  minus: Change[];
}
const paidSum = (changes: readonly Change[]): number => changes.reduce((sum, { paid }) => sum + paid, 0);

/** The differences of an edit, part by part and rate by rate, as positive changes of two sides. */
function changesOf(before: PricedSheet, after: PricedSheet, credited: ReadonlyMap<string, number>): Sides {
  const parts = new Map<string, { part: Part; before: number; after: number; paidBefore: number; paidAfter: number }>();
  const add = (part: Part, side: 'before' | 'after'): void => {
    const key = keyOf(part);
    const sum = parts.get(key) ?? { part, before: 0, after: 0, paidBefore: 0, paidAfter: 0 };
    sum[side] += part.group.amount;
    sum[side === 'before' ? 'paidBefore' : 'paidAfter'] += part.group.base + part.group.tax;
    parts.set(key, sum);
  };
  for (const part of partsOf(before)) add(part, 'before');
  for (const part of partsOf(after)) add(part, 'after');
  const less = new Map<string, number>();
  for (const { part, paidBefore, paidAfter } of parts.values())
    if (paidAfter < paidBefore) less.set(part.id, (less.get(part.id) ?? 0) + paidBefore - paidAfter);
  const sides: Sides = { plus: [], minus: [] };
  for (const sum of parts.values()) {
    const { part } = sum;
    // The uncredited rest of a price reduction, in proportion over its rates.
    const whole = less.get(part.id) ?? 0;
    const rest = Math.max(0, whole - (credited.get(part.id) ?? 0));
    const cut = (value: number): number => (value < 0 && rest < whole ? -mulRatio(-value, rest, whole) : value);
    const amount = cut(sum.after - sum.before);
    const paid = cut(sum.paidAfter - sum.paidBefore);
    if (amount === 0 && paid === 0) continue;
    if (amount === 0 ? paid > 0 : amount > 0) sides.plus.push({ part, amount, paid });
    else sides.minus.push({ part, amount: -amount, paid: -paid });
  }
  return sides;
}

/** Reduces changes by an amount with tax, in proportion. */
function reduce(changes: readonly Change[], by: number): void {
  const paid = changes.map((each) => each.paid);
  allocate(by, paid, paid).forEach((share, i) => {
    const change = changes[i] as Change;
    if (share === 0) return;
    change.amount -= mulRatio(change.amount, share, change.paid);
    change.paid -= share;
  });
}

/**
 * The documents of an edit: the supplement to invoice and the reduction to credit, whose difference is the change of the total. `credited`:
 * amounts already credited per part, with tax. `refunded`: amounts with credit notes of refunds per part, with tax, which a part with
 * other rates doesn't invoice again. `open`: the open amounts by rate; a supplement isn't invoiced as far as the reduction exceeds these.
 */
export function correction(
  before: PricedSheet,
  after: PricedSheet,
  credited: ReadonlyMap<string, number> = new Map(),
  refunded: ReadonlyMap<string, number> = new Map(),
  open?: ReadonlyMap<string, { base: number; tax: number }>,
): { supplement?: InvoiceFigures; credit?: InvoiceFigures } {
  const { plus, minus } = changesOf(before, after, credited);
  const reduceBoth = (more: readonly Change[], less: readonly Change[], excess: number): void => {
    const by = Math.min(excess, paidSum(more), paidSum(less));
    if (by <= 0) return;
    reduce(more, by);
    reduce(less, by);
  };
  const paidBefore = new Map<string, number>();
  for (const { id, group } of partsOf(before)) paidBefore.set(id, (paidBefore.get(id) ?? 0) + group.base + group.tax);
  for (const [id, amount] of refunded) {
    const less = minus.filter(({ part }) => part.id === id);
    reduceBoth(
      plus.filter(({ part }) => part.id === id),
      less,
      paidSum(less) - (paidBefore.get(id) ?? 0) + amount,
    );
  }
  const figures = (side: readonly Change[]): InvoiceFigures | undefined => {
    const entries = side.flatMap(({ part: { id, kind, group }, amount, paid }): InvoiceEntry[] =>
      amount === 0 && paid === 0 ? [] : [{ id, kind, rates: group.rates, categoryCode: group.categoryCode, amount }],
    );
    return paidSum(side) > 0 ? invoiceFigures(after.priceMode, entries, paidSum(side)) : undefined;
  };
  for (const { ratePpm, categoryCode, base, tax } of open ? (figures(minus)?.taxSummary ?? []) : []) {
    const left = open?.get(rateKey({ ratePpm, categoryCode })) ?? { base: 0, tax: 0 };
    reduceBoth(
      plus,
      minus.filter(({ part: { group } }) => rateKey(group) === rateKey({ ratePpm, categoryCode })),
      base + tax - left.base - left.tax,
    );
  }
  const supplement = figures(plus);
  const credit = figures(minus);
  return { ...(supplement ? { supplement } : {}), ...(credit ? { credit } : {}) };
}

/** The open figures of the documents: invoices less credit notes. Undefined if nothing is open. */
export function remainder(documents: readonly Booked[]): InvoiceFigures | undefined {
  const [first] = documents;
  if (documents.length === 1 && first?.kind === 'invoice')
    return {
      lines: first.lines,
      taxSummary: first.taxSummary,
      net: first.net,
      tax: first.tax,
      roundingAmount: first.roundingAmount,
      total: first.total,
    };
  const { rows: taxSummary, roundingAmount, total } = openInvoice(null, documents);
  if (total <= 0) return undefined;
  return {
    lines: taxSummary.map(({ ratePpm, categoryCode, base, tax }) => ({
      id: 'remainder',
      kind: 'refund',
      ratePpm,
      categoryCode,
      net: base,
      tax,
      gross: base + tax,
    })),
    taxSummary,
    net: taxSummary.reduce((sum, { base }) => sum + base, 0),
    tax: taxSummary.reduce((sum, { tax }) => sum + tax, 0),
    roundingAmount,
    total,
  };
}
