// Generated from the OpenAPI document of the plugin events. Do not edit.

import type { CallOptions, Money, Pages, Slice } from '../index.ts';

export interface AdminGetDashboardEventsStatsAnswer {
  period: { from: string; to: string; timezone: string; };
  generatedAt: string;
  currency: string;
  metrics: Record<string, unknown>;
  series: Record<string, unknown>;
  lists: Record<string, unknown>;
  masked: string[];
}

export interface AdminGetEventsByEventIdSpeakersRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  eventId: string;
  name: string;
  title: string | null;
  bio: string | null;
  photo: string | null;
  order: number;
}

export interface AdminGetEventsByEventIdSponsorsRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  eventId: string;
  name: string;
  tier: string | null;
  logo: string | null;
  url: string | null;
  amount: Money | null;
  order: number;
}

export interface AdminGetEventsByEventIdTicketTypesRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  eventId: string;
  name: string;
  price: Money;
  quantity: number | null;
  salesStart: string | null;
  salesEnd: string | null;
  minPerOrder: number;
  maxPerOrder: number;
  validFrom: string | null;
  validUntil: string | null;
  hidden: boolean;
  order: number;
  held: number;
  sold: number;
  available: number | null;
}

export interface AdminGetEventsByEventIdTicketsRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  eventId: string;
  ticketTypeId: string;
  purchaseId: string;
  code: string;
  attendeeName: string | null;
  attendeeEmail: string | null;
  price: Money;
  checkedInAt: string | null;
  status: "reserved" | "valid" | "checked_in" | "expired" | "cancelled" | "refunded" | "transferred";
}

export interface AdminPatchEventsByEventIdSpeakersBySpeakerIdChange {
  name?: string;
  title?: string | null;
  bio?: string | null;
  photo?: string | null;
  order?: number;
}

export interface AdminPatchEventsByEventIdSponsorsBySponsorIdChange {
  name?: string;
  tier?: string | null;
  logo?: string | null;
  url?: string | null;
  amount?: Money | null;
  order?: number;
}

export interface AdminPatchEventsByEventIdTicketTypesByTicketTypeIdChange {
  name?: string;
  price?: Money;
  quantity?: number | null;
  salesStart?: string | null;
  salesEnd?: string | null;
  minPerOrder?: number;
  maxPerOrder?: number;
  validFrom?: string | null;
  validUntil?: string | null;
  hidden?: boolean;
  order?: number;
}

export interface AdminPostEventsByCodeCheckInInput {
  type?: "entry" | "exit";
  nonce: string;
  eventId?: string | null;
  gate?: string | null;
  deviceId?: string | null;
  at?: string | null;
  force?: boolean;
}

export interface AdminPostEventsByEventIdSpeakersInput {
  name: string;
  title?: string | null;
  bio?: string | null;
  photo?: string | null;
  order?: number;
}

export interface AdminPostEventsByEventIdSponsorsInput {
  name: string;
  tier?: string | null;
  logo?: string | null;
  url?: string | null;
  amount?: Money | null;
  order?: number;
}

export interface AdminPostEventsByEventIdTicketTypesInput {
  name: string;
  price: Money;
  quantity?: number | null;
  salesStart?: string | null;
  salesEnd?: string | null;
  minPerOrder?: number;
  maxPerOrder?: number;
  validFrom?: string | null;
  validUntil?: string | null;
  hidden?: boolean;
  order?: number;
}

export interface EventsEvent {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  title: string;
  slug: string;
  startsAt: string;
  endsAt: string;
  timezone: string;
  venue: { name: string | null; address: string | null; onlineUrl: string | null; };
  capacity: number | null;
  doorsAt: string | null;
  salesStart: string | null;
  salesEnd: string | null;
  reentry: boolean;
  description: string | null;
  cover: string | null;
  held: number;
  sold: number;
  available: number | null;
  soldOut: boolean;
  ongoing: boolean;
  status: "draft" | "published" | "postponed" | "cancelled" | "completed";
}

export interface EventsEventCancelledEvent {
  id: string;
  from: string;
  to: string;
}

export interface EventsEventChange {
  title?: string;
  slug?: string;
  startsAt?: string;
  endsAt?: string;
  timezone?: string;
  venue?: { name?: string | null; address?: string | null; onlineUrl?: string | null; };
  capacity?: number | null;
  doorsAt?: string | null;
  salesStart?: string | null;
  salesEnd?: string | null;
  reentry?: boolean;
  description?: string | null;
  cover?: string | null;
  status?: "published" | "postponed" | "cancelled" | "completed" | null;
}

