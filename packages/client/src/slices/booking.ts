// Generated from the OpenAPI document of the plugin booking. Do not edit.

import type { CallOptions, Money, Pages, Slice } from '../index.ts';

export interface AdminGetAvailabilityCalendarRow {
  staffId: string;
  date: string;
  working: { start: string; end: string; }[];
  busy: { start: string; end: string; kind: "appointment" | "busy"; }[];
  free: { start: string; end: string; }[];
}

export interface AdminGetBookingBookingsRow {
  id: string;
  basketId: string | null;
  reference: string;
  service: { id: string; name: string; };
  staff: { id: string; name: string; };
  customer: { name: string; email: string | null; phone: string | null; } | null;
  startsAt: string;
  endsAt: string;
  status: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show";
  source: string;
}

export interface AdminGetDashboardBookingStatsAnswer {
  period: { from: string; to: string; timezone: string; };
  generatedAt: string;
  currency: string;
  metrics: Record<string, unknown>;
  series: Record<string, unknown>;
  lists: Record<string, unknown>;
  masked: string[];
}

export interface BookingAppointment {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  serviceId: string;
  staffId: string | null;
  customer: { name: string; email: string | null; phone: string | null; } | null;
  customerId: string | null;
  startsAt: string;
  endsAt: string;
  blocked: { start: string; end: string; };
  seats: number;
  price: Money;
  deposit: Money | null;
  depositPaid: boolean;
  timezone: string | null;
  notes: string | null;
  source: string;
  reference: string;
  basketId: string | null;
  holdExpiresAt: string | null;
  rescheduleCount: number;
  locale: string;
  status: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show";
}

export interface BookingAppointmentCancelledEvent {
  id: string;
  from: string;
  to: string;
}

export interface BookingAppointmentChange {
  startsAt?: string;
  staffId?: string | null;
  serviceId?: string;
  notes?: string | null;
  status?: "confirmed" | "declined" | "cancelled" | "checked_in" | "completed" | "no_show" | null;
}

export interface BookingAppointmentCheckedInEvent {
  id: string;
  from: string;
  to: string;
}

export interface BookingAppointmentCompletedEvent {
  id: string;
  from: string;
  to: string;
}

export interface BookingAppointmentConfirmedEvent {
  id: string;
  from: string;
  to: string;
}

export interface BookingAppointmentCreatedEvent {
  id: string;
}

export interface BookingAppointmentDeclinedEvent {
  id: string;
  from: string;
  to: string;
}

export interface BookingAppointmentExpiredEvent {
  id: string;
  from: string;
  to: string;
}

export interface BookingAppointmentInput {
  serviceId: string;
  staffId?: string | null;
  customer?: { name: string; email?: string | null; phone?: string | null; } | null;
  customerId?: string | null;
  startsAt: string;
  seats?: number;
  timezone?: string | null;
  notes?: string | null;
  source?: string;
}

export interface BookingAppointmentNoShowEvent {
  id: string;
  from: string;
  to: string;
}

export interface BookingAppointmentRescheduledEvent {
  id: string;
}

export interface BookingAppointmentRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  serviceId: string;
  staffId: string | null;
  customer: { name: string; email: string | null; phone: string | null; } | null;
  customerId: string | null;
  startsAt: string;
  endsAt: string;
  blocked: { start: string; end: string; };
  seats: number;
  price: Money;
  deposit: Money | null;
  depositPaid: boolean;
  timezone: string | null;
  notes: string | null;
  source: string;
  reference: string;
  basketId: string | null;
  holdExpiresAt: string | null;
  rescheduleCount: number;
  locale: string;
  status: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show";
}

export interface BookingService {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  description: string | null;
  durationMin: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  slotIntervalMin: number | null;
  slotAlign: "window" | "clock";
  price: Money;
  capacity: number;
  minNoticeMin: number;
  maxAdvanceDays: number | null;
  cancelCutoffMin: number;
  requiresConfirmation: boolean;
  deposit: Money | null;
  staffIds: string[];
  category: string | null;
  color: string | null;
  isActive: boolean;
}

