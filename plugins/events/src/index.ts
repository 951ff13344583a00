import { paymentRefundEvents, settlePayable } from '@storeloom/commerce';
import { definePlugin, migrations, on, peopleErase, peopleExport, provide, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { cancelPurchases } from './cancel.ts';
import { checkIn, scanTicket } from './check-in.ts';
import { events } from './contract.ts';
import { event } from './event.ts';
import { eventEvents, purchaseEvents, ticketEvents } from './events.ts';
import { expireHolds } from './lapse.ts';
import { mailTickets, tell } from './mails.ts';
import { refunded, settlePurchase } from './payment-events.ts';
import { erasePerson, exportPerson } from './people.ts';
import { purchase } from './purchase.ts';
import { purchaseTickets } from './purchase-route.ts';
import { queued } from './queued.ts';
import { seedDemo } from './seed.ts';
import { eventsService } from './service.ts';
import { settings } from './settings.ts';
import { eventsStats } from './stats.ts';
import { publicEvents } from './storefront.ts';

export default definePlugin({
  name: 'events',
  settings,
  tables: [purchase, checkIn],
  migrations: migrations(import.meta.url, ['0001_events.sql']),
  admin: [event, scanTicket],
  storefront: [publicEvents, purchaseTickets],
  hooks(h) {
    h.on(settlePayable, settlePurchase);
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: {
    emits: [...Object.values(eventEvents), ...Object.values(purchaseEvents), ...Object.values(ticketEvents)],
    on: [on(purchaseEvents.paid, mailTickets), on(paymentRefundEvents.succeeded, refunded)],
  },
  jobs: {
    expire: { cron: '* * * * *', perTenant: true, transaction: 'none', run: expireHolds },
    ...work(queued.cancelled, { transaction: 'none', run: cancelPurchases }),
    ...work(queued.tell, { run: tell }),
  },
  provides: [provide(events, eventsService)],
  stats: { events: eventsStats },
  permissions: { 'events.ticket.force': 'Check in tickets that are refused' },
  errors: {
    sold_out: { status: 409, title: 'Sold out' },
    sales_closed: { status: 409, title: 'Sales closed' },
    already_redeemed: { status: 409, title: 'Ticket already used' },
    wrong_event: { status: 409, title: 'Ticket for another event' },
    canceled: { status: 409, title: 'Ticket cancelled' },
    revoked: { status: 409, title: 'Ticket transferred' },
    unpaid: { status: 409, title: 'Ticket unpaid' },
    invalid_time: { status: 409, title: 'Ticket not valid at this time' },
    order_quantity: { status: 422, title: 'Invalid quantity' },
  },
  seeds: { demo: seedDemo },
  locales: { ro, en },
});
