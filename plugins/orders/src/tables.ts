import {
  channels,
  fulfillmentStates,
  fulfillmentStatuses,
  invoiceKinds,
  orderStatuses,
  paymentStatuses,
  type RefundAllocation,
  refundMethods,
  refundStates,
} from '@storeloom/commerce';
import { entityOf, f, many, table } from '@storeloom/plugin-sdk';
import type { RefundPreview } from '@storeloom/plugin-sdk/money';
import { addressFields } from '@storeloom/plugin-sdk/people';
import type { OrderDocument } from './invoice/document.ts';
import type { StoredPricing } from './placing/snapshot.ts';

/** Prices are in the current revision, lines in their own table. */
export const order = table(
  'order',
  {
    number: f.text({ max: 60 }),
    cartId: f.id().optional(),
    draftId: f.id().optional(),
    status: f.oneOf(orderStatuses),
    /** The status that an order on hold returns to. */
    previousStatus: f.oneOf(orderStatuses).optional(),
    holdReason: f.text({ max: 500 }).optional(),
    cancelReason: f.text({ max: 500 }).optional(),
    /** Derived, kept for lists. */
    paymentStatus: f.oneOf(paymentStatuses),
    fulfillmentStatus: f.oneOf(fulfillmentStatuses),
    channel: f.oneOf(channels),
    channelRef: f.text().optional(),
    customerId: f.id().optional(),
    email: f.email().personal(),
    phone: f.text({ max: 40 }).optional().personal(),
    locale: f.text({ max: 20 }),
    currency: f.text({ max: 3 }),
    priceMode: f.oneOf(['gross', 'net']),
    billingAddress: f.object(addressFields()).personal(),
    shippingAddress: f.object(addressFields()).optional().personal(),
    /** Country of the shipping address, otherwise of the billing address. */
    country: f.text({ max: 2 }),
    /** The current revision of the prices. */
    revision: f.int({ min: 1 }),
    total: f.money(),
    amountDue: f.money(),
    captured: f.money(),
    refunded: f.money(),
    tendered: f.money(),
    paymentMethod: f.text({ max: 60 }).optional(),
    /** Paid on delivery or on account, so that goods are shipped before payment. */
    paidLater: f.bool().default(false),
    notes: f.text({ max: 2000 }).optional().personal(),
    poNumber: f.text({ max: 60 }).optional().personal(),
    ip: f.text({ max: 60 }).optional().personal(),
    userAgent: f.text({ max: 300 }).optional().personal(),
    utm: f.json().optional().personal(),
    metadata: f.json().optional().personal(),
    tokenHash: f.text({ max: 60 }),
    tokenExpiresAt: f.instant(),
    /** Number, names, e-mail, phone, SKUs and AWBs, searched without case and diacritics. */
    searchText: f.text({ max: 20_000 }),
    placedAt: f.instant(),
    paidAt: f.instant().optional(),
    shippedAt: f.instant().optional(),
    deliveredAt: f.instant().optional(),
    completedAt: f.instant().optional(),
    cancelledAt: f.instant().optional(),
  },
  {
    uniques: [
      { fields: ['cartId'], where: "cart_id is not null and status <> 'cancelled'" },
      { fields: ['draftId'], where: "draft_id is not null and status <> 'cancelled'" },
      { fields: ['number'] },
    ],
    indexes: [
      { name: 'orders_order_customer_idx', fields: ['customerId', 'placedAt', 'id'], where: 'customer_id is not null' },
      { name: 'orders_order_delivered_idx', fields: ['deliveredAt'], where: "status = 'delivered'" },
      { name: 'orders_order_email_idx', fields: ['email', 'placedAt', 'id'] },
      { name: 'orders_order_fulfillment_idx', fields: ['fulfillmentStatus', 'placedAt', 'id'] },
      { name: 'orders_order_payment_idx', fields: ['paymentStatus', 'placedAt', 'id'] },
      { name: 'orders_order_placed_idx', fields: ['placedAt', 'id'] },
      { name: 'orders_order_status_idx', fields: ['status', 'placedAt', 'id'] },
      { name: 'orders_order_total_idx', fields: ['total', 'id'] },
    ],
    sqlOnly: { orders_order_search_idx: 'GiST index for trigram search' },
  },
);

