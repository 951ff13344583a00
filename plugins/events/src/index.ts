import { lateMoney } from '@storeloom/commerce';
import { definePlugin, f, migrations, peopleErase, peopleExport, provide } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { cancelPurchases } from './cancel.ts';
import { checkIn, scanTicket } from './check-in.ts';
import { events } from './contract.ts';
import { event } from './event.ts';
import { expireHolds } from './lapse.ts';
import { mailTickets, tell } from './mails.ts';
import { lateMoneyWish, paid, refunded } from './payment-events.ts';
import { erasePerson, exportPerson } from './people.ts';
import { purchase, releasePayments } from './purchase.ts';
import { purchaseTickets } from './purchase-route.ts';
import { seedDemo } from './seed.ts';
import { eventsService } from './service.ts';
import { settings } from './settings.ts';
import { eventsStats } from './stats.ts';
import { publicEvents } from './storefront.ts';

const moved = (title: string) => ({ public: true, title, data: { id: f.id(), from: f.text(), to: f.text() } });
const sold = (title: string) => ({ public: true, title, data: { id: f.id(), eventId: f.id(), total: f.money() } });

export default definePlugin({
  name: 'events',
  settings,
  tables: [purchase, checkIn],
  migrations: migrations(import.meta.url, ['0001_events.sql']),
  admin: [event, scanTicket],
  storefront: [publicEvents, purchaseTickets],
  hooks(h) {
    h.on(lateMoney, lateMoneyWish, { stage: 10 });
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: {
    emits: {
      'events.event.published': moved('An event was published'),
      'events.event.postponed': moved('An event was postponed'),
      'events.event.cancelled': moved('An event was cancelled'),
      'events.event.completed': moved('An event is over'),
      'events.purchase.paid': sold('Tickets were bought'),
      'events.purchase.expired': sold('Tickets were not paid in time'),
      'events.purchase.cancelled': sold('Tickets were cancelled'),
      'events.purchase.refunded': sold('Tickets were refunded'),
      'events.ticket.valid': moved('A ticket is valid'),
      'events.ticket.checked_in': moved('Somebody came in with a ticket'),
      'events.ticket.cancelled': moved('A ticket was cancelled'),
      'events.ticket.transferred': moved('A ticket was passed on'),
    },
    on: {
      'events.purchase.paid': mailTickets,
      'payments.payment.captured': paid,
      'payments.refund.succeeded': refunded,
    },
  },
  jobs: {
    expire: { cron: '* * * * *', perTenant: true, transaction: 'none', run: expireHolds },
    cancelled: { transaction: 'none', run: cancelPurchases },
    giveBack: { run: releasePayments },
    tell: { run: tell },
  },
  provides: [provide(events, eventsService)],
  stats: { events: eventsStats },
  permissions: { 'events.ticket.force': 'Let somebody in whose ticket is refused' },
  errors: {
    sold_out: { status: 409, title: 'There are not enough places' },
    sales_closed: { status: 409, title: 'It is not on sale' },
    already_redeemed: { status: 409, title: 'The ticket was used' },
    canceled: { status: 409, title: 'The ticket is cancelled' },
    revoked: { status: 409, title: 'The ticket was passed on' },
    unpaid: { status: 409, title: 'The ticket is not paid' },
    invalid_time: { status: 409, title: 'The ticket is not valid now' },
    order_quantity: { status: 422, title: 'The quantity is not possible' },
  },
  seeds: { demo: seedDemo },
  locales: { ro, en },
});
