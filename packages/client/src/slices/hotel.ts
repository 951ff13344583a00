// Generated from the OpenAPI document of the plugin hotel. Do not edit.

import type { CallOptions, Money, Pages, Slice } from '../index.ts';

export interface AdminGetDashboardHotelStatsAnswer {
  period: { from: string; to: string; timezone: string; };
  generatedAt: string;
  currency: string;
  metrics: Record<string, unknown>;
  series: Record<string, unknown>;
  lists: Record<string, unknown>;
  masked: string[];
}

export interface AdminGetRoomsAvailabilityRow {
  roomType: string;
  available: number;
  roomIds: string[];
  nightly: { date: string; rate: Money; }[];
  total: Money;
  violations: { rule: string; date: string; limit: number | null; }[];
}

export interface AdminPostReservationsHotelByIdCheckInInput {
  roomId?: string | null;
  guests?: ({ id?: string | null; firstName?: string | null; lastName?: string | null; email?: string | null; phone?: string | null; nationality?: string | null; birthDate?: string | null; idDocType?: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber?: string | null; address?: { line1?: string | null; city?: string | null; postalCode?: string | null; country?: string | null; } | null; vip?: boolean | null; consent?: boolean | null; })[];
  folioAdd?: { kind: "charge" | "payment" | "refund"; label: string; amount: Money; vatRate?: number | null; ref?: string | null; }[];
  override?: { reason: string; } | null;
}

export interface AdminPostReservationsHotelByIdCheckOutInput {
  folioAdd?: { kind: "charge" | "payment" | "refund"; label: string; amount: Money; vatRate?: number | null; ref?: string | null; }[];
  force?: { reason: string; } | null;
}

export interface HotelGuest {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  firstName: string;
  lastName: string;
  email: string | null;
  phone: string | null;
  nationality: string | null;
  birthDate: string | null;
  idDocType: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null;
  idDocNumber: string | null;
  address: { line1: string | null; city: string | null; postalCode: string | null; country: string | null; } | null;
  vip: boolean;
  consent: boolean;
}

export interface HotelGuestInput {
  firstName: string;
  lastName: string;
  email?: string | null;
  phone?: string | null;
  nationality?: string | null;
  birthDate?: string | null;
  idDocType?: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null;
  idDocNumber?: string | null;
  address?: { line1?: string | null; city?: string | null; postalCode?: string | null; country?: string | null; } | null;
  vip?: boolean;
  consent?: boolean;
}

export interface HotelGuestRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  firstName: string;
  lastName: string;
  email: string | null;
  phone: string | null;
  nationality: string | null;
  birthDate: string | null;
  idDocType: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null;
  idDocNumber: string | null;
  address: { line1: string | null; city: string | null; postalCode: string | null; country: string | null; } | null;
  vip: boolean;
  consent: boolean;
}

export interface HotelHousekeeping {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  roomId: string;
  type: "departure" | "stayover" | "deep" | "inspection" | "maintenance";
  priority: number;
  assigneeId: string | null;
  dueDate: string | null;
  notes: string | null;
  startedAt: string | null;
  doneAt: string | null;
  status: "pending" | "in_progress" | "done" | "inspected" | "skipped" | "cancelled";
}

export interface HotelHousekeepingChange {
  roomId?: string;
  type?: "departure" | "stayover" | "deep" | "inspection" | "maintenance";
  priority?: number;
  assigneeId?: string | null;
  dueDate?: string | null;
  notes?: string | null;
  status?: "in_progress" | "done" | "inspected" | "pending" | "skipped" | "cancelled" | null;
}

export interface HotelHousekeepingInput {
  roomId: string;
  type: "departure" | "stayover" | "deep" | "inspection" | "maintenance";
  priority?: number;
  assigneeId?: string | null;
  dueDate?: string | null;
  notes?: string | null;
}

