import { definePlugin, migrations, on, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import { holdsJob } from '@storeloom/plugin-sdk/reserve';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { orderEvents, reservationEvents } from './events.ts';
import { holds } from './holds.ts';
import { mailCancelled, mailChanged, mailConfirmed, mailCreated, mailDeclined } from './mails.ts';
import { menuCategory } from './menu-category.ts';
import { menuItem } from './menu-item.ts';
import { addRound, order } from './order.ts';
import { orderItem, payment } from './order-fields.ts';
import { changeCheck } from './order-status.ts';
import { erasePerson, exportPerson } from './people.ts';
import { seating } from './place.ts';
import { reservation } from './reservation.ts';
import { seedDemo } from './seed.ts';
import { settings } from './settings.ts';
import { restaurantStats } from './stats.ts';
import { publicReservation } from './storefront.ts';
import { diningTable } from './table.ts';

export default definePlugin({
  name: 'restaurant',
  settings,
  tables: [seating, orderItem, payment],
  migrations: migrations(import.meta.url, ['0001_restaurant.sql']),
  admin: [menuItem, menuCategory, diningTable, order, addRound, changeCheck, reservation],
  storefront: [publicReservation],
  hooks(h) {
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: {
    emits: [...Object.values(reservationEvents), ...Object.values(orderEvents)],
    on: [
      on(reservationEvents.created, mailCreated),
      on(reservationEvents.confirmed, mailConfirmed),
      on(reservationEvents.changed, mailChanged),
      on(reservationEvents.cancelled, mailCancelled),
      on(reservationEvents.declined, mailDeclined),
      on(reservationEvents.expired, mailDeclined),
    ],
  },
  jobs: { lapse: holdsJob(holds) },
  stats: { restaurant: restaurantStats },
  permissions: { 'restaurant.order.reopen': 'Reopen a billed check' },
  errors: {
    no_table_available: { status: 409, title: 'No table available' },
    table_occupied: { status: 409, title: 'Table occupied' },
    capacity_exceeded: { status: 409, title: 'Capacity exceeded' },
    item_unavailable: { status: 409, title: 'Menu item unavailable' },
    order_closed: { status: 409, title: 'Check closed' },
    items_waiting: { status: 409, title: 'Items not served' },
    party_size: { status: 422, title: 'Party size not accepted' },
  },
  seeds: { demo: seedDemo },
  locales: { ro, en },
});
