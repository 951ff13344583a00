// Generated from the OpenAPI document of the plugin restaurant. Do not edit.

import type { CallOptions, Money, Pages, Slice } from '../index.ts';

export interface AdminGetDashboardRestaurantStatsAnswer {
  period: { from: string; to: string; timezone: string; };
  generatedAt: string;
  currency: string;
  metrics: Record<string, unknown>;
  series: Record<string, unknown>;
  lists: Record<string, unknown>;
  masked: string[];
}

export interface PublicRestaurantReservation {
  reference: string;
  status: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "seated" | "completed" | "no_show";
  startsAt: string;
  partySize: number;
  holdExpiresAt: string | null;
  timezone: string;
  manageToken: string | null;
}

export type PublicRestaurantReservationInput = { name: string; phone?: string | null; email?: string | null; partySize: number; area?: string | null; occasion?: string | null; notes?: string | null; startsAt?: string | null; date?: string | null; time?: string | null; offset?: string | null; consent: boolean; consentVersion?: string | null; website?: string | null; } | { manageToken?: string | null; action: "cancel" | "reschedule"; startsAt?: string | null; date?: string | null; time?: string | null; offset?: string | null; };

export interface RestaurantMenuCategory {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  sortOrder: number;
  isActive: boolean;
  availableDays: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  availableFrom: string | null;
  availableTo: string | null;
  reason: string | null;
  supersededAt: string | null;
}

export interface RestaurantMenuCategoryInput {
  name: string;
  sortOrder?: number;
  isActive?: boolean;
  availableDays?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  availableFrom?: string | null;
  availableTo?: string | null;
  replacesId?: string | null;
  reason?: string | null;
}

export interface RestaurantMenuCategoryRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  sortOrder: number;
  isActive: boolean;
  availableDays: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  availableFrom: string | null;
  availableTo: string | null;
  reason: string | null;
  supersededAt: string | null;
}

export interface RestaurantMenuItem {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  categoryId: string;
  price: Money;
  sku: string | null;
  description: string | null;
  allergens: ("gluten" | "crustaceans" | "eggs" | "fish" | "peanuts" | "soybeans" | "milk" | "nuts" | "celery" | "mustard" | "sesame" | "sulphites" | "lupin" | "molluscs")[];
  dietary: string[];
  station: "kitchen" | "bar";
  prepMin: number | null;
  modifierGroups: ({ name: string; min: number; max: number; options: { name: string; priceDelta: Money | null; }[]; })[];
  taxCategoryId: string | null;
  stockQty: number | null;
  isAvailable: boolean;
  archived: boolean;
  image: string | null;
}

export interface RestaurantMenuItemChange {
  name?: string;
  categoryId?: string;
  price?: Money;
  sku?: string | null;
  description?: string | null;
  allergens?: ("gluten" | "crustaceans" | "eggs" | "fish" | "peanuts" | "soybeans" | "milk" | "nuts" | "celery" | "mustard" | "sesame" | "sulphites" | "lupin" | "molluscs")[];
  dietary?: string[];
  station?: "kitchen" | "bar";
  prepMin?: number | null;
  modifierGroups?: ({ name: string; min?: number; max?: number; options: { name: string; priceDelta?: Money | null; }[]; })[];
  taxCategoryId?: string | null;
  stockQty?: number | null;
  isAvailable?: boolean;
  archived?: boolean;
  image?: string | null;
}

export interface RestaurantMenuItemInput {
  name: string;
  categoryId: string;
  price: Money;
  sku?: string | null;
  description?: string | null;
  allergens?: ("gluten" | "crustaceans" | "eggs" | "fish" | "peanuts" | "soybeans" | "milk" | "nuts" | "celery" | "mustard" | "sesame" | "sulphites" | "lupin" | "molluscs")[];
  dietary?: string[];
  station?: "kitchen" | "bar";
  prepMin?: number | null;
  modifierGroups?: ({ name: string; min?: number; max?: number; options: { name: string; priceDelta?: Money | null; }[]; })[];
  taxCategoryId?: string | null;
  stockQty?: number | null;
  isAvailable?: boolean;
  archived?: boolean;
  image?: string | null;
}