export interface HotelHousekeepingRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  roomId: string;
  type: "departure" | "stayover" | "deep" | "inspection" | "maintenance";
  priority: number;
  assigneeId: string | null;
  dueDate: string | null;
  notes: string | null;
  startedAt: string | null;
  doneAt: string | null;
  status: "pending" | "in_progress" | "done" | "inspected" | "skipped" | "cancelled";
}

export interface HotelHousekeepingTaskDoneEvent {
  id: string;
  from: string;
  to: string;
}

export interface HotelReservation {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  roomId: string | null;
  roomType: string | null;
  guestId: string | null;
  guest: { id: string | null; firstName: string | null; lastName: string | null; email: string | null; phone: string | null; nationality: string | null; birthDate: string | null; idDocType: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber: string | null; address: { line1: string | null; city: string | null; postalCode: string | null; country: string | null; } | null; vip: boolean | null; consent: boolean | null; } | null;
  checkIn: string;
  checkOut: string;
  adults: number;
  children: number;
  guests: ({ id: string | null; firstName: string | null; lastName: string | null; email: string | null; phone: string | null; nationality: string | null; birthDate: string | null; idDocType: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber: string | null; address: { line1: string | null; city: string | null; postalCode: string | null; country: string | null; } | null; vip: boolean | null; consent: boolean | null; })[];
  guestIds: string[];
  deposit: Money | null;
  source: "direct" | "phone" | "walkin" | "web" | "agency" | "shop";
  notes: string | null;
  cancelReason: string | null;
  reference: string;
  nights: number;
  nightlyRates: { date: string; rate: Money; }[];
  total: Money;
  tax: Money | null;
  taxLines: { ratePpm: number; base: Money; tax: Money; }[];
  fee: Money | null;
  paid: Money;
  charges: Money;
  balance: Money;
  policy: Record<string, unknown>;
  holdExpiresAt: string | null;
  cancelledAt: string | null;
  actualCheckInAt: string | null;
  actualCheckOutAt: string | null;
  orderId: string | null;
  orderLineId: string | null;
  orderPrice: Money | null;
  orderTotal: Money | null;
  calendarSequence: number;
  locale: string;
  guestName: string;
  folio: { id: string; at: string; kind: "charge" | "payment" | "refund"; label: string; amount: Money; vatRate: number | null; ref: string | null; }[];
  history: ({ from: string | null; to: string; at: string; actor: { type: string; id: string | null; }; reason: string | null; })[];
  status: "pending" | "confirmed" | "expired" | "cancelled" | "checked_in" | "checked_out" | "no_show";
}

export interface HotelReservationCancelledEvent {
  id: string;
  from: string;
  to: string;
}

export interface HotelReservationChange {
  roomId?: string | null;
  roomType?: string | null;
  guestId?: string | null;
  guest?: { id?: string | null; firstName?: string | null; lastName?: string | null; email?: string | null; phone?: string | null; nationality?: string | null; birthDate?: string | null; idDocType?: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber?: string | null; address?: { line1?: string | null; city?: string | null; postalCode?: string | null; country?: string | null; } | null; vip?: boolean | null; consent?: boolean | null; } | null;
  checkIn?: string;
  checkOut?: string;
  adults?: number;
  children?: number;
  guests?: ({ id?: string | null; firstName?: string | null; lastName?: string | null; email?: string | null; phone?: string | null; nationality?: string | null; birthDate?: string | null; idDocType?: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber?: string | null; address?: { line1?: string | null; city?: string | null; postalCode?: string | null; country?: string | null; } | null; vip?: boolean | null; consent?: boolean | null; })[];
  deposit?: Money | null;
  source?: "direct" | "phone" | "walkin" | "web" | "agency" | "shop";
  notes?: string | null;
  hold?: boolean;
  folioAdd?: { kind: "charge" | "payment" | "refund"; label: string; amount: Money; vatRate?: number | null; ref?: string | null; }[];
  cancelReason?: string | null;
  status?: "confirmed" | "cancelled" | "no_show" | null;
}

