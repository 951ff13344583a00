// Generated from the OpenAPI document of the plugin inventory. Do not edit.

import type { CallOptions, Download, Pages, Slice } from '../index.ts';

export interface AdminGetInventoryByVariantIdMovementsRow {
  id: string;
  variantId: string;
  warehouseId: string;
  delta: number;
  reason: "received" | "damage" | "count" | "correction" | "return" | "sale" | "restock";
  before: number;
  after: number;
  actor: { type: string; id: string | null; };
  reference: string | null;
  note: string | null;
  createdAt: string;
}

export interface AdminGetInventoryRow {
  id: string;
  variantId: string;
  sku: string | null;
  warehouseId: string;
  onHand: number;
  reserved: number;
  backordered: number;
  incoming: number;
  safetyStock: number;
  reorderPoint: number | null;
  available: number;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export interface AdminGetInventoryWarehousesRow {
  warehouseId: string;
  code: string;
  name: string;
  skus: number;
  onHand: number;
  reserved: number;
  available: number;
  belowReorderPoint: number;
}

export interface AdminPostInventoryByVariantIdAdjustChange {
  warehouseId?: string | null;
  delta?: number | null;
  set?: number | null;
  expectedOnHand?: number | null;
  reason?: "received" | "damage" | "count" | "correction" | "return" | null;
  note?: string | null;
  reference?: string | null;
  safetyStock?: number | null;
  reorderPoint?: number | null;
}

export interface InventoryLevelChangedEvent {
  id: string;
  variantId: string;
  warehouseId: string;
  onHand: number;
  reserved: number;
  available: number;
}

export interface InventoryLevelLowEvent {
  id: string;
  variantId: string;
  warehouseId: string;
  onHand: number;
  reserved: number;
  available: number;
  threshold: number;
}

export interface InventoryVariantRestockedEvent {
  variantId: string;
  available: number;
}

export interface InventoryWarehouse {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  code: string;
  address: { firstName: string | null; lastName: string | null; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null;
  active: boolean;
  priority: number;
  pickupEnabled: boolean;
  countries: string[] | null;
  isDefault: boolean;
}

export interface InventoryWarehouseChange {
  name?: string;
  code?: string;
  address?: { firstName?: string | null; lastName?: string | null; company?: string | null; vatId?: string | null; line1: string; line2?: string | null; city: string; region?: string | null; postalCode: string; country: string; phone?: string | null; email?: string | null; } | null;
  active?: boolean;
  priority?: number;
  pickupEnabled?: boolean;
  countries?: string[] | null;
  isDefault?: boolean;
}

export interface InventoryWarehouseInput {
  name: string;
  code: string;
  address?: { firstName?: string | null; lastName?: string | null; company?: string | null; vatId?: string | null; line1: string; line2?: string | null; city: string; region?: string | null; postalCode: string; country: string; phone?: string | null; email?: string | null; } | null;
  active?: boolean;
  priority?: number;
  pickupEnabled?: boolean;
  countries?: string[] | null;
  isDefault?: boolean;
}

export interface InventoryWarehouseRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  code: string;
  address: { firstName: string | null; lastName: string | null; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null;
  active: boolean;
  priority: number;
  pickupEnabled: boolean;
  countries: string[] | null;
  isDefault: boolean;
}

export interface StorefrontPostBackInStockAnswer {
  status: "accepted";
}

export interface StorefrontPostBackInStockInput {
  variantId: string;
  email: string;
  locale?: string | null;
}

export interface AdminGetInventoryQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "available" | "-available" | "onHand" | "-onHand") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "available" | "-available" | "onHand" | "-onHand")[];
  id?: string | { in?: string | readonly string[]; };
  variantId?: string | { in?: string | readonly string[]; };
  warehouseId?: string | { in?: string | readonly string[]; };
  sku?: string;
  belowReorderPoint?: boolean;
  available?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  onHand?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
}

