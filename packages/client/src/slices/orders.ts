// Generated from the OpenAPI document of the plugin orders. Do not edit.

import type { CallOptions, Download, Money, Pages, Slice } from '../index.ts';

export interface AdminGetInvoicesRow {
  id: string;
  number: string;
  series: string;
  sequence: number;
  kind: "invoice" | "credit_note" | "proforma";
  orderId: string;
  orderNumber: string;
  originalInvoiceId: string | null;
  refundId: string | null;
  issuedAt: string;
  dueAt: string | null;
  currency: string;
  buyer: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; };
  seller: { name: string; vatId: string | null; regNo: string | null; address: { line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; } | null; email: string | null; phone: string | null; iban: string | null; bank: string | null; };
  lines: { id: string; kind: string; title: string; sku: string | null; quantity: number | null; unitPrice: Money | null; discount: Money | null; ratePpm: number; categoryCode: string; net: Money; tax: Money; gross: Money; }[];
  taxSummary: { ratePpm: number; categoryCode: string; base: Money; tax: Money; }[];
  roundingAmount: Money;
  totals: { net: Money; tax: Money; total: Money; paid: Money; amountDue: Money; };
  pdfUrl: string;
  efacturaStatus: string | null;
  sentAt: string | null;
  createdAt: string;
  version: number;
}

export interface AdminGetOrdersByIdAnswer {
  createdAt: string;
  updatedAt: string;
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
  previousStatus: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled" | null;
  allowed: ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled")[];
  holdReason: string | null;
  cancelReason: string | null;
  channelRef: string | null;
  customerId: string | null;
  cartId: string | null;
  draftId: string | null;
  locale: string;
  country: string;
  captured: Money;
  tendered: Money;
  paidLater: boolean;
  revision: number;
  ip: string | null;
  userAgent: string | null;
  utm: Record<string, unknown> | null;
  metadata: Record<string, unknown> | null;
  payments: { id: string; methodCode: string; provider: string; providerRef: string | null; status: string; amount: Money; authorizedAmount: Money; capturedAmount: Money; refundedAmount: Money; expiresAt: string | null; error: string | null; createdAt: string; }[] | null;
  refunds: ({ id: string; paymentId: string | null; amount: Money; tax: Money | null; status: "pending" | "succeeded" | "failed" | "cancelled"; reason: string; method: "original" | "store_credit" | "gift_card" | "manual"; lines: { lineId: string; quantity: number; restock: boolean; }[]; shipping: Money | null; payments: { paymentId: string; amount: Money; }[]; providerRef: string | null; by: string | null; createdAt: string; })[];
  fulfillments: ({ id: string; status: "pending" | "packed" | "shipped" | "delivered" | "failed_delivery" | "returned_to_sender" | "cancelled"; warehouseId: string | null; lines: { lineId: string; quantity: number; }[]; awbNumber: string | null; trackingNumber: string | null; carrier: string | null; packedAt: string | null; shippedAt: string | null; deliveredAt: string | null; createdAt: string; version: number; })[];
  returns: Record<string, unknown>[] | null;
  invoices: { id: string; kind: "invoice" | "credit_note" | "proforma"; series: string; number: string; originalInvoiceId: string | null; refundId: string | null; issuedAt: string; dueAt: string | null; total: Money; pdfUrl: string; efacturaStatus: string | null; }[];
  internalNotes: { id: string; text: string; by: string | null; createdAt: string; }[];
  fx: { rate: string; rateId: string | null; baseCurrency: string; } | null;
  taxTreatment: string;
  taxReason: string | null;
  vat: { number: string; status: "valid" | "invalid" | "unavailable"; checkedAt: string | null; consultationNumber: string | null; } | null;
  vendorSplits: Record<string, unknown>[] | null;
  risk: Record<string, unknown> | null;
  history: ({ from: string | null; to: string; at: string; actor: { type: string; id: string | null; }; reason: string | null; })[];
  trace: Record<string, unknown> | null;
}

export interface AdminGetOrdersRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  number: string;
  status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled";
  paymentStatus: "unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided";
  fulfillmentStatus: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned";
  channel: "web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription";
  channelRef: string | null;
  customerId: string | null;
  email: string;
  phone: string | null;
  currency: string;
  priceMode: "gross" | "net";
  billingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; };
  shippingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null;
  country: string;
  paymentMethod: string | null;
  holdReason: string | null;
  poNumber: string | null;
  placedAt: string;
  paidAt: string | null;
  cancelledAt: string | null;
  total: Money;
  amountDue: Money;
  refunded: Money;
  units: number;
}