export interface HotelReservationCheckedInEvent {
  id: string;
  from: string;
  to: string;
}

export interface HotelReservationCheckedOutEvent {
  id: string;
  from: string;
  to: string;
}

export interface HotelReservationConfirmedEvent {
  id: string;
  from: string;
  to: string;
}

export interface HotelReservationCreatedEvent {
  id: string;
}

export interface HotelReservationExpiredEvent {
  id: string;
  from: string;
  to: string;
}

export interface HotelReservationInput {
  roomId?: string | null;
  roomType?: string | null;
  guestId?: string | null;
  guest?: { id?: string | null; firstName?: string | null; lastName?: string | null; email?: string | null; phone?: string | null; nationality?: string | null; birthDate?: string | null; idDocType?: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber?: string | null; address?: { line1?: string | null; city?: string | null; postalCode?: string | null; country?: string | null; } | null; vip?: boolean | null; consent?: boolean | null; } | null;
  checkIn: string;
  checkOut: string;
  adults: number;
  children?: number;
  guests?: ({ id?: string | null; firstName?: string | null; lastName?: string | null; email?: string | null; phone?: string | null; nationality?: string | null; birthDate?: string | null; idDocType?: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber?: string | null; address?: { line1?: string | null; city?: string | null; postalCode?: string | null; country?: string | null; } | null; vip?: boolean | null; consent?: boolean | null; })[];
  deposit?: Money | null;
  source?: "direct" | "phone" | "walkin" | "web" | "agency" | "shop";
  notes?: string | null;
  hold?: boolean;
  folioAdd?: { kind: "charge" | "payment" | "refund"; label: string; amount: Money; vatRate?: number | null; ref?: string | null; }[];
  cancelReason?: string | null;
}

export interface HotelReservationMovedEvent {
  id: string;
}

export interface HotelReservationNoShowEvent {
  id: string;
  from: string;
  to: string;
}

export interface HotelReservationRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  roomId: string | null;
  roomType: string | null;
  guestId: string | null;
  guest: { id: string | null; firstName: string | null; lastName: string | null; email: string | null; phone: string | null; nationality: string | null; birthDate: string | null; idDocType: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber: string | null; address: { line1: string | null; city: string | null; postalCode: string | null; country: string | null; } | null; vip: boolean | null; consent: boolean | null; } | null;
  checkIn: string;
  checkOut: string;
  adults: number;
  children: number;
  guests: ({ id: string | null; firstName: string | null; lastName: string | null; email: string | null; phone: string | null; nationality: string | null; birthDate: string | null; idDocType: "identity_card" | "passport" | "driving_licence" | "residence_permit" | null; idDocNumber: string | null; address: { line1: string | null; city: string | null; postalCode: string | null; country: string | null; } | null; vip: boolean | null; consent: boolean | null; })[];
  deposit: Money | null;
  source: "direct" | "phone" | "walkin" | "web" | "agency" | "shop";
  cancelReason: string | null;
  reference: string;
  nights: number;
  total: Money;
  tax: Money | null;
  fee: Money | null;
  paid: Money;
  charges: Money;
  balance: Money;
  holdExpiresAt: string | null;
  cancelledAt: string | null;
  actualCheckInAt: string | null;
  actualCheckOutAt: string | null;
  orderId: string | null;
  guestName: string;
  status: "pending" | "confirmed" | "expired" | "cancelled" | "checked_in" | "checked_out" | "no_show";
}

export interface HotelRoom {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  number: string;
  roomType: string;
  floor: string | null;
  maxAdults: number;
  maxChildren: number;
  beds: string | null;
  parentRoomId: string | null;
  baseRate: Money;
  amenities: string[];
  status: "available" | "out_of_order" | "out_of_service";
  outFrom: string | null;
  outTo: string | null;
  housekeeping: "clean" | "dirty" | "in_progress" | "inspected";
  occupied: boolean;
}