export interface EventsEventCompletedEvent {
  id: string;
  from: string;
  to: string;
}

export interface EventsEventInput {
  title: string;
  slug?: string;
  startsAt: string;
  endsAt: string;
  timezone: string;
  venue?: { name?: string | null; address?: string | null; onlineUrl?: string | null; };
  capacity?: number | null;
  doorsAt?: string | null;
  salesStart?: string | null;
  salesEnd?: string | null;
  reentry?: boolean;
  description?: string | null;
  cover?: string | null;
}

export interface EventsEventPostponedEvent {
  id: string;
  from: string;
  to: string;
}

export interface EventsEventPublishedEvent {
  id: string;
  from: string;
  to: string;
}

export interface EventsEventRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  title: string;
  slug: string;
  startsAt: string;
  endsAt: string;
  timezone: string;
  venue: { name: string | null; address: string | null; onlineUrl: string | null; };
  capacity: number | null;
  doorsAt: string | null;
  salesStart: string | null;
  salesEnd: string | null;
  reentry: boolean;
  description: string | null;
  cover: string | null;
  held: number;
  sold: number;
  available: number | null;
  soldOut: boolean;
  ongoing: boolean;
  status: "draft" | "published" | "postponed" | "cancelled" | "completed";
}

export interface EventsPurchaseCancelledEvent {
  id: string;
  eventId: string;
  total: Money;
}

export interface EventsPurchaseExpiredEvent {
  id: string;
  eventId: string;
  total: Money;
}

export interface EventsPurchasePaidEvent {
  id: string;
  eventId: string;
  total: Money;
}

export interface EventsPurchaseRefundedEvent {
  id: string;
  eventId: string;
  total: Money;
}

export interface EventsTicket {
  result: "ok";
  type: "entry" | "exit";
  at: string;
  forced: boolean;
  event: { id: string; title: string; };
  ticket: { id: string; status: string; attendeeName: string | null; ticketType: string; };
}

export interface EventsTicketCancelledEvent {
  id: string;
  from: string;
  to: string;
}

export interface EventsTicketCheckedInEvent {
  id: string;
  from: string;
  to: string;
}

export interface EventsTicketTransferredEvent {
  id: string;
  from: string;
  to: string;
}

export interface EventsTicketValidEvent {
  id: string;
  from: string;
  to: string;
}

export interface PublicEventsPurchase {
  id: string;
  orderRef: string;
  status: "reserved" | "paid";
  holdExpiresAt: string | null;
  total: Money;
  paymentUrl: string | null;
  tickets: { code: string; ticketTypeId: string; ticketType: string; attendee: string | null; price: Money; }[];
}

export interface PublicEventsPurchaseInput {
  eventId: string;
  items: { ticketTypeId: string; quantity: number; }[];
  buyer: { name: string; email: string; phone?: string | null; };
  attendees?: { name: string; email?: string | null; }[];
  coupon?: string | null;
  returnUrl?: string | null;
  consent: boolean;
  consentVersion?: string | null;
  website?: string | null;
}

export interface StorefrontGetEventsRow {
  id: string;
  slug: string;
  title: string;
  description: string | null;
  startsAt: string;
  endsAt: string;
  doorsAt: string | null;
  timezone: string;
  venue: { name: string | null; address: string | null; };
  cover: string | null;
  speakers: { name: string; title: string | null; bio: string | null; photo: string | null; }[];
  sponsors: { name: string; logo: string | null; url: string | null; }[];
  ticketTypes: { id: string; name: string; price: Money; minPerOrder: number; maxPerOrder: number; availability: "ok" | "low" | "sold_out" | "not_on_sale"; }[];
}

export interface AdminGetDashboardEventsStatsQuery {
  from?: string;
  to?: string;
}

export interface AdminGetEventsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "title" | "-title" | "startsAt" | "-startsAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "title" | "-title" | "startsAt" | "-startsAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  slug?: string | { ne?: string; in?: string | readonly string[]; };
  startsAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  status?: "draft" | "published" | "postponed" | "cancelled" | "completed" | { ne?: "draft" | "published" | "postponed" | "cancelled" | "completed"; in?: ("draft" | "published" | "postponed" | "cancelled" | "completed") | readonly ("draft" | "published" | "postponed" | "cancelled" | "completed")[]; };
}

