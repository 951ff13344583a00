import { invoiceEvents } from '@storeloom/commerce';
import { type Ctx, problem, type TableRow } from '@storeloom/plugin-sdk';
import { formatNumber, nextNumber } from '@storeloom/plugin-sdk/ledger';
import { invoiceFromOrder } from '@storeloom/plugin-sdk/money';
import { civilDate, dayBounds } from '@storeloom/plugin-sdk/time';
import type { OrderData, OrderRow } from '../load.ts';
import { settings } from '../settings.ts';
import { invoice } from '../tables.ts';
import { buildDocument, type DocumentInput, type OrderDocument } from './document.ts';

export type InvoiceRow = TableRow<typeof invoice>;
export const documentOf = (row: InvoiceRow): OrderDocument => row.document;

/** Documents of an order, oldest first. */
export async function invoicesOf(ctx: Ctx, orderId: string): Promise<InvoiceRow[]> {
  return ctx.rows(invoice).find({ orderId }, { orderBy: ['issuedAt', 'sequence', 'id'] });
}

export interface IssueOptions {
  series: string;
  originalInvoiceId?: string;
  refundId?: string;
}

/** Numbers and stores a document. The counter stays locked until the commit, so call it as late as possible. */
export async function issue(ctx: Ctx, input: DocumentInput, options: IssueOptions): Promise<InvoiceRow> {
  const content = await buildDocument(ctx, input);
  const { timezone } = ctx.tenant;
  const now = ctx.clock.now();
  const series = formatNumber(options.series, 0, civilDate(now, timezone));
  const sequence = await nextNumber(ctx, 'orders_invoice_number', series);
  const number = `${series}-${String(sequence).padStart(6, '0')}`;
  const document: OrderDocument = { ...content, number, series };
  const row = await ctx.rows(invoice).insert({
    orderId: input.row.id,
    kind: input.kind,
    series,
    sequence,
    number,
    originalInvoiceId: options.originalInvoiceId ?? null,
    refundId: options.refundId ?? null,
    issuedAt: now,
    dueAt: content.dueDate === null ? null : dayBounds(content.dueDate, content.dueDate, timezone).start,
    total: { amount: content.total, currency: input.row.currency },
    document: { ...document },
  });
  await ctx.audit({
    entity: 'orders.invoice',
    entityId: row.id,
    action: 'orders.invoice.create',
    after: { number, kind: input.kind, orderId: input.row.id },
    extra: { amount: row.total },
  });
  await ctx.emit(invoiceEvents.issued, {
    id: input.row.id,
    data: { id: row.id, number, kind: input.kind, orderId: input.row.id, total: row.total },
  });
  return row;
}

const paidOf = ({ captured, tendered, refunded }: OrderRow): number => captured.amount + tendered.amount - refunded.amount;

/** Issues an invoice or proforma; the order must be locked. @throws 409 `nothing_to_invoice` if unpaid and unshipped, free or invoiced */
export async function issueInvoice(
  ctx: Ctx,
  data: OrderData,
  kind: 'invoice' | 'proforma',
  series?: string,
): Promise<InvoiceRow> {
  const { row, lines, sheet, pricing } = data;
  const config = ctx.settings(settings);
  const figures = invoiceFromOrder(sheet);
  if (figures.total === 0) throw problem('nothing_to_invoice', { detail: 'The order total is zero.' });
  if (kind === 'invoice') {
    const existing = (await invoicesOf(ctx, row.id)).find((each) => each.kind === 'invoice');
    if (existing) throw problem('nothing_to_invoice', { detail: `The order already has the invoice ${existing.number}.` });
    const isPaidOrShipped = row.captured.amount + row.tendered.amount > 0 || lines.some((line) => line.quantityShipped > 0);
    if (!isPaidOrShipped || row.status === 'cancelled')
      throw problem('nothing_to_invoice', { detail: 'No part of the order is paid or shipped.' });
  }
  return issue(
    ctx,
    { row, lines, sheet, pricing, kind, figures, paid: paidOf(row) },
    { series: series ?? (kind === 'proforma' ? config.proformaSeries : config.invoiceSeries) },
  );
}
