// Generated from the OpenAPI document of the plugin webhooks. Do not edit.

import type { CallOptions, Pages, Slice } from '../index.ts';

export interface AdminGetWebhooksByIdDeliveriesRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  endpointId: string;
  eventId: string;
  type: string;
  attempt: number;
  status: "pending" | "retrying" | "succeeded" | "dead";
  statusCode: number | null;
  durationMs: number | null;
  error: string | null;
  responseExcerpt: string | null;
  nextAt: string | null;
  requestId: string | null;
  payload: Record<string, unknown>;
  attempts: { number: number; at: string; statusCode: number | null; durationMs: number; error: string | null; responseExcerpt: string | null; }[];
}

export interface AdminGetWebhooksEventsRow {
  type: string;
  plugin: string;
  title: string | null;
  sample: Record<string, unknown>;
}

export interface AdminPostWebhooksByIdRotateSecretAnswer {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  url: string;
  events: string[];
  description: string | null;
  active: boolean;
  secret: string;
  health: "unknown" | "healthy" | "failing";
  disabledReason: "gone" | "failing" | null;
}

export interface AdminPostWebhooksDeliveriesByDeliveryIdRetryAnswer {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  endpointId: string;
  eventId: string;
  type: string;
  attempt: number;
  status: "pending" | "retrying" | "succeeded" | "dead";
  statusCode: number | null;
  durationMs: number | null;
  error: string | null;
  responseExcerpt: string | null;
  nextAt: string | null;
  requestId: string | null;
  payload: Record<string, unknown>;
  attempts: { number: number; at: string; statusCode: number | null; durationMs: number; error: string | null; responseExcerpt: string | null; }[];
}

export interface WebhooksEndpoint {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  url: string;
  events: string[];
  description: string | null;
  active: boolean;
  secret: string;
  health: "unknown" | "healthy" | "failing";
  disabledReason: "gone" | "failing" | null;
}

export interface WebhooksEndpointChange {
  url?: string;
  events?: string[];
  description?: string | null;
  active?: boolean;
}

export interface WebhooksEndpointDisabledEvent {
  id: string;
  reason: "gone" | "failing";
}

export interface WebhooksEndpointInput {
  url: string;
  events: string[];
  description?: string | null;
  active?: boolean;
}

export interface WebhooksEndpointRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  url: string;
  events: string[];
  description: string | null;
  active: boolean;
  secret: string;
  health: "unknown" | "healthy" | "failing";
  disabledReason: "gone" | "failing" | null;
}

export interface AdminGetWebhooksByIdDeliveriesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  eventId?: string | { ne?: string; in?: string | readonly string[]; };
  type?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "pending" | "retrying" | "succeeded" | "dead" | { ne?: "pending" | "retrying" | "succeeded" | "dead"; in?: ("pending" | "retrying" | "succeeded" | "dead") | readonly ("pending" | "retrying" | "succeeded" | "dead")[]; };
  statusCode?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
}

export interface AdminGetWebhooksEventsQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetWebhooksQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  active?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface WebhooksAdmin {
  webhooks: {
    /** Create a webhook. `POST /api/admin/webhooks`, permission `webhooks.endpoint.create`. */
    create(body: WebhooksEndpointInput, options?: CallOptions): Promise<WebhooksEndpoint>;
    deliveries: {
      /** List deliveries. `GET /api/admin/webhooks/{id}/deliveries`, permission `webhooks.endpoint.read`. */
      list(id: string, query?: AdminGetWebhooksByIdDeliveriesQuery, options?: CallOptions): Pages<AdminGetWebhooksByIdDeliveriesRow>;
      /** Send a delivery again, with the whole schedule before it. `POST /api/admin/webhooks/deliveries/{deliveryId}/retry`, permission `webhooks.delivery.retry`. */
      retry(deliveryId: string, options?: CallOptions): Promise<AdminPostWebhooksDeliveriesByDeliveryIdRetryAnswer>;
    };
    events: {
      /** The events that a webhook may subscribe to. `GET /api/admin/webhooks/events`, permission `webhooks.endpoint.read`. */
      list(query?: AdminGetWebhooksEventsQuery, options?: CallOptions): Pages<AdminGetWebhooksEventsRow>;
    };
    /** Read a webhook. `GET /api/admin/webhooks/{id}`, permission `webhooks.endpoint.read`. */
    get(id: string, options?: CallOptions): Promise<WebhooksEndpoint>;
    /** List webhooks. `GET /api/admin/webhooks`, permission `webhooks.endpoint.read`. */
    list(query?: AdminGetWebhooksQuery, options?: CallOptions): Pages<WebhooksEndpointRow>;
    /** Delete a webhook. `DELETE /api/admin/webhooks/{id}`, permission `webhooks.endpoint.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** A new secret; the one before signs beside it for 24 hours. `POST /api/admin/webhooks/{id}/rotate-secret`, permission `webhooks.endpoint.rotate-secret`. */
    rotateSecret(id: string, options?: CallOptions): Promise<AdminPostWebhooksByIdRotateSecretAnswer>;
    /** Change a webhook. `PATCH /api/admin/webhooks/{id}`, permission `webhooks.endpoint.update`. */
    update(id: string, body: WebhooksEndpointChange, options?: CallOptions): Promise<WebhooksEndpoint>;
  };
}

export interface WebhooksEvents {
  'webhooks.endpoint.disabled': WebhooksEndpointDisabledEvent;
}

const adminRoutes = `
webhooks.create POST /webhooks bk
webhooks.deliveries.list GET /webhooks/{}/deliveries lq
webhooks.deliveries.retry POST /webhooks/deliveries/{}/retry k
webhooks.events.list GET /webhooks/events lq
webhooks.get GET /webhooks/{}
webhooks.list GET /webhooks lq
webhooks.remove DELETE /webhooks/{}
webhooks.rotateSecret POST /webhooks/{}/rotate-secret k
webhooks.update PATCH /webhooks/{} b
`;

/** Routes and events of webhooks. */
export const webhooks: Slice<{ admin: WebhooksAdmin }, WebhooksEvents> = { plugin: 'webhooks', routes: { admin: adminRoutes } };
