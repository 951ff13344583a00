// Generated from the OpenAPI document of the plugin checkout. Do not edit.

import type { CallOptions, Money, Pages, Slice } from '../index.ts';

export interface AdminGetCartRecoveryConfigAnswer {
  enabled: boolean;
  idleMinutes: number;
  steps: { delayHours: number; templateId: string; promotionId: string | null; }[];
  maxPer30Days: number;
  version: number;
}

export interface AdminGetDashboardAbandonedCartStatsAnswer {
  period: { from: string; to: string; timezone: string; };
  generatedAt: string;
  currency: string;
  metrics: Record<string, unknown>;
  series: Record<string, unknown>;
  lists: Record<string, unknown>;
  masked: string[];
}

export interface AdminPostCartRecoveryConfigInput {
  enabled?: boolean;
  idleMinutes?: number;
  steps: { delayHours: number; templateId: string; promotionId?: string | null; }[];
  maxPer30Days?: number;
}

export interface CheckoutAbandonedCart {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  cartId: string;
  email: string | null;
  customerId: string | null;
  value: Money;
  lines: { kind: string; variantId: string | null; title: string; quantity: number; }[];
  stage: number;
  status: "active" | "abandoned" | "reminded" | "recovered" | "lost" | "opted_out";
  lastActivityAt: string;
  abandonedAt: string;
  reminders: { step: number | null; templateId: string; sentAt: string; openedAt: string | null; }[];
  remindedAt: string | null;
  recoveredOrderId: string | null;
  recoveredAt: string | null;
  baseValue: Money;
  ordersBefore: number;
  recoveryToken: string | null;
}

export interface CheckoutAbandonedCart2 {
  cart: { id: string | null; cartToken: string | null; status: string; currency: string; locale: string; customerId: string | null; email: string | null; lines: ({ id: string; kind: string; variantId: string | null; productId: string | null; data: Record<string, unknown> | null; title: string; sku: string | null; image: string | null; quantity: number; unitPrice: Money; listPrice: Money; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; available: boolean; gift: boolean; options: Record<string, unknown> | null; custom: Record<string, unknown> | null; children: { variantId: string; quantity: number; title: string; sku: string; }[] | null; })[]; promotions: { code: string | null; name: string; applied: boolean; amount: Money; reason: string | null; pending: ("payment_method" | "country")[]; missing: Money | null; missingQuantity: number | null; }[]; shippingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null; shippingMethodId: string | null; paymentMethod: string | null; country: string | null; totals: { itemsSubtotal: Money; itemsDiscount: Money; shipping: Money; shippingDiscount: Money; surcharges: Money; taxTotal: Money; total: Money; cashRounding: Money; tenders: { type: string; reference: string | null; amount: Money; }[]; amountDue: Money; }; taxSummary: { ratePpm: number; categoryCode: string; base: Money; tax: Money; }[]; paymentMethods: ({ code: string; name: string; provider: string; online: boolean; instructions: string | null; fee: { fixed: Money | null; percentBp: number | null; } | null; clientKey: string | null; })[]; warnings: { code: string; message: string; pointer: string | null; }[]; version: number; };
  cartToken: string | null;
  url: string;
}

export interface CheckoutAbandonedCartInput {
  cartId: string;
  templateId?: string | null;
}

export interface CheckoutAbandonedCartRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  cartId: string;
  email: string | null;
  customerId: string | null;
  value: Money;
  lines: { kind: string; variantId: string | null; title: string; quantity: number; }[];
  stage: number;
  status: "active" | "abandoned" | "reminded" | "recovered" | "lost" | "opted_out";
  lastActivityAt: string;
  abandonedAt: string;
  reminders: { step: number | null; templateId: string; sentAt: string; openedAt: string | null; }[];
  remindedAt: string | null;
  recoveredOrderId: string | null;
  recoveredAt: string | null;
  baseValue: Money;
  ordersBefore: number;
  recoveryToken: string | null;
  masked?: string[];
}

export interface CheckoutCartAbandonedEvent {
  cartId: string;
  email: string | null;
  customerId: string | null;
  value: Money;
}

export interface CheckoutCartConvertedEvent {
  cartId: string;
  orderId: string;
}