export interface HotelRoomChange {
  number?: string;
  roomType?: string;
  floor?: string | null;
  maxAdults?: number;
  maxChildren?: number;
  beds?: string | null;
  parentRoomId?: string | null;
  baseRate?: Money;
  amenities?: string[];
  status?: "available" | "out_of_order" | "out_of_service";
  outFrom?: string | null;
  outTo?: string | null;
  force?: boolean;
}

export interface HotelRoomInput {
  number: string;
  roomType: string;
  floor?: string | null;
  maxAdults: number;
  maxChildren?: number;
  beds?: string | null;
  parentRoomId?: string | null;
  baseRate: Money;
  amenities?: string[];
  status?: "available" | "out_of_order" | "out_of_service";
  outFrom?: string | null;
  outTo?: string | null;
  force?: boolean;
}

export interface HotelRoomRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  number: string;
  roomType: string;
  floor: string | null;
  maxAdults: number;
  maxChildren: number;
  beds: string | null;
  parentRoomId: string | null;
  baseRate: Money;
  amenities: string[];
  status: "available" | "out_of_order" | "out_of_service";
  outFrom: string | null;
  outTo: string | null;
  housekeeping: "clean" | "dirty" | "in_progress" | "inspected";
  occupied: boolean;
}

export interface StorefrontGetAvailabilityRow {
  roomType: string;
  name: string;
  photos: string[];
  capacity: { adults: number; children: number; };
  available: boolean;
  fewLeft: boolean;
  total: Money;
  taxesIncluded: boolean;
  policy: { freeUntilHours: number | null; feeBp: number; depositBp: number; text: string | null; } | null;
  restrictions: { rule: string; limit: number | null; }[];
}

export interface AdminGetDashboardHotelStatsQuery {
  from?: string;
  to?: string;
}

export interface AdminGetHotelGuestsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "lastName" | "-lastName") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "lastName" | "-lastName")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  email?: string | { ne?: string; in?: string | readonly string[]; };
  vip?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetHousekeepingQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "priority" | "-priority" | "dueDate" | "-dueDate") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "priority" | "-priority" | "dueDate" | "-dueDate")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  roomId?: string | { ne?: string; in?: string | readonly string[]; };
  type?: "departure" | "stayover" | "deep" | "inspection" | "maintenance" | { ne?: "departure" | "stayover" | "deep" | "inspection" | "maintenance"; in?: ("departure" | "stayover" | "deep" | "inspection" | "maintenance") | readonly ("departure" | "stayover" | "deep" | "inspection" | "maintenance")[]; };
  assigneeId?: string | { ne?: string; in?: string | readonly string[]; };
  dueDate?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  status?: "pending" | "in_progress" | "done" | "inspected" | "skipped" | "cancelled" | { ne?: "pending" | "in_progress" | "done" | "inspected" | "skipped" | "cancelled"; in?: ("pending" | "in_progress" | "done" | "inspected" | "skipped" | "cancelled") | readonly ("pending" | "in_progress" | "done" | "inspected" | "skipped" | "cancelled")[]; };
}

export interface AdminGetReservationsHotelQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "checkIn" | "-checkIn" | "checkOut" | "-checkOut") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "checkIn" | "-checkIn" | "checkOut" | "-checkOut")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  roomId?: string | { ne?: string; in?: string | readonly string[]; };
  roomType?: string | { ne?: string; in?: string | readonly string[]; };
  guestId?: string | { ne?: string; in?: string | readonly string[]; };
  checkIn?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  checkOut?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  source?: "direct" | "phone" | "walkin" | "web" | "agency" | "shop" | { ne?: "direct" | "phone" | "walkin" | "web" | "agency" | "shop"; in?: ("direct" | "phone" | "walkin" | "web" | "agency" | "shop") | readonly ("direct" | "phone" | "walkin" | "web" | "agency" | "shop")[]; };
  reference?: string | { ne?: string; in?: string | readonly string[]; };
  orderId?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "pending" | "confirmed" | "expired" | "cancelled" | "checked_in" | "checked_out" | "no_show" | { ne?: "pending" | "confirmed" | "expired" | "cancelled" | "checked_in" | "checked_out" | "no_show"; in?: ("pending" | "confirmed" | "expired" | "cancelled" | "checked_in" | "checked_out" | "no_show") | readonly ("pending" | "confirmed" | "expired" | "cancelled" | "checked_in" | "checked_out" | "no_show")[]; };
  inHouse?: boolean;
}