export interface AdminGetInventoryByVariantIdMovementsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt") | readonly ("createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  warehouseId?: string | { in?: string | readonly string[]; };
  reason?: "received" | "damage" | "count" | "correction" | "return" | "sale" | "restock" | { ne?: "received" | "damage" | "count" | "correction" | "return" | "sale" | "restock"; in?: ("received" | "damage" | "count" | "correction" | "return" | "sale" | "restock") | readonly ("received" | "damage" | "count" | "correction" | "return" | "sale" | "restock")[]; };
  reference?: string;
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetInventoryWarehousesQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetWarehousesQuery {
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
  active?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  pickupEnabled?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface StorefrontGetBackInStockStopQuery {
  token: string;
  confirm?: boolean;
}

export interface InventoryAdmin {
  inventory: {
    /** Change a variant's stock by an amount, or set it to a count. `POST /api/admin/inventory/{variantId}/adjust`, permission `inventory.level.adjust`. */
    adjust(variantId: string, body?: AdminPostInventoryByVariantIdAdjustChange, options?: CallOptions): Promise<AdminGetInventoryRow>;
    /** Stock of each variant in each warehouse. `GET /api/admin/inventory`, permission `inventory.level.read`. */
    list(query?: AdminGetInventoryQuery, options?: CallOptions): Pages<AdminGetInventoryRow>;
    movements: {
      /** Stock movements of a variant, newest first. `GET /api/admin/inventory/{variantId}/movements`, permission `inventory.level.read`. */
      list(variantId: string, query?: AdminGetInventoryByVariantIdMovementsQuery, options?: CallOptions): Pages<AdminGetInventoryByVariantIdMovementsRow>;
    };
    warehouses: {
      /** Stock totals of each warehouse. `GET /api/admin/inventory/warehouses`, permission `inventory.level.read`. */
      list(query?: AdminGetInventoryWarehousesQuery, options?: CallOptions): Pages<AdminGetInventoryWarehousesRow>;
    };
  };
  warehouses: {
    /** Create a warehouse. `POST /api/admin/warehouses`, permission `inventory.warehouse.create`. */
    create(body: InventoryWarehouseInput, options?: CallOptions): Promise<InventoryWarehouse>;
    /** List warehouses. `GET /api/admin/warehouses`, permission `inventory.warehouse.read`. */
    list(query?: AdminGetWarehousesQuery, options?: CallOptions): Pages<InventoryWarehouseRow>;
    /** Delete a warehouse. `DELETE /api/admin/warehouses/{id}`, permission `inventory.warehouse.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a warehouse. `PATCH /api/admin/warehouses/{id}`, permission `inventory.warehouse.update`. */
    update(id: string, body: InventoryWarehouseChange, options?: CallOptions): Promise<InventoryWarehouse>;
  };
}

export interface InventoryStorefront {
  backInStock: {
    /** Request an e-mail when a variant is back in stock. `POST /api/storefront/back-in-stock`. */
    create(body: StorefrontPostBackInStockInput, options?: CallOptions): Promise<StorefrontPostBackInStockAnswer>;
    /** Unsubscribe page of back-in-stock e-mails. `GET /api/storefront/back-in-stock/stop`. */
    stop(query: StorefrontGetBackInStockStopQuery, options?: CallOptions): Promise<Download>;
  };
}

export interface InventoryEvents {
  'inventory.level.changed': InventoryLevelChangedEvent;
  'inventory.level.low': InventoryLevelLowEvent;
  'inventory.variant.restocked': InventoryVariantRestockedEvent;
}

const adminRoutes = `
inventory.adjust POST /inventory/{}/adjust bk
inventory.list GET /inventory lq
inventory.movements.list GET /inventory/{}/movements lq
inventory.warehouses.list GET /inventory/warehouses lq
warehouses.create POST /warehouses bk
warehouses.list GET /warehouses lq
warehouses.remove DELETE /warehouses/{}
warehouses.update PATCH /warehouses/{} b
`;

const storefrontRoutes = `
backInStock.create POST /back-in-stock bk
backInStock.stop GET /back-in-stock/stop qf
`;

/** Routes and events of inventory. */
export const inventory: Slice<{ admin: InventoryAdmin; storefront: InventoryStorefront }, InventoryEvents> = { plugin: 'inventory', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of inventory for visitors of a shop: without those for staff and operators. */
export const inventoryStorefront: Slice<{ storefront: InventoryStorefront }, InventoryEvents> = { plugin: 'inventory', routes: { storefront: storefrontRoutes } };