export interface AdminPatchOrdersByIdAddressAnswer {
  order: { createdAt: string; updatedAt: string; id: string; version: number; number: string; status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled"; paymentStatus: "unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided"; fulfillmentStatus: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned"; channel: "web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription"; email: string; phone: string | null; currency: string; priceMode: "gross" | "net"; billingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; }; shippingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null; paymentMethod: string | null; notes: string | null; poNumber: string | null; placedAt: string; paidAt: string | null; shippedAt: string | null; deliveredAt: string | null; completedAt: string | null; cancelledAt: string | null; lines: ({ id: string; kind: string; variantId: string | null; productId: string | null; sku: string | null; title: string; image: string | null; quantity: number; unitPrice: Money; listPrice: Money; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; options: Record<string, unknown> | null; custom: Record<string, unknown> | null; data: Record<string, unknown> | null; children: { variantId: string; quantity: number; title: string; sku: string; total: Money; }[] | null; ships: boolean; quantityFulfilled: number; quantityShipped: number; quantityDelivered: number; quantityReturned: number; quantityCancelled: number; quantityRefunded: number; })[]; shippingLines: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; methodId: string | null; carrier: string | null; })[]; surcharges: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; })[]; discounts: { promotionId: string; code: string | null; name: string; target: "line" | "order" | "shipping"; amount: Money; }[]; taxSummary: { ratePpm: number; categoryCode: string; base: Money; tax: Money; }[]; totals: { itemsSubtotal: Money; itemsDiscount: Money; shipping: Money; shippingDiscount: Money; surcharges: Money; taxTotal: Money; total: Money; cashRounding: Money; tenders: { type: string; reference: string | null; amount: Money; }[]; amountDue: Money; }; refunded: Money; previousStatus: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled" | null; allowed: ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled")[]; holdReason: string | null; cancelReason: string | null; channelRef: string | null; customerId: string | null; cartId: string | null; draftId: string | null; locale: string; country: string; captured: Money; tendered: Money; paidLater: boolean; revision: number; ip: string | null; userAgent: string | null; utm: Record<string, unknown> | null; metadata: Record<string, unknown> | null; payments: { id: string; methodCode: string; provider: string; providerRef: string | null; status: string; amount: Money; authorizedAmount: Money; capturedAmount: Money; refundedAmount: Money; expiresAt: string | null; error: string | null; createdAt: string; }[] | null; refunds: ({ id: string; paymentId: string | null; amount: Money; tax: Money | null; status: "pending" | "succeeded" | "failed" | "cancelled"; reason: string; method: "original" | "store_credit" | "gift_card" | "manual"; lines: { lineId: string; quantity: number; restock: boolean; }[]; shipping: Money | null; payments: { paymentId: string; amount: Money; }[]; providerRef: string | null; by: string | null; createdAt: string; })[]; fulfillments: ({ id: string; status: "pending" | "packed" | "shipped" | "delivered" | "failed_delivery" | "returned_to_sender" | "cancelled"; warehouseId: string | null; lines: { lineId: string; quantity: number; }[]; awbNumber: string | null; trackingNumber: string | null; carrier: string | null; packedAt: string | null; shippedAt: string | null; deliveredAt: string | null; createdAt: string; version: number; })[]; returns: Record<string, unknown>[] | null; invoices: { id: string; kind: "invoice" | "credit_note" | "proforma"; series: string; number: string; originalInvoiceId: string | null; refundId: string | null; issuedAt: string; dueAt: string | null; total: Money; pdfUrl: string; efacturaStatus: string | null; }[]; internalNotes: { id: string; text: string; by: string | null; createdAt: string; }[]; fx: { rate: string; rateId: string | null; baseCurrency: string; } | null; taxTreatment: string; taxReason: string | null; vat: { number: string; status: "valid" | "invalid" | "unavailable"; checkedAt: string | null; consultationNumber: string | null; } | null; vendorSplits: Record<string, unknown>[] | null; risk: Record<string, unknown> | null; history: ({ from: string | null; to: string; at: string; actor: { type: string; id: string | null; }; reason: string | null; })[]; };
  difference: Money;
  refunds: ({ id: string; paymentId: string | null; amount: Money; tax: Money | null; status: "pending" | "succeeded" | "failed" | "cancelled"; reason: string; method: "original" | "store_credit" | "gift_card" | "manual"; lines: { lineId: string; quantity: number; restock: boolean; }[]; shipping: Money | null; payments: { paymentId: string; amount: Money; }[]; providerRef: string | null; by: string | null; createdAt: string; })[];
  changes: { member: string; from: string | number | boolean | unknown[] | Record<string, unknown> | null; to: string | number | boolean | unknown[] | Record<string, unknown> | null; }[];
  warnings: { code: string; message: string; pointer: string | null; }[];
}

export interface AdminPatchOrdersByIdAddressChange {
  shippingAddress?: { firstName: string; lastName: string; company?: string | null; vatId?: string | null; line1: string; line2?: string | null; city: string; region?: string | null; postalCode: string; country: string; phone?: string | null; email?: string | null; } | null;
  billingAddress?: { firstName: string; lastName: string; company?: string | null; vatId?: string | null; line1: string; line2?: string | null; city: string; region?: string | null; postalCode: string; country: string; phone?: string | null; email?: string | null; } | null;
  shippingMethodId?: string | null;
  recalculate?: boolean;
  dryRun?: boolean;
  refund?: boolean;
}

