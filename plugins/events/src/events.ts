import { entityEvents, f } from '@storeloom/plugin-sdk';

const moved = (title: string) => ({ public: true, title, data: { id: f.id(), from: f.text(), to: f.text() } });
const sold = (title: string) => ({ public: true, title, data: { id: f.id(), eventId: f.id(), total: f.money() } });

/** Events of `events.event`. */
export const eventEvents = entityEvents('events.event', {
  published: moved('An event was published'),
  postponed: moved('An event was postponed'),
  cancelled: moved('An event was cancelled'),
  completed: moved('An event was completed'),
});
/** Events of `events.purchase`. */
export const purchaseEvents = entityEvents('events.purchase', {
  paid: sold('Tickets were bought'),
  expired: sold('Tickets were not paid in time'),
  cancelled: sold('Tickets were cancelled'),
  refunded: sold('Tickets were refunded'),
});
/** Events of `events.ticket`. */
export const ticketEvents = entityEvents('events.ticket', {
  valid: moved('A ticket is valid'),
  checked_in: moved('A ticket was checked in'),
  cancelled: moved('A ticket was cancelled'),
  transferred: moved('A ticket was transferred'),
});