/** A line as it was bought; only quantities change. Its id is the id of the line in the price sheet. */
export const line = table(
  'line',
  {
    orderId: f.ref('orders.order'),
    position: f.int({ min: 0 }),
    kind: f.text({ max: 60 }),
    variantId: f.id().optional(),
    productId: f.id().optional(),
    sku: f.text({ max: 100 }).optional(),
    title: f.text({ max: 500 }),
    image: f.text({ max: 2000 }).optional(),
    ships: f.bool(),
    weightG: f.int({ min: 0 }),
    taxCategoryId: f.id().optional(),
    children: f.list(f.json()).optional(),
    data: f.json({ max: 65_536 }).optional(),
    options: f.json().optional(),
    custom: f.json({ max: 65_536 }).optional().personal(),
    facts: f.json({ max: 65_536 }).optional(),
    quantity: f.int({ min: 0 }),
    quantityFulfilled: f.int({ min: 0 }).default(0),
    quantityShipped: f.int({ min: 0 }).default(0),
    quantityDelivered: f.int({ min: 0 }).default(0),
    quantityReturned: f.int({ min: 0 }).default(0),
    quantityCancelled: f.int({ min: 0 }).default(0),
    quantityRefunded: f.int({ min: 0 }).default(0),
    /** Shipped units that were restocked. */
    quantityRestocked: f.int({ min: 0 }).default(0),
    /** When an edit removed the line. */
    removedAt: f.instant().optional(),
  },
  {
    indexes: [
      { name: 'orders_line_order_idx', fields: ['orderId', 'position'] },
      { name: 'orders_line_product_idx', fields: ['productId'], where: 'product_id is not null' },
      { name: 'orders_line_variant_idx', fields: ['variantId'], where: 'variant_id is not null' },
    ],
  },
);

export const Order = entityOf(order, { relations: { lines: many(line, 'orderId', { orderBy: { position: 'asc' } }) } });
export const Line = entityOf(line);

/** Prices of an order, one row per placement or edit: the sheet with its trace, and the pricing context without personal data. */
export const revision = table(
  'revision',
  {
    orderId: f.ref('orders.order'),
    revision: f.int({ min: 1 }),
    /** JSON as text, because a trace replays byte by byte and jsonb would sort its properties. */
    sheet: f.text({ max: 10_000_000 }),
    pricing: f.json<StoredPricing>({ max: 1_000_000 }),
    reason: f.text({ max: 500 }).optional(),
  },
  { uniques: [{ name: 'orders_revision_key', fields: ['orderId', 'revision'] }], appendOnly: true },
);

export const Revision = entityOf(revision);

export const fulfillment = table(
  'fulfillment',
  {
    orderId: f.ref('orders.order'),
    status: f.oneOf(fulfillmentStates),
    warehouseId: f.id().optional(),
    awbNumber: f.text({ max: 100 }).optional(),
    trackingNumber: f.text({ max: 100 }).optional(),
    carrier: f.text({ max: 60 }).optional(),
    packedAt: f.instant().optional(),
    shippedAt: f.instant().optional(),
    deliveredAt: f.instant().optional(),
    cancelledAt: f.instant().optional(),
  },
  {
    indexes: [
      { name: 'orders_fulfillment_open_idx', fields: ['warehouseId'], where: "status in ('pending', 'packed')" },
      { name: 'orders_fulfillment_order_idx', fields: ['orderId'] },
    ],
  },
);

export const fulfillmentLine = table(
  'fulfillment-line',
  {
    fulfillmentId: f.ref('orders.fulfillment'),
    orderId: f.ref('orders.order'),
    lineId: f.ref('orders.line'),
    quantity: f.int({ min: 1 }),
  },
  {
    uniques: [{ name: 'orders_fulfillment_line_key', fields: ['fulfillmentId', 'lineId'] }],
    indexes: [{ name: 'orders_fulfillment_line_order_idx', fields: ['orderId'] }],
    appendOnly: true,
  },
);

