import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { creditFromRefund, type InvoiceFigures, type RefundPreview } from '@storeloom/plugin-sdk/money';
import type { DocumentInput } from './document.ts';
import { type Booked, correction, remainder } from './document-figures.ts';
import type { RefundRow } from './figures.ts';
import { documentOf, type InvoiceRow, invoicesOf, issue } from './invoice.ts';
import { type LineRow, type OrderData, type OrderRow, withData } from './load.ts';
import { settings } from './settings.ts';
import { line } from './tables.ts';

const isBooked = (row: InvoiceRow): boolean => row.kind !== 'proforma';
const booked = (row: InvoiceRow): Booked => {
  const { lines, taxSummary, net, tax, roundingAmount, total } = documentOf(row);
  return { kind: row.kind === 'credit_note' ? 'credit_note' : 'invoice', lines, taxSummary, net, tax, roundingAmount, total };
};

/** What each invoice still claims after its credit notes. */
function openClaims(documents: readonly InvoiceRow[]): { row: InvoiceRow; open: number }[] {
  return documents
    .filter((row) => row.kind === 'invoice')
    .map((row) => ({
      row,
      open: documents
        .filter((each) => each.originalInvoiceId === row.id)
        .reduce((left, each) => left - each.total.amount, row.total.amount),
    }));
}

/** The invoice that a credit note names: the newest that is large enough. 409 `credit_exceeds_invoice` when all together are not. */
function originalFor(documents: readonly InvoiceRow[], total: number): InvoiceRow {
  const claims = openClaims(documents).reverse();
  const sum = claims.reduce((all, claim) => all + claim.open, 0);
  const fitting = claims.find((claim) => claim.open >= total) ?? claims[0];
  if (!fitting || total > sum)
    throw problem('credit_exceeds_invoice', {
      detail: 'The credit is larger than what the invoice still claims.',
      open: Math.max(0, sum),
    });
  return fitting.row;
}

async function allLines(ctx: Ctx, orderId: string): Promise<LineRow[]> {
  return ctx.rows(line).find({ orderId }, { orderBy: ['position', 'id'] });
}

async function issueCredit(
  ctx: Ctx,
  data: OrderData,
  documents: readonly InvoiceRow[],
  figures: InvoiceFigures,
  more: { quantities?: DocumentInput['quantities']; reason: string | null; refundId?: string; series?: string },
): Promise<InvoiceRow> {
  const original = originalFor(documents, figures.total);
  const own = ctx.settings(settings);
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
      series: more.series ?? own.creditNoteSeries ?? own.invoiceSeries,
      originalInvoiceId: original.id,
      ...(more.refundId === undefined ? {} : { refundId: more.refundId }),
    },
  );
}

/** The credit note of a refund. Undefined where nothing was invoiced, or the refund has its credit note already. */
export async function creditRefund(
  ctx: Ctx,
  data: OrderData,
  refund: RefundRow,
  series?: string,
): Promise<InvoiceRow | undefined> {
  const documents = (await invoicesOf(ctx, data.row.id)).filter(isBooked);
  if (documents.length === 0 || documents.some((each) => each.refundId === refund.id)) return undefined;
  const preview = refund.preview as unknown as RefundPreview;
  return issueCredit(ctx, data, documents, creditFromRefund(data.sheet, preview), {
    quantities: new Map(preview.lines.map(({ lineId, quantity }) => [lineId, quantity])),
    reason: refund.reason,
    refundId: refund.id,
    ...(series === undefined ? {} : { series }),
  });
}

/** Everything that invoices still claim, for a cancelled order or by hand. Undefined when there is nothing. */
export async function creditRemainder(
  ctx: Ctx,
  row: OrderRow,
  options: { reason?: string; series?: string } = {},
): Promise<InvoiceRow | undefined> {
  const documents = (await invoicesOf(ctx, row.id)).filter(isBooked);
  const figures = remainder(documents.map(booked));
  if (!figures) return undefined;
  const data = await withData(ctx, row);
  const whole = documents.length === 1 ? { quantities: new Map(data.lines.map((each) => [each.id, each.quantity])) } : {};
  return issueCredit(ctx, data, documents, figures, {
    ...whole,
    reason: options.reason ?? row.cancelReason,
    ...(options.series === undefined ? {} : { series: options.series }),
  });
}

/** An edit of an invoiced order: the supplement is invoiced, the part that went is credited. */
export async function correctInvoices(ctx: Ctx, before: OrderData, after: OrderData, reason: string): Promise<void> {
  const documents = (await invoicesOf(ctx, after.row.id)).filter(isBooked);
  if (documents.length === 0) return;
  const { supplement, credit } = correction(before.sheet, after.sheet);
  if (credit) await issueCredit(ctx, { ...before, row: after.row }, documents, credit, { reason });
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