export interface AdminGetRoomsAvailabilityQuery {
  checkIn: string;
  checkOut: string;
  adults?: number;
  children?: number;
  roomType?: string;
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetRoomsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "number" | "-number") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "number" | "-number")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  roomType?: string | { ne?: string; in?: string | readonly string[]; };
  floor?: string | { ne?: string; in?: string | readonly string[]; };
  parentRoomId?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "available" | "out_of_order" | "out_of_service" | { ne?: "available" | "out_of_order" | "out_of_service"; in?: ("available" | "out_of_order" | "out_of_service") | readonly ("available" | "out_of_order" | "out_of_service")[]; };
  housekeeping?: "clean" | "dirty" | "in_progress" | "inspected" | { ne?: "clean" | "dirty" | "in_progress" | "inspected"; in?: ("clean" | "dirty" | "in_progress" | "inspected") | readonly ("clean" | "dirty" | "in_progress" | "inspected")[]; };
}

export interface StorefrontGetAvailabilityQuery {
  checkIn: string;
  checkOut: string;
  adults?: number;
  children?: number;
  roomType?: string;
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface HotelAdmin {
  dashboard: {
    /** Figures of hotel. `GET /api/admin/dashboard/hotel-stats`, permission `hotel.stats.read`. */
    hotelStats(query?: AdminGetDashboardHotelStatsQuery, options?: CallOptions): Promise<AdminGetDashboardHotelStatsAnswer>;
  };
  hotelGuests: {
    /** Create a hotel guest. `POST /api/admin/hotel-guests`, permission `hotel.guest.create`. */
    create(body: HotelGuestInput, options?: CallOptions): Promise<HotelGuest>;
    /** List hotel guests. `GET /api/admin/hotel-guests`, permission `hotel.guest.read`. */
    list(query?: AdminGetHotelGuestsQuery, options?: CallOptions): Pages<HotelGuestRow>;
  };
  housekeeping: {
    /** Create an entry of housekeeping. `POST /api/admin/housekeeping`, permission `hotel.housekeeping.create`. */
    create(body: HotelHousekeepingInput, options?: CallOptions): Promise<HotelHousekeeping>;
    /** List housekeeping. `GET /api/admin/housekeeping`, permission `hotel.housekeeping.read`. */
    list(query?: AdminGetHousekeepingQuery, options?: CallOptions): Pages<HotelHousekeepingRow>;
    /** Change an entry of housekeeping. `PATCH /api/admin/housekeeping/{id}`, permission `hotel.housekeeping.update`. */
    update(id: string, body: HotelHousekeepingChange, options?: CallOptions): Promise<HotelHousekeeping>;
  };
  reservationsHotel: {
    /** Checks the guests in. `POST /api/admin/reservations-hotel/{id}/check-in`, permission `hotel.reservation.check-in`. */
    checkIn(id: string, body?: AdminPostReservationsHotelByIdCheckInInput, options?: CallOptions): Promise<HotelReservation>;
    /** Checks the guests out. `POST /api/admin/reservations-hotel/{id}/check-out`, permission `hotel.reservation.check-out`. */
    checkOut(id: string, body?: AdminPostReservationsHotelByIdCheckOutInput, options?: CallOptions): Promise<HotelReservation>;
    /** Create a reservation. `POST /api/admin/reservations-hotel`, permission `hotel.reservation.create`. */
    create(body: HotelReservationInput, options?: CallOptions): Promise<HotelReservation>;
    /** Read a reservation. `GET /api/admin/reservations-hotel/{id}`, permission `hotel.reservation.read`. */
    get(id: string, options?: CallOptions): Promise<HotelReservation>;
    /** List reservations hotel. `GET /api/admin/reservations-hotel`, permission `hotel.reservation.read`. */
    list(query?: AdminGetReservationsHotelQuery, options?: CallOptions): Pages<HotelReservationRow>;
    /** Change a reservation. `PATCH /api/admin/reservations-hotel/{id}`, permission `hotel.reservation.update`. */
    update(id: string, body: HotelReservationChange, options?: CallOptions): Promise<HotelReservation>;
  };
  rooms: {
    availability: {
      /** Free rooms for a stay, per room type. `GET /api/admin/rooms/availability`, permission `hotel.room.read`. */
      list(query: AdminGetRoomsAvailabilityQuery, options?: CallOptions): Pages<AdminGetRoomsAvailabilityRow>;
    };
    /** Create a room. `POST /api/admin/rooms`, permission `hotel.room.create`. */
    create(body: HotelRoomInput, options?: CallOptions): Promise<HotelRoom>;
    /** List rooms. `GET /api/admin/rooms`, permission `hotel.room.read`. */
    list(query?: AdminGetRoomsQuery, options?: CallOptions): Pages<HotelRoomRow>;
    /** Change a room. `PATCH /api/admin/rooms/{id}`, permission `hotel.room.update`. */
    update(id: string, body: HotelRoomChange, options?: CallOptions): Promise<HotelRoom>;
  };
}

export interface HotelStorefront {
  availability: {
    /** Room types for a stay. `GET /api/storefront/availability`. */
    list(query: StorefrontGetAvailabilityQuery, options?: CallOptions): Pages<StorefrontGetAvailabilityRow>;
  };
}

export interface HotelEvents {
  'hotel.housekeeping-task.done': HotelHousekeepingTaskDoneEvent;
  'hotel.reservation.cancelled': HotelReservationCancelledEvent;
  'hotel.reservation.checked_in': HotelReservationCheckedInEvent;
  'hotel.reservation.checked_out': HotelReservationCheckedOutEvent;
  'hotel.reservation.confirmed': HotelReservationConfirmedEvent;
  'hotel.reservation.created': HotelReservationCreatedEvent;
  'hotel.reservation.expired': HotelReservationExpiredEvent;
  'hotel.reservation.moved': HotelReservationMovedEvent;
  'hotel.reservation.no_show': HotelReservationNoShowEvent;
}

const adminRoutes = `
dashboard.hotelStats GET /dashboard/hotel-stats q
hotelGuests.create POST /hotel-guests bk
hotelGuests.list GET /hotel-guests lq
housekeeping.create POST /housekeeping bk
housekeeping.list GET /housekeeping lq
housekeeping.update PATCH /housekeeping/{} b
reservationsHotel.checkIn POST /reservations-hotel/{}/check-in bk
reservationsHotel.checkOut POST /reservations-hotel/{}/check-out bk
reservationsHotel.create POST /reservations-hotel bk
reservationsHotel.get GET /reservations-hotel/{}
reservationsHotel.list GET /reservations-hotel lq
reservationsHotel.update PATCH /reservations-hotel/{} b
rooms.availability.list GET /rooms/availability lq
rooms.create POST /rooms bk
rooms.list GET /rooms lq
rooms.update PATCH /rooms/{} b
`;

const storefrontRoutes = `
availability.list GET /availability lq
`;

/** Routes and events of hotel. */
export const hotel: Slice<{ admin: HotelAdmin; storefront: HotelStorefront }, HotelEvents> = { plugin: 'hotel', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of hotel for visitors of a shop: without those for staff and operators. */
export const hotelStorefront: Slice<{ storefront: HotelStorefront }, HotelEvents> = { plugin: 'hotel', routes: { storefront: storefrontRoutes } };
