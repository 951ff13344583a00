import { allocate } from './allocate.ts';
import type { PricedOrder, RefundPreview } from './refund.ts';
import { compareRows, summarizeTax, type TaxSummaryRow } from './tax.ts';
import { type PriceMode, rateSet, type TaxRate, taxOf } from './tax-rate.ts';

/** One amount to invoice: a line, or the part of shipping or a surcharge that one tax rate applies to. */
export interface InvoiceEntry {
  /** Id of the order line, shipping line or surcharge. A charge with several tax rates has several entries of the same id. */
  id: string;
  /** What the amount is for; `refund` for a free amount of a refund. */
  kind: 'line' | 'shipping' | 'surcharge' | 'refund';
  /** Tax rates of the entry. */
  rates: readonly TaxRate[];
  /** VAT category, UN/ECE 5305 (S, Z, E, AE, K, G, O). */
  categoryCode: string;
  /** Minor units in the price mode. */
  amount: number;
}

/** An entry as it is printed. In each tax group, Σ `net` equals the `base` of its summary row, and Σ `tax` its `tax`. */
export interface InvoiceLine extends Pick<InvoiceEntry, 'id' | 'kind' | 'categoryCode'> {
  /** Combined tax rate in parts per million of the net amount. */
  ratePpm: number;
  /** Net amount in minor units. */
  net: number;
  /** Tax in minor units. */
  tax: number;
  /** Net amount and tax in minor units. */
  gross: number;
}

/**
 * Figures of an invoice or credit note in minor units; `total` = `net` + `tax` + `roundingAmount` is the total of the order or
 * refund.
 */
export interface InvoiceFigures {
  /** Lines in the order of the entries. */
  lines: InvoiceLine[];
  /** One row for each tax group, highest rate first. */
  taxSummary: TaxSummaryRow[];
  /** Sum of the net amounts. */
  net: number;
  /** Sum of the taxes of the groups. */
  tax: number;
  /** Rounding amount (EN 16931 BT-114): the difference between the order's total and this calculation. */
  roundingAmount: number;
  /** Amount due, the total of the order or refund. */
  total: number;
}

/**
 * Calculates an invoice: the tax of the sum of each tax group, independent of the rounding of the order. The difference to `total`
 * is the rounding amount (EN 16931 BT-114); it is 0 in gross mode, and with `taxRoundingLevel: rate_group`. Leave `total` out for
 * an invoice without an order. Rule R3.
 */
export function invoiceFigures(priceMode: PriceMode, entries: readonly InvoiceEntry[], total?: number): InvoiceFigures {
  const groups = new Map<string, InvoiceEntry[]>();
  for (const entry of entries) {
    const { key } = rateSet(entry.rates, entry.categoryCode);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  const rows: TaxSummaryRow[] = [];
  const lines = new Map<InvoiceEntry, InvoiceLine>();
  for (const group of groups.values()) {
    const { rates, categoryCode } = group[0]!;
    const set = rateSet(rates, categoryCode);
    const weights = group.map((entry) => entry.amount);
    const amount = weights.reduce((a, b) => a + b, 0);
    const { tax } = taxOf(amount, set, priceMode);
    const { ratePpm } = set;
    rows.push({ ratePpm, categoryCode, base: priceMode === 'gross' ? amount - tax : amount, tax });
    const shares = allocate(tax, weights);
    for (const [i, entry] of group.entries()) {
      const net = priceMode === 'gross' ? entry.amount - shares[i]! : entry.amount;
      lines.set(entry, { id: entry.id, kind: entry.kind, categoryCode, ratePpm, net, tax: shares[i]!, gross: net + shares[i]! });
    }
  }
  const net = rows.reduce((sum, row) => sum + row.base, 0);
  const tax = rows.reduce((sum, row) => sum + row.tax, 0);
  return {
    lines: entries.map((entry) => lines.get(entry)!),
    taxSummary: summarizeTax(rows).sort(compareRows),
    net,
    tax,
    roundingAmount: (total ?? net + tax) - net - tax,
    total: total ?? net + tax,
  };
}

/** Calculates the invoice of a whole order: lines, shipping and surcharges by tax group. */
export function invoiceFromOrder(order: PricedOrder): InvoiceFigures {
  const kinds = [
    ['line', order.lines],
    ['shipping', order.shippingLines],
    ['surcharge', order.surcharges],
  ] as const;
  const entries = kinds.flatMap(([kind, list]) =>
    list.flatMap((one) =>
      one.taxGroups.map(({ rates, categoryCode, amount }): InvoiceEntry => ({ id: one.id, kind, rates, categoryCode, amount })),
    ),
  );
  return invoiceFigures(order.priceMode, entries, order.totals.total);
}

/**
 * Calculates the credit note of a refund in positive amounts; `total` is the amount refunded, without the part that contains no tax
 * because the order was overpaid (no invoice has it). Net amounts and taxes are those of the refund, so that credit notes add up to the refunds. `open`: what the invoices claim after earlier credit notes; a refund of all of
 * it takes exactly its figures, with the differences of rounding on the last line of each tax group, so that the credit notes add up
 * to the invoices in each tax group. Rule R13.
 */
export function creditFromRefund(refund: RefundPreview, open?: InvoiceFigures): InvoiceFigures {
  const lines: InvoiceLine[] = [];
  const add = (id: string, kind: InvoiceEntry['kind'], part: RefundPreview['free']) => {
    for (const { ratePpm, categoryCode, base, tax } of part?.taxGroups ?? [])
      lines.push({ id, kind, categoryCode, ratePpm, net: base, tax, gross: base + tax });
  };
  for (const line of refund.lines) add(line.lineId, 'line', line);
  add('shipping', 'shipping', refund.shipping);
  add('refund', 'refund', refund.free);
  const net = lines.reduce((sum, line) => sum + line.net, 0);
  const tax = lines.reduce((sum, line) => sum + line.tax, 0);
  if (open?.total === net + tax) return { ...open, lines: adjustLines(lines, open.taxSummary) };
  const taxSummary = summarizeTax(
    lines.map(({ ratePpm, categoryCode, net: base, tax }) => ({ ratePpm, categoryCode, base, tax })),
  );
  return { lines, taxSummary, net, tax, roundingAmount: 0, total: net + tax };
}

/** Moves the difference to each row of the summary to the last line of its group, or to a line of its own. */
function adjustLines(lines: readonly InvoiceLine[], rows: readonly TaxSummaryRow[]): InvoiceLine[] {
  const adjusted = lines.map((line) => ({ ...line }));
  const isIn = (line: InvoiceLine, row: TaxSummaryRow) => line.ratePpm === row.ratePpm && line.categoryCode === row.categoryCode;
  const kept = adjusted.filter((line) => rows.some((row) => isIn(line, row)));
  for (const row of rows) {
    const group = kept.filter((line) => isIn(line, row));
    const net = group.reduce((rest, line) => rest - line.net, row.base);
    const tax = group.reduce((rest, line) => rest - line.tax, row.tax);
    const last = group.at(-1);
    const { ratePpm, categoryCode } = row;
    if (!last) kept.push({ id: 'refund', kind: 'refund', categoryCode, ratePpm, net, tax, gross: net + tax });
    else Object.assign(last, { net: last.net + net, tax: last.tax + tax, gross: last.gross + net + tax });
  }
  return kept;
}
