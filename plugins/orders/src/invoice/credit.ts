import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { allocate, creditFromRefund, type InvoiceFigures } from '@storeloom/plugin-sdk/money';
import { type LineRow, type OrderData, type OrderRow, withData } from '../load.ts';
import { settings } from '../settings.ts';
import { line, refund } from '../tables.ts';
import { beyondBy, previewOf, type RefundRow } from '../view/figures.ts';
import type { DocumentInput } from './document.ts';
import { correction, remainder } from './document-figures.ts';
import { documentOf, type InvoiceRow, invoicesOf, issue } from './invoice.ts';
import { type Booked, creditNotes, type OpenInvoice, openInvoice, openRates, openTotal, rateKey } from './open-invoices.ts';

const isBooked = (row: InvoiceRow): boolean => row.kind !== 'proforma';
const booked = (row: InvoiceRow): Booked => {
  const { lines, taxSummary, net, tax, roundingAmount, total } = documentOf(row);
  return { kind: row.kind === 'credit_note' ? 'credit_note' : 'invoice', lines, taxSummary, net, tax, roundingAmount, total };
};

/** The invoice and its credit notes. */
const withCredits = (invoice: InvoiceRow, documents: readonly InvoiceRow[]): InvoiceRow[] => [
  invoice,
  ...documents.filter((each) => each.originalInvoiceId === invoice.id),
];

/** The open amounts of each invoice after its credit notes, oldest first. */
function openInvoices(documents: readonly InvoiceRow[]): OpenInvoice<InvoiceRow>[] {
  return documents
    .filter((row) => row.kind === 'invoice')
    .map((row) => openInvoice(row, withCredits(row, documents).map(booked)));
}

async function allLines(ctx: Ctx, orderId: string): Promise<LineRow[]> {
  return ctx.rows(line).find({ orderId }, { orderBy: ['position', 'id'] });
}

interface CreditOptions {
  reason: string | null;
  refundId?: string;
  series?: string;
}

async function issueCredit(
  ctx: Ctx,
  data: OrderData,
  original: InvoiceRow,
  figures: InvoiceFigures,
  more: CreditOptions & { quantities?: DocumentInput['quantities'] },
): Promise<InvoiceRow> {
  const config = ctx.settings(settings);
  const { issueDate, number } = documentOf(original);
  return issue(
    ctx,
    {
      row: data.row,
      lines: await allLines(ctx, data.row.id),
      sheet: data.sheet,
      pricing: data.pricing,
      kind: 'credit_note',
      figures,
      quantities: more.quantities ?? new Map(),
      paid: 0,
      original: { id: original.id, number, issueDate },
      reason: more.reason,
    },
    {
      series: more.series ?? config.creditNoteSeries ?? config.invoiceSeries,
      originalInvoiceId: original.id,
      ...(more.refundId === undefined ? {} : { refundId: more.refundId }),
    },
  );
}

/** Issues a credit note for each invoice that the credit concerns. Only the first one refers to the refund, because each refund has one. */
async function issueCredits(
  ctx: Ctx,
  data: OrderData,
  notes: readonly { invoice: InvoiceRow; figures: InvoiceFigures }[],
  { refundId, quantities, ...more }: CreditOptions & { quantities?: DocumentInput['quantities'] },
): Promise<InvoiceRow[]> {
  const created: InvoiceRow[] = [];
  for (const { invoice, figures } of notes)
    created.push(
      await issueCredit(ctx, data, invoice, figures, {
        ...more,
        ...(refundId === undefined || created.length > 0 ? {} : { refundId }),
        // Units are credited once.
        ...(quantities === undefined || notes.length > 1 ? {} : { quantities }),
      }),
    );
  return created;
}

/** Credits everything open. */
async function creditAll(
  ctx: Ctx,
  data: OrderData,
  documents: readonly InvoiceRow[],
  options: CreditOptions,
): Promise<InvoiceRow[]> {
  const open = openInvoices(documents);
  const groups = open.some(({ total }) => total < 0)
    ? // An earlier version credited more than an invoice: together its documents still add up to the open amount.
      [{ original: [...open].sort((a, b) => b.total - a.total)[0]?.invoice as InvoiceRow, related: documents }]
    : open.map(({ invoice }) => ({ original: invoice, related: withCredits(invoice, documents) }));
  const notes = groups.flatMap(({ original: invoice, related }) => {
    const figures = remainder(related.map(booked));
    return figures ? [{ invoice, figures }] : [];
  });
  const quantities = documents.length === 1 ? new Map(data.lines.map((each) => [each.id, each.quantity])) : undefined;
  return issueCredits(ctx, data, notes, { ...options, ...(quantities ? { quantities } : {}) });
}

/**
 * Issues the credit note of a refund. Undefined without an invoice, if the refund has its credit note, or if it returns an overpayment
 * only. A refund above the open amount of the invoices credits the open amount, or is 409 with `strict`.
 */