export interface AdminGetEventsByEventIdSpeakersQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "order" | "-order") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "order" | "-order")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetEventsByEventIdSponsorsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "order" | "-order") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "order" | "-order")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetEventsByEventIdTicketTypesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "order" | "-order") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "order" | "-order")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  hidden?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetEventsByEventIdTicketsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  ticketTypeId?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "reserved" | "valid" | "checked_in" | "expired" | "cancelled" | "refunded" | "transferred" | { ne?: "reserved" | "valid" | "checked_in" | "expired" | "cancelled" | "refunded" | "transferred"; in?: ("reserved" | "valid" | "checked_in" | "expired" | "cancelled" | "refunded" | "transferred") | readonly ("reserved" | "valid" | "checked_in" | "expired" | "cancelled" | "refunded" | "transferred")[]; };
  checkedIn?: boolean;
}

export interface StorefrontGetEventsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("startsAt" | "-startsAt") | readonly ("startsAt" | "-startsAt")[];
  from?: string;
  to?: string;
  slug?: string;
}

export interface EventsAdmin {
  dashboard: {
    /** Figures of events. `GET /api/admin/dashboard/events-stats`, permission `events.stats.read`. */
    eventsStats(query?: AdminGetDashboardEventsStatsQuery, options?: CallOptions): Promise<AdminGetDashboardEventsStatsAnswer>;
  };
  events: {
    /** Checks a ticket in or out. `POST /api/admin/events/{code}/check-in`, permission `events.ticket.check-in`. */
    checkIn(code: string, body: AdminPostEventsByCodeCheckInInput, options?: CallOptions): Promise<EventsTicket>;
    /** Create an event. `POST /api/admin/events`, permission `events.event.create`. */
    create(body: EventsEventInput, options?: CallOptions): Promise<EventsEvent>;
    /** Read an event. `GET /api/admin/events/{id}`, permission `events.event.read`. */
    get(id: string, options?: CallOptions): Promise<EventsEvent>;
    /** List events. `GET /api/admin/events`, permission `events.event.read`. */
    list(query?: AdminGetEventsQuery, options?: CallOptions): Pages<EventsEventRow>;
    /** Delete an event. `DELETE /api/admin/events/{id}`, permission `events.event.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    speakers: {
      /** Create a speaker. `POST /api/admin/events/{eventId}/speakers`, permission `events.event.update`. */
      create(eventId: string, body: AdminPostEventsByEventIdSpeakersInput, options?: CallOptions): Promise<AdminGetEventsByEventIdSpeakersRow>;
      /** List speakers. `GET /api/admin/events/{eventId}/speakers`, permission `events.event.read`. */
      list(eventId: string, query?: AdminGetEventsByEventIdSpeakersQuery, options?: CallOptions): Pages<AdminGetEventsByEventIdSpeakersRow>;
      /** Delete a speaker. `DELETE /api/admin/events/{eventId}/speakers/{speakerId}`, permission `events.event.update`. */
      remove(eventId: string, speakerId: string, options?: CallOptions): Promise<void>;
      /** Change a speaker. `PATCH /api/admin/events/{eventId}/speakers/{speakerId}`, permission `events.event.update`. */
      update(eventId: string, speakerId: string, body: AdminPatchEventsByEventIdSpeakersBySpeakerIdChange, options?: CallOptions): Promise<AdminGetEventsByEventIdSpeakersRow>;
    };
    sponsors: {
      /** Create a sponsor. `POST /api/admin/events/{eventId}/sponsors`, permission `events.event.update`. */
      create(eventId: string, body: AdminPostEventsByEventIdSponsorsInput, options?: CallOptions): Promise<AdminGetEventsByEventIdSponsorsRow>;
      /** List sponsors. `GET /api/admin/events/{eventId}/sponsors`, permission `events.event.read`. */
      list(eventId: string, query?: AdminGetEventsByEventIdSponsorsQuery, options?: CallOptions): Pages<AdminGetEventsByEventIdSponsorsRow>;
      /** Delete a sponsor. `DELETE /api/admin/events/{eventId}/sponsors/{sponsorId}`, permission `events.event.update`. */
      remove(eventId: string, sponsorId: string, options?: CallOptions): Promise<void>;
      /** Change a sponsor. `PATCH /api/admin/events/{eventId}/sponsors/{sponsorId}`, permission `events.event.update`. */
      update(eventId: string, sponsorId: string, body: AdminPatchEventsByEventIdSponsorsBySponsorIdChange, options?: CallOptions): Promise<AdminGetEventsByEventIdSponsorsRow>;
    };
    ticketTypes: {
      /** Create a ticket type. `POST /api/admin/events/{eventId}/ticket-types`, permission `events.event.update`. */
      create(eventId: string, body: AdminPostEventsByEventIdTicketTypesInput, options?: CallOptions): Promise<AdminGetEventsByEventIdTicketTypesRow>;
      /** List ticket types. `GET /api/admin/events/{eventId}/ticket-types`, permission `events.event.read`. */
      list(eventId: string, query?: AdminGetEventsByEventIdTicketTypesQuery, options?: CallOptions): Pages<AdminGetEventsByEventIdTicketTypesRow>;
      /** Delete a ticket type. `DELETE /api/admin/events/{eventId}/ticket-types/{ticketTypeId}`, permission `events.event.update`. */
      remove(eventId: string, ticketTypeId: string, options?: CallOptions): Promise<void>;
      /** Change a ticket type. `PATCH /api/admin/events/{eventId}/ticket-types/{ticketTypeId}`, permission `events.event.update`. */
      update(eventId: string, ticketTypeId: string, body: AdminPatchEventsByEventIdTicketTypesByTicketTypeIdChange, options?: CallOptions): Promise<AdminGetEventsByEventIdTicketTypesRow>;
    };
    tickets: {
      /** List tickets. `GET /api/admin/events/{eventId}/tickets`, permission `events.event.read`. */
      list(eventId: string, query?: AdminGetEventsByEventIdTicketsQuery, options?: CallOptions): Pages<AdminGetEventsByEventIdTicketsRow>;
    };
    /** Change an event. `PATCH /api/admin/events/{id}`, permission `events.event.update`. */
    update(id: string, body: EventsEventChange, options?: CallOptions): Promise<EventsEvent>;
  };
}

