import { f, type RowOf, type Shape } from '@storeloom/plugin-sdk';
import { totalsFields } from '@storeloom/plugin-sdk/money';
import { addressFields } from '@storeloom/plugin-sdk/people';
import {
  channels,
  fulfillmentStates,
  fulfillmentStatuses,
  invoiceKinds,
  orderStatuses,
  paymentStatuses,
  refundMethods,
  refundStates,
} from './order-states.ts';

const taxLine = f.object({ ratePpm: f.ppm(), amount: f.money() });

const discount = f.object({ promotionId: f.text(), code: f.text().optional(), name: f.text(), amount: f.money() });

const priceFields = {
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
  ...priceFields,
  options: f.json().optional().describe('Value by the name of the option.'),
  custom: f.json().optional().describe('Text that the shopper added, for example an engraving.'),
  data: f.json().optional().describe('Input of a line that is not a product, as its plugin defines it.'),
  children: f
    .list(f.object({ variantId: f.id(), quantity: f.int(), title: f.text(), sku: f.text(), total: f.money() }))
    .optional(),
  ships: f.bool(),
  ...quantities,
} satisfies Shape;

const charge = { id: f.text(), code: f.text(), name: f.text(), ...priceFields } satisfies Shape;

/** Tax by rate and category. */
export const taxSummaryField = f.list(f.object({ ratePpm: f.ppm(), categoryCode: f.text(), base: f.money(), tax: f.money() }));

/** Fields of an order in both the admin and the storefront API. */
export const sharedOrderShape = {
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
  taxSummary: taxSummaryField,
  totals: f.object(totalsFields),
  refunded: f.money(),
} satisfies Shape;

/** A payment in the admin API, for the `response` of a route. */
export const paymentShape = {
  id: f.id(),
  methodCode: f.text(),
  provider: f.text(),
  providerRef: f.text().optional(),
  status: f.text(),
  amount: f.money(),
  authorizedAmount: f.money(),
  capturedAmount: f.money(),
  refundedAmount: f.money(),
  expiresAt: f.instant().optional(),
  error: f.text().optional(),
  createdAt: f.instant(),
} satisfies Shape;

/** An order in the storefront API, for the `response` of a route. */
export const publicOrderShape = {
  ...sharedOrderShape,
  fulfillments: f.list(
    f.object({
      id: f.id(),
      status: f.oneOf(fulfillmentStates),
      carrier: f.text().optional(),
      trackingNumber: f.text().optional(),
      awbNumber: f.text().optional(),
      shippedAt: f.instant().optional(),
      deliveredAt: f.instant().optional(),
      lines: f.list(f.object({ lineId: f.id(), quantity: f.int() })),
    }),
  ),
  refunds: f.list(
    f.object({
      id: f.id(),
      amount: f.money(),
      status: f.oneOf(refundStates),
      method: f.oneOf(refundMethods),
      createdAt: f.instant(),
    }),
  ),
  invoices: f.list(f.object({ number: f.text(), kind: f.oneOf(invoiceKinds), issuedAt: f.instant(), total: f.money() })),
} satisfies Shape;
/** An order in the storefront API. */
export type PublicOrder = RowOf<typeof publicOrderShape>;
