import { definePlugin, f, migrations, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import { holdsJob } from '@storeloom/plugin-sdk/reserve';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
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

const created = (title: string) => ({ public: true, title, data: { id: f.id() } });
const moved = (title: string) => ({ public: true, title, data: { id: f.id(), from: f.text(), to: f.text() } });

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
    emits: {
      'restaurant.reservation.created': created('A reservation was created'),
      'restaurant.reservation.changed': {
        public: true,
        title: 'A reservation was changed',
        data: { id: f.id(), startsAt: f.instant(), partySize: f.int() },
      },
      'restaurant.reservation.confirmed': moved('A reservation was confirmed'),
      'restaurant.reservation.declined': moved('A reservation was declined'),
      'restaurant.reservation.expired': moved('A pending reservation lapsed'),
      'restaurant.reservation.cancelled': moved('A reservation was cancelled'),
      'restaurant.reservation.seated': moved('A party was seated'),
      'restaurant.reservation.completed': moved('A reservation was completed'),
      'restaurant.reservation.no_show': moved('A reservation is a no-show'),
      'restaurant.order.created': created('A check was opened'),
      'restaurant.order.round_added': { public: true, title: 'A round was ordered', data: { id: f.id(), round: f.int() } },
      'restaurant.order.sent': moved('A check was sent to the kitchen'),
      'restaurant.order.ready': moved('The food of a check is ready'),
      'restaurant.order.served': moved('A check was served'),
      'restaurant.order.billed': moved('A check was billed'),
      'restaurant.order.paid': moved('A check was paid'),
      'restaurant.order.cancelled': moved('A check was cancelled'),
    },
    on: {
      'restaurant.reservation.created': mailCreated,
      'restaurant.reservation.confirmed': mailConfirmed,
      'restaurant.reservation.changed': mailChanged,
      'restaurant.reservation.cancelled': mailCancelled,
      'restaurant.reservation.declined': mailDeclined,
      'restaurant.reservation.expired': mailDeclined,
    },
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
    party_size: { status: 422, title: 'Party size not accepted' },
  },
  seeds: { demo: seedDemo },
  locales: { ro, en },
});
