import {
  type InvoiceEntry,
  type InvoiceFigures,
  invoiceFigures,
  mulRatio,
  type PricedSheet,
  summarizeTax,
  type TaxGroup,
} from '@storeloom/plugin-sdk/money';

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

interface Delta {
  entries: InvoiceEntry[];
  /** Sum of the difference, with tax. */
  total: number;
}

/**
 * The changes of an edit: the supplement to invoice and the reduction to credit, whose difference is the change of the total. `credited`:
 * amounts already credited per part, with tax. `refunded`: amounts with credit notes of refunds per part, with tax, which a part with
 * other rates doesn't invoice again.
 */
export function correction(
  before: PricedSheet,
  after: PricedSheet,
  credited: ReadonlyMap<string, number> = new Map(),
  refunded: ReadonlyMap<string, number> = new Map(),
): { supplement?: InvoiceFigures; credit?: InvoiceFigures } {
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
  const plus: Delta = { entries: [], total: 0 };
  const minus: Delta = { entries: [], total: 0 };
  const less = new Map<string, number>();
  for (const { part, paidBefore, paidAfter } of parts.values())
    if (paidAfter < paidBefore) less.set(part.id, (less.get(part.id) ?? 0) + paidBefore - paidAfter);
  for (const sum of parts.values()) {
    const { id } = sum.part;
    // The uncredited rest of a price reduction, in proportion over its rates.
    const whole = less.get(id) ?? 0;
    const rest = Math.max(0, whole - (credited.get(id) ?? 0));
    const cut = (value: number): number => (value < 0 && rest < whole ? -mulRatio(-value, rest, whole) : value);
    const kept = (value: number): number => (sum.paidBefore === 0 ? keptShare(value, before, id, refunded.get(id) ?? 0) : value);
    const amount = cut(kept(sum.after) - sum.before);
    const paid = cut(kept(sum.paidAfter) - sum.paidBefore);
    if (amount === 0 && paid === 0) continue;
    const more = amount === 0 ? paid > 0 : amount > 0;
    const side = more ? plus : minus;
    const { rates, categoryCode } = sum.part.group;
    side.entries.push({ id: sum.part.id, kind: sum.part.kind, rates, categoryCode, amount: Math.abs(amount) });
    side.total += more ? paid : -paid;
  }
  const figures = (side: Delta): InvoiceFigures | undefined =>
    side.total > 0 ? invoiceFigures(after.priceMode, side.entries, side.total) : undefined;
  const supplement = figures(plus);
  const credit = figures(minus);
  return { ...(supplement ? { supplement } : {}), ...(credit ? { credit } : {}) };
}

/** The share of a part at new rates whose units weren't refunded. */
function keptShare(value: number, before: PricedSheet, id: string, refunded: number): number {
  const paid = partsOf(before).reduce((sum, part) => sum + (part.id === id ? part.group.base + part.group.tax : 0), 0);
  return refunded <= 0 || paid <= 0 ? value : mulRatio(value, Math.max(0, paid - refunded), paid);
}

export interface Booked extends Pick<InvoiceFigures, 'lines' | 'taxSummary' | 'net' | 'tax' | 'roundingAmount' | 'total'> {
  kind: 'invoice' | 'credit_note';
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
  const signed = documents.map((document) => ({ document, sign: document.kind === 'invoice' ? 1 : -1 }));
  const sum = (member: 'net' | 'tax' | 'roundingAmount' | 'total'): number =>
    signed.reduce((total, { document, sign }) => total + sign * document[member], 0);
  const total = sum('total');
  if (total <= 0) return undefined;
  const taxSummary = summarizeTax(
    signed.flatMap(({ document, sign }) =>
      document.taxSummary.map((row) => ({ ...row, base: sign * row.base, tax: sign * row.tax })),
    ),
  );
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
    net: sum('net'),
    tax: sum('tax'),
    roundingAmount: sum('roundingAmount'),
    total,
  };
}
