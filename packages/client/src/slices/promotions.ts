// Generated from the OpenAPI document of the plugin promotions. Do not edit.

import type { CallOptions, Money, Pages, Slice } from '../index.ts';

export interface AdminGetPromotionsRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  code: string | null;
  stage: "catalog" | "cart";
  type: "percentage" | "fixed_amount" | "fixed_price" | "free_shipping" | "buy_x_get_y" | "gift_item" | "tiered";
  value: { percentBp: number | null; amounts: Money[] | null; tiers: { min: number; percentBp: number | null; amount: Money | null; }[] | null; };
  basis: "amount" | "quantity" | null;
  excludedProductIds: string[];
  excludeSaleItems: boolean;
  buy: { productIds: string[]; categoryIds: string[]; quantity: number; } | null;
  get: { productIds: string[]; categoryIds: string[]; variantIds: string[]; quantity: number; percentBp: number; } | null;
  maxApplicationsPerOrder: number | null;
  maxUnits: number | null;
  maxDiscount: Money | null;
  usageLimit: number | null;
  usageLimitPerCustomer: number | null;
  budget: Money | null;
  startsAt: string | null;
  endsAt: string | null;
  priority: number;
  exclusive: boolean;
  combineWith: ("order" | "items" | "shipping")[];
  stopFurther: boolean;
  enabled: boolean;
  archived: boolean;
  reusableAfterCancel: boolean;
  showToPublic: boolean;
  metadata: Record<string, unknown> | null;
  codes: string[] | null;
  target: "order" | "items" | "shipping";
  allocation: "each" | "across";
  conditions: { type: "min_subtotal" | "min_quantity" | "product" | "category" | "brand" | "customer_group" | "first_order" | "nth_order" | "country" | "channel" | "payment_method" | "weekday"; op: "eq" | "ne" | "in" | "not_in" | "gte" | "lte"; value: string | number | boolean | unknown[] | Record<string, unknown>; }[];
  status: "draft" | "scheduled" | "active" | "paused" | "expired" | "archived";
  usageCount: number;
  spent: Money;
  codesTotal: number;
  codesUsed: number;
}

export interface AdminPatchPromotionsByIdChange {
  name?: string;
  code?: string | null;
  stage?: "catalog" | "cart";
  type?: "percentage" | "fixed_amount" | "fixed_price" | "free_shipping" | "buy_x_get_y" | "gift_item" | "tiered";
  value?: { percentBp?: number | null; amounts?: Money[] | null; tiers?: { min: number; percentBp?: number | null; amount?: Money | null; }[] | null; };
  basis?: "amount" | "quantity" | null;
  excludedProductIds?: string[];
  excludeSaleItems?: boolean;
  buy?: { productIds?: string[]; categoryIds?: string[]; quantity: number; } | null;
  get?: { productIds?: string[]; categoryIds?: string[]; variantIds?: string[]; quantity?: number; percentBp?: number; } | null;
  maxApplicationsPerOrder?: number | null;
  maxUnits?: number | null;
  maxDiscount?: Money | null;
  usageLimit?: number | null;
  usageLimitPerCustomer?: number | null;
  budget?: Money | null;
  startsAt?: string | null;
  endsAt?: string | null;
  priority?: number;
  exclusive?: boolean;
  combineWith?: ("order" | "items" | "shipping")[];
  stopFurther?: boolean;
  enabled?: boolean;
  archived?: boolean;
  reusableAfterCancel?: boolean;
  showToPublic?: boolean;
  metadata?: Record<string, unknown> | null;
  codes?: string[] | null;
  target?: "order" | "items" | "shipping" | null;
  allocation?: "each" | "across" | null;
  conditions?: { type: "min_subtotal" | "min_quantity" | "product" | "category" | "brand" | "customer_group" | "first_order" | "nth_order" | "country" | "channel" | "payment_method" | "weekday"; op?: "eq" | "ne" | "in" | "not_in" | "gte" | "lte" | null; value: string | number | boolean | unknown[] | Record<string, unknown>; }[];
}