export interface EventsStorefront {
  events: {
    /** Published events that have not ended, by start. `GET /api/storefront/events`. */
    list(query?: StorefrontGetEventsQuery, options?: CallOptions): Pages<StorefrontGetEventsRow>;
  };
  tickets: {
    /** Reserves tickets and starts their payment; free tickets are valid immediately. `POST /api/storefront/tickets/purchase`. */
    purchase(body: PublicEventsPurchaseInput, options?: CallOptions): Promise<PublicEventsPurchase>;
  };
}

export interface EventsEvents {
  'events.event.cancelled': EventsEventCancelledEvent;
  'events.event.completed': EventsEventCompletedEvent;
  'events.event.postponed': EventsEventPostponedEvent;
  'events.event.published': EventsEventPublishedEvent;
  'events.purchase.cancelled': EventsPurchaseCancelledEvent;
  'events.purchase.expired': EventsPurchaseExpiredEvent;
  'events.purchase.paid': EventsPurchasePaidEvent;
  'events.purchase.refunded': EventsPurchaseRefundedEvent;
  'events.ticket.cancelled': EventsTicketCancelledEvent;
  'events.ticket.checked_in': EventsTicketCheckedInEvent;
  'events.ticket.transferred': EventsTicketTransferredEvent;
  'events.ticket.valid': EventsTicketValidEvent;
}

const adminRoutes = `
dashboard.eventsStats GET /dashboard/events-stats q
events.checkIn POST /events/{}/check-in bk
events.create POST /events bk
events.get GET /events/{}
events.list GET /events lq
events.remove DELETE /events/{}
events.speakers.create POST /events/{}/speakers bk
events.speakers.list GET /events/{}/speakers lq
events.speakers.remove DELETE /events/{}/speakers/{}
events.speakers.update PATCH /events/{}/speakers/{} b
events.sponsors.create POST /events/{}/sponsors bk
events.sponsors.list GET /events/{}/sponsors lq
events.sponsors.remove DELETE /events/{}/sponsors/{}
events.sponsors.update PATCH /events/{}/sponsors/{} b
events.ticketTypes.create POST /events/{}/ticket-types bk
events.ticketTypes.list GET /events/{}/ticket-types lq
events.ticketTypes.remove DELETE /events/{}/ticket-types/{}
events.ticketTypes.update PATCH /events/{}/ticket-types/{} b
events.tickets.list GET /events/{}/tickets lq
events.update PATCH /events/{} b
`;

const storefrontRoutes = `
events.list GET /events lq
tickets.purchase POST /tickets/purchase bk
`;

/** Routes and events of events. */
export const events: Slice<{ admin: EventsAdmin; storefront: EventsStorefront }, EventsEvents> = { plugin: 'events', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of events for visitors of a shop: without those for staff and operators. */
export const eventsStorefront: Slice<{ storefront: EventsStorefront }, EventsEvents> = { plugin: 'events', routes: { storefront: storefrontRoutes } };