export interface AdminPatchOrdersByIdEditAnswer {
  order: { createdAt: string; updatedAt: string; id: string; version: number; number: string; status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled"; paymentStatus: "unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided"; fulfillmentStatus: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned"; channel: "web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription"; email: string; phone: string | null; currency: string; priceMode: "gross" | "net"; billingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; }; shippingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null; paymentMethod: string | null; notes: string | null; poNumber: string | null; placedAt: string; paidAt: string | null; shippedAt: string | null; deliveredAt: string | null; completedAt: string | null; cancelledAt: string | null; lines: ({ id: string; kind: string; variantId: string | null; productId: string | null; sku: string | null; title: string; image: string | null; quantity: number; unitPrice: Money; listPrice: Money; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; options: Record<string, unknown> | null; custom: Record<string, unknown> | null; data: Record<string, unknown> | null; children: { variantId: string; quantity: number; title: string; sku: string; total: Money; }[] | null; ships: boolean; quantityFulfilled: number; quantityShipped: number; quantityDelivered: number; quantityReturned: number; quantityCancelled: number; quantityRefunded: number; })[]; shippingLines: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; methodId: string | null; carrier: string | null; })[]; surcharges: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; })[]; discounts: { promotionId: string; code: string | null; name: string; target: "line" | "order" | "shipping"; amount: Money; }[]; taxSummary: { ratePpm: number; categoryCode: string; base: Money; tax: Money; }[]; totals: { itemsSubtotal: Money; itemsDiscount: Money; shipping: Money; shippingDiscount: Money; surcharges: Money; taxTotal: Money; total: Money; cashRounding: Money; tenders: { type: string; reference: string | null; amount: Money; }[]; amountDue: Money; }; refunded: Money; previousStatus: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled" | null; allowed: ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled")[]; holdReason: string | null; cancelReason: string | null; channelRef: string | null; customerId: string | null; cartId: string | null; draftId: string | null; locale: string; country: string; captured: Money; tendered: Money; paidLater: boolean; revision: number; ip: string | null; userAgent: string | null; utm: Record<string, unknown> | null; metadata: Record<string, unknown> | null; payments: { id: string; methodCode: string; provider: string; providerRef: string | null; status: string; amount: Money; authorizedAmount: Money; capturedAmount: Money; refundedAmount: Money; expiresAt: string | null; error: string | null; createdAt: string; }[] | null; refunds: ({ id: string; paymentId: string | null; amount: Money; tax: Money | null; status: "pending" | "succeeded" | "failed" | "cancelled"; reason: string; method: "original" | "store_credit" | "gift_card" | "manual"; lines: { lineId: string; quantity: number; restock: boolean; }[]; shipping: Money | null; payments: { paymentId: string; amount: Money; }[]; providerRef: string | null; by: string | null; createdAt: string; })[]; fulfillments: ({ id: string; status: "pending" | "packed" | "shipped" | "delivered" | "failed_delivery" | "returned_to_sender" | "cancelled"; warehouseId: string | null; lines: { lineId: string; quantity: number; }[]; awbNumber: string | null; trackingNumber: string | null; carrier: string | null; packedAt: string | null; shippedAt: string | null; deliveredAt: string | null; createdAt: string; version: number; })[]; returns: Record<string, unknown>[] | null; invoices: { id: string; kind: "invoice" | "credit_note" | "proforma"; series: string; number: string; originalInvoiceId: string | null; refundId: string | null; issuedAt: string; dueAt: string | null; total: Money; pdfUrl: string; efacturaStatus: string | null; }[]; internalNotes: { id: string; text: string; by: string | null; createdAt: string; }[]; fx: { rate: string; rateId: string | null; baseCurrency: string; } | null; taxTreatment: string; taxReason: string | null; vat: { number: string; status: "valid" | "invalid" | "unavailable"; checkedAt: string | null; consultationNumber: string | null; } | null; vendorSplits: Record<string, unknown>[] | null; risk: Record<string, unknown> | null; history: ({ from: string | null; to: string; at: string; actor: { type: string; id: string | null; }; reason: string | null; })[]; };
  difference: Money;
  refunds: ({ id: string; paymentId: string | null; amount: Money; tax: Money | null; status: "pending" | "succeeded" | "failed" | "cancelled"; reason: string; method: "original" | "store_credit" | "gift_card" | "manual"; lines: { lineId: string; quantity: number; restock: boolean; }[]; shipping: Money | null; payments: { paymentId: string; amount: Money; }[]; providerRef: string | null; by: string | null; createdAt: string; })[];
}

