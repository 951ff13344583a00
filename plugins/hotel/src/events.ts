import { entityEvents, f } from '@storeloom/plugin-sdk';

const moved = (title: string) => ({ public: true, title, data: { id: f.id(), from: f.text(), to: f.text() } });

/** Events of `hotel.reservation`. */
export const reservationEvents = entityEvents('hotel.reservation', {
  created: { public: true, title: 'A reservation was created', data: { id: f.id() } },
  moved: {
    public: true,
    title: 'Dates or room type of a reservation were changed',
    data: { id: f.id() },
  },
  confirmed: moved('A reservation was confirmed'),
  expired: moved('A pending reservation lapsed'),
  cancelled: moved('A reservation was cancelled'),
  checked_in: moved('Guests checked in'),
  checked_out: moved('Guests checked out'),
  no_show: moved('A reservation is a no-show'),
});
/** Events of `hotel.housekeeping-task`. */
export const housekeepingTaskEvents = entityEvents('hotel.housekeeping-task', {
  done: moved('A room was cleaned'),
});