export interface RestaurantMenuItemRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  categoryId: string;
  price: Money;
  sku: string | null;
  description: string | null;
  allergens: ("gluten" | "crustaceans" | "eggs" | "fish" | "peanuts" | "soybeans" | "milk" | "nuts" | "celery" | "mustard" | "sesame" | "sulphites" | "lupin" | "molluscs")[];
  dietary: string[];
  station: "kitchen" | "bar";
  prepMin: number | null;
  modifierGroups: ({ name: string; min: number; max: number; options: { name: string; priceDelta: Money | null; }[]; })[];
  taxCategoryId: string | null;
  stockQty: number | null;
  isAvailable: boolean;
  archived: boolean;
  image: string | null;
}

export interface RestaurantOrder {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  tableId: string;
  reservationId: string | null;
  covers: number | null;
  split: boolean;
  discountBp: number;
  serviceBp: number;
  rounds: ({ items: ({ id: string; menuItemId: string; name: string; qty: number; modifiers: { group: string; option: string; }[]; note: string | null; course: number | null; station: string; unitPrice: Money; status: "queued" | "preparing" | "ready" | "served" | "cancelled"; })[]; })[];
  subtotal: Money;
  discount: Money;
  service: Money;
  tip: Money;
  tax: Money;
  total: Money;
  payments: { method: string; amount: Money; at: string; }[];
  number: number;
  openedBy: string | null;
  paidAt: string | null;
  cancelReason: string | null;
  status: "open" | "sent" | "ready" | "served" | "billed" | "paid" | "cancelled";
}

export interface RestaurantOrder2 {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  tableId: string;
  reservationId: string | null;
  covers: number | null;
  split: boolean;
  discountBp: number;
  serviceBp: number;
  rounds: ({ items: ({ id: string; menuItemId: string; name: string; qty: number; modifiers: { group: string; option: string; }[]; note: string | null; course: number | null; station: string; unitPrice: Money; status: "queued" | "preparing" | "ready" | "served" | "cancelled"; })[]; })[];
  subtotal: Money;
  discount: Money;
  service: Money;
  tip: Money;
  tax: Money;
  total: Money;
  payments: { method: string; amount: Money; at: string; }[];
  number: number;
  openedBy: string | null;
  paidAt: string | null;
  cancelReason: string | null;
  status: "open" | "sent" | "ready" | "served" | "billed" | "paid" | "cancelled";
}

export interface RestaurantOrderBilledEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantOrderCancelledEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantOrderChange {
  status?: "sent" | "ready" | "served" | "billed" | "paid" | "cancelled" | null;
  reason?: string | null;
  tip?: Money | null;
  discountBp?: number | null;
  payments?: { method: string; amount: Money; }[] | null;
  items?: { id: string; status: "preparing" | "ready" | "served" | "cancelled"; }[] | null;
}

export interface RestaurantOrderCreatedEvent {
  id: string;
}

export interface RestaurantOrderInput {
  tableId: string;
  reservationId?: string | null;
  covers?: number | null;
  split?: boolean;
  discountBp?: number;
  rounds?: ({ items: ({ menuItemId: string; qty: number; modifiers?: { group: string; option: string; }[]; note?: string | null; course?: number | null; })[]; })[];
}

export interface RestaurantOrderInput2 {
  items: ({ menuItemId: string; qty: number; modifiers?: { group: string; option: string; }[]; note?: string | null; course?: number | null; })[];
}

export interface RestaurantOrderPaidEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantOrderReadyEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantOrderRoundAddedEvent {
  id: string;
  round: number;
}

export interface RestaurantOrderRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  tableId: string;
  reservationId: string | null;
  covers: number | null;
  split: boolean;
  discountBp: number;
  serviceBp: number;
  rounds: ({ items: ({ id: string; menuItemId: string; name: string; qty: number; modifiers: { group: string; option: string; }[]; note: string | null; course: number | null; station: string; unitPrice: Money; status: "queued" | "preparing" | "ready" | "served" | "cancelled"; })[]; })[];
  subtotal: Money;
  discount: Money;
  service: Money;
  tip: Money;
  tax: Money;
  total: Money;
  payments: { method: string; amount: Money; at: string; }[];
  number: number;
  openedBy: string | null;
  paidAt: string | null;
  cancelReason: string | null;
  status: "open" | "sent" | "ready" | "served" | "billed" | "paid" | "cancelled";
}

export interface RestaurantOrderSentEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantOrderServedEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantReservation {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  phone: string | null;
  email: string | null;
  partySize: number;
  startsAt: string;
  durationMin: number;
  endsAt: string;
  tableIds: string[];
  area: string | null;
  occasion: string | null;
  notes: string | null;
  source: "web" | "phone" | "walkin";
  reference: string;
  holdExpiresAt: string | null;
  cancelReason: string | null;
  slotAt: string;
  seatedAt: string | null;
  completedAt: string | null;
  locale: string;
  calendarSequence: number;
  status: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "seated" | "completed" | "no_show";
}

export interface RestaurantReservationCancelledEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantReservationChange {
  name?: string;
  phone?: string | null;
  email?: string | null;
  partySize?: number;
  startsAt?: string | null;
  durationMin?: number | null;
  tableIds?: string[];
  area?: string | null;
  occasion?: string | null;
  notes?: string | null;
  source?: "web" | "phone" | "walkin";
  cancelReason?: string | null;
  date?: string | null;
  time?: string | null;
  offset?: string | null;
  status?: "confirmed" | "declined" | "cancelled" | "seated" | "completed" | "no_show" | null;
}

export interface RestaurantReservationChangedEvent {
  id: string;
  startsAt: string;
  partySize: number;
}

export interface RestaurantReservationCompletedEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantReservationConfirmedEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantReservationCreatedEvent {
  id: string;
}

export interface RestaurantReservationDeclinedEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantReservationExpiredEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantReservationInput {
  name: string;
  phone?: string | null;
  email?: string | null;
  partySize: number;
  startsAt?: string | null;
  durationMin?: number | null;
  tableIds?: string[];
  area?: string | null;
  occasion?: string | null;
  notes?: string | null;
  source?: "web" | "phone" | "walkin";
  cancelReason?: string | null;
  date?: string | null;
  time?: string | null;
  offset?: string | null;
}

export interface RestaurantReservationNoShowEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantReservationRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  phone: string | null;
  email: string | null;
  partySize: number;
  startsAt: string;
  durationMin: number;
  endsAt: string;
  tableIds: string[];
  area: string | null;
  occasion: string | null;
  notes: string | null;
  source: "web" | "phone" | "walkin";
  reference: string;
  holdExpiresAt: string | null;
  cancelReason: string | null;
  seatedAt: string | null;
  completedAt: string | null;
  status: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "seated" | "completed" | "no_show";
}

export interface RestaurantReservationSeatedEvent {
  id: string;
  from: string;
  to: string;
}

export interface RestaurantTable {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  label: string;
  area: string | null;
  seatsMin: number;
  seats: number;
  extraSeats: number;
  combinableWith: string[];
  isReservable: boolean;
  priority: number;
  isActive: boolean;
  occupancy: "free" | "reserved" | "occupied" | "dirty" | "out_of_service";
}

export interface RestaurantTableChange {
  label?: string;
  area?: string | null;
  seatsMin?: number;
  seats?: number;
  extraSeats?: number;
  combinableWith?: string[];
  isReservable?: boolean;
  priority?: number;
  isActive?: boolean;
  occupancy?: "free" | "dirty" | "out_of_service";
}

export interface RestaurantTableInput {
  label: string;
  area?: string | null;
  seatsMin?: number;
  seats: number;
  extraSeats?: number;
  combinableWith?: string[];
  isReservable?: boolean;
  priority?: number;
  isActive?: boolean;
}

export interface RestaurantTableRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  label: string;
  area: string | null;
  seatsMin: number;
  seats: number;
  extraSeats: number;
  combinableWith: string[];
  isReservable: boolean;
  priority: number;
  isActive: boolean;
  occupancy: "free" | "reserved" | "occupied" | "dirty" | "out_of_service";
}

export interface AdminGetDashboardRestaurantStatsQuery {
  from?: string;
  to?: string;
}

export interface AdminGetMenuCategoriesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "sortOrder" | "-sortOrder") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "sortOrder" | "-sortOrder")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  isActive?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  superseded?: boolean;
}