export async function creditRefund(
  ctx: Ctx,
  data: OrderData,
  refundRow: RefundRow,
  { series, strict = false }: { series?: string; strict?: boolean } = {},
): Promise<InvoiceRow | undefined> {
  const documents = (await invoicesOf(ctx, data.row.id)).filter(isBooked);
  if (documents.length === 0 || documents.some((each) => each.refundId === refundRow.id)) return undefined;
  const preview = refundRow.preview;
  const wanted = creditFromRefund(preview);
  if (wanted.total === 0) return undefined;
  const open = openInvoices(documents);
  if (strict && wanted.total > openTotal(open))
    throw problem('credit_exceeds_invoice', {
      detail: 'The credit exceeds the remaining amount of the invoice.',
      open: openTotal(open),
    });
  const notes = creditNotes(wanted, open);
  const total = notes.reduce((sum, { figures }) => sum + figures.total, 0);
  const tax = notes.reduce((sum, { figures }) => sum + figures.tax, 0);
  // The credit note contains the rounding differences of the earlier ones, and so does its refund.
  if (total === wanted.total && tax !== refundRow.tax.amount)
    await ctx.rows(refund).update(refundRow.id, { tax: { amount: tax, currency: data.row.currency } });
  const [created] = await issueCredits(ctx, data, notes, {
    reason: refundRow.reason,
    refundId: refundRow.id,
    ...(series === undefined ? {} : { series }),
    quantities: new Map(preview.lines.flatMap(({ lineId, quantity }) => (quantity > 0 ? [[lineId, quantity]] : []))),
  });
  return created;
}

/** Credits everything open, for a cancelled order or on request. Undefined if nothing is open. */
export async function creditRemainder(
  ctx: Ctx,
  row: OrderRow,
  options: { reason?: string; series?: string } = {},
): Promise<InvoiceRow | undefined> {
  const documents = (await invoicesOf(ctx, row.id)).filter(isBooked);
  const [created] = await creditAll(ctx, await withData(ctx, row), documents, {
    reason: options.reason ?? row.cancelReason,
    ...(options.series === undefined ? {} : { series: options.series }),
  });
  return created;
}

/** Credits refunds that succeeded before the order was invoiced. */
export async function creditEarlier(ctx: Ctx, data: OrderData): Promise<void> {
  const done = await ctx.rows(refund).find({ orderId: data.row.id, status: 'succeeded' }, { orderBy: ['createdAt', 'id'] });
  for (const each of done) await creditRefund(ctx, data, each);
}

/** Amounts of refunds with a credit note by part of the order, with tax. A refund without lines is spread over all parts. */
async function creditedRefunds(
  ctx: Ctx,
  { row, sheet }: OrderData,
  documents: readonly InvoiceRow[],
): Promise<Map<string, number>> {
  const ids = documents.flatMap(({ refundId }) => refundId ?? []);
  const amounts = new Map<string, number>();
  if (ids.length === 0) return amounts;
  const add = (id: string, amount: number) => amounts.set(id, (amounts.get(id) ?? 0) + amount);
  const previews = (await ctx.rows(refund).find({ orderId: row.id, id: ids })).map(previewOf);
  for (const { lines, shipping } of previews) {
    for (const { lineId, amount } of lines) add(lineId, amount);
    const [first] = sheet.shippingLines;
    if (shipping && first) add(first.id, shipping.amount);
  }
  const free = previews.reduce(
    (sum, each) => sum + (each.free?.taxGroups ?? []).reduce((n, { base, tax }) => n + base + tax, 0),
    0,
  );
  const parts = [...sheet.lines, ...sheet.shippingLines, ...sheet.surcharges];
  const open = parts.map(({ id, net, tax }) => Math.max(0, net + tax - (amounts.get(id) ?? 0)));
  allocate(
    Math.min(
      free,
      open.reduce((sum, each) => sum + each, 0),
    ),
    open,
    open,
  ).forEach((share, i) => {
    if (share > 0) add((parts[i] as { id: string }).id, share);
  });
  return amounts;
}

/** Documents of an edit of an invoiced order: an invoice for the supplement, a credit note for the reduction. */
export async function correctInvoices(ctx: Ctx, before: OrderData, after: OrderData, reason: string): Promise<void> {
  const documents = (await invoicesOf(ctx, after.row.id)).filter(isBooked);
  if (documents.length === 0) return;
  // Refunds have their own credit notes.
  const beyondBefore = await beyondBy(ctx, after.row, before.sheet);
  const beyondAfter = await beyondBy(ctx, after.row, after.sheet);
  const credited = new Map([...beyondAfter].map(([id, amount]) => [id, Math.max(0, amount - (beyondBefore.get(id) ?? 0))]));
  const refunded = await creditedRefunds(ctx, before, documents);
  const open = openInvoices(documents);
  const { supplement, credit } = correction(before.sheet, after.sheet, credited, refunded, openRates(open));
  if (credit) {
    const kept = new Set(after.sheet.taxSummary.map(rateKey));
    const closing = new Set(before.sheet.taxSummary.map(rateKey).filter((key) => !kept.has(key)));
    await issueCredits(ctx, { ...before, row: after.row }, creditNotes(credit, open, closing), { reason });
  }
  if (supplement) {
    const quantities = new Map(
      after.lines.map((each) => [each.id, each.quantity - (before.lines.find((old) => old.id === each.id)?.quantity ?? 0)]),
    );
    await issue(
      ctx,
      {
        row: after.row,
        lines: after.lines,
        sheet: after.sheet,
        pricing: after.pricing,
        kind: 'invoice',
        figures: supplement,
        quantities: new Map([...quantities].filter(([, quantity]) => quantity > 0)),
        paid: 0,
        reason,
      },
      { series: ctx.settings(settings).invoiceSeries },
    );
  }
}
