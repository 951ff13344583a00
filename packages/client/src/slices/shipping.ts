// Generated from the OpenAPI document of the plugin shipping. Do not edit.

import type { CallOptions, Download, LocalText, Money, Pages, Slice } from '../index.ts';

export interface AdminGetShippingCarriersRow {
  provider: "carrier-a" | "carrier-b" | "carrier-c";
  enabled: boolean;
  credentials: Record<string, unknown>;
  sender: { firstName: string; lastName: string; company: string | null; vatId: string | null; line1: string; line2: string | null; city: string; region: string | null; postalCode: string; country: string; phone: string | null; email: string | null; } | null;
  services: string[];
  webhookSecret: string | null;
  mode: "test" | "live";
  verification: "secret" | "basic" | "hmac" | "ip_list";
  allowedIps: string[];
  configured: boolean;
  healthy: boolean | null;
  lastError: string | null;
  version: number;
}

export interface AdminGetShippingUnknownEventsRow {
  id: string;
  provider: "carrier-a" | "carrier-b" | "carrier-c";
  awbNumber: string;
  code: string;
  status: string | null;
  at: string;
  location: string | null;
  description: string | null;
  createdAt: string;
}

export interface AdminGetShippingZonesZonesByIdRatesRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  zoneId: string;
  methodId: string;
  min: number;
  max: number | null;
  price: Money;
  freeOver: Money | null;
}

export interface AdminPatchShippingZonesRatesByRateIdAnswer {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  zoneId: string;
  methodId: string;
  min: number;
  max: number | null;
  price: Money;
  freeOver: Money | null;
  warnings: { code: string; message: string; pointer: string | null; }[];
}

export interface AdminPatchShippingZonesRatesByRateIdChange {
  methodId?: string;
  min?: number;
  max?: number | null;
  price?: Money;
  freeOver?: Money | null;
}

export interface AdminPostShippingZonesZonesByIdRatesInput {
  methodId: string;
  min: number;
  max?: number | null;
  price: Money;
  freeOver?: Money | null;
}

export interface AdminPutShippingCarriersByProviderReplacement {
  enabled?: boolean;
  credentials?: Record<string, unknown>;
  sender?: { firstName: string; lastName: string; company?: string | null; vatId?: string | null; line1: string; line2?: string | null; city: string; region?: string | null; postalCode: string; country: string; phone?: string | null; email?: string | null; } | null;
  services?: string[];
  webhookSecret?: string | null;
  mode?: "test" | "live";
  verification?: "secret" | "basic" | "hmac" | "ip_list";
  allowedIps?: string[];
}

export interface ShippingAwb {
  awbNumber: string;
  provider: "carrier-a" | "carrier-b" | "carrier-c";
  status: "created" | "label_printed" | "picked_up" | "in_transit" | "out_for_delivery" | "delivered" | "failed_attempt" | "returned" | "cancelled";
  labelUrl: string;
  price: Money | null;
  cod: Money | null;
  fulfillmentId: string | null;
}

export interface ShippingAwb2 {
  awbNumber: string;
  status: "created" | "label_printed" | "picked_up" | "in_transit" | "out_for_delivery" | "delivered" | "failed_attempt" | "returned" | "cancelled";
  events: { code: string; status: "created" | "label_printed" | "picked_up" | "in_transit" | "out_for_delivery" | "delivered" | "failed_attempt" | "returned" | "cancelled"; at: string; location: string | null; description: string | null; }[];
}

export interface ShippingAwbCreatedEvent {
  id: string;
  orderId: string;
  fulfillmentId: string | null;
  provider: string;
  awbNumber: string;
}

export interface ShippingAwbFailedEvent {
  id: string;
  orderId: string;
  fulfillmentId: string | null;
  provider: string;
  awbNumber: string;
  status: "failed_attempt" | "returned";
}

export interface ShippingAwbInput {
  fulfillmentId?: string | null;
  provider: "carrier-a" | "carrier-b" | "carrier-c";
  serviceCode?: string | null;
  parcels: { weightG: number; lengthMm?: number | null; widthMm?: number | null; heightMm?: number | null; }[];
  cod?: Money | null;
  codReason?: string | null;
  declaredValue?: Money | null;
  pickupPointId?: string | null;
}

