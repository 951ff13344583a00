import {
  editCommit,
  linesResolve,
  orderEvents,
  orderRefundEvents,
  paymentEvents,
  paymentRefundEvents,
  placeCheck,
  placeCommit,
} from '@storeloom/commerce';
import { definePlugin, migrations, on, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import { holdsJob } from '@storeloom/plugin-sdk/reserve';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { publicAvailability, roomAvailability } from './availability.ts';
import { checkStays, resolveStays } from './cart.ts';
import { housekeepingTaskEvents, reservationEvents } from './events.ts';
import { folioEntry } from './folio.ts';
import { guest } from './guest.ts';
import { housekeepingTask } from './housekeeping.ts';
import { mailCancelled, mailCreated, mailMoved } from './mails.ts';
import { holds } from './nights.ts';
import { editStays, orderCancelled, orderConfirmed, takeStays } from './order.ts';
import { orderChanged, orderRefunded, paymentChanged } from './order-folio.ts';
import { erasePerson, exportPerson } from './people.ts';
import { reservation } from './reservation.ts';
import { room } from './room.ts';
import { seedDemo } from './seed.ts';
import { settings } from './settings.ts';
import { hotelStats } from './stats.ts';

/** Routes of checkout that check a stay. */
const buying = [
  'POST /api/storefront/cart/items',
  'PATCH /api/storefront/cart/items/{id}',
  'POST /api/storefront/checkout/place',
];

export default definePlugin({
  name: 'hotel',
  settings,
  tables: [folioEntry],
  migrations: migrations(import.meta.url, ['0001_hotel.sql', '0002_hotel_tax.sql', '0003_hotel_order_price.sql']),
  admin: [room, roomAvailability, reservation, guest, housekeepingTask],
  storefront: [publicAvailability],
  hooks(h) {
    h.on(linesResolve, resolveStays, { stage: 60 });
    h.on(placeCheck, checkStays, { stage: 55 });
    h.on(placeCommit, takeStays, { stage: 25 });
    h.on(editCommit, editStays, { stage: 25 });
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: {
    emits: [...Object.values(reservationEvents), ...Object.values(housekeepingTaskEvents)],
    on: [
      on(reservationEvents.created, mailCreated),
      on(reservationEvents.confirmed, mailCreated),
      on(reservationEvents.moved, mailMoved),
      on(reservationEvents.cancelled, mailCancelled),
      on(orderEvents.confirmed, orderConfirmed),
      on(orderEvents.paid, orderChanged),
      on(orderEvents.edited, orderChanged),
      on(orderRefundEvents.created, orderRefunded),
      on(orderRefundEvents.succeeded, orderRefunded),
      on(orderRefundEvents.failed, orderRefunded),
      on(paymentEvents.captured, paymentChanged),
      on(paymentRefundEvents.succeeded, paymentChanged),
      on(paymentRefundEvents.failed, paymentChanged),
      on(orderEvents.cancelled, orderCancelled),
    ],
  },
  jobs: { expire: holdsJob(holds) },
  stats: { hotel: hotelStats },
  permissions: {
    'hotel.reservation.force': 'Check guests in or out against the rules',
    'hotel.room.force': 'Put a room out of order although nights are sold',
  },
  errors: {
    room_unavailable: {
      status: 409,
      title: 'Room unavailable',
      routes: [...buying, 'PATCH /api/admin/orders/{id}/items/{itemId}', 'PATCH /api/admin/orders/{id}/edit'],
    },
    stay_not_allowed: { status: 409, title: 'Stay not allowed by a restriction', routes: buying },
    too_early: { status: 409, title: 'Too early' },
    too_late: { status: 409, title: 'Too late' },
    room_not_ready: { status: 409, title: 'Room not ready' },
    room_occupied: { status: 409, title: 'Room occupied' },
    balance_due: { status: 409, title: 'Balance due' },
    folio_closed: { status: 409, title: 'Folio closed' },
    past_date: { status: 422, title: 'Date in the past', routes: buying },
    too_many_guests: { status: 422, title: 'Too many guests', routes: buying },
    stay_length: { status: 422, title: 'Stay too long', routes: buying },
    guest_data_required: { status: 422, title: 'Guest data required' },
  },
  seeds: { demo: seedDemo },
  locales: { ro, en },
});
