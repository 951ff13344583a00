import {
  consentEvents,
  contextResolve,
  customerEvents,
  customers,
  orderEvents,
  placeCheck,
  pricesVary as pricesVaryHook,
} from '@storeloom/commerce';
import { customerDirectory } from '@storeloom/plugin-identity/contract';
import { definePlugin, migrations, on, peopleExport, provide, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { addresses, deleteAccount, notifications, ownOrder, ownOrders, putNotifications } from './account.ts';
import { checkBuyer, pricesVary, resolveCustomer } from './checkout-taps.ts';
import { consentLog } from './consent.ts';
import { customer } from './customer.ts';
import { dataExport, dataExportZip, exportJob, tidy } from './data-export.ts';
import { directory, signInDirectory } from './directory.ts';
import { eraseJob } from './erasure.ts';
import { assign, group } from './group.ts';
import { countOrder, uncountOrder } from './order-figures.ts';
import { exportOwn } from './person.ts';
import { queued } from './queued.ts';
import { seedGroups } from './seed.ts';
import { settings } from './settings.ts';

export default definePlugin({
  name: 'customers',
  migrations: migrations(import.meta.url, [
    '0001_customers.sql',
    '0002_configuration.sql',
    '0003_privacy.sql',
    '0004_registrations.sql',
  ]),
  settings,
  admin: [customer, group, assign],
  storefront: [
    addresses,
    ownOrders,
    ownOrder,
    notifications,
    putNotifications,
    dataExport,
    dataExportZip,
    deleteAccount,
    consentLog,
  ],
  hooks(h) {
    h.on(contextResolve, resolveCustomer, { stage: 10 });
    h.on(pricesVaryHook, pricesVary);
    h.on(placeCheck, checkBuyer, { stage: 40 });
    h.on(peopleExport, exportOwn);
  },
  events: {
    emits: [...Object.values(customerEvents), ...Object.values(consentEvents)],
    on: [on(orderEvents.placed, countOrder), on(orderEvents.cancelled, uncountOrder)],
  },
  jobs: { ...work(queued.erase, eraseJob), ...work(queued.export, exportJob), tidy },
  provides: [provide(customers, directory), provide(customerDirectory, signInDirectory)],
  permissions: { 'customers.customer.export': "Export customers' data" },
  errors: {
    default_group: { status: 409, title: "Default group can't be removed" },
    email_unverified: { status: 409, title: 'E-mail address not verified' },
    mandatory: { status: 422, title: 'Mandatory message' },
    consent_required: { status: 422, title: 'Consent required' },
    order_refused: { status: 409, title: 'Order refused' },
  },
  seeds: { demo: seedGroups },
  locales: { ro, en },
});