export interface ShippingMethod {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: LocalText;
  type: "flat" | "per_item" | "weight" | "price" | "carrier" | "pickup";
  zoneIds: string[];
  carrier: "carrier-a" | "carrier-b" | "carrier-c" | null;
  serviceCode: string | null;
  taxCategoryId: string | null;
  handlingDays: number | null;
  etaMinDays: number | null;
  etaMaxDays: number | null;
  enabled: boolean;
  position: number;
  price: Money | null;
  freeOver: Money | null;
  valueBasis: "before_discounts" | "after_discounts";
  codFee: Money | null;
}

export interface ShippingMethodChange {
  code?: string;
  name?: string | Record<string, string>;
  type?: "flat" | "per_item" | "weight" | "price" | "carrier" | "pickup";
  zoneIds?: string[];
  carrier?: "carrier-a" | "carrier-b" | "carrier-c" | null;
  serviceCode?: string | null;
  taxCategoryId?: string | null;
  handlingDays?: number | null;
  etaMinDays?: number | null;
  etaMaxDays?: number | null;
  enabled?: boolean;
  position?: number;
  price?: Money | null;
  freeOver?: Money | null;
  valueBasis?: "before_discounts" | "after_discounts";
  codFee?: Money | null;
}

export interface ShippingMethodInput {
  code: string;
  name: string | Record<string, string>;
  type: "flat" | "per_item" | "weight" | "price" | "carrier" | "pickup";
  zoneIds: string[];
  carrier?: "carrier-a" | "carrier-b" | "carrier-c" | null;
  serviceCode?: string | null;
  taxCategoryId?: string | null;
  handlingDays?: number | null;
  etaMinDays?: number | null;
  etaMaxDays?: number | null;
  enabled?: boolean;
  position?: number;
  price?: Money | null;
  freeOver?: Money | null;
  valueBasis?: "before_discounts" | "after_discounts";
  codFee?: Money | null;
}

export interface ShippingMethodRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: LocalText;
  type: "flat" | "per_item" | "weight" | "price" | "carrier" | "pickup";
  zoneIds: string[];
  carrier: "carrier-a" | "carrier-b" | "carrier-c" | null;
  serviceCode: string | null;
  taxCategoryId: string | null;
  handlingDays: number | null;
  etaMinDays: number | null;
  etaMaxDays: number | null;
  enabled: boolean;
  position: number;
  price: Money | null;
  freeOver: Money | null;
  valueBasis: "before_discounts" | "after_discounts";
  codFee: Money | null;
}

export interface ShippingZone {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  countries: string[];
  regions: string[];
  postalCodePatterns: string[];
  priority: number;
  restOfWorld: boolean;
}

export interface ShippingZone2 {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  countries: string[];
  regions: string[];
  postalCodePatterns: string[];
  priority: number;
  restOfWorld: boolean;
}

export interface ShippingZoneChange {
  name?: string;
  countries?: string[];
  regions?: string[];
  postalCodePatterns?: string[];
  priority?: number;
  restOfWorld?: boolean;
}

export interface ShippingZoneInput {
  name: string;
  countries?: string[];
  regions?: string[];
  postalCodePatterns?: string[];
  priority?: number;
  restOfWorld?: boolean;
}

export interface ShippingZoneRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  countries: string[];
  regions: string[];
  postalCodePatterns: string[];
  priority: number;
  restOfWorld: boolean;
}

export interface ShippingZoneRow2 {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  countries: string[];
  regions: string[];
  postalCodePatterns: string[];
  priority: number;
  restOfWorld: boolean;
}

export interface AdminGetShippingMethodsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "position" | "-position") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "position" | "-position")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  code?: string | { ne?: string; in?: string | readonly string[]; };
  type?: "flat" | "per_item" | "weight" | "price" | "carrier" | "pickup" | { ne?: "flat" | "per_item" | "weight" | "price" | "carrier" | "pickup"; in?: ("flat" | "per_item" | "weight" | "price" | "carrier" | "pickup") | readonly ("flat" | "per_item" | "weight" | "price" | "carrier" | "pickup")[]; };
  zoneIds?: string;
  carrier?: "carrier-a" | "carrier-b" | "carrier-c" | { ne?: "carrier-a" | "carrier-b" | "carrier-c"; in?: ("carrier-a" | "carrier-b" | "carrier-c") | readonly ("carrier-a" | "carrier-b" | "carrier-c")[]; };
  enabled?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetShippingUnknownEventsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "at" | "-at") | readonly ("createdAt" | "-createdAt" | "at" | "-at")[];
  id?: string | { in?: string | readonly string[]; };
  provider?: "carrier-a" | "carrier-b" | "carrier-c" | { ne?: "carrier-a" | "carrier-b" | "carrier-c"; in?: ("carrier-a" | "carrier-b" | "carrier-c") | readonly ("carrier-a" | "carrier-b" | "carrier-c")[]; };
  awbNumber?: string | { ne?: string; in?: string | readonly string[]; };
}

