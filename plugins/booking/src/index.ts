import { settlePayable } from '@storeloom/commerce';
import {
  calendarBusy,
  definePlugin,
  type EventData,
  type EventHandler,
  migrations,
  on,
  peopleErase,
  peopleExport,
} from '@storeloom/plugin-sdk';
import { holdsJob } from '@storeloom/plugin-sdk/reserve';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { appointment } from './appointment.ts';
import { publicAvailability } from './availability.ts';
import { availabilityCalendar } from './availability-calendar.ts';
import { bookingList, bookingsToday } from './bookings.ts';
import { busyTimes } from './busy.ts';
import { appointmentEvents } from './events.ts';
import { mailCancelled, mailChanged, mailConfirmed, mailCreated, mailDeclined } from './mails.ts';
import { depositBack, settleDeposit } from './payment.ts';
import { erasePerson, exportPerson } from './people.ts';
import { bookBasket, bookOne } from './public-booking.ts';
import { publicServices } from './public-services.ts';
import { seedDemo } from './seed.ts';
import { service } from './service.ts';
import { holds, session } from './session.ts';
import { settings } from './settings.ts';
import { staff } from './staff.ts';
import { bookingStats } from './stats.ts';

type Ended = EventData<typeof appointmentEvents.cancelled>;
/** The end of an appointment: the e-mail, then the deposit. */
const ended =
  (mail: EventHandler<Ended>): EventHandler<Ended> =>
  async (ctx, event) => {
    await mail(ctx, event);
    await depositBack(ctx, event);
  };

export default definePlugin({
  name: 'booking',
  settings,
  tables: [session],
  migrations: migrations(import.meta.url, ['0001_booking.sql']),
  admin: [service, staff, appointment, availabilityCalendar, bookingList, bookingsToday],
  storefront: [publicServices, publicAvailability, bookOne, bookBasket],
  hooks(h) {
    h.on(calendarBusy, busyTimes);
    h.on(settlePayable, settleDeposit);
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: {
    emits: Object.values(appointmentEvents),
    on: [
      on(appointmentEvents.created, mailCreated),
      on(appointmentEvents.rescheduled, mailChanged),
      on(appointmentEvents.confirmed, mailConfirmed),
      on(appointmentEvents.declined, ended(mailDeclined)),
      on(appointmentEvents.expired, ended(mailDeclined)),
      on(appointmentEvents.cancelled, ended(mailCancelled)),
    ],
  },
  jobs: { expire: holdsJob(holds) },
  stats: { booking: bookingStats },
  errors: {
    slot_taken: { status: 409, title: 'Time slot unavailable' },
    staff_unavailable: { status: 409, title: 'Staff unavailable' },
    customer_busy: { status: 409, title: 'Customer has another appointment' },
  },
  seeds: { demo: seedDemo },
  locales: { ro, en },
});
