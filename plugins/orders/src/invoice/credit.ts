import { type Ctx, problem } from '@storeloom/plugin-sdk';
import { creditFromRefund, type InvoiceFigures, type RefundPreview } from '@storeloom/plugin-sdk/money';
import { type LineRow, type OrderData, type OrderRow, withData } from '../load.ts';
import { settings } from '../settings.ts';
import { line, refund } from '../tables.ts';
import { beyondBy, type RefundRow } from '../view/figures.ts';
import type { DocumentInput } from './document.ts';
import { type Booked, correction, remainder } from './document-figures.ts';
import { documentOf, type InvoiceRow, invoicesOf, issue } from './invoice.ts';

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

const openSum = (documents: readonly InvoiceRow[]): number =>
  openClaims(documents).reduce((sum, claim) => sum + Math.max(0, claim.open), 0);

/** The invoice that a credit note names: the newest that claims enough, else the one that claims most. */
function originalFor(documents: readonly InvoiceRow[], total: number): InvoiceRow {
  const claims = openClaims(documents).reverse();
  const largest = [...claims].sort((x, y) => y.open - x.open)[0];
  const fitting = claims.find((claim) => claim.open >= total) ?? largest;
  if (!fitting || total > openSum(documents))
    throw problem('credit_exceeds_invoice', {
      detail: 'The credit exceeds the remaining amount of the invoice.',
      open: openSum(documents),
    });
  return fitting.row;
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
  documents: readonly InvoiceRow[],
  figures: InvoiceFigures,
  more: CreditOptions & { quantities?: DocumentInput['quantities']; original?: InvoiceRow },
): Promise<InvoiceRow> {
  const original = more.original ?? originalFor(documents, figures.total);
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

/** Everything that invoices still claim: a credit note for each of them. */
async function creditAll(
  ctx: Ctx,
  data: OrderData,
  documents: readonly InvoiceRow[],
  { refundId, ...more }: CreditOptions,
): Promise<InvoiceRow[]> {
  const made: InvoiceRow[] = [];
  const whole = documents.length === 1 ? { quantities: new Map(data.lines.map((each) => [each.id, each.quantity])) } : {};
  for (const { row: original } of openClaims(documents)) {
    const own = documents.filter((each) => each.id === original.id || each.originalInvoiceId === original.id);
    const figures = remainder(own.map(booked));
    // One credit note a refund: the first one names it.
    const named = refundId === undefined || made.length > 0 ? {} : { refundId };
    if (figures) made.push(await issueCredit(ctx, data, documents, figures, { ...more, ...whole, ...named, original }));
  }
  return made;
}

/**
 * The credit note of a refund. Undefined where nothing was invoiced, or the refund has its credit note already. A refund of more than the
 * invoice claims (the order was paid too much): 409 when it is asked for, else what is claimed is credited.
 */
export async function creditRefund(
  ctx: Ctx,
  data: OrderData,
  given: RefundRow,
  { series, strict = false }: { series?: string; strict?: boolean } = {},
): Promise<InvoiceRow | undefined> {
  const documents = (await invoicesOf(ctx, data.row.id)).filter(isBooked);
  if (documents.length === 0 || documents.some((each) => each.refundId === given.id)) return undefined;
  const preview = given.preview as unknown as RefundPreview;
  const figures = creditFromRefund(data.sheet, preview);
  const options = { reason: given.reason, refundId: given.id, ...(series === undefined ? {} : { series }) };
  if (!strict && figures.total > openSum(documents)) return (await creditAll(ctx, data, documents, options))[0];
  const quantities = new Map(preview.lines.map(({ lineId, quantity }) => [lineId, quantity]));
  return issueCredit(ctx, data, documents, figures, { ...options, quantities });
}

/** Everything that invoices still claim, for a cancelled order or by hand. Undefined when there is nothing. */
export async function creditRemainder(
  ctx: Ctx,
  row: OrderRow,
  options: { reason?: string; series?: string } = {},
): Promise<InvoiceRow | undefined> {
  const documents = (await invoicesOf(ctx, row.id)).filter(isBooked);
  const [made] = await creditAll(ctx, await withData(ctx, row), documents, {
    reason: options.reason ?? row.cancelReason,
    ...(options.series === undefined ? {} : { series: options.series }),
  });
  return made;
}

/** Refunds that went through before the order was invoiced. */
export async function creditEarlier(ctx: Ctx, data: OrderData): Promise<void> {
  const done = await ctx.rows(refund).find({ orderId: data.row.id, status: 'succeeded' }, { orderBy: ['createdAt', 'id'] });
  for (const each of done) await creditRefund(ctx, data, each);
}

/** An edit of an invoiced order: the supplement is invoiced, the part that went is credited. */
export async function correctInvoices(ctx: Ctx, before: OrderData, after: OrderData, reason: string): Promise<void> {
  const documents = (await invoicesOf(ctx, after.row.id)).filter(isBooked);
  if (documents.length === 0) return;
  // What refunds gave back of a part is credited by theirs already.
  const had = await beyondBy(ctx, after.row, before.sheet);
  const has = await beyondBy(ctx, after.row, after.sheet);
  const credited = new Map([...has].map(([id, amount]) => [id, Math.max(0, amount - (had.get(id) ?? 0))]));
  const { supplement, credit } = correction(before.sheet, after.sheet, credited);
  const old = { ...before, row: after.row };
  // Money that was given back for its own sake is credited already: then there is less left to credit.
  if (credit && credit.total > openSum(documents)) await creditAll(ctx, old, documents, { reason });
  else if (credit) await issueCredit(ctx, old, documents, credit, { reason });
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