export interface BookingServiceChange {
  name?: string;
  description?: string | null;
  durationMin?: number;
  bufferBeforeMin?: number;
  bufferAfterMin?: number;
  slotIntervalMin?: number | null;
  slotAlign?: "window" | "clock";
  price?: Money;
  capacity?: number;
  minNoticeMin?: number;
  maxAdvanceDays?: number | null;
  cancelCutoffMin?: number;
  requiresConfirmation?: boolean;
  deposit?: Money | null;
  staffIds?: string[];
  category?: string | null;
  color?: string | null;
  isActive?: boolean;
}

export interface BookingServiceInput {
  name: string;
  description?: string | null;
  durationMin: number;
  bufferBeforeMin?: number;
  bufferAfterMin?: number;
  slotIntervalMin?: number | null;
  slotAlign?: "window" | "clock";
  price: Money;
  capacity?: number;
  minNoticeMin?: number;
  maxAdvanceDays?: number | null;
  cancelCutoffMin?: number;
  requiresConfirmation?: boolean;
  deposit?: Money | null;
  staffIds?: string[];
  category?: string | null;
  color?: string | null;
  isActive?: boolean;
}

export interface BookingServiceRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  description: string | null;
  durationMin: number;
  bufferBeforeMin: number;
  bufferAfterMin: number;
  slotIntervalMin: number | null;
  slotAlign: "window" | "clock";
  price: Money;
  capacity: number;
  minNoticeMin: number;
  maxAdvanceDays: number | null;
  cancelCutoffMin: number;
  requiresConfirmation: boolean;
  deposit: Money | null;
  staffIds: string[];
  category: string | null;
  color: string | null;
  isActive: boolean;
}

export interface BookingStaff {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  email: string | null;
  phone: string | null;
  userId: string | null;
  turnoverMin: number;
  timezone: string;
  serviceIds: string[];
  weeklyHours: { mon: { start: string; end: string; }[]; tue: { start: string; end: string; }[]; wed: { start: string; end: string; }[]; thu: { start: string; end: string; }[]; fri: { start: string; end: string; }[]; sat: { start: string; end: string; }[]; sun: { start: string; end: string; }[]; };
  breaks: { mon: { start: string; end: string; }[]; tue: { start: string; end: string; }[]; wed: { start: string; end: string; }[]; thu: { start: string; end: string; }[]; fri: { start: string; end: string; }[]; sat: { start: string; end: string; }[]; sun: { start: string; end: string; }[]; };
  overrides: { date: string; closed: boolean; intervals: { start: string; end: string; }[]; }[];
  timeOff: { from: string; to: string; }[];
  priority: number;
  isActive: boolean;
}

export interface BookingStaffChange {
  name?: string;
  email?: string | null;
  phone?: string | null;
  userId?: string | null;
  turnoverMin?: number;
  timezone?: string;
  serviceIds?: string[];
  weeklyHours?: { mon?: { start: string; end: string; }[]; tue?: { start: string; end: string; }[]; wed?: { start: string; end: string; }[]; thu?: { start: string; end: string; }[]; fri?: { start: string; end: string; }[]; sat?: { start: string; end: string; }[]; sun?: { start: string; end: string; }[]; };
  breaks?: { mon?: { start: string; end: string; }[]; tue?: { start: string; end: string; }[]; wed?: { start: string; end: string; }[]; thu?: { start: string; end: string; }[]; fri?: { start: string; end: string; }[]; sat?: { start: string; end: string; }[]; sun?: { start: string; end: string; }[]; };
  overrides?: { date: string; closed?: boolean; intervals?: { start: string; end: string; }[]; }[];
  timeOff?: { from: string; to: string; }[];
  priority?: number;
  isActive?: boolean;
  reassignTo?: string | null;
}