export interface CheckoutCartRecoveredEvent {
  cartId: string;
  orderId: string;
}

export interface CheckoutDraftCompletedEvent {
  draftId: string;
  orderId: string;
}

export interface CheckoutDraftLinkSentEvent {
  draftId: string;
}

export interface CheckoutDraftOrder {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  customerId: string | null;
  email: string | null;
  lines: ({ variantId: string | null; title: string | null; quantity: number; unitPrice: Money | null; discount: { percentBp: number | null; amount: Money | null; } | null; note: string | null; })[];
  shipping: { methodId: string | null; name: string | null; price: Money | null; } | null;
  discount: { percentBp: number | null; amount: Money | null; } | null;
  applyPromotions: boolean;
  currency: string;
  note: string | null;
  expiresAt: string | null;
  source: "manual" | "rfq" | "recovery";
  metadata: Record<string, unknown> | null;
  status: "open" | "link_sent" | "completed" | "expired" | "deleted";
  totals: Record<string, unknown>;
  orderId: string | null;
  link: { url: string; expiresAt: string; } | null;
}

export interface CheckoutDraftOrder2 {
  url: string;
  token: string;
  expiresAt: string;
}

export interface CheckoutDraftOrderChange {
  customerId?: string | null;
  email?: string | null;
  lines?: ({ variantId?: string | null; title?: string | null; quantity: number; unitPrice?: Money | null; discount?: { percentBp?: number | null; amount?: Money | null; } | null; note?: string | null; })[];
  shipping?: { methodId?: string | null; name?: string | null; price?: Money | null; } | null;
  discount?: { percentBp?: number | null; amount?: Money | null; } | null;
  applyPromotions?: boolean;
  currency?: string;
  note?: string | null;
  expiresAt?: string | null;
  source?: "manual" | "rfq" | "recovery";
  metadata?: Record<string, unknown> | null;
}

export interface CheckoutDraftOrderInput {
  customerId?: string | null;
  email?: string | null;
  lines: ({ variantId?: string | null; title?: string | null; quantity: number; unitPrice?: Money | null; discount?: { percentBp?: number | null; amount?: Money | null; } | null; note?: string | null; })[];
  shipping?: { methodId?: string | null; name?: string | null; price?: Money | null; } | null;
  discount?: { percentBp?: number | null; amount?: Money | null; } | null;
  applyPromotions?: boolean;
  currency: string;
  note?: string | null;
  expiresAt?: string | null;
  source?: "manual" | "rfq" | "recovery";
  metadata?: Record<string, unknown> | null;
}

export interface CheckoutDraftOrderRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  customerId: string | null;
  email: string | null;
  lines: ({ variantId: string | null; title: string | null; quantity: number; unitPrice: Money | null; discount: { percentBp: number | null; amount: Money | null; } | null; note: string | null; })[];
  shipping: { methodId: string | null; name: string | null; price: Money | null; } | null;
  discount: { percentBp: number | null; amount: Money | null; } | null;
  applyPromotions: boolean;
  currency: string;
  note: string | null;
  expiresAt: string | null;
  source: "manual" | "rfq" | "recovery";
  metadata: Record<string, unknown> | null;
  status: "open" | "link_sent" | "completed" | "expired" | "deleted";
  totals: Record<string, unknown>;
  orderId: string | null;
  link: { url: string; expiresAt: string; } | null;
}

export interface StorefrontGetCartAnswer {
  id: string | null;
  cartToken: string | null;
  status: string;
  currency: string;
  locale: string;
  customerId: string | null;
  email: string | null;
  lines: ({ id: string; kind: string; variantId: string | null; productId: string | null; data: Record<string, unknown> | null; title: string; sku: string | null; image: string | null; quantity: number; unitPrice: Money; listPrice: Money; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; available: boolean; gift: boolean; options: Record<string, unknown> | null; custom: Record<string, unknown> | null; children: { variantId: string; quantity: number; title: string; sku: string; }[] | null; })[];
  promotions: { code: string | null; name: string; applied: boolean; amount: Money; reason: string | null; pending: ("payment_method" | "country")[]; missing: Money | null; missingQuantity: number | null; }[];
  shippingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null;
  shippingMethodId: string | null;
  paymentMethod: string | null;
  country: string | null;
  totals: { itemsSubtotal: Money; itemsDiscount: Money; shipping: Money; shippingDiscount: Money; surcharges: Money; taxTotal: Money; total: Money; cashRounding: Money; tenders: { type: string; reference: string | null; amount: Money; }[]; amountDue: Money; };
  taxSummary: { ratePpm: number; categoryCode: string; base: Money; tax: Money; }[];
  paymentMethods: ({ code: string; name: string; provider: string; online: boolean; instructions: string | null; fee: { fixed: Money | null; percentBp: number | null; } | null; clientKey: string | null; })[];
  warnings: { code: string; message: string; pointer: string | null; }[];
  version: number;
}