export const refund = table(
  'refund',
  {
    orderId: f.ref('orders.order'),
    status: f.oneOf(refundStates),
    amount: f.money(),
    tax: f.money(),
    method: f.oneOf(refundMethods),
    /** The payment selected by staff. */
    paymentId: f.id().optional(),
    allocations: f.list(f.json<RefundAllocation>()),
    /** The result of `previewRefund`, from which the next refund is calculated. */
    preview: f.json<RefundPreview>({ max: 1_000_000 }),
    /** `restockUnshipped`: units whose reservation the refund released. */
    lines: f.list(f.object({ lineId: f.id(), quantity: f.int(), restock: f.bool(), restockUnshipped: f.int().optional() })),
    reason: f.text({ max: 500 }),
    by: f.text({ max: 80 }).optional(),
    settledAt: f.instant().optional(),
  },
  { indexes: [{ name: 'orders_refund_order_idx', fields: ['orderId', 'createdAt'] }] },
);

/** Immutable after the issue. */
export const invoice = table(
  'invoice',
  {
    orderId: f.ref('orders.order'),
    kind: f.oneOf(invoiceKinds),
    series: f.text({ max: 30 }),
    sequence: f.int({ min: 1 }),
    number: f.text({ max: 60 }),
    originalInvoiceId: f.ref('orders.invoice').optional(),
    refundId: f.ref('orders.refund').optional(),
    issuedAt: f.instant(),
    dueAt: f.instant().optional(),
    total: f.money(),
    document: f.json<OrderDocument>({ max: 5_000_000 }),
  },
  {
    uniques: [
      { fields: ['number'] },
      { fields: ['refundId'], where: 'refund_id is not null' },
      { name: 'orders_invoice_sequence_key', fields: ['series', 'sequence'] },
    ],
    indexes: [
      { name: 'orders_invoice_issued_idx', fields: ['issuedAt', 'id'] },
      { name: 'orders_invoice_order_idx', fields: ['orderId', 'issuedAt'] },
    ],
    appendOnly: true,
  },
);

/** State of a document after its issue. */
export const invoiceState = table(
  'invoice-state',
  {
    invoiceId: f.ref('orders.invoice'),
    efacturaStatus: f.text({ max: 40 }).optional(),
    locks: f.bool().default(false),
    sentAt: f.instant().optional(),
  },
  { uniques: [{ fields: ['invoiceId'] }] },
);

export const internalNote = table(
  'internal-note',
  {
    orderId: f.ref('orders.order'),
    text: f.text({ max: 5000 }).personal(),
    by: f.text({ max: 80 }).optional(),
  },
  { indexes: [{ name: 'orders_internal_note_order_idx', fields: ['orderId', 'createdAt'] }] },
);

export const history = table(
  'history',
  {
    orderId: f.ref('orders.order'),
    fromStatus: f.text({ max: 40 }).optional(),
    toStatus: f.text({ max: 40 }),
    actorType: f.text({ max: 20 }),
    actorId: f.text({ max: 80 }).optional(),
    reason: f.text({ max: 500 }).optional(),
  },
  { indexes: [{ name: 'orders_history_order_idx', fields: ['orderId', 'createdAt', 'id'] }], appendOnly: true },
);

/** Payment states that were reported to the order: each takes effect once. */
const settlement = table(
  'settlement',
  {
    orderId: f.ref('orders.order'),
    paymentId: f.id(),
    status: f.text({ max: 40 }),
    capturedAmount: f.money(),
    authorizedAmount: f.money(),
  },
  {
    uniques: [{ name: 'orders_settlement_key', fields: ['paymentId', 'status', 'capturedAmount', 'authorizedAmount'] }],
    appendOnly: true,
  },
);

export const tables = [
  order,
  line,
  revision,
  fulfillment,
  fulfillmentLine,
  refund,
  invoice,
  invoiceState,
  internalNote,
  history,
  settlement,
];