export interface AdminPatchOrdersByIdEditInput {
  operations: { op: "add_item" | "change_quantity" | "remove_item" | "set_price" | "change_shipping" | "add_surcharge" | "cancel_fulfillment"; itemId?: string | null; variantId?: string | null; quantity?: number | null; unitPrice?: Money | null; options?: Record<string, unknown> | null; custom?: Record<string, unknown> | null; methodId?: string | null; price?: Money | null; name?: string | null; amount?: Money | null; taxCategoryId?: string | null; fulfillmentId?: string | null; }[];
  promotions?: "keep" | "recalculate";
  dryRun?: boolean;
  notify?: boolean;
  refund?: boolean;
}

export interface AdminPatchOrdersByIdItemsByItemIdChange {
  quantity?: number;
  unitPrice?: Money;
  refund?: boolean;
}

export interface AdminPatchOrdersByIdNotesAnswer {
  createdAt: string;
  updatedAt: string;
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
  previousStatus: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled" | null;
  allowed: ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled")[];
  holdReason: string | null;
  cancelReason: string | null;
  channelRef: string | null;
  customerId: string | null;
  cartId: string | null;
  draftId: string | null;
  locale: string;
  country: string;
  captured: Money;
  tendered: Money;
  paidLater: boolean;
  revision: number;
  ip: string | null;
  userAgent: string | null;
  utm: Record<string, unknown> | null;
  metadata: Record<string, unknown> | null;
  payments: { id: string; methodCode: string; provider: string; providerRef: string | null; status: string; amount: Money; authorizedAmount: Money; capturedAmount: Money; refundedAmount: Money; expiresAt: string | null; error: string | null; createdAt: string; }[] | null;
  refunds: ({ id: string; paymentId: string | null; amount: Money; tax: Money | null; status: "pending" | "succeeded" | "failed" | "cancelled"; reason: string; method: "original" | "store_credit" | "gift_card" | "manual"; lines: { lineId: string; quantity: number; restock: boolean; }[]; shipping: Money | null; payments: { paymentId: string; amount: Money; }[]; providerRef: string | null; by: string | null; createdAt: string; })[];
  fulfillments: ({ id: string; status: "pending" | "packed" | "shipped" | "delivered" | "failed_delivery" | "returned_to_sender" | "cancelled"; warehouseId: string | null; lines: { lineId: string; quantity: number; }[]; awbNumber: string | null; trackingNumber: string | null; carrier: string | null; packedAt: string | null; shippedAt: string | null; deliveredAt: string | null; createdAt: string; version: number; })[];
  returns: Record<string, unknown>[] | null;
  invoices: { id: string; kind: "invoice" | "credit_note" | "proforma"; series: string; number: string; originalInvoiceId: string | null; refundId: string | null; issuedAt: string; dueAt: string | null; total: Money; pdfUrl: string; efacturaStatus: string | null; }[];
  internalNotes: { id: string; text: string; by: string | null; createdAt: string; }[];
  fx: { rate: string; rateId: string | null; baseCurrency: string; } | null;
  taxTreatment: string;
  taxReason: string | null;
  vat: { number: string; status: "valid" | "invalid" | "unavailable"; checkedAt: string | null; consultationNumber: string | null; } | null;
  vendorSplits: Record<string, unknown>[] | null;
  risk: Record<string, unknown> | null;
  history: ({ from: string | null; to: string; at: string; actor: { type: string; id: string | null; }; reason: string | null; })[];
}

export interface AdminPatchOrdersByIdNotesChange {
  note?: string | null;
}

export interface AdminPostInvoicesByIdSendAnswer {
  status: string;
  to: string;
}

export interface AdminPostInvoicesByIdSendInput {
  to?: string | null;
}

export interface AdminPostInvoicesInput {
  orderId: string;
  kind?: "invoice" | "credit_note" | "proforma";
  refundId?: string | null;
  series?: string | null;
}

export interface AdminPostOrdersByIdFulfillmentsAnswer {
  id: string;
  status: "pending" | "packed" | "shipped" | "delivered" | "failed_delivery" | "returned_to_sender" | "cancelled";
  warehouseId: string | null;
  lines: { lineId: string; quantity: number; }[];
  awbNumber: string | null;
  trackingNumber: string | null;
  carrier: string | null;
  packedAt: string | null;
  shippedAt: string | null;
  deliveredAt: string | null;
  createdAt: string;
  version: number;
}

export interface AdminPostOrdersByIdFulfillmentsInput {
  lines: { lineId: string; quantity: number; }[];
  warehouseId?: string | null;
  packed?: boolean;
  notify?: boolean;
  force?: boolean;
}

export interface AdminPostOrdersByIdInternalNotesAnswer {
  id: string;
  text: string;
  by: string | null;
  createdAt: string;
}

export interface AdminPostOrdersByIdInternalNotesInput {
  text: string;
}