export interface AdminGetMenuQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "price" | "-price") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "price" | "-price")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  categoryId?: string | { ne?: string; in?: string | readonly string[]; };
  sku?: string | { ne?: string; in?: string | readonly string[]; };
  allergens?: "gluten" | "crustaceans" | "eggs" | "fish" | "peanuts" | "soybeans" | "milk" | "nuts" | "celery" | "mustard" | "sesame" | "sulphites" | "lupin" | "molluscs";
  station?: "kitchen" | "bar" | { ne?: "kitchen" | "bar"; in?: ("kitchen" | "bar") | readonly ("kitchen" | "bar")[]; };
  isAvailable?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  archived?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetRestaurantReservationsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "partySize" | "-partySize" | "startsAt" | "-startsAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "partySize" | "-partySize" | "startsAt" | "-startsAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  startsAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  area?: string | { ne?: string; in?: string | readonly string[]; };
  source?: "web" | "phone" | "walkin" | { ne?: "web" | "phone" | "walkin"; in?: ("web" | "phone" | "walkin") | readonly ("web" | "phone" | "walkin")[]; };
  reference?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "seated" | "completed" | "no_show" | { ne?: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "seated" | "completed" | "no_show"; in?: ("pending" | "confirmed" | "declined" | "expired" | "cancelled" | "seated" | "completed" | "no_show") | readonly ("pending" | "confirmed" | "declined" | "expired" | "cancelled" | "seated" | "completed" | "no_show")[]; };
  tableId?: string;
  date?: string;
}

export interface AdminGetTableOrdersQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "number" | "-number") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "number" | "-number")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  tableId?: string | { ne?: string; in?: string | readonly string[]; };
  reservationId?: string | { ne?: string; in?: string | readonly string[]; };
  number?: number | { ne?: number; gt?: number; gte?: number; lt?: number; lte?: number; in?: number | readonly number[]; };
  openedBy?: string | { ne?: string; in?: string | readonly string[]; };
  paidAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  status?: "open" | "sent" | "ready" | "served" | "billed" | "paid" | "cancelled" | { ne?: "open" | "sent" | "ready" | "served" | "billed" | "paid" | "cancelled"; in?: ("open" | "sent" | "ready" | "served" | "billed" | "paid" | "cancelled") | readonly ("open" | "sent" | "ready" | "served" | "billed" | "paid" | "cancelled")[]; };
}

export interface AdminGetTablesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "label" | "-label" | "seats" | "-seats" | "priority" | "-priority") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "label" | "-label" | "seats" | "-seats" | "priority" | "-priority")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  area?: string | { ne?: string; in?: string | readonly string[]; };
  isReservable?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  isActive?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  at?: string;
}

export interface RestaurantAdmin {
  dashboard: {
    /** Figures of restaurant. `GET /api/admin/dashboard/restaurant-stats`, permission `restaurant.stats.read`. */
    restaurantStats(query?: AdminGetDashboardRestaurantStatsQuery, options?: CallOptions): Promise<AdminGetDashboardRestaurantStatsAnswer>;
  };
  menu: {
    categories: {
      /** Creates a category, or with `replacesId` a new version of one. `POST /api/admin/menu/categories`, permission `restaurant.menu-category.create`. */
      create(body: RestaurantMenuCategoryInput, options?: CallOptions): Promise<RestaurantMenuCategory>;
      /** List categories. `GET /api/admin/menu/categories`, permission `restaurant.menu-category.read`. */
      list(query?: AdminGetMenuCategoriesQuery, options?: CallOptions): Pages<RestaurantMenuCategoryRow>;
    };
    /** Create a menu item. `POST /api/admin/menu`, permission `restaurant.menu-item.create`. */
    create(body: RestaurantMenuItemInput, options?: CallOptions): Promise<RestaurantMenuItem>;
    /** List menu. `GET /api/admin/menu`, permission `restaurant.menu-item.read`. */
    list(query?: AdminGetMenuQuery, options?: CallOptions): Pages<RestaurantMenuItemRow>;
    /** Change a menu item. `PATCH /api/admin/menu/{id}`, permission `restaurant.menu-item.update`. */
    update(id: string, body: RestaurantMenuItemChange, options?: CallOptions): Promise<RestaurantMenuItem>;
  };
  restaurantReservations: {
    /** Create a restaurant reservation. `POST /api/admin/restaurant-reservations`, permission `restaurant.reservation.create`. */
    create(body: RestaurantReservationInput, options?: CallOptions): Promise<RestaurantReservation>;
    /** List restaurant reservations. `GET /api/admin/restaurant-reservations`, permission `restaurant.reservation.read`. */
    list(query?: AdminGetRestaurantReservationsQuery, options?: CallOptions): Pages<RestaurantReservationRow>;
    /** Change a restaurant reservation. `PATCH /api/admin/restaurant-reservations/{id}`, permission `restaurant.reservation.update`. */
    update(id: string, body: RestaurantReservationChange, options?: CallOptions): Promise<RestaurantReservation>;
  };
  tableOrders: {
    /** Opens a check. `POST /api/admin/table-orders`, permission `restaurant.order.create`. */
    create(body: RestaurantOrderInput, options?: CallOptions): Promise<RestaurantOrder>;
    items: {
      /** Adds a round to a check. `POST /api/admin/table-orders/{id}/items`, permission `restaurant.order.update`. */
      create(id: string, body: RestaurantOrderInput2, options?: CallOptions): Promise<RestaurantOrder2>;
    };
    /** List table orders. `GET /api/admin/table-orders`, permission `restaurant.order.read`. */
    list(query?: AdminGetTableOrdersQuery, options?: CallOptions): Pages<RestaurantOrderRow>;
    status: {
      /** Changes the status of a check, or of its items. `PATCH /api/admin/table-orders/{id}/status`, permission `restaurant.order.update`. */
      update(id: string, body?: RestaurantOrderChange, options?: CallOptions): Promise<RestaurantOrder2>;
    };
  };
  tables: {
    /** Create a table. `POST /api/admin/tables`, permission `restaurant.table.create`. */
    create(body: RestaurantTableInput, options?: CallOptions): Promise<RestaurantTable>;
    /** Tables with their occupancy, now or `at` an instant. `GET /api/admin/tables`, permission `restaurant.table.read`. */
    list(query?: AdminGetTablesQuery, options?: CallOptions): Pages<RestaurantTableRow>;
    /** Change a table. `PATCH /api/admin/tables/{id}`, permission `restaurant.table.update`. */
    update(id: string, body: RestaurantTableChange, options?: CallOptions): Promise<RestaurantTable>;
  };
}

