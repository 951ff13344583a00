// Generated from the OpenAPI document of the plugin customers. Do not edit.

import type { CallOptions, Download, Money, Pages, Slice } from '../index.ts';

export interface AdminPostCustomerGroupsByIdAssignAnswer {
  assigned: number;
  skipped: number;
}

export interface AdminPostCustomerGroupsByIdAssignInput {
  customerIds: string[];
  remove?: boolean;
}

export interface CustomersConsentChangedEvent {
  customerId: string;
  purpose: string;
  granted: boolean;
}

export interface CustomersCustomer {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  email: string;
  firstName: string | null;
  lastName: string | null;
  phone: string | null;
  company: string | null;
  vatId: string | null;
  acceptsMarketing: boolean;
  tags: string[];
  status: "active" | "disabled" | "erased";
  emailVerifiedAt: string | null;
  groupIds: string[];
  addresses: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; }[];
  stats: { ordersCount: number; totalSpent: Money; averageOrder: Money | null; lastOrderAt: string | null; } | null;
}

export interface CustomersCustomerCreatedEvent {
  id: string;
  email: string;
}

export interface CustomersCustomerErasedEvent {
  id: string;
}

export interface CustomersCustomerRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  email: string;
  firstName: string | null;
  lastName: string | null;
  phone: string | null;
  company: string | null;
  vatId: string | null;
  acceptsMarketing: boolean;
  tags: string[];
  status: "active" | "disabled" | "erased";
  emailVerifiedAt: string | null;
  groupIds: string[];
  stats: { ordersCount: number; totalSpent: Money; averageOrder: Money | null; lastOrderAt: string | null; } | null;
}

export interface CustomersCustomerUpdatedEvent {
  id: string;
}

export interface CustomersGroup {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  code: string;
  priority: number;
  priceListCode: string | null;
  taxDisplay: "gross" | "net" | null;
  discountBp: number | null;
  taxExempt: boolean;
  autoRules: { minOrders: number | null; minSpent: Money | null; country: string | null; } | null;
  isDefault: boolean;
}

export interface CustomersGroupChange {
  name?: string;
  code?: string;
  priority?: number;
  priceListCode?: string | null;
  taxDisplay?: "gross" | "net" | null;
  discountBp?: number | null;
  taxExempt?: boolean;
  autoRules?: { minOrders?: number | null; minSpent?: Money | null; country?: string | null; } | null;
  isDefault?: boolean;
}

export interface CustomersGroupInput {
  name: string;
  code: string;
  priority?: number;
  priceListCode?: string | null;
  taxDisplay?: "gross" | "net" | null;
  discountBp?: number | null;
  taxExempt?: boolean;
  autoRules?: { minOrders?: number | null; minSpent?: Money | null; country?: string | null; } | null;
  isDefault?: boolean;
}

export interface CustomersGroupRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  code: string;
  priority: number;
  priceListCode: string | null;
  taxDisplay: "gross" | "net" | null;
  discountBp: number | null;
  taxExempt: boolean;
  autoRules: { minOrders: number | null; minSpent: Money | null; country: string | null; } | null;
  isDefault: boolean;
}

export interface StorefrontGetAccountAddressesRow {
  id: string;
  firstName: string;
  lastName: string;
  company: string | null;
  vatId: string | null;
  line1: string;
  line2: string | null;
  city: string;
  region: string | null;
  postalCode: string;
  country: string;
  phone: string | null;
  email: string | null;
}

export interface StorefrontGetAccountDataExportAnswer {
  exportedAt: string;
  customerId: string;
  data: Record<string, unknown>;
}

export interface StorefrontGetAccountDataExportAnswer2 {
  status: "accepted";
  detail: string;
}

export interface StorefrontGetAccountNotificationsAnswer {
  preferences: { channel: "email" | "sms" | "push"; event: string; enabled: boolean; }[];
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

export interface StorefrontPostConsentLogAnswer {
  id: string;
}

export interface StorefrontPostConsentLogInput {
  purpose: string;
  granted: boolean;
  textVersion: string;
  subject?: string | null;
}

export interface StorefrontPutAccountNotificationsAnswer {
  preferences: { channel: "email" | "sms" | "push"; event: string; enabled: boolean; }[];
}

export interface StorefrontPutAccountNotificationsReplacement {
  preferences: { channel: "email" | "sms" | "push"; event: string; enabled: boolean; }[];
}

export interface AdminGetCustomerGroupsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "priority" | "-priority") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "priority" | "-priority")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  code?: string | { ne?: string; in?: string | readonly string[]; };
}

export interface AdminGetCustomersQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "email" | "-email" | "ordersCount" | "-ordersCount" | "lastName" | "-lastName") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "email" | "-email" | "ordersCount" | "-ordersCount" | "lastName" | "-lastName")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  email?: string | { ne?: string; in?: string | readonly string[]; };
  acceptsMarketing?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  tags?: string;
  status?: "active" | "disabled" | "erased" | { ne?: "active" | "disabled" | "erased"; in?: ("active" | "disabled" | "erased") | readonly ("active" | "disabled" | "erased")[]; };
  ordersCount?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  lastOrderAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  groupId?: string;
}

export interface StorefrontGetAccountAddressesQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface StorefrontGetAccountOrdersQuery {
  limit?: number;
  cursor?: string;
}

export interface CustomersAdmin {
  customerGroups: {
    /** Put customers into a group, or take them out. `POST /api/admin/customer-groups/{id}/assign`, permission `customers.group.assign`. */
    assign(id: string, body: AdminPostCustomerGroupsByIdAssignInput, options?: CallOptions): Promise<AdminPostCustomerGroupsByIdAssignAnswer>;
    /** Create a customer group. `POST /api/admin/customer-groups`, permission `customers.group.create`. */
    create(body: CustomersGroupInput, options?: CallOptions): Promise<CustomersGroup>;
    /** List customer groups. `GET /api/admin/customer-groups`, permission `customers.group.read`. */
    list(query?: AdminGetCustomerGroupsQuery, options?: CallOptions): Pages<CustomersGroupRow>;
    /** Delete a customer group. `DELETE /api/admin/customer-groups/{id}`, permission `customers.group.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a customer group. `PATCH /api/admin/customer-groups/{id}`, permission `customers.group.update`. */
    update(id: string, body: CustomersGroupChange, options?: CallOptions): Promise<CustomersGroup>;
  };
  customers: {
    /** Read a customer. `GET /api/admin/customers/{id}`, permission `customers.customer.read`. */
    get(id: string, options?: CallOptions): Promise<CustomersCustomer>;
    /** List customers. `GET /api/admin/customers`, permission `customers.customer.read`. */
    list(query?: AdminGetCustomersQuery, options?: CallOptions): Pages<CustomersCustomerRow>;
  };
}

export interface CustomersStorefront {
  account: {
    account: {
      /** Delete the own account. `DELETE /api/storefront/account/account`. */
      remove(options?: CallOptions): Promise<void>;
    };
    addresses: {
      /** Own addresses, saved at checkout. `GET /api/storefront/account/addresses`. */
      list(query?: StorefrontGetAccountAddressesQuery, options?: CallOptions): Pages<StorefrontGetAccountAddressesRow>;
    };
    /** Everything that is kept on the customer, as JSON; 202 and a mail where it takes longer. `GET /api/storefront/account/data-export`. */
    dataExport(options?: CallOptions): Promise<StorefrontGetAccountDataExportAnswer | StorefrontGetAccountDataExportAnswer2>;
    /** Everything that is kept on the customer, as a ZIP of JSON, CSV and files; 202 and a mail where it takes longer. `GET /api/storefront/account/data-export-zip`. */
    dataExportZip(options?: CallOptions): Promise<Download | StorefrontGetAccountDataExportAnswer | StorefrontGetAccountDataExportAnswer2>;
    notifications: {
      /** Own notification preferences. `GET /api/storefront/account/notifications`. */
      (options?: CallOptions): Promise<StorefrontGetAccountNotificationsAnswer>;
      /** Replace the notification preferences. `PUT /api/storefront/account/notifications`. */
      replace(body: StorefrontPutAccountNotificationsReplacement, options?: CallOptions): Promise<StorefrontPutAccountNotificationsAnswer>;
    };
    orders: {
      /** One own order. `GET /api/storefront/account/orders/{id}`. */
      get(id: string, options?: CallOptions): Promise<StorefrontGetOrdersByIdAnswer>;
      /** Own orders, newest first. `GET /api/storefront/account/orders`. */
      list(query?: StorefrontGetAccountOrdersQuery, options?: CallOptions): Pages<StorefrontGetOrdersByIdAnswer>;
    };
  };
  consentLog: {
    /** Record a consent or its withdrawal. `POST /api/storefront/consent-log`. */
    create(body: StorefrontPostConsentLogInput, options?: CallOptions): Promise<StorefrontPostConsentLogAnswer>;
  };
}

export interface CustomersEvents {
  'customers.consent.changed': CustomersConsentChangedEvent;
  'customers.customer.created': CustomersCustomerCreatedEvent;
  'customers.customer.erased': CustomersCustomerErasedEvent;
  'customers.customer.updated': CustomersCustomerUpdatedEvent;
}

const adminRoutes = `
customerGroups.assign POST /customer-groups/{}/assign bk
customerGroups.create POST /customer-groups bk
customerGroups.list GET /customer-groups lq
customerGroups.remove DELETE /customer-groups/{}
customerGroups.update PATCH /customer-groups/{} b
customers.get GET /customers/{}
customers.list GET /customers lq
`;

const storefrontRoutes = `
account.account.remove DELETE /account/account
account.addresses.list GET /account/addresses lq
account.dataExport GET /account/data-export
account.dataExportZip GET /account/data-export-zip f
account.notifications GET /account/notifications
account.notifications.replace PUT /account/notifications b
account.orders.get GET /account/orders/{}
account.orders.list GET /account/orders lq
consentLog.create POST /consent-log bk
`;

/** Routes and events of customers. */
export const customers: Slice<{ admin: CustomersAdmin; storefront: CustomersStorefront }, CustomersEvents> = { plugin: 'customers', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of customers for visitors of a shop: without those for staff and operators. */
export const customersStorefront: Slice<{ storefront: CustomersStorefront }, CustomersEvents> = { plugin: 'customers', routes: { storefront: storefrontRoutes } };
