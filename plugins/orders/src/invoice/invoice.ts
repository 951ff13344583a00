import { invoiceEvents } from '@storeloom/commerce';
import { type Ctx, problem, type TableRow } from '@storeloom/plugin-sdk';
import { formatNumber, nextNumber } from '@storeloom/plugin-sdk/ledger';
import { invoiceFromOrder } from '@storeloom/plugin-sdk/money';
import { civilDate, dayBounds } from '@storeloom/plugin-sdk/time';
import type { OrderData, OrderRow } from '../load.ts';
import { settings } from '../settings.ts';
import { invoice } from '../tables.ts';
import { type DocumentInput, freeze, type OrderDocument } from './document.ts';

export type InvoiceRow = TableRow<typeof invoice>;
export const documentOf = (row: InvoiceRow): OrderDocument => row.document as unknown as OrderDocument;

/** Documents of an order, oldest first. */
export async function invoicesOf(ctx: Ctx, orderId: string): Promise<InvoiceRow[]> {
  return ctx.rows(invoice).find({ orderId }, { orderBy: ['issuedAt', 'sequence', 'id'] });
}

export interface IssueOptions {
  series: string;
  originalInvoiceId?: string;
  refundId?: string;
}

/** Gives a document its number and stores it. The number's row stays locked until the commit: call it as late as can be. */
export async function issue(ctx: Ctx, input: DocumentInput, options: IssueOptions): Promise<InvoiceRow> {
  const frozen = await freeze(ctx, input);
  const { timezone } = ctx.tenant;
  const now = ctx.clock.now();
  const series = formatNumber(options.series, 0, civilDate(now, timezone));
  const sequence = await nextNumber(ctx, 'orders_invoice_number', series);
  const number = `${series}-${String(sequence).padStart(6, '0')}`;
  const document: OrderDocument = { ...frozen, number, series };
  const row = await ctx.rows(invoice).insert({
    orderId: input.row.id,
    kind: input.kind,
    series,
    sequence,
    number,
    originalInvoiceId: options.originalInvoiceId ?? null,
    refundId: options.refundId ?? null,
    issuedAt: now,
    dueAt: frozen.dueDate === null ? null : dayBounds(frozen.dueDate, frozen.dueDate, timezone).start,
    total: { amount: frozen.total, currency: input.row.currency },
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

/** 409 `nothing_to_invoice`: nothing paid or shipped yet, nothing to pay at all, or invoiced already. The order must be locked. */
export async function issueInvoice(
  ctx: Ctx,
  data: OrderData,
  kind: 'invoice' | 'proforma',
  series?: string,
): Promise<InvoiceRow> {
  const { row, lines, sheet, pricing } = data;
  const own = ctx.settings(settings);
  const figures = invoiceFromOrder(sheet);
  if (figures.total === 0) throw problem('nothing_to_invoice', { detail: 'The order total is zero.' });
  if (kind === 'invoice') {
    const standing = (await invoicesOf(ctx, row.id)).find((each) => each.kind === 'invoice');
    if (standing) throw problem('nothing_to_invoice', { detail: `The order already has the invoice ${standing.number}.` });
    const begun = row.captured.amount + row.tendered.amount > 0 || lines.some((line) => line.quantityShipped > 0);
    if (!begun || row.status === 'cancelled')
      throw problem('nothing_to_invoice', { detail: 'No part of the order is paid or shipped.' });
  }
  return issue(
    ctx,
    { row, lines, sheet, pricing, kind, figures, paid: paidOf(row) },
    { series: series ?? (kind === 'proforma' ? own.proformaSeries : own.invoiceSeries) },
  );
}