export interface RestaurantStorefront {
  reservations: {
    /** Reserves a table; with a manage token reschedules or cancels the reservation. `POST /api/storefront/reservations`. */
    create(body: PublicRestaurantReservationInput, options?: CallOptions): Promise<PublicRestaurantReservation>;
  };
}

export interface RestaurantEvents {
  'restaurant.order.billed': RestaurantOrderBilledEvent;
  'restaurant.order.cancelled': RestaurantOrderCancelledEvent;
  'restaurant.order.created': RestaurantOrderCreatedEvent;
  'restaurant.order.paid': RestaurantOrderPaidEvent;
  'restaurant.order.ready': RestaurantOrderReadyEvent;
  'restaurant.order.round_added': RestaurantOrderRoundAddedEvent;
  'restaurant.order.sent': RestaurantOrderSentEvent;
  'restaurant.order.served': RestaurantOrderServedEvent;
  'restaurant.reservation.cancelled': RestaurantReservationCancelledEvent;
  'restaurant.reservation.changed': RestaurantReservationChangedEvent;
  'restaurant.reservation.completed': RestaurantReservationCompletedEvent;
  'restaurant.reservation.confirmed': RestaurantReservationConfirmedEvent;
  'restaurant.reservation.created': RestaurantReservationCreatedEvent;
  'restaurant.reservation.declined': RestaurantReservationDeclinedEvent;
  'restaurant.reservation.expired': RestaurantReservationExpiredEvent;
  'restaurant.reservation.no_show': RestaurantReservationNoShowEvent;
  'restaurant.reservation.seated': RestaurantReservationSeatedEvent;
}

const adminRoutes = `
dashboard.restaurantStats GET /dashboard/restaurant-stats q
menu.categories.create POST /menu/categories bk
menu.categories.list GET /menu/categories lq
menu.create POST /menu bk
menu.list GET /menu lq
menu.update PATCH /menu/{} b
restaurantReservations.create POST /restaurant-reservations bk
restaurantReservations.list GET /restaurant-reservations lq
restaurantReservations.update PATCH /restaurant-reservations/{} b
tableOrders.create POST /table-orders bk
tableOrders.items.create POST /table-orders/{}/items bk
tableOrders.list GET /table-orders lq
tableOrders.status.update PATCH /table-orders/{}/status b
tables.create POST /tables bk
tables.list GET /tables lq
tables.update PATCH /tables/{} b
`;

const storefrontRoutes = `
reservations.create POST /reservations bk
`;

/** Routes and events of restaurant. */
export const restaurant: Slice<{ admin: RestaurantAdmin; storefront: RestaurantStorefront }, RestaurantEvents> = { plugin: 'restaurant', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of restaurant for visitors of a shop: without those for staff and operators. */
export const restaurantStorefront: Slice<{ storefront: RestaurantStorefront }, RestaurantEvents> = { plugin: 'restaurant', routes: { storefront: storefrontRoutes } };