export interface AdminPostOrdersByIdItemsInput {
  variantId: string;
  quantity: number;
  unitPrice?: Money | null;
  options?: Record<string, unknown> | null;
  custom?: Record<string, unknown> | null;
}

export interface AdminPostOrdersByIdRefundAnswer {
  refund: { id: string; paymentId: string | null; amount: Money; tax: Money | null; status: "pending" | "succeeded" | "failed" | "cancelled"; reason: string; method: "original" | "store_credit" | "gift_card" | "manual"; lines: { lineId: string; quantity: number; restock: boolean; }[]; shipping: Money | null; payments: { paymentId: string; amount: Money; }[]; providerRef: string | null; by: string | null; createdAt: string; };
  order: { createdAt: string; updatedAt: string; id: string; version: number; number: string; status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled"; paymentStatus: "unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided"; fulfillmentStatus: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned"; channel: "web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription"; email: string; phone: string | null; currency: string; priceMode: "gross" | "net"; billingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; }; shippingAddress: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null; paymentMethod: string | null; notes: string | null; poNumber: string | null; placedAt: string; paidAt: string | null; shippedAt: string | null; deliveredAt: string | null; completedAt: string | null; cancelledAt: string | null; lines: ({ id: string; kind: string; variantId: string | null; productId: string | null; sku: string | null; title: string; image: string | null; quantity: number; unitPrice: Money; listPrice: Money; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; options: Record<string, unknown> | null; custom: Record<string, unknown> | null; data: Record<string, unknown> | null; children: { variantId: string; quantity: number; title: string; sku: string; total: Money; }[] | null; ships: boolean; quantityFulfilled: number; quantityShipped: number; quantityDelivered: number; quantityReturned: number; quantityCancelled: number; quantityRefunded: number; })[]; shippingLines: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; methodId: string | null; carrier: string | null; })[]; surcharges: ({ id: string; code: string; name: string; lineSubtotal: Money; discounts: { promotionId: string; code: string | null; name: string; amount: Money; }[]; discountTotal: Money; taxLines: { ratePpm: number; amount: Money; }[]; tax: Money; total: Money; })[]; discounts: { promotionId: string; code: string | null; name: string; target: "line" | "order" | "shipping"; amount: Money; }[]; taxSummary: { ratePpm: number; categoryCode: string; base: Money; tax: Money; }[]; totals: { itemsSubtotal: Money; itemsDiscount: Money; shipping: Money; shippingDiscount: Money; surcharges: Money; taxTotal: Money; total: Money; cashRounding: Money; tenders: { type: string; reference: string | null; amount: Money; }[]; amountDue: Money; }; refunded: Money; previousStatus: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled" | null; allowed: ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled")[]; holdReason: string | null; cancelReason: string | null; channelRef: string | null; customerId: string | null; cartId: string | null; draftId: string | null; locale: string; country: string; captured: Money; tendered: Money; paidLater: boolean; revision: number; ip: string | null; userAgent: string | null; utm: Record<string, unknown> | null; metadata: Record<string, unknown> | null; payments: { id: string; methodCode: string; provider: string; providerRef: string | null; status: string; amount: Money; authorizedAmount: Money; capturedAmount: Money; refundedAmount: Money; expiresAt: string | null; error: string | null; createdAt: string; }[] | null; refunds: ({ id: string; paymentId: string | null; amount: Money; tax: Money | null; status: "pending" | "succeeded" | "failed" | "cancelled"; reason: string; method: "original" | "store_credit" | "gift_card" | "manual"; lines: { lineId: string; quantity: number; restock: boolean; }[]; shipping: Money | null; payments: { paymentId: string; amount: Money; }[]; providerRef: string | null; by: string | null; createdAt: string; })[]; fulfillments: ({ id: string; status: "pending" | "packed" | "shipped" | "delivered" | "failed_delivery" | "returned_to_sender" | "cancelled"; warehouseId: string | null; lines: { lineId: string; quantity: number; }[]; awbNumber: string | null; trackingNumber: string | null; carrier: string | null; packedAt: string | null; shippedAt: string | null; deliveredAt: string | null; createdAt: string; version: number; })[]; returns: Record<string, unknown>[] | null; invoices: { id: string; kind: "invoice" | "credit_note" | "proforma"; series: string; number: string; originalInvoiceId: string | null; refundId: string | null; issuedAt: string; dueAt: string | null; total: Money; pdfUrl: string; efacturaStatus: string | null; }[]; internalNotes: { id: string; text: string; by: string | null; createdAt: string; }[]; fx: { rate: string; rateId: string | null; baseCurrency: string; } | null; taxTreatment: string; taxReason: string | null; vat: { number: string; status: "valid" | "invalid" | "unavailable"; checkedAt: string | null; consultationNumber: string | null; } | null; vendorSplits: Record<string, unknown>[] | null; risk: Record<string, unknown> | null; history: ({ from: string | null; to: string; at: string; actor: { type: string; id: string | null; }; reason: string | null; })[]; };
}