export interface AdminGetShippingZonesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "priority" | "-priority") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "priority" | "-priority")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  countries?: string;
  restOfWorld?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetShippingCarriersQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetShippingZonesZonesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "priority" | "-priority") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "priority" | "-priority")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  countries?: string;
  restOfWorld?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetShippingZonesZonesByIdRatesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("min" | "-min" | "createdAt" | "-createdAt") | readonly ("min" | "-min" | "createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  methodId?: string | { ne?: string; in?: string | readonly string[]; };
}

export interface ShippingAdmin {
  orders: {
    awb: {
      /** Create the AWB of a parcel at a carrier. `POST /api/admin/orders/{id}/awb`, permission `shipping.awb.create`. */
      (id: string, body: ShippingAwbInput, options?: CallOptions): Promise<ShippingAwb>;
      /** Download the carrier's label. `GET /api/admin/orders/{id}/awb/{awbNumber}/label`, permission `shipping.awb.read`. */
      label(id: string, awbNumber: string, options?: CallOptions): Promise<Download>;
      /** Get the tracking events of a parcel. `GET /api/admin/orders/{id}/awb/{awbNumber}/tracking`, permission `shipping.awb.read`. */
      tracking(id: string, awbNumber: string, options?: CallOptions): Promise<ShippingAwb2>;
    };
  };
  shipping: {
    methods: {
      /** Create a method. `POST /api/admin/shipping/methods`, permission `shipping.method.create`. */
      create(body: ShippingMethodInput, options?: CallOptions): Promise<ShippingMethod>;
      /** List methods. `GET /api/admin/shipping/methods`, permission `shipping.method.read`. */
      list(query?: AdminGetShippingMethodsQuery, options?: CallOptions): Pages<ShippingMethodRow>;
      /** Delete a method. `DELETE /api/admin/shipping/methods/{id}`, permission `shipping.method.delete`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Change a method. `PATCH /api/admin/shipping/methods/{id}`, permission `shipping.method.update`. */
      update(id: string, body: ShippingMethodChange, options?: CallOptions): Promise<ShippingMethod>;
    };
    unknownEvents: {
      /** List carrier events of unknown AWBs. `GET /api/admin/shipping/unknown-events`, permission `shipping.carrier.read`. */
      list(query?: AdminGetShippingUnknownEventsQuery, options?: CallOptions): Pages<AdminGetShippingUnknownEventsRow>;
    };
    zones: {
      /** Create a zone. `POST /api/admin/shipping/zones`, permission `shipping.zone.create`. */
      create(body: ShippingZoneInput, options?: CallOptions): Promise<ShippingZone2>;
      /** List zones. `GET /api/admin/shipping/zones`, permission `shipping.zone.read`. */
      list(query?: AdminGetShippingZonesQuery, options?: CallOptions): Pages<ShippingZoneRow2>;
      /** Delete a zone. `DELETE /api/admin/shipping/zones/{id}`, permission `shipping.zone.delete`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Change a zone. `PATCH /api/admin/shipping/zones/{id}`, permission `shipping.zone.update`. */
      update(id: string, body: ShippingZoneChange, options?: CallOptions): Promise<ShippingZone2>;
    };
  };
  shippingCarriers: {
    /** Get the account at a carrier, with masked secrets. `GET /api/admin/shipping-carriers/{provider}`, permission `shipping.carrier.read`. */
    get(provider: string, options?: CallOptions): Promise<AdminGetShippingCarriersRow>;
    /** List the carriers and whether they are configured. `GET /api/admin/shipping-carriers`, permission `shipping.carrier.read`. */
    list(query?: AdminGetShippingCarriersQuery, options?: CallOptions): Pages<AdminGetShippingCarriersRow>;
    /** Delete the account at a carrier. `DELETE /api/admin/shipping-carriers/{provider}`, permission `shipping.carrier.delete`. */
    remove(provider: string, options?: CallOptions): Promise<void>;
    /** Set the account at a carrier. `PUT /api/admin/shipping-carriers/{provider}`, permission `shipping.carrier.update`. */
    replace(provider: string, body?: AdminPutShippingCarriersByProviderReplacement, options?: CallOptions): Promise<AdminGetShippingCarriersRow>;
  };
  shippingZones: {
    rates: {
      /** Remove a rate. `DELETE /api/admin/shipping-zones/rates/{rateId}`, permission `shipping.rate.delete`. */
      remove(rateId: string, options?: CallOptions): Promise<void>;
      /** Change a rate. `PATCH /api/admin/shipping-zones/rates/{rateId}`, permission `shipping.rate.update`. */
      update(rateId: string, body: AdminPatchShippingZonesRatesByRateIdChange, options?: CallOptions): Promise<AdminPatchShippingZonesRatesByRateIdAnswer>;
    };
    zones: {
      /** Create a zone. `POST /api/admin/shipping-zones/zones`, permission `shipping.zone.create`. */
      create(body: ShippingZoneInput, options?: CallOptions): Promise<ShippingZone>;
      /** List zones. `GET /api/admin/shipping-zones/zones`, permission `shipping.zone.read`. */
      list(query?: AdminGetShippingZonesZonesQuery, options?: CallOptions): Pages<ShippingZoneRow>;
      rates: {
        /** Add a rate to a zone. `POST /api/admin/shipping-zones/zones/{id}/rates`, permission `shipping.rate.create`. */
        create(id: string, body: AdminPostShippingZonesZonesByIdRatesInput, options?: CallOptions): Promise<AdminPatchShippingZonesRatesByRateIdAnswer>;
        /** List the rates of a zone, with the gaps between them. `GET /api/admin/shipping-zones/zones/{id}/rates`, permission `shipping.rate.read`. */
        list(id: string, query?: AdminGetShippingZonesZonesByIdRatesQuery, options?: CallOptions): Pages<AdminGetShippingZonesZonesByIdRatesRow>;
      };
      /** Delete a zone. `DELETE /api/admin/shipping-zones/zones/{id}`, permission `shipping.zone.delete`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Change a zone. `PATCH /api/admin/shipping-zones/zones/{id}`, permission `shipping.zone.update`. */
      update(id: string, body: ShippingZoneChange, options?: CallOptions): Promise<ShippingZone>;
    };
  };
}