export interface BookingStaffInput {
  name: string;
  email?: string | null;
  phone?: string | null;
  userId?: string | null;
  turnoverMin?: number;
  timezone: string;
  serviceIds?: string[];
  weeklyHours?: { mon?: { start: string; end: string; }[]; tue?: { start: string; end: string; }[]; wed?: { start: string; end: string; }[]; thu?: { start: string; end: string; }[]; fri?: { start: string; end: string; }[]; sat?: { start: string; end: string; }[]; sun?: { start: string; end: string; }[]; };
  breaks?: { mon?: { start: string; end: string; }[]; tue?: { start: string; end: string; }[]; wed?: { start: string; end: string; }[]; thu?: { start: string; end: string; }[]; fri?: { start: string; end: string; }[]; sat?: { start: string; end: string; }[]; sun?: { start: string; end: string; }[]; };
  overrides?: { date: string; closed?: boolean; intervals?: { start: string; end: string; }[]; }[];
  timeOff?: { from: string; to: string; }[];
  priority?: number;
  isActive?: boolean;
}

export interface BookingStaffRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  email: string | null;
  phone: string | null;
  userId: string | null;
  turnoverMin: number;
  timezone: string;
  serviceIds: string[];
  weeklyHours: { mon: { start: string; end: string; }[]; tue: { start: string; end: string; }[]; wed: { start: string; end: string; }[]; thu: { start: string; end: string; }[]; fri: { start: string; end: string; }[]; sat: { start: string; end: string; }[]; sun: { start: string; end: string; }[]; };
  breaks: { mon: { start: string; end: string; }[]; tue: { start: string; end: string; }[]; wed: { start: string; end: string; }[]; thu: { start: string; end: string; }[]; fri: { start: string; end: string; }[]; sat: { start: string; end: string; }[]; sun: { start: string; end: string; }[]; };
  overrides: { date: string; closed: boolean; intervals: { start: string; end: string; }[]; }[];
  timeOff: { from: string; to: string; }[];
  priority: number;
  isActive: boolean;
}

export interface PublicBookingAppointment {
  reference: string;
  status: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show";
  items: { service: string; staffName: string; startsAt: string; endsAt: string; }[];
  timezone: string;
  total: Money;
  holdExpiresAt: string | null;
  paymentUrl: string | null;
  manageToken: string | null;
}

export type PublicBookingAppointmentInput = { serviceId: string; staffId?: string | null; seats?: number; startsAt: string; name: string; email?: string | null; phone?: string | null; timezone?: string | null; notes?: string | null; returnUrl?: string | null; consent: boolean; consentVersion?: string | null; website?: string | null; } | { manageToken?: string | null; action: "cancel" | "reschedule"; startsAt?: string | null; };

export type PublicBookingAppointmentInput2 = { items: { serviceId: string; staffId?: string | null; }[]; startsAt: string; name: string; email?: string | null; phone?: string | null; timezone?: string | null; notes?: string | null; returnUrl?: string | null; consent: boolean; consentVersion?: string | null; website?: string | null; } | { manageToken?: string | null; action: "cancel" | "reschedule"; startsAt?: string | null; };

export interface StorefrontGetBookingAvailabilityAnswer {
  timezone: string;
  days: ({ date: string; slots: { start: string; end: string; seatsLeft: number | null; }[]; })[];
}

export interface StorefrontGetBookingServicesRow {
  id: string;
  name: string;
  description: string | null;
  durationMin: number;
  price: Money;
  capacity: number;
  minNoticeMin: number;
  maxAdvanceDays: number | null;
  cancelCutoffMin: number;
  requiresConfirmation: boolean;
  deposit: Money | null;
  category: string | null;
  color: string | null;
  staff: { id: string; name: string; }[];
}

export interface AdminGetAppointmentsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "startsAt" | "-startsAt") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "startsAt" | "-startsAt")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  serviceId?: string | { ne?: string; in?: string | readonly string[]; };
  staffId?: string | { ne?: string; in?: string | readonly string[]; };
  customerId?: string | { ne?: string; in?: string | readonly string[]; };
  startsAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  source?: string | { ne?: string; in?: string | readonly string[]; };
  reference?: string | { ne?: string; in?: string | readonly string[]; };
  basketId?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show" | { ne?: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show"; in?: ("pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show") | readonly ("pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show")[]; };
}