export interface AdminPostOrdersByIdRefundInput {
  amount?: Money | null;
  lines?: { lineId: string; quantity: number; restock?: boolean; }[] | null;
  shipping?: Money | null;
  reason: string;
  paymentId?: string | null;
  method?: "original" | "store_credit" | "gift_card" | "manual";
  dryRun?: boolean;
}

export interface AdminPostOrdersByIdShipInput {
  fulfillmentId?: string | null;
  trackingNumber?: string | null;
  carrier?: string | null;
  notify?: boolean;
}

export interface AdminPostOrdersByIdStatusInput {
  status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled";
  reason?: string | null;
  notify?: boolean;
  refund?: boolean | null;
}

export interface OrdersFulfillmentCancelledEvent {
  id: string;
  orderId: string;
  lines: { lineId: string; quantity: number; }[];
}

export interface OrdersFulfillmentCreatedEvent {
  id: string;
  orderId: string;
  lines: { lineId: string; quantity: number; }[];
  notify: boolean;
}

export interface OrdersFulfillmentShippedEvent {
  id: string;
  orderId: string;
  lines: { lineId: string; quantity: number; }[];
  carrier: string | null;
  awbNumber: string | null;
  trackingNumber: string | null;
  notify: boolean;
}

export interface OrdersInvoiceIssuedEvent {
  id: string;
  number: string;
  kind: "invoice" | "credit_note" | "proforma";
  orderId: string;
  total: Money;
}

export interface OrdersOrderCancelledEvent {
  id: string;
  number: string;
  status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled";
  customerId: string | null;
  email: string;
  total: Money;
  country: string;
  placedAt: string;
  lines: { variantId: string | null; productId: string | null; sku: string | null; quantity: number; }[];
  reason: string;
  notify: boolean;
}

export interface OrdersOrderCompletedEvent {
  id: string;
  number: string;
  status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled";
  customerId: string | null;
  email: string;
  total: Money;
  country: string;
  placedAt: string;
  lines: { variantId: string | null; productId: string | null; sku: string | null; quantity: number; }[];
}

export interface OrdersRefundCreatedEvent {
  id: string;
  orderId: string;
  number: string;
  amount: Money;
  method: "original" | "store_credit" | "gift_card" | "manual";
}

export interface StorefrontGetOrdersByIdAnswer {
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
}

export interface StorefrontPostOrdersTrackAnswer {
  number: string;
  status: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled";
  fulfillmentStatus: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned";
  placedAt: string;
  shipments: ({ carrier: string | null; status: string; events: { code: string; status: string; at: string; location: string | null; description: string | null; }[]; })[];
}

export interface StorefrontPostOrdersTrackInput {
  orderNumber: string;
  email: string;
}

export interface AdminGetInvoicesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  /** `-` sorts downwards. */
  sort?: ("issuedAt" | "-issuedAt" | "number" | "-number" | "total" | "-total") | readonly ("issuedAt" | "-issuedAt" | "number" | "-number" | "total" | "-total")[];
  id?: string | { in?: string | readonly string[]; };
  orderId?: string | { in?: string | readonly string[]; };
  kind?: "invoice" | "credit_note" | "proforma" | { ne?: "invoice" | "credit_note" | "proforma"; in?: ("invoice" | "credit_note" | "proforma") | readonly ("invoice" | "credit_note" | "proforma")[]; };
  series?: string | { in?: string | readonly string[]; };
  number?: string | { in?: string | readonly string[]; };
  issuedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetOrdersByIdQuery {
  explain?: boolean;
}

export interface AdminDeleteOrdersByIdItemsByItemIdQuery {
  /** Refund captured money above the new total. Otherwise staff refund it later. */
  refund?: boolean;
  /** Respond with 200, the order after the change, the difference and the refunds that it created, in place of 204. */
  details?: boolean;
}

export interface AdminGetOrdersQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("placedAt" | "-placedAt" | "total" | "-total" | "number" | "-number") | readonly ("placedAt" | "-placedAt" | "total" | "-total" | "number" | "-number")[];
  id?: string | { in?: string | readonly string[]; };
  status?: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled" | { ne?: "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled"; in?: ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled") | readonly ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "completed" | "on_hold" | "cancelled")[]; };
  paymentStatus?: "unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided" | { ne?: "unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided"; in?: ("unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided") | readonly ("unpaid" | "authorized" | "partially_paid" | "paid" | "overpaid" | "partially_refunded" | "refunded" | "voided")[]; };
  fulfillmentStatus?: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned" | { ne?: "not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned"; in?: ("not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned") | readonly ("not_required" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "partially_shipped" | "shipped" | "partially_delivered" | "delivered" | "partially_returned" | "returned")[]; };
  channel?: "web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription" | { ne?: "web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription"; in?: ("web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription") | readonly ("web" | "pos" | "marketplace" | "draft" | "b2b" | "subscription")[]; };
  customerId?: string | { in?: string | readonly string[]; };
  email?: string | { in?: string | readonly string[]; };
  number?: string | { in?: string | readonly string[]; };
  placedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  country?: string | { ne?: string; in?: string | readonly string[]; };
}

