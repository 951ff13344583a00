import { f, type Shape } from '@storeloom/plugin-sdk';
import { totalsFields } from '@storeloom/plugin-sdk/money';
import { addressFields } from '@storeloom/plugin-sdk/people';
import { fulfillmentStates } from './fulfillment-machine.ts';
import { channels, fulfillmentStatuses, orderStatuses, paymentStatuses } from './states.ts';
import { invoiceKinds, refundMethods, refundStates } from './tables.ts';

// Shapes of answers, for the documentation of the routes.
const taxLine = f.object({ ratePpm: f.ppm(), amount: f.money() });
const discount = f.object({ promotionId: f.text(), code: f.text().optional(), name: f.text(), amount: f.money() });
const priceMembers = {
  lineSubtotal: f.money(),
  discounts: f.list(discount),
  discountTotal: f.money(),
  taxLines: f.list(taxLine),
  tax: f.money(),
  total: f.money(),
} satisfies Shape;

const quantities = Object.fromEntries(
  ['Fulfilled', 'Shipped', 'Delivered', 'Returned', 'Cancelled', 'Refunded'].map((name) => [`quantity${name}`, f.int()]),
);
const lineShape = {
  id: f.id(),
  kind: f.text(),
  variantId: f.id().optional(),
  productId: f.id().optional(),
  sku: f.text().optional(),
  title: f.text(),
  image: f.text().optional(),
  quantity: f.int(),
  unitPrice: f.money(),
  listPrice: f.money(),
  ...priceMembers,
  options: f.json().optional(),
  custom: f.json().optional(),
  data: f.json().optional(),
  children: f
    .list(f.object({ variantId: f.id(), quantity: f.int(), title: f.text(), sku: f.text(), total: f.money() }))
    .optional(),
  ships: f.bool(),
  ...quantities,
} satisfies Shape;

const charge = { id: f.text(), code: f.text(), name: f.text(), ...priceMembers } satisfies Shape;
const taxSummary = f.list(f.object({ ratePpm: f.ppm(), categoryCode: f.text(), base: f.money(), tax: f.money() }));

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

/** What both families show of an order. */
const common = {
  id: f.id(),
  version: f.int(),
  number: f.text(),
  status: f.oneOf(orderStatuses),
  paymentStatus: f.oneOf(paymentStatuses),
  fulfillmentStatus: f.oneOf(fulfillmentStatuses),
  channel: f.oneOf(channels),
  email: f.email(),
  phone: f.text().optional(),
  currency: f.text(),
  priceMode: f.oneOf(['gross', 'net']),
  billingAddress: f.object(addressFields()),
  shippingAddress: f.object(addressFields()).optional(),
  paymentMethod: f.text().optional(),
  notes: f.text().optional(),
  poNumber: f.text().optional(),
  placedAt: f.instant(),
  paidAt: f.instant().optional(),
  shippedAt: f.instant().optional(),
  deliveredAt: f.instant().optional(),
  completedAt: f.instant().optional(),
  cancelledAt: f.instant().optional(),
  lines: f.list(f.object(lineShape)),
  shippingLines: f.list(f.object({ ...charge, methodId: f.id().optional(), carrier: f.text().optional() })),
  surcharges: f.list(f.object(charge)),
  discounts: f.list(
    f.object({
      promotionId: f.text(),
      code: f.text().optional(),
      name: f.text(),
      target: f.oneOf(['line', 'order', 'shipping']),
      amount: f.money(),
    }),
  ),
  taxSummary,
  totals: f.object(totalsFields),
  refunded: f.money(),
} satisfies Shape;

export const publicOrderShape = {
  ...common,
  fulfillments: f.list(f.json()),
  refunds: f.list(f.json()),
  invoices: f.list(f.object({ number: f.text(), kind: f.oneOf(invoiceKinds), issuedAt: f.instant(), total: f.money() })),
} satisfies Shape;

export const orderShape = {
  createdAt: f.instant(),
  updatedAt: f.instant(),
  ...common,
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
  utm: f.json().optional(),
  metadata: f.json().optional(),
  payments: f.list(f.json()).optional(),
  refunds: f.list(f.object(refundShape)),
  fulfillments: f.list(f.object(fulfillmentShape)),
  returns: f.list(f.json()).optional(),
  invoices: f.list(f.json()),
  internalNotes: f.list(f.object({ id: f.id(), text: f.text(), by: f.text().optional(), createdAt: f.instant() })),
  fx: f.object({ rate: f.decimal(), rateId: f.id().optional(), baseCurrency: f.text() }).optional(),
  taxTreatment: f.text(),
  taxReason: f.text().optional(),
  vendorSplits: f.list(f.json()).optional(),
  risk: f.json().optional(),
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
  buyer: f.json(),
  seller: f.json(),
  lines: f.list(documentLine),
  taxSummary,
  roundingAmount: f.money(),
  totals: f.object({ net: f.money(), tax: f.money(), total: f.money(), paid: f.money(), amountDue: f.money() }),
  pdfUrl: f.text(),
  efacturaStatus: f.text().optional(),
  sentAt: f.instant().optional(),
  createdAt: f.instant(),
  version: f.int(),
} satisfies Shape;