export interface AdminGetAvailabilityCalendarQuery {
  from: string;
  to: string;
  staffId?: string;
  serviceId?: string;
  timezone?: string;
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AdminGetBookingBookingsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("startsAt" | "-startsAt" | "createdAt" | "-createdAt") | readonly ("startsAt" | "-startsAt" | "createdAt" | "-createdAt")[];
  status?: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show" | { ne?: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show"; in?: ("pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show") | readonly ("pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show")[]; };
  staffId?: string | { ne?: string; in?: string | readonly string[]; };
  serviceId?: string | { ne?: string; in?: string | readonly string[]; };
  customerId?: string | { ne?: string; in?: string | readonly string[]; };
  basketId?: string | { ne?: string; in?: string | readonly string[]; };
  source?: string | { ne?: string; in?: string | readonly string[]; };
  startsAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetBookingBookingsTodayQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("startsAt" | "-startsAt" | "createdAt" | "-createdAt") | readonly ("startsAt" | "-startsAt" | "createdAt" | "-createdAt")[];
  status?: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show" | { ne?: "pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show"; in?: ("pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show") | readonly ("pending" | "confirmed" | "declined" | "expired" | "cancelled" | "checked_in" | "completed" | "no_show")[]; };
  staffId?: string | { ne?: string; in?: string | readonly string[]; };
  serviceId?: string | { ne?: string; in?: string | readonly string[]; };
  customerId?: string | { ne?: string; in?: string | readonly string[]; };
  basketId?: string | { ne?: string; in?: string | readonly string[]; };
  source?: string | { ne?: string; in?: string | readonly string[]; };
  startsAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetDashboardBookingStatsQuery {
  from?: string;
  to?: string;
}

export interface AdminGetServicesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "price" | "-price" | "category" | "-category") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "name" | "-name" | "price" | "-price" | "category" | "-category")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  category?: string | { ne?: string; in?: string | readonly string[]; };
  isActive?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  staffId?: string;
}

export interface AdminGetStaffQuery {
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
  isActive?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
  serviceId?: string;
}

export interface StorefrontGetBookingAvailabilityQuery {
  serviceId: string;
  staffId?: string;
  from: string;
  to: string;
  timezone?: string;
}

export interface StorefrontGetBookingServicesQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface BookingAdmin {
  appointments: {
    /** Create an appointment. `POST /api/admin/appointments`, permission `booking.appointment.create`. */
    create(body: BookingAppointmentInput, options?: CallOptions): Promise<BookingAppointment>;
    /** List appointments. `GET /api/admin/appointments`, permission `booking.appointment.read`. */
    list(query?: AdminGetAppointmentsQuery, options?: CallOptions): Pages<BookingAppointmentRow>;
    /** Change an appointment. `PATCH /api/admin/appointments/{id}`, permission `booking.appointment.update`. */
    update(id: string, body: BookingAppointmentChange, options?: CallOptions): Promise<BookingAppointment>;
  };
  availabilityCalendar: {
    /** Working, busy and free times of staff; with a service its possible starts. `GET /api/admin/availability-calendar`, permission `booking.appointment.read`. */
    list(query: AdminGetAvailabilityCalendarQuery, options?: CallOptions): Pages<AdminGetAvailabilityCalendarRow>;
  };
  booking: {
    bookings: {
      /** Appointments and baskets of all sources. `GET /api/admin/booking/bookings`, permission `booking.appointment.read`. */
      list(query?: AdminGetBookingBookingsQuery, options?: CallOptions): Pages<AdminGetBookingBookingsRow>;
      today: {
        /** Appointments of today in the shop's time zone, in order. `GET /api/admin/booking/bookings/today`, permission `booking.appointment.read`. */
        list(query?: AdminGetBookingBookingsTodayQuery, options?: CallOptions): Pages<AdminGetBookingBookingsRow>;
      };
    };
  };
  dashboard: {
    /** Figures of booking. `GET /api/admin/dashboard/booking-stats`, permission `booking.stats.read`. */
    bookingStats(query?: AdminGetDashboardBookingStatsQuery, options?: CallOptions): Promise<AdminGetDashboardBookingStatsAnswer>;
  };
  services: {
    /** Create a service. `POST /api/admin/services`, permission `booking.service.create`. */
    create(body: BookingServiceInput, options?: CallOptions): Promise<BookingService>;
    /** List services. `GET /api/admin/services`, permission `booking.service.read`. */
    list(query?: AdminGetServicesQuery, options?: CallOptions): Pages<BookingServiceRow>;
    /** Delete a service. `DELETE /api/admin/services/{id}`, permission `booking.service.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a service. `PATCH /api/admin/services/{id}`, permission `booking.service.update`. */
    update(id: string, body: BookingServiceChange, options?: CallOptions): Promise<BookingService>;
  };
  staff: {
    /** Create an entry of staff. `POST /api/admin/staff`, permission `booking.staff.create`. */
    create(body: BookingStaffInput, options?: CallOptions): Promise<BookingStaff>;
    /** List staff. `GET /api/admin/staff`, permission `booking.staff.read`. */
    list(query?: AdminGetStaffQuery, options?: CallOptions): Pages<BookingStaffRow>;
    /** Change an entry of staff. `PATCH /api/admin/staff/{id}`, permission `booking.staff.update`. */
    update(id: string, body: BookingStaffChange, options?: CallOptions): Promise<BookingStaff>;
  };
}

