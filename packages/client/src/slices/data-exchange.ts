// Generated from the OpenAPI document of the plugin data-exchange. Do not edit.

import type { Bytes, CallOptions, Download, Slice } from '../index.ts';

export interface AdminPostImportProductsAnswer {
  status: string;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  errors: { line: number; column: string | null; code: string; message: string; }[];
  warnings: { line: number | null; code: string; message: string; }[];
}

export interface AdminPostImportProductsAnswer2 {
  importId: string;
  status: "queued";
  rows: number;
}

export interface DataExchangeImport {
  id: string;
  createdAt: string;
  updatedAt: string;
  status: string;
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  errors: { line: number; column: string | null; code: string; message: string; }[];
  warnings: { line: number | null; code: string; message: string; }[];
}

export interface AdminGetExportCustomersCsvQuery {
  /** Begins with a byte order mark, for spreadsheets. */
  bom?: boolean;
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

export interface AdminGetExportOrdersCsvQuery {
  /** Begins with a byte order mark, for spreadsheets. */
  bom?: boolean;
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
  total?: { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  country?: string | { ne?: string; in?: string | readonly string[]; };
}

export interface AdminGetExportProductsCsvQuery {
  /** Begins with a byte order mark, for spreadsheets. */
  bom?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("title" | "-title" | "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "price" | "-price" | "position" | "-position") | readonly ("title" | "-title" | "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "price" | "-price" | "position" | "-position")[];
  id?: string | { in?: string | readonly string[]; };
  status?: "draft" | "active" | "archived" | { ne?: "draft" | "active" | "archived"; in?: ("draft" | "active" | "archived") | readonly ("draft" | "active" | "archived")[]; };
  type?: "physical" | "digital" | "service" | "bundle" | "gift_card" | { ne?: "physical" | "digital" | "service" | "bundle" | "gift_card"; in?: ("physical" | "digital" | "service" | "bundle" | "gift_card") | readonly ("physical" | "digital" | "service" | "bundle" | "gift_card")[]; };
  brandId?: string | { ne?: string; in?: string | readonly string[]; };
  vendorId?: string | { ne?: string; in?: string | readonly string[]; };
  categoryId?: string | { in?: string | readonly string[]; };
  slug?: string | { in?: string | readonly string[]; };
  tag?: string;
  featured?: boolean;
  inStock?: boolean;
  price?: { gt?: number; gte?: number; lt?: number; lte?: number; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  /** `metafield[namespace.key]=value`, with `[in]` for several values and `[gte]` and the like for numbers, money and dates: filters by a filterable metafield. */
  metafield?: Record<string, string | number | boolean>;
}

export interface AdminPostImportProductsQuery {
  format?: "native" | "shopify";
  mode?: "create" | "update" | "upsert";
  dryRun?: boolean;
  decimalComma?: boolean;
  stock?: "new" | "set";
}

export interface DataExchangeAdmin {
  export: {
    /** Customers as CSV. `GET /api/admin/export/customers.csv`, permission `data-exchange.customer.export`. */
    customersCsv(query?: AdminGetExportCustomersCsvQuery, options?: CallOptions): Promise<Download>;
    /** Orders as CSV. `GET /api/admin/export/orders.csv`, permission `data-exchange.order.export`. */
    ordersCsv(query?: AdminGetExportOrdersCsvQuery, options?: CallOptions): Promise<Download>;
    /** Products as CSV, readable by the import. `GET /api/admin/export/products.csv`, permission `data-exchange.product.export`. */
    productsCsv(query?: AdminGetExportProductsCsvQuery, options?: CallOptions): Promise<Download>;
  };
  import: {
    /** Status and report of a queued import. `GET /api/admin/import/{id}`, permission `data-exchange.import.create`. */
    get(id: string, options?: CallOptions): Promise<DataExchangeImport>;
    /** Import products from a CSV or JSON file. `POST /api/admin/import/products`, permission `data-exchange.import.create`. */
    products(body: unknown, query?: AdminPostImportProductsQuery, options?: CallOptions): Promise<AdminPostImportProductsAnswer | AdminPostImportProductsAnswer2>;
  };
}

export type DataExchangeEvents = object;

const adminRoutes = `
export.customersCsv GET /export/customers.csv qf
export.ordersCsv GET /export/orders.csv qf
export.productsCsv GET /export/products.csv qf
import.get GET /import/{}
import.products POST /import/products bqk text/csv
`;

/** Routes and events of data-exchange. */
export const dataExchange: Slice<{ admin: DataExchangeAdmin }, DataExchangeEvents> = { plugin: 'data-exchange', routes: { admin: adminRoutes } };