export interface StorefrontGetCheckoutDraftByTokenAnswer {
  kind: "draft" | "recovery";
  cartToken: string | null;
  draftToken: string | null;
  currency: string;
  lines: ({ id: string; kind: string; variantId: string | null; productId: string | null; data: Record<string, unknown> | null; title: string; sku: string | null; image: string | null; quantity: number; unitPrice: Money; listPrice: Money; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; available: boolean; gift: boolean; options: Record<string, unknown> | null; custom: Record<string, unknown> | null; children: { variantId: string; quantity: number; title: string; sku: string; }[] | null; })[];
  totals: { itemsSubtotal: Money; itemsDiscount: Money; shipping: Money; shippingDiscount: Money; surcharges: Money; taxTotal: Money; total: Money; cashRounding: Money; tenders: { type: string; reference: string | null; amount: Money; }[]; amountDue: Money; };
  expiresAt: string;
  customer: { email: string | null; };
}

export interface StorefrontGetCheckoutOrdersByIdAnswer {
  id: string;
  version: number;
  number: string;
  status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled";
  paymentStatus: "unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided";
  fulfillmentStatus: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned";
  channel: "web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription";
  email: string;
  phone: string | null;
  currency: string;
  priceMode: "gross" | "net";
  billingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; };
  shippingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null;
  paymentMethod: string | null;
  notes: string | null;
  poNumber: string | null;
  placedAt: string;
  paidAt: string | null;
  shippedAt: string | null;
  deliveredAt: string | null;
  completedAt: string | null;
  cancelledAt: string | null;
  lines: ({ id: string; kind: string; variantId: string | null; productId: string | null; sku: string | null; title: string; image: string | null; quantity: number; unitPrice: Money; listPrice: Money; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; options: Record<string, unknown> | null; custom: Record<string, unknown> | null; data: Record<string, unknown> | null; children: { variantId: string; quantity: number; title: string; sku: string; total: Money; }[] | null; ships: boolean; quantityFulfilled: number; quantityShipped: number; quantityDelivered: number; quantityReturned: number; quantityCancelled: number; quantityRefunded: number; })[];
  shippingLines: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; methodId: string | null; carrier: string | null; })[];
  surcharges: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; })[];
  discounts: { promotionId: string; code: string | null; name: string; target: "line" | "order" | "shipping"; amount: Money; }[];
  taxSummary: { ratePpm: number; categoryCode: string; base: Money; tax: Money; }[];
  totals: { itemsSubtotal: Money; itemsDiscount: Money; shipping: Money; shippingDiscount: Money; surcharges: Money; taxTotal: Money; total: Money; cashRounding: Money; tenders: { type: string; reference: string | null; amount: Money; }[]; amountDue: Money; };
  refunded: Money;
  fulfillments: ({ id: string; status: "pending" | "packed" | "shipped" | "delivered" | "failed_delivery" | "returned_to_sender" | "cancelled"; carrier: string | null; trackingNumber: string | null; awbNumber: string | null; shippedAt: string | null; deliveredAt: string | null; lines: { lineId: string; quantity: number; }[]; })[];
  refunds: { id: string; amount: Money; status: "pending" | "succeeded" | "failed" | "cancelled"; method: "original" | "store_credit" | "gift_card" | "manual"; createdAt: string; }[];
  invoices: { number: string; kind: "invoice" | "credit_note" | "proforma"; issuedAt: string; total: Money; }[];
  payment: { id: string; status: string; clientSecret: string | null; redirectUrl: string | null; } | null;
}