export interface AdminGetOrdersByIdPackingSlipQuery {
  format?: "pdf" | "html";
  fulfillmentId?: string;
  prices?: boolean;
}

export interface AdminGetOrdersPickListQuery {
  format?: "pdf" | "html";
  warehouseId?: string;
  orderIds?: string | readonly string[];
}

export interface OrdersAdmin {
  invoices: {
    /** Issue an invoice, credit note or proforma of an order. `POST /api/admin/invoices`, permission `orders.invoice.create`. */
    create(body: AdminPostInvoicesInput, options?: CallOptions): Promise<AdminGetInvoicesRow>;
    /** List invoices, credit notes and proformas, newest first. `GET /api/admin/invoices`, permission `orders.invoice.read`. */
    list(query?: AdminGetInvoicesQuery, options?: CallOptions): Pages<AdminGetInvoicesRow>;
    /** Download a document as PDF. `GET /api/admin/invoices/{id}/pdf`, permission `orders.invoice.read`. */
    pdf(id: string, options?: CallOptions): Promise<Download>;
    /** Send a document by e-mail to the buyer or another address. `POST /api/admin/invoices/{id}/send`, permission `orders.invoice.send`. */
    send(id: string, body?: AdminPostInvoicesByIdSendInput, options?: CallOptions): Promise<AdminPostInvoicesByIdSendAnswer>;
  };
  orders: {
    address: {
      /** Change the addresses of an unshipped order; another location is repriced. `PATCH /api/admin/orders/{id}/address`, permission `orders.order.update`. */
      update(id: string, body: AdminPatchOrdersByIdAddressChange, options?: CallOptions): Promise<AdminPatchOrdersByIdAddressAnswer>;
    };
    edit: {
      /** Edit the lines, shipping and surcharges of an order: every operation or none. `PATCH /api/admin/orders/{id}/edit`, permission `orders.order.edit`. */
      update(id: string, body: AdminPatchOrdersByIdEditInput, options?: CallOptions): Promise<AdminPatchOrdersByIdEditAnswer>;
    };
    fulfillments: {
      /** Create a fulfilment of units of an order. `POST /api/admin/orders/{id}/fulfillments`, permission `orders.fulfillment.create`. */
      create(id: string, body: AdminPostOrdersByIdFulfillmentsInput, options?: CallOptions): Promise<AdminPostOrdersByIdFulfillmentsAnswer>;
    };
    /** Get an order; `explain` adds the trace of its prices. `GET /api/admin/orders/{id}`, permission `orders.order.read`. */
    get(id: string, query?: AdminGetOrdersByIdQuery, options?: CallOptions): Promise<AdminGetOrdersByIdAnswer>;
    internalNotes: {
      /** Add an internal note, visible to staff only. `POST /api/admin/orders/{id}/internal-notes`, permission `orders.internal-note.create`. */
      create(id: string, body: AdminPostOrdersByIdInternalNotesInput, options?: CallOptions): Promise<AdminPostOrdersByIdInternalNotesAnswer>;
    };
    items: {
      /** Add a line at today’s price or a given one. `POST /api/admin/orders/{id}/items`, permission `orders.order.edit`. */
      create(id: string, body: AdminPostOrdersByIdItemsInput, options?: CallOptions): Promise<AdminPatchOrdersByIdEditAnswer>;
      /** Remove a line; the last one can’t be removed. `DELETE /api/admin/orders/{id}/items/{itemId}`, permission `orders.order.edit`. */
      remove(id: string, itemId: string, query?: AdminDeleteOrdersByIdItemsByItemIdQuery, options?: CallOptions): Promise<AdminPatchOrdersByIdEditAnswer | void>;
      /** Change the quantity or price of a line. `PATCH /api/admin/orders/{id}/items/{itemId}`, permission `orders.order.edit`. */
      update(id: string, itemId: string, body: AdminPatchOrdersByIdItemsByItemIdChange, options?: CallOptions): Promise<AdminPatchOrdersByIdEditAnswer>;
    };
    /** List orders, newest first. `GET /api/admin/orders`, permission `orders.order.read`. */
    list(query?: AdminGetOrdersQuery, options?: CallOptions): Pages<AdminGetOrdersRow>;
    notes: {
      /** Set the note of an order, visible to the buyer. `PATCH /api/admin/orders/{id}/notes`, permission `orders.order.update`. */
      update(id: string, body?: AdminPatchOrdersByIdNotesChange, options?: CallOptions): Promise<AdminPatchOrdersByIdNotesAnswer>;
    };
    /** Print the packing slip of a parcel. `GET /api/admin/orders/{id}/packing-slip`, permission `orders.order.read`. */
    packingSlip(id: string, query?: AdminGetOrdersByIdPackingSlipQuery, options?: CallOptions): Promise<Download>;
    /** Print the pick list of open orders. `GET /api/admin/orders/pick-list`, permission `orders.order.read`. */
    pickList(query?: AdminGetOrdersPickListQuery, options?: CallOptions): Promise<Download>;
    /** Refund an amount, or units of lines at the price paid. `POST /api/admin/orders/{id}/refund`, permission `orders.order.refund`. */
    refund(id: string, body: AdminPostOrdersByIdRefundInput, options?: CallOptions): Promise<AdminPostOrdersByIdRefundAnswer>;
    /** Ship open parcels, or everything left. `POST /api/admin/orders/{id}/ship`, permission `orders.fulfillment.ship`. */
    ship(id: string, body?: AdminPostOrdersByIdShipInput, options?: CallOptions): Promise<AdminPatchOrdersByIdNotesAnswer>;
    /** Change the status of an order; cancelling needs orders.order.cancel and a reason. `POST /api/admin/orders/{id}/status`, permission `orders.order.status`. */
    status(id: string, body: AdminPostOrdersByIdStatusInput, options?: CallOptions): Promise<AdminPatchOrdersByIdNotesAnswer>;
  };
}

