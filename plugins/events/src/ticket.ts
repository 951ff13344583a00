import { type BaseRow, f, likePattern, type RowOf, resource, type Shape, sql } from '@storeloom/plugin-sdk';
import { defineMachine } from '@storeloom/plugin-sdk/state';

export type TicketStatus = 'reserved' | 'valid' | 'checked_in' | 'expired' | 'cancelled' | 'refunded' | 'transferred';

const fields = {
  eventId: f.id().readonly(),
  ticketTypeId: f.id().filter(),
  purchaseId: f.id(),
  /** 192 random bits; grants entry. */
  code: f.text(),
  attendeeName: f.text().optional().personal().private(),
  attendeeEmail: f.email().optional().personal().private(),
  price: f.money(),
  /** Time of the first entry. */
  checkedInAt: f.instant().optional(),
} satisfies Shape;
type TicketRow = RowOf<typeof fields> & BaseRow & { status: TicketStatus };

/** Only the first entry is a move; further scans are entries in the log. */
const machine = defineMachine<TicketStatus, TicketRow>({
  start: 'reserved',
  states: ['reserved', 'valid', 'checked_in', 'expired', 'cancelled', 'refunded', 'transferred'],
  moves: {
    pay: { from: ['reserved', 'expired'], to: 'valid', internal: true },
    expire: { from: ['reserved'], to: 'expired', internal: true },
    checkIn: { from: ['valid'], to: 'checked_in', internal: true },
    // Also after entry: a ticket whose money was returned no longer grants entry.
    cancel: { from: ['reserved', 'valid', 'checked_in'], to: 'cancelled', internal: true },
    refund: { from: ['valid', 'checked_in'], to: 'refunded', internal: true },
    transfer: { from: ['valid'], to: 'transferred', internal: true },
  },
});

/** Listed below their event; created by purchases. */
export const ticket = resource('ticket', {
  path: 'tickets',
  verbs: ['list'],
  fields,
  machine,
  uniques: [{ fields: ['code'] }],
  indexes: [
    { name: 'events_ticket_attendee_idx', fields: ['attendeeEmail'] },
    { name: 'events_ticket_event_idx', fields: ['eventId', 'createdAt', 'id'] },
    { name: 'events_ticket_purchase_idx', fields: ['purchaseId'] },
    {
      name: 'events_ticket_taken_idx',
      fields: ['eventId', 'ticketTypeId', 'status', 'purchaseId'],
      where: "status in ('reserved', 'valid', 'checked_in')",
    },
  ],
  filters: {
    checkedIn: {
      field: f.bool(),
      operators: ['eq'],
      where: (_, value) => (value === true ? sql`t.checked_in_at is not null` : sql`t.checked_in_at is null`),
    },
  },
  search: (q) => {
    const like = likePattern(q);
    return sql`(t.code ilike ${like} or t.attendee_name ilike ${like} or t.attendee_email ilike ${like} or exists (
      select from events_purchase p where p.tenant_id = t.tenant_id and p.id = t.purchase_id
        and (p.order_ref ilike ${like} or p.buyer_email ilike ${like} or p.buyer_name ilike ${like})))`;
  },
});