export interface StorefrontPatchCartChange {
  paymentMethod?: string | null;
  country?: string | null;
}

export interface StorefrontPatchCartItemsByIdInput {
  quantity: number;
}

export interface StorefrontPostCartItemsInput {
  kind?: string;
  variantId?: string | null;
  data?: Record<string, unknown> | null;
  quantity: number;
  options?: Record<string, unknown> | null;
  custom?: Record<string, unknown> | null;
  currency?: string | null;
  locale?: string | null;
}

export interface StorefrontPostCartPromotionInput {
  code: string;
}

export interface StorefrontPostCheckoutOneClickAnswer {
  order: { id: string; version: number; number: string; status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled"; paymentStatus: "unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided"; fulfillmentStatus: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned"; channel: "web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription"; email: string; phone: string | null; currency: string; priceMode: "gross" | "net"; billingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; }; shippingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null; paymentMethod: string | null; notes: string | null; poNumber: string | null; placedAt: string; paidAt: string | null; shippedAt: string | null; deliveredAt: string | null; completedAt: string | null; cancelledAt: string | null; lines: ({ id: string; kind: string; variantId: string | null; productId: string | null; sku: string | null; title: string; image: string | null; quantity: number; unitPrice: Money; listPrice: Money; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; options: Record<string, unknown> | null; custom: Record<string, unknown> | null; data: Record<string, unknown> | null; children: { variantId: string; quantity: number; title: string; sku: string; total: Money; }[] | null; ships: boolean; quantityFulfilled: number; quantityShipped: number; quantityDelivered: number; quantityReturned: number; quantityCancelled: number; quantityRefunded: number; })[]; shippingLines: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; methodId: string | null; carrier: string | null; })[]; surcharges: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; })[]; discounts: { promotionId: string; code: string | null; name: string; target: "line" | "order" | "shipping"; amount: Money; }[]; taxSummary: { ratePpm: number; categoryCode: string; base: Money; tax: Money; }[]; totals: { itemsSubtotal: Money; itemsDiscount: Money; shipping: Money; shippingDiscount: Money; surcharges: Money; taxTotal: Money; total: Money; cashRounding: Money; tenders: { type: string; reference: string | null; amount: Money; }[]; amountDue: Money; }; refunded: Money; fulfillments: ({ id: string; status: "pending" | "packed" | "shipped" | "delivered" | "failed_delivery" | "returned_to_sender" | "cancelled"; carrier: string | null; trackingNumber: string | null; awbNumber: string | null; shippedAt: string | null; deliveredAt: string | null; lines: { lineId: string; quantity: number; }[]; })[]; refunds: { id: string; amount: Money; status: "pending" | "succeeded" | "failed" | "cancelled"; method: "original" | "store_credit" | "gift_card" | "manual"; createdAt: string; }[]; invoices: { number: string; kind: "invoice" | "credit_note" | "proforma"; issuedAt: string; total: Money; }[]; };
  orderToken: string | null;
  payment: { id: string; status: string; clientSecret: string | null; redirectUrl: string | null; } | null;
  warnings: { code: string; message: string; pointer: string | null; }[];
}

export interface StorefrontPostCheckoutOneClickInput {
  variantId: string;
  quantity?: number;
  addressId?: string | null;
  paymentInstrumentId?: string | null;
  shippingMethodId?: string | null;
  expectedTotal: Money;
}

export interface StorefrontPostCheckoutOrdersByIdConfirmPaymentInput {
  paymentId?: string | null;
  providerPayload?: Record<string, unknown> | null;
  paymentMethod?: string | null;
  returnUrl?: string | null;
  expectedTotal?: Money | null;
}