export interface OrdersStorefront {
  orders: {
    /** Get an order of the buyer. `GET /api/storefront/orders/{id}`. */
    get(id: string, options?: CallOptions): Promise<StorefrontGetOrdersByIdAnswer>;
    /** Download the newest invoice of an order as PDF. `GET /api/storefront/orders/{orderId}/invoice`. */
    invoice(orderId: string, options?: CallOptions): Promise<Download>;
    /** Track an order by its number and the e-mail address of its buyer. `POST /api/storefront/orders/track`. */
    track(body: StorefrontPostOrdersTrackInput, options?: CallOptions): Promise<StorefrontPostOrdersTrackAnswer>;
  };
}

export interface OrdersEvents {
  'orders.fulfillment.cancelled': OrdersFulfillmentCancelledEvent;
  'orders.fulfillment.created': OrdersFulfillmentCreatedEvent;
  'orders.fulfillment.delivered': OrdersFulfillmentCancelledEvent;
  'orders.fulfillment.shipped': OrdersFulfillmentShippedEvent;
  'orders.invoice.issued': OrdersInvoiceIssuedEvent;
  'orders.order.cancelled': OrdersOrderCancelledEvent;
  'orders.order.completed': OrdersOrderCompletedEvent;
  'orders.order.confirmed': OrdersOrderCompletedEvent;
  'orders.order.delivered': OrdersOrderCompletedEvent;
  'orders.order.edited': OrdersOrderCompletedEvent;
  'orders.order.on_hold': OrdersOrderCompletedEvent;
  'orders.order.paid': OrdersOrderCompletedEvent;
  'orders.order.placed': OrdersOrderCompletedEvent;
  'orders.order.shipped': OrdersOrderCompletedEvent;
  'orders.order.updated': OrdersOrderCompletedEvent;
  'orders.refund.created': OrdersRefundCreatedEvent;
  'orders.refund.failed': OrdersRefundCreatedEvent;
  'orders.refund.succeeded': OrdersRefundCreatedEvent;
}

const adminRoutes = `
invoices.create POST /invoices bk
invoices.list GET /invoices lq
invoices.pdf GET /invoices/{}/pdf f
invoices.send POST /invoices/{}/send bk
orders.address.update PATCH /orders/{}/address b
orders.edit.update PATCH /orders/{}/edit b
orders.fulfillments.create POST /orders/{}/fulfillments bk
orders.get GET /orders/{} q
orders.internalNotes.create POST /orders/{}/internal-notes bk
orders.items.create POST /orders/{}/items bk
orders.items.remove DELETE /orders/{}/items/{} q
orders.items.update PATCH /orders/{}/items/{} b
orders.list GET /orders lq
orders.notes.update PATCH /orders/{}/notes b
orders.packingSlip GET /orders/{}/packing-slip qf
orders.pickList GET /orders/pick-list qf
orders.refund POST /orders/{}/refund bk
orders.ship POST /orders/{}/ship bk
orders.status POST /orders/{}/status bk
`;

const storefrontRoutes = `
orders.get GET /orders/{}
orders.invoice GET /orders/{}/invoice f
orders.track POST /orders/track b
`;

/** Routes and events of orders. */
export const orders: Slice<{ admin: OrdersAdmin; storefront: OrdersStorefront }, OrdersEvents> = { plugin: 'orders', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of orders for visitors of a shop: without those for staff and operators. */
export const ordersStorefront: Slice<{ storefront: OrdersStorefront }, OrdersEvents> = { plugin: 'orders', routes: { storefront: storefrontRoutes } };