export interface AdminPostPromotionsInput {
  name: string;
  code?: string | null;
  stage?: "catalog" | "cart";
  type: "percentage" | "fixed_amount" | "fixed_price" | "free_shipping" | "buy_x_get_y" | "gift_item" | "tiered";
  value?: { percentBp?: number | null; amounts?: Money[] | null; tiers?: { min: number; percentBp?: number | null; amount?: Money | null; }[] | null; };
  basis?: "amount" | "quantity" | null;
  excludedProductIds?: string[];
  excludeSaleItems?: boolean;
  buy?: { productIds?: string[]; categoryIds?: string[]; quantity: number; } | null;
  get?: { productIds?: string[]; categoryIds?: string[]; variantIds?: string[]; quantity?: number; percentBp?: number; } | null;
  maxApplicationsPerOrder?: number | null;
  maxUnits?: number | null;
  maxDiscount?: Money | null;
  usageLimit?: number | null;
  usageLimitPerCustomer?: number | null;
  budget?: Money | null;
  startsAt?: string | null;
  endsAt?: string | null;
  priority?: number;
  exclusive?: boolean;
  combineWith?: ("order" | "items" | "shipping")[];
  stopFurther?: boolean;
  enabled?: boolean;
  archived?: boolean;
  reusableAfterCancel?: boolean;
  showToPublic?: boolean;
  metadata?: Record<string, unknown> | null;
  codes?: string[] | null;
  target?: "order" | "items" | "shipping" | null;
  allocation?: "each" | "across" | null;
  conditions?: { type: "min_subtotal" | "min_quantity" | "product" | "category" | "brand" | "customer_group" | "first_order" | "nth_order" | "country" | "channel" | "payment_method" | "weekday"; op?: "eq" | "ne" | "in" | "not_in" | "gte" | "lte" | null; value: string | number | boolean | unknown[] | Record<string, unknown>; }[];
}

export interface PromotionsPromotionCreatedEvent {
  id: string;
  name: string;
  code: string | null;
  stage: "catalog" | "cart";
  type: "percentage" | "fixed_amount" | "fixed_price" | "free_shipping" | "buy_x_get_y" | "gift_item" | "tiered";
  status: "draft" | "scheduled" | "active" | "paused" | "expired" | "archived";
  startsAt: string | null;
  endsAt: string | null;
}

export interface PromotionsPromotionExhaustedEvent {
  id: string;
  name: string;
  reason: "usage_limit" | "budget";
}

export interface AdminGetPromotionsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "priority" | "-priority" | "startsAt" | "-startsAt" | "endsAt" | "-endsAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "priority" | "-priority" | "startsAt" | "-startsAt" | "endsAt" | "-endsAt")[];
  id?: string | { in?: string | readonly string[]; };
  status?: "draft" | "scheduled" | "active" | "paused" | "expired" | "archived" | { ne?: "draft" | "scheduled" | "active" | "paused" | "expired" | "archived"; in?: ("draft" | "scheduled" | "active" | "paused" | "expired" | "archived") | readonly ("draft" | "scheduled" | "active" | "paused" | "expired" | "archived")[]; };
  type?: "percentage" | "fixed_amount" | "fixed_price" | "free_shipping" | "buy_x_get_y" | "gift_item" | "tiered" | { ne?: "percentage" | "fixed_amount" | "fixed_price" | "free_shipping" | "buy_x_get_y" | "gift_item" | "tiered"; in?: ("percentage" | "fixed_amount" | "fixed_price" | "free_shipping" | "buy_x_get_y" | "gift_item" | "tiered") | readonly ("percentage" | "fixed_amount" | "fixed_price" | "free_shipping" | "buy_x_get_y" | "gift_item" | "tiered")[]; };
  stage?: "catalog" | "cart" | { ne?: "catalog" | "cart"; in?: ("catalog" | "cart") | readonly ("catalog" | "cart")[]; };
  target?: "order" | "items" | "shipping" | { ne?: "order" | "items" | "shipping"; in?: ("order" | "items" | "shipping") | readonly ("order" | "items" | "shipping")[]; };
  enabled?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  archived?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  priority?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  startsAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  endsAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  code?: string | { in?: string | readonly string[]; };
}

export interface PromotionsAdmin {
  promotions: {
    /** Create a promotion. `POST /api/admin/promotions`, permission `promotions.promotion.create`. */
    create(body: AdminPostPromotionsInput, options?: CallOptions): Promise<AdminGetPromotionsRow>;
    /** List promotions. `GET /api/admin/promotions`, permission `promotions.promotion.read`. */
    list(query?: AdminGetPromotionsQuery, options?: CallOptions): Pages<AdminGetPromotionsRow>;
    /** Delete a promotion that no order has used. `DELETE /api/admin/promotions/{id}`, permission `promotions.promotion.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a promotion. `PATCH /api/admin/promotions/{id}`, permission `promotions.promotion.update`. */
    update(id: string, body: AdminPatchPromotionsByIdChange, options?: CallOptions): Promise<AdminGetPromotionsRow>;
  };
}

export interface PromotionsEvents {
  'promotions.promotion.created': PromotionsPromotionCreatedEvent;
  'promotions.promotion.exhausted': PromotionsPromotionExhaustedEvent;
  'promotions.promotion.updated': PromotionsPromotionCreatedEvent;
}

const adminRoutes = `
promotions.create POST /promotions bk
promotions.list GET /promotions lq
promotions.remove DELETE /promotions/{}
promotions.update PATCH /promotions/{} b
`;

/** Routes and events of promotions. */
export const promotions: Slice<{ admin: PromotionsAdmin }, PromotionsEvents> = { plugin: 'promotions', routes: { admin: adminRoutes } };