export interface StorefrontPostCheckoutPlaceInput {
  cartId?: string | null;
  cartToken?: string | null;
  draftToken?: string | null;
  email: string;
  billingAddress: { firstName: string; lastName: string; company?: string | null; vatId?: string | null; line1: string; line2?: string | null; city: string; region?: string | null; postalCode: string; country: string; phone?: string | null; email?: string | null; };
  shippingAddress?: { firstName: string; lastName: string; company?: string | null; vatId?: string | null; line1: string; line2?: string | null; city: string; region?: string | null; postalCode: string; country: string; phone?: string | null; email?: string | null; } | null;
  shippingMethodId?: string | null;
  quoteToken?: string | null;
  pickupPointId?: string | null;
  paymentMethod: string;
  tenders?: { type: "gift_card" | "store_credit" | "loyalty_points"; code?: string | null; amount?: Money | null; }[] | null;
  consents: { terms: boolean; marketing?: boolean | null; age?: boolean | null; };
  note?: string | null;
  poNumber?: string | null;
  vatId?: string | null;
  saveAddress?: boolean;
  savePaymentMethod?: boolean;
  returnUrl?: string | null;
  expectedTotal: Money;
}

export interface StorefrontPostCheckoutRecoveryStopInput {
  token: string;
}

export interface StorefrontPostCheckoutShippingQuotesInput {
  cartToken?: string | null;
  lines?: { variantId: string; quantity: number; }[] | null;
  address: { firstName?: string | null; lastName?: string | null; company?: string | null; vatId?: string | null; line1?: string | null; line2?: string | null; city?: string | null; region?: string | null; postalCode?: string | null; country: string; phone?: string | null; email?: string | null; };
  email?: string | null;
}

export interface StorefrontPostCheckoutShippingQuotesRow {
  methodId: string;
  code: string;
  carrier: string | null;
  name: string;
  price: Money;
  tax: Money;
  etaMinDays: number | null;
  etaMaxDays: number | null;
  pickupPoints: { id: string; name: string; address: string; }[] | null;
  quoteToken: string | null;
  expiresAt: string | null;
}

export interface AdminGetAbandonedCartsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "value" | "-value" | "stage" | "-stage" | "lastActivityAt" | "-lastActivityAt" | "abandonedAt" | "-abandonedAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "value" | "-value" | "stage" | "-stage" | "lastActivityAt" | "-lastActivityAt" | "abandonedAt" | "-abandonedAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  cartId?: string | { ne?: string; in?: string | readonly string[]; };
  email?: string | { ne?: string; in?: string | readonly string[]; };
  customerId?: string | { ne?: string; in?: string | readonly string[]; };
  value?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  status?: "active" | "abandoned" | "reminded" | "recovered" | "lost" | "opted_out" | { ne?: "active" | "abandoned" | "reminded" | "recovered" | "lost" | "opted_out"; in?: ("active" | "abandoned" | "reminded" | "recovered" | "lost" | "opted_out") | readonly ("active" | "abandoned" | "reminded" | "recovered" | "lost" | "opted_out")[]; };
  lastActivityAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  abandonedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetDashboardAbandonedCartStatsQuery {
  from?: string;
  to?: string;
}

export interface AdminGetDraftOrdersQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "expiresAt" | "-expiresAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "expiresAt" | "-expiresAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  customerId?: string | { ne?: string; in?: string | readonly string[]; };
  email?: string | { ne?: string; in?: string | readonly string[]; };
  currency?: string | { ne?: string; in?: string | readonly string[]; };
  source?: "manual" | "rfq" | "recovery" | { ne?: "manual" | "rfq" | "recovery"; in?: ("manual" | "rfq" | "recovery") | readonly ("manual" | "rfq" | "recovery")[]; };
  status?: "open" | "link_sent" | "completed" | "expired" | "deleted" | { ne?: "open" | "link_sent" | "completed" | "expired" | "deleted"; in?: ("open" | "link_sent" | "completed" | "expired" | "deleted") | readonly ("open" | "link_sent" | "completed" | "expired" | "deleted")[]; };
}

