import { entityEvents, f } from '@storeloom/plugin-sdk';

const moved = (title: string) => ({ public: true, title, data: { id: f.id(), from: f.text(), to: f.text() } });
const changed = (title: string) => ({ public: true, title, data: { id: f.id() } });

/** Events of `booking.appointment`. */
export const appointmentEvents = entityEvents('booking.appointment', {
  created: changed('An appointment was booked'),
  rescheduled: changed('An appointment was rescheduled'),
  confirmed: moved('An appointment was confirmed'),
  declined: moved('An appointment was declined'),
  expired: moved('A pending appointment lapsed'),
  cancelled: moved('An appointment was cancelled'),
  checked_in: moved('A customer checked in'),
  completed: moved('An appointment was completed'),
  no_show: moved('An appointment is a no-show'),
});