export interface BookingStorefront {
  booking: {
    appointments: {
      /** Books one service; with a manage token reschedules or cancels the booking. `POST /api/storefront/booking/appointments`. */
      create(body: PublicBookingAppointmentInput, options?: CallOptions): Promise<PublicBookingAppointment>;
    };
    /** Free times of a service, by days in the viewer's time zone. `GET /api/storefront/booking/availability`. */
    availability(query: StorefrontGetBookingAvailabilityQuery, options?: CallOptions): Promise<StorefrontGetBookingAvailabilityAnswer>;
    bookings: {
      /** Books up to five consecutive services, all or none. `POST /api/storefront/booking/bookings`. */
      create(body: PublicBookingAppointmentInput2, options?: CallOptions): Promise<PublicBookingAppointment>;
    };
    services: {
      /** Bookable services and their staff. `GET /api/storefront/booking/services`. */
      list(query?: StorefrontGetBookingServicesQuery, options?: CallOptions): Pages<StorefrontGetBookingServicesRow>;
    };
  };
}

export interface BookingEvents {
  'booking.appointment.cancelled': BookingAppointmentCancelledEvent;
  'booking.appointment.checked_in': BookingAppointmentCheckedInEvent;
  'booking.appointment.completed': BookingAppointmentCompletedEvent;
  'booking.appointment.confirmed': BookingAppointmentConfirmedEvent;
  'booking.appointment.created': BookingAppointmentCreatedEvent;
  'booking.appointment.declined': BookingAppointmentDeclinedEvent;
  'booking.appointment.expired': BookingAppointmentExpiredEvent;
  'booking.appointment.no_show': BookingAppointmentNoShowEvent;
  'booking.appointment.rescheduled': BookingAppointmentRescheduledEvent;
}

const adminRoutes = `
appointments.create POST /appointments bk
appointments.list GET /appointments lq
appointments.update PATCH /appointments/{} b
availabilityCalendar.list GET /availability-calendar lq
booking.bookings.list GET /booking/bookings lq
booking.bookings.today.list GET /booking/bookings/today lq
dashboard.bookingStats GET /dashboard/booking-stats q
services.create POST /services bk
services.list GET /services lq
services.remove DELETE /services/{}
services.update PATCH /services/{} b
staff.create POST /staff bk
staff.list GET /staff lq
staff.update PATCH /staff/{} b
`;

const storefrontRoutes = `
booking.appointments.create POST /booking/appointments bk
booking.availability GET /booking/availability q
booking.bookings.create POST /booking/bookings bk
booking.services.list GET /booking/services lq
`;

/** Routes and events of booking. */
export const booking: Slice<{ admin: BookingAdmin; storefront: BookingStorefront }, BookingEvents> = { plugin: 'booking', routes: { admin: adminRoutes, storefront: storefrontRoutes } };

/** Routes of booking for visitors of a shop: without those for staff and operators. */
export const bookingStorefront: Slice<{ storefront: BookingStorefront }, BookingEvents> = { plugin: 'booking', routes: { storefront: storefrontRoutes } };