export interface ShippingEvents {
  'shipping.awb.created': ShippingAwbCreatedEvent;
  'shipping.awb.delivered': ShippingAwbCreatedEvent;
  'shipping.awb.failed': ShippingAwbFailedEvent;
}

const adminRoutes = `
orders.awb POST /orders/{}/awb bk
orders.awb.label GET /orders/{}/awb/{}/label f
orders.awb.tracking GET /orders/{}/awb/{}/tracking
shipping.methods.create POST /shipping/methods bk
shipping.methods.list GET /shipping/methods lq
shipping.methods.remove DELETE /shipping/methods/{}
shipping.methods.update PATCH /shipping/methods/{} b
shipping.unknownEvents.list GET /shipping/unknown-events lq
shipping.zones.create POST /shipping/zones bk
shipping.zones.list GET /shipping/zones lq
shipping.zones.remove DELETE /shipping/zones/{}
shipping.zones.update PATCH /shipping/zones/{} b
shippingCarriers.get GET /shipping-carriers/{}
shippingCarriers.list GET /shipping-carriers lq
shippingCarriers.remove DELETE /shipping-carriers/{}
shippingCarriers.replace PUT /shipping-carriers/{} b
shippingZones.rates.remove DELETE /shipping-zones/rates/{}
shippingZones.rates.update PATCH /shipping-zones/rates/{} b
shippingZones.zones.create POST /shipping-zones/zones bk
shippingZones.zones.list GET /shipping-zones/zones lq
shippingZones.zones.rates.create POST /shipping-zones/zones/{}/rates bk
shippingZones.zones.rates.list GET /shipping-zones/zones/{}/rates lq
shippingZones.zones.remove DELETE /shipping-zones/zones/{}
shippingZones.zones.update PATCH /shipping-zones/zones/{} b
`;

/** Routes and events of shipping. */
export const shipping: Slice<{ admin: ShippingAdmin }, ShippingEvents> = { plugin: 'shipping', routes: { admin: adminRoutes } };
