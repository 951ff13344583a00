import {
  fulfillmentStates,
  invoiceKinds,
  orderStatuses,
  paymentShape,
  refundMethods,
  refundStates,
  sharedOrderShape,
  taxSummaryField,
} from '@storeloom/commerce';
import { f, type RowOf, type Shape } from '@storeloom/plugin-sdk';
import { addressFields, postalFields } from '@storeloom/plugin-sdk/people';

export const fulfillmentShape = {
  id: f.id(),
  status: f.oneOf(fulfillmentStates),
  warehouseId: f.id().optional(),
  lines: f.list(f.object({ lineId: f.id(), quantity: f.int() })),
  awbNumber: f.text().optional(),
  trackingNumber: f.text().optional(),
  carrier: f.text().optional(),
  packedAt: f.instant().optional(),
  shippedAt: f.instant().optional(),
  deliveredAt: f.instant().optional(),
  createdAt: f.instant(),
  version: f.int(),
} satisfies Shape;

export const refundShape = {
  id: f.id(),
  paymentId: f.id().optional(),
  amount: f.money(),
  tax: f.money().optional(),
  status: f.oneOf(refundStates),
  reason: f.text(),
  method: f.oneOf(refundMethods),
  lines: f.list(f.object({ lineId: f.id(), quantity: f.int(), restock: f.bool() })),
  shipping: f.money().optional(),
  payments: f.list(f.object({ paymentId: f.id(), amount: f.money() })),
  providerRef: f.text().optional(),
  by: f.text().optional(),
  createdAt: f.instant(),
} satisfies Shape;

const sellerShape = {
  name: f.text(),
  vatId: f.text().optional(),
  regNo: f.text().optional(),
  address: f.object(postalFields()).optional(),
  email: f.text().optional(),
  phone: f.text().optional(),
  iban: f.text().optional(),
  bank: f.text().optional(),
} satisfies Shape;
const invoiceHead = {
  id: f.id(),
  kind: f.oneOf(invoiceKinds),
  series: f.text(),
  number: f.text(),
  originalInvoiceId: f.id().optional(),
  refundId: f.id().optional(),
  issuedAt: f.instant(),
  dueAt: f.instant().optional(),
  total: f.money(),
  pdfUrl: f.text(),
  efacturaStatus: f.text().optional(),
} satisfies Shape;

export const orderShape = {
  createdAt: f.instant(),
  updatedAt: f.instant(),
  ...sharedOrderShape,
  previousStatus: f.oneOf(orderStatuses).optional(),
  allowed: f.list(f.oneOf(orderStatuses)),
  holdReason: f.text().optional(),
  cancelReason: f.text().optional(),
  channelRef: f.text().optional(),
  customerId: f.id().optional(),
  cartId: f.id().optional(),
  draftId: f.id().optional(),
  locale: f.text(),
  country: f.text(),
  captured: f.money(),
  tendered: f.money(),
  paidLater: f.bool(),
  revision: f.int(),
  ip: f.text().optional(),
  userAgent: f.text().optional(),
  utm: f.json().optional().describe('UTM parameters by name.'),
  metadata: f.json().optional().describe('Metadata of the shop.'),
  payments: f.list(f.object(paymentShape)).optional(),
  refunds: f.list(f.object(refundShape)),
  fulfillments: f.list(f.object(fulfillmentShape)),
  returns: f.list(f.json().describe('A return in the format of its plugin.')).optional(),
  invoices: f.list(f.object(invoiceHead)),
  internalNotes: f.list(f.object({ id: f.id(), text: f.text(), by: f.text().optional(), createdAt: f.instant() })),
  fx: f.object({ rate: f.decimal(), rateId: f.id().optional(), baseCurrency: f.text() }).optional(),
  taxTreatment: f.text(),
  taxReason: f
    .text()
    .optional()
    .describe('Why the tax is what it is. `vat_check_unavailable`: the register has yet to confirm the VAT number.'),
  vat: f
    .object({
      number: f.text(),
      status: f.oneOf(['valid', 'invalid', 'unavailable']),
      checkedAt: f.instant().optional(),
      consultationNumber: f.text().optional(),
    })
    .optional()
    .describe("The buyer's VAT number with the proof of its check."),
  vendorSplits: f.list(f.json().describe('The share of a vendor in the format of its plugin.')).optional(),
  risk: f.json().optional().describe('The result of the fraud check.'),
  history: f.list(
    f.object({
      from: f.text().optional(),
      to: f.text(),
      at: f.instant(),
      actor: f.object({ type: f.text(), id: f.text().optional() }),
      reason: f.text().optional(),
    }),
  ),
} satisfies Shape;

/** An order with the trace of its prices. */
export const explainedOrderShape = {
  ...orderShape,
  trace: f.json().optional().describe('The calculation of the totals, step by step.'),
} satisfies Shape;
export type AdminOrder = RowOf<typeof orderShape>;

const documentLine = f.object({
  id: f.text(),
  kind: f.text(),
  title: f.text(),
  sku: f.text().optional(),
  quantity: f.int().optional(),
  unitPrice: f.money().optional(),
  discount: f.money().optional(),
  ratePpm: f.ppm(),
  categoryCode: f.text(),
  net: f.money(),
  tax: f.money(),
  gross: f.money(),
});
export const invoiceShape = {
  id: f.id(),
  number: f.text(),
  series: f.text(),
  sequence: f.int(),
  kind: f.oneOf(invoiceKinds),
  orderId: f.id(),
  orderNumber: f.text(),
  originalInvoiceId: f.id().optional(),
  refundId: f.id().optional(),
  issuedAt: f.instant(),
  dueAt: f.instant().optional(),
  currency: f.text(),
  buyer: f.object(addressFields()),
  seller: f.object(sellerShape),
  lines: f.list(documentLine),
  taxSummary: taxSummaryField,
  roundingAmount: f.money(),
  totals: f.object({ net: f.money(), tax: f.money(), total: f.money(), paid: f.money(), amountDue: f.money() }),
  pdfUrl: f.text(),
  efacturaStatus: f.text().optional(),
  sentAt: f.instant().optional(),
  createdAt: f.instant(),
  version: f.int(),
} satisfies Shape;
