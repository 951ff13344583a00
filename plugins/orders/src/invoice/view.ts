import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { money } from '@storeloom/plugin-sdk/money';
import { invoice, invoiceState } from '../tables.ts';
import type { OrderDocument } from './document.ts';
import { documentOf, type InvoiceRow } from './invoice.ts';

const pdfPath = (id: string): string => `/api/admin/invoices/${id}/pdf`;

function wireDocument(document: OrderDocument) {
  const { currency } = document;
  const m = (amount: number) => money(amount, currency);
  return {
    lines: document.lines.map((line) => ({
      ...line,
      unitPrice: line.unitPrice === null ? null : m(line.unitPrice),
      discount: line.discount === null ? null : m(line.discount),
      net: m(line.net),
      tax: m(line.tax),
      gross: m(line.gross),
    })),
    taxSummary: document.taxSummary.map((row) => ({ ...row, base: m(row.base), tax: m(row.tax) })),
    roundingAmount: m(document.roundingAmount),
    totals: {
      net: m(document.net),
      tax: m(document.tax),
      total: m(document.total),
      paid: m(document.paid),
      amountDue: m(document.amountDue),
    },
  };
}

export interface InvoiceStatus {
  efacturaStatus: string | null;
  sentAt: string | null;
}

export function wireInvoice(row: InvoiceRow, state: InvoiceStatus) {
  const { id, kind, series, sequence, number, orderId, originalInvoiceId, refundId, issuedAt, dueAt, createdAt, version } = row;
  const document = documentOf(row);
  return {
    id,
    number,
    series,
    sequence,
    kind,
    orderId,
    orderNumber: document.order.number,
    originalInvoiceId,
    refundId,
    issuedAt,
    dueAt,
    currency: document.currency,
    buyer: document.buyer,
    seller: document.seller,
    ...wireDocument(document),
    pdfUrl: pdfPath(id),
    efacturaStatus: state.efacturaStatus,
    sentAt: state.sentAt,
    createdAt,
    version,
  };
}

export async function statusesOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, InvoiceStatus>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.rows(invoiceState).find({ invoiceId: ids });
  return new Map(rows.map(({ invoiceId, efacturaStatus, sentAt }) => [invoiceId, { efacturaStatus, sentAt }]));
}
export const noStatus: InvoiceStatus = { efacturaStatus: null, sentAt: null };

export async function wireInvoices(ctx: Ctx, rows: readonly InvoiceRow[]) {
  const states = await statusesOf(
    ctx,
    rows.map((row) => row.id),
  );
  return rows.map((row) => wireInvoice(row, states.get(row.id) ?? noStatus));
}

/** Summaries of the documents of an order. */
export async function invoiceSummaries(ctx: Ctx, orderId: string) {
  const rows = await ctx.rows(invoice).find({ orderId }, { orderBy: ['issuedAt', 'sequence', 'id'] });
  const states = await statusesOf(
    ctx,
    rows.map((row) => row.id),
  );
  return rows.map(({ id, kind, series, number, originalInvoiceId, refundId, issuedAt, dueAt, total }) => ({
    id,
    kind,
    series,
    number,
    originalInvoiceId,
    refundId,
    issuedAt,
    dueAt,
    total,
    pdfUrl: pdfPath(id),
    efacturaStatus: states.get(id)?.efacturaStatus ?? null,
  }));
}

/** Updates the state of a document after its issue. */
export async function markInvoice(
  ctx: Ctx,
  invoiceId: string,
  change: { efacturaStatus?: string | null; locks?: boolean; sentAt?: string },
): Promise<void> {
  await ctx.rows(invoice).require(invoiceId);
  const now = ctx.clock.now();
  await ctx.db.run(sql`insert into orders_invoice_state (tenant_id, id, invoice_id, created_at, updated_at)
    values (${ctx.tenant.id}, ${invoiceId}, ${invoiceId}, ${now}, ${now}) on conflict on constraint orders_invoice_state_invoice_id_key do nothing`);
  await ctx.rows(invoiceState).updateWhere({ invoiceId }, change);
}
