import { entityEvents, f } from '@storeloom/plugin-sdk';

const moved = (title: string) => ({ public: true, title, data: { id: f.id(), from: f.text(), to: f.text() } });
const created = (title: string) => ({ public: true, title, data: { id: f.id() } });

/** Events of `restaurant.reservation`. */
export const reservationEvents = entityEvents('restaurant.reservation', {
  created: created('A reservation was created'),
  changed: {
    public: true,
    title: 'A reservation was changed',
    data: { id: f.id(), startsAt: f.instant(), partySize: f.int() },
  },
  confirmed: moved('A reservation was confirmed'),
  declined: moved('A reservation was declined'),
  expired: moved('A pending reservation lapsed'),
  cancelled: moved('A reservation was cancelled'),
  seated: moved('A party was seated'),
  completed: moved('A reservation was completed'),
  no_show: moved('A reservation is a no-show'),
});
/** Events of `restaurant.order`. */
export const orderEvents = entityEvents('restaurant.order', {
  created: created('A check was opened'),
  round_added: { public: true, title: 'A round was ordered', data: { id: f.id(), round: f.int() } },
  sent: moved('A check was sent to the kitchen'),
  ready: moved('The food of a check is ready'),
  served: moved('A check was served'),
  billed: moved('A check was billed'),
  paid: moved('A check was paid'),
  cancelled: moved('A check was cancelled'),
});