export interface CheckoutAdmin {
  abandonedCarts: {
    /** Start the recovery of a cart and queue its e-mail. `POST /api/admin/abandoned-carts`, permission `checkout.abandoned-cart.create`. */
    create(body: CheckoutAbandonedCartInput, options?: CallOptions): Promise<CheckoutAbandonedCart>;
    /** List abandoned carts. `GET /api/admin/abandoned-carts`, permission `checkout.abandoned-cart.read`. */
    list(query?: AdminGetAbandonedCartsQuery, options?: CallOptions): Pages<CheckoutAbandonedCartRow>;
    recover: {
      /** Take over a cart for a buyer on the phone. `POST /api/admin/abandoned-carts/recover/{token}`, permission `checkout.abandoned-cart.recover`. */
      post(token: string, options?: CallOptions): Promise<CheckoutAbandonedCart2>;
    };
  };
  cartRecoveryConfig: {
    /** Set when and how abandoned carts are recovered. `POST /api/admin/cart-recovery-config`, permission `checkout.cart-recovery-config.create`. */
    create(body: AdminPostCartRecoveryConfigInput, options?: CallOptions): Promise<AdminGetCartRecoveryConfigAnswer>;
    /** Get when and how abandoned carts are recovered. `GET /api/admin/cart-recovery-config`, permission `checkout.cart-recovery-config.read`. */
    get(options?: CallOptions): Promise<AdminGetCartRecoveryConfigAnswer>;
  };
  dashboard: {
    /** Figures of abandoned-cart. `GET /api/admin/dashboard/abandoned-cart-stats`, permission `checkout.stats.read`. */
    abandonedCartStats(query?: AdminGetDashboardAbandonedCartStatsQuery, options?: CallOptions): Promise<AdminGetDashboardAbandonedCartStatsAnswer>;
  };
  draftOrders: {
    /** Create a draft order. `POST /api/admin/draft-orders`, permission `checkout.draft-order.create`. */
    create(body: CheckoutDraftOrderInput, options?: CallOptions): Promise<CheckoutDraftOrder>;
    /** Create a link with which the buyer places the draft. `POST /api/admin/draft-orders/{id}/generate-link`, permission `checkout.draft-order.generate-link`. */
    generateLink(id: string, options?: CallOptions): Promise<CheckoutDraftOrder2>;
    /** Read a draft order. `GET /api/admin/draft-orders/{id}`, permission `checkout.draft-order.read`. */
    get(id: string, options?: CallOptions): Promise<CheckoutDraftOrder>;
    /** List draft orders. `GET /api/admin/draft-orders`, permission `checkout.draft-order.read`. */
    list(query?: AdminGetDraftOrdersQuery, options?: CallOptions): Pages<CheckoutDraftOrderRow>;
    /** Delete a draft order. `DELETE /api/admin/draft-orders/{id}`, permission `checkout.draft-order.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a draft order. `PATCH /api/admin/draft-orders/{id}`, permission `checkout.draft-order.update`. */
    update(id: string, body: CheckoutDraftOrderChange, options?: CallOptions): Promise<CheckoutDraftOrder>;
  };
}

export interface CheckoutStorefront {
  cart: {
    /** Get the visitor’s cart. `GET /api/storefront/cart`. */
    get(options?: CallOptions): Promise<StorefrontGetCartAnswer>;
    items: {
      /** Add an item to the cart; a new cart is created if there is none, or if it was ordered. `POST /api/storefront/cart/items`. */
      create(body: StorefrontPostCartItemsInput, options?: CallOptions): Promise<StorefrontGetCartAnswer>;
      /** Remove a line. `DELETE /api/storefront/cart/items/{id}`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Set the quantity of a line; 0 removes it. `PATCH /api/storefront/cart/items/{id}`. */
      update(id: string, body: StorefrontPatchCartItemsByIdInput, options?: CallOptions): Promise<StorefrontGetCartAnswer>;
    };
    promotion: {
      /** Enter a promotion code. `POST /api/storefront/cart/promotion`. */
      (body: StorefrontPostCartPromotionInput, options?: CallOptions): Promise<StorefrontGetCartAnswer>;
      /** Remove a promotion code. `DELETE /api/storefront/cart/promotion/{code}`. */
      remove(code: string, options?: CallOptions): Promise<void>;
    };
    /** Set the payment method and the country that the buyer intends, before checkout. `PATCH /api/storefront/cart`. */
    update(body?: StorefrontPatchCartChange, options?: CallOptions): Promise<StorefrontGetCartAnswer>;
  };
  checkout: {
    draft: {
      /** Open the draft order or abandoned cart of a link. `GET /api/storefront/checkout/draft/{token}`. */
      get(token: string, options?: CallOptions): Promise<StorefrontGetCheckoutDraftByTokenAnswer>;
    };
    /** Buy one product with the saved address and payment instrument. `POST /api/storefront/checkout/one-click`. */
    oneClick(body: StorefrontPostCheckoutOneClickInput, options?: CallOptions): Promise<StorefrontPostCheckoutOneClickAnswer>;
    orders: {
      /** Update the payment from the provider, or start the next attempt. `POST /api/storefront/checkout/orders/{id}/confirm-payment`. */
      confirmPayment(id: string, body?: StorefrontPostCheckoutOrdersByIdConfirmPaymentInput, options?: CallOptions): Promise<StorefrontPostCheckoutOneClickAnswer>;
      /** Get the order for the confirmation page. `GET /api/storefront/checkout/orders/{id}`. */
      get(id: string, options?: CallOptions): Promise<StorefrontGetCheckoutOrdersByIdAnswer>;
    };
    /** Place an order. `POST /api/storefront/checkout/place`. */
    place(body: StorefrontPostCheckoutPlaceInput, options?: CallOptions): Promise<StorefrontPostCheckoutOneClickAnswer>;
    recovery: {
      stop: {
        /** Unsubscribe from e-mails about abandoned carts. `POST /api/storefront/checkout/recovery/stop`. */
        (body: StorefrontPostCheckoutRecoveryStopInput, options?: CallOptions): Promise<void>;
        /** Unsubscribe from e-mails about abandoned carts, by one click in an e-mail program. `POST /api/storefront/checkout/recovery/stop/{token}`. */
        post(token: string, body: URLSearchParams | FormData, options?: CallOptions): Promise<void>;
      };
    };
    /** Quote shipping methods for a cart, or for variants. `POST /api/storefront/checkout/shipping-quotes`. */
    shippingQuotes(body: StorefrontPostCheckoutShippingQuotesInput, options?: CallOptions): Pages<StorefrontPostCheckoutShippingQuotesRow>;
  };
}

