import { allocate } from './allocate.ts';
import type { PricedOrder, RefundPreview } from './refund.ts';
import { compareRows, summarizeTax, type TaxSummaryRow } from './tax.ts';
import { type PriceMode, rateSet, type TaxRate, taxOf } from './tax-rate.ts';

/** One amount on an invoice: a line, or the part of shipping or a surcharge in one rate group. `amount` in the price mode. */
export interface InvoiceEntry {
  id: string;
  kind: 'line' | 'shipping' | 'surcharge' | 'refund';
  rates: readonly TaxRate[];
  categoryCode: string;
  amount: number;
}

/** The entry on the document: in every rate group Σ `net` = the row's `base` and Σ `tax` = its `tax`. */
export interface InvoiceLine extends Pick<InvoiceEntry, 'id' | 'kind' | 'categoryCode'> {
  ratePpm: number;
  net: number;
  tax: number;
  gross: number;
}

/** Figures of an invoice or credit note in minor units; `total` = `net` + `tax` + `roundingAmount` is the order's (or refund's) own total. */
export interface InvoiceFigures {
  lines: InvoiceLine[];
  taxSummary: TaxSummaryRow[];
  net: number;
  tax: number;
  roundingAmount: number;
  total: number;
}

/**
 * R3, invoices: tax of the sum of each rate group, whatever the rounding of the order was; the difference to `total` is the rounding
 * amount (BT-114). It is 0 in gross mode, and with `taxRoundingLevel: rate_group`. For orders, refunds, and invoices of their own
 * (accounting), which leave `total` out.
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

/** The invoice of a whole order: lines, shipping and surcharges by rate group (a charge over two groups is two entries of one id). */
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
 * The credit note of a refund, by the rules of the invoice, in positive amounts; its `total` is what goes back. The credit note of a
 * refund of everything at once equals the invoice.
 */
export function creditFromRefund(order: Pick<PricedOrder, 'priceMode'>, refund: RefundPreview): InvoiceFigures {
  const entries: InvoiceEntry[] = [];
  const add = (id: string, kind: InvoiceEntry['kind'], part: RefundPreview['free']) => {
    for (const { rates, categoryCode, amount } of part?.taxGroups ?? []) entries.push({ id, kind, rates, categoryCode, amount });
  };
  for (const line of refund.lines) add(line.lineId, 'line', line);
  add('shipping', 'shipping', refund.shipping);
  add('refund', 'refund', refund.free);
  return invoiceFigures(order.priceMode, entries, refund.amount);
}
