import { invoiceKinds } from '@storeloom/commerce';
import {
  accepted,
  type Ctx,
  created,
  f,
  file,
  invalid,
  list,
  mailer,
  notFound,
  problem,
  type RowOf,
  route,
  type Shape,
  sql,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { isErasedEmail } from '@storeloom/plugin-sdk/people';
import { findOrder, loadOrder } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { mailData } from '../mails.ts';
import { invoice, refund } from '../tables.ts';
import { textsOf } from '../texts.ts';
import { invoiceShape } from '../view/shapes.ts';
import { creditEarlier, creditRefund, creditRemainder } from './credit.ts';
import { documentOf, type InvoiceRow, issueInvoice } from './invoice.ts';
import { invoicePdf } from './pdf.ts';
import { markInvoice, noStatus, statusesOf, wireInvoice, wireInvoices } from './view.ts';

const invoiceListing = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    orderId: { field: f.id(), operators: ['eq', 'in'] },
    kind: { field: f.oneOf(invoiceKinds) },
    series: { field: f.text({ max: 30 }), column: 't.series', operators: ['eq', 'in'] },
    number: { field: f.text({ max: 60 }), column: 't.number', operators: ['eq', 'in'] },
    issuedAt: { field: f.instant() },
    total: { field: f.money(), column: 't.total_amount' },
  },
  sorts: {
    issuedAt: { column: 't.issued_at', type: 'timestamptz' },
    number: { column: 't.number', type: 'text' },
    total: { column: 't.total_amount', type: 'int8' },
  },
  defaultSort: '-issuedAt',
});

export const invoiceListRoute = route(
  'GET',
  '/invoices/',
  {
    permission: 'orders.invoice.read',
    summary: 'List invoices, credit notes and proformas, newest first',
    query: invoiceListing,
    response: invoiceShape,
    list: true,
  },
  (ctx: Ctx, req) =>
    invoiceListing.run<{ id: string }, RowOf<typeof invoiceShape>>(
      ctx,
      req.query,
      { select: sql`t.id`, from: sql`orders_invoice t`, where: sql`t.tenant_id = ${ctx.tenant.id}` },
      async (ids) => {
        const rows = await ctx.rows(invoice).find({ id: ids.map(({ id }) => id) });
        const byId = new Map((await wireInvoices(ctx, rows)).map((each) => [each.id, each]));
        return ids.flatMap(({ id }) => byId.get(id) ?? []);
      },
    ),
);

async function invoiceView(ctx: Ctx, row: InvoiceRow) {
  return wireInvoice(row, (await statusesOf(ctx, [row.id])).get(row.id) ?? noStatus);
}

const createBody = {
  orderId: f.ref('orders.order'),
  kind: f.oneOf(invoiceKinds).default('invoice'),
  refundId: f.ref('orders.refund').optional(),
  series: f.text({ max: 20, pattern: /^[A-Za-z0-9](?:\{YYYY\}|\{YY\}|[A-Za-z0-9._/-])*$/ }).optional(),
} satisfies Shape;

async function createCreditNote(ctx: Ctx, orderId: string, refundId: string | null, series: string | null): Promise<InvoiceRow> {
  const data = await lockOrder(ctx, orderId);
  const more = series === null ? {} : { series };
  if (refundId === null) {
    const creditNote = await creditRemainder(ctx, data.row, more);
    if (!creditNote)
      throw problem('credit_exceeds_invoice', { detail: 'The invoices of the order are fully credited.', open: 0 });
    return creditNote;
  }
  const row = await ctx.rows(refund).first({ id: refundId, orderId });
  if (!row) throw notFoundAt('/refundId');
  if (row.status === 'failed' || row.status === 'cancelled')
    throw problem('credit_exceeds_invoice', {
      detail: `The status of the refund is ${row.status}. Only succeeded refunds have a credit note.`,
    });
  const creditNote = await creditRefund(ctx, data, row, { ...more, strict: true });
  if (!creditNote)
    throw problem('credit_exceeds_invoice', { detail: 'The order has no invoice, or the refund already has a credit note.' });
  return creditNote;
}
async function createInvoice(
  ctx: Ctx,
  orderId: string,
  kind: 'invoice' | 'proforma',
  series: string | null,
): Promise<InvoiceRow> {
  const data = await lockOrder(ctx, orderId);
  const row = await issueInvoice(ctx, data, kind, series ?? undefined);
  if (kind === 'invoice') await creditEarlier(ctx, data);
  return row;
}
function notFoundAt(pointer: string) {
  return problem('not_found', { errors: [{ pointer, code: 'not_found', message: 'does not exist' }] });
}

export const invoiceCreateRoute = route(
  'POST',
  '/invoices/',
  {
    permission: 'orders.invoice.create',
    summary: 'Issue an invoice, credit note or proforma of an order',
    body: createBody,
    response: invoiceShape,
    status: 201,
    problems: ['nothing_to_invoice', 'credit_exceeds_invoice'],
  },
  async (ctx: Ctx, req) => {
    const { orderId, kind, refundId, series } = req.body;
    if (!(await findOrder(ctx, orderId))) throw notFoundAt('/orderId');
    if (kind !== 'credit_note' && refundId !== null)
      throw invalid('/refundId', 'unknown_field', 'is only allowed for a credit note');
    const row =
      kind === 'credit_note'
        ? await createCreditNote(ctx, orderId, refundId, series)
        : await createInvoice(ctx, orderId, kind, series);
    return created(`/invoices/?id=${row.id}`, await invoiceView(ctx, row));
  },
);

async function pdfOf(row: InvoiceRow): Promise<Buffer> {
  return invoicePdf(documentOf(row), row.issuedAt);
}
export async function pdfReply(row: InvoiceRow) {
  return file(await pdfOf(row), { type: 'application/pdf', name: `${row.number}.pdf` });
}

export const invoicePdfRoute = route(
  'GET',
  '/invoices/{id}/pdf',
  { permission: 'orders.invoice.read', summary: 'Download a document as PDF', produces: 'application/pdf', additive: true },
  async (ctx: Ctx, req) => pdfReply(await ctx.rows(invoice).require(req.params.id as string)),
);

export const invoiceSendRoute = route(
  'POST',
  '/invoices/{id}/send',
  {
    permission: 'orders.invoice.send',
    summary: 'Send a document by e-mail to the buyer or another address',
    body: { to: f.email().optional() },
    response: { status: f.text(), to: f.email() },
    status: 202,
  },
  async (ctx: Ctx, req) => {
    const row = await ctx.rows(invoice).get(req.params.id as string);
    if (!row) throw notFound();
    const data = await loadOrder(ctx, row.orderId);
    const to = req.body.to ?? data.row.email;
    if (isErasedEmail(to)) throw invalid('/to', 'required', "is required: the buyer's address has been erased");
    const idempotencyKey = req.headers['idempotency-key'];
    const document = documentOf(row);
    await ctx.require(mailer).send({
      to,
      template: 'orders.invoice',
      locale: data.row.locale,
      data: { ...mailData(ctx, data), document: row.number, title: textsOf(document.locale)(`pdf.${row.kind}`) },
      attachments: [{ name: `${row.number}.pdf`, type: 'application/pdf', content: (await pdfOf(row)).toString('base64') }],
      key: `orders invoice ${row.id} ${typeof idempotencyKey === 'string' ? idempotencyKey : uuidv7()}`,
    });
    await markInvoice(ctx, row.id, { sentAt: ctx.clock.now() });
    await ctx.audit({ entity: 'orders.invoice', entityId: row.id, extra: { to } });
    return accepted({ status: 'accepted', to });
  },
);
