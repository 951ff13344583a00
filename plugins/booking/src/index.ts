import { settlePayable } from '@storeloom/commerce';
import { calendarBusy, definePlugin, type EventHandler, f, migrations, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import { holdsJob } from '@storeloom/plugin-sdk/reserve';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { appointment } from './appointment.ts';
import { publicAvailability } from './availability.ts';
import { availabilityCalendar } from './availability-calendar.ts';
import { bookingList, bookingsToday } from './bookings.ts';
import { busyTimes } from './busy.ts';
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

const moved = (title: string) => ({ public: true, title, data: { id: f.id(), from: f.text(), to: f.text() } });
const changed = (title: string) => ({ public: true, title, data: { id: f.id() } });

/** The end of an appointment: the e-mail, then the deposit. */
const ended =
  (mail: EventHandler): EventHandler =>
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
    emits: {
      'booking.appointment.created': changed('An appointment was booked'),
      'booking.appointment.rescheduled': changed('An appointment was rescheduled'),
      'booking.appointment.confirmed': moved('An appointment was confirmed'),
      'booking.appointment.declined': moved('An appointment was declined'),
      'booking.appointment.expired': moved('A pending appointment lapsed'),
      'booking.appointment.cancelled': moved('An appointment was cancelled'),
      'booking.appointment.checked_in': moved('A customer checked in'),
      'booking.appointment.completed': moved('An appointment was completed'),
      'booking.appointment.no_show': moved('An appointment is a no-show'),
    },
    on: {
      'booking.appointment.created': mailCreated,
      'booking.appointment.rescheduled': mailChanged,
      'booking.appointment.confirmed': mailConfirmed,
      'booking.appointment.declined': ended(mailDeclined),
      'booking.appointment.expired': ended(mailDeclined),
      'booking.appointment.cancelled': ended(mailCancelled),
    },
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