export interface CheckoutEvents {
  'checkout.cart.abandoned': CheckoutCartAbandonedEvent;
  'checkout.cart.converted': CheckoutCartConvertedEvent;
  'checkout.cart.recovered': CheckoutCartRecoveredEvent;
  'checkout.draft.completed': CheckoutDraftCompletedEvent;
  'checkout.draft.link_sent': CheckoutDraftLinkSentEvent;
}

const adminRoutes = `
abandonedCarts.create POST /abandoned-carts bk
abandonedCarts.list GET /abandoned-carts lq
abandonedCarts.recover.post POST /abandoned-carts/recover/{}
cartRecoveryConfig.create POST /cart-recovery-config bk
cartRecoveryConfig.get GET /cart-recovery-config
dashboard.abandonedCartStats GET /dashboard/abandoned-cart-stats q
draftOrders.create POST /draft-orders bk
draftOrders.generateLink POST /draft-orders/{}/generate-link
draftOrders.get GET /draft-orders/{}
draftOrders.list GET /draft-orders lq
draftOrders.remove DELETE /draft-orders/{}
draftOrders.update PATCH /draft-orders/{} b
`;

const storefrontRoutes = `
cart.get GET /cart
cart.items.create POST /cart/items bk
cart.items.remove DELETE /cart/items/{}
cart.items.update PATCH /cart/items/{} b
cart.promotion POST /cart/promotion bk
cart.promotion.remove DELETE /cart/promotion/{}
cart.update PATCH /cart b
checkout.draft.get GET /checkout/draft/{}
checkout.oneClick POST /checkout/one-click bk
checkout.orders.confirmPayment POST /checkout/orders/{}/confirm-payment bk
checkout.orders.get GET /checkout/orders/{}
checkout.place POST /checkout/place bk
checkout.recovery.stop POST /checkout/recovery/stop bk
checkout.recovery.stop.post POST /checkout/recovery/stop/{} b
checkout.shippingQuotes POST /checkout/shipping-quotes lbk
`;

/** Routes and events of checkout. */
export const checkout: Slice<{ admin: CheckoutAdmin; storefront: CheckoutStorefront }, CheckoutEvents> = { plugin: 'checkout', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of checkout for visitors of a shop: without those for staff and operators. */
export const checkoutStorefront: Slice<{ storefront: CheckoutStorefront }, CheckoutEvents> = { plugin: 'checkout', routes: { storefront: storefrontRoutes } };
