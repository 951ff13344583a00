import {
  cancelCommit,
  currencyUses as currencyUsesHook,
  placeCommit,
  refundCommit,
  settleCommit,
  shipCommit,
} from '@storeloom/commerce';
import { definePlugin, migrations, peopleErase, peopleExport, quotaUsage, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { currencyUses } from './currency-uses.ts';
import { addItemRoute, addressRoute, changeItemRoute, editRoute, removeItemRoute } from './edit/routes.ts';
import { errors } from './errors.ts';
import { emits, handlers } from './events.ts';
import { cancelTap } from './flows/cancel.ts';
import { completeJob } from './flows/complete.ts';
import { internalNoteRoute, notesRoute } from './flows/notes.ts';
import { fulfillmentRoute, refundRoute, shipRoute, statusRoute } from './flows/order-actions.ts';
import { settleTap } from './flows/settle.ts';
import { packingSlipRoute } from './fulfillment/packing-slip.ts';
import { pickListRoute } from './fulfillment/pick-list.ts';
import { shipTap } from './fulfillment/ship.ts';
import { invoiceCreateRoute, invoiceListRoute, invoicePdfRoute, invoiceSendRoute } from './invoice/routes.ts';
import { mailJob } from './mails.ts';
import { orderUsage } from './order-quota.ts';
import { erasePerson, exportPerson } from './people.ts';
import { holdPlaced, placeOrder, settleFree } from './placing/place.ts';
import { queued } from './queued.ts';
import { refundTap } from './refund/refund.ts';
import { ordersProvider } from './service.ts';
import { settings } from './settings.ts';
import { storefrontInvoice, storefrontOrder, trackRoute } from './storefront.ts';
import { tables } from './tables.ts';
import { orderExportProvider } from './view/order-export.ts';
import { orderGetRoute, orderListRoute } from './view/order-list.ts';

export default definePlugin({
  name: 'orders',
  settings,
  tables,
  migrations: migrations(import.meta.url, [
    '0001_orders.sql',
    '0002_search_text.sql',
    '0003_number.sql',
    '0004_function_privileges.sql',
  ]),
  admin: [
    orderListRoute,
    orderGetRoute,
    statusRoute,
    shipRoute,
    fulfillmentRoute,
    refundRoute,
    editRoute,
    addItemRoute,
    changeItemRoute,
    removeItemRoute,
    addressRoute,
    notesRoute,
    internalNoteRoute,
    packingSlipRoute,
    pickListRoute,
    invoiceListRoute,
    invoiceCreateRoute,
    invoicePdfRoute,
    invoiceSendRoute,
  ],
  storefront: [storefrontOrder, storefrontInvoice, trackRoute],
  hooks(h) {
    h.on(placeCommit, placeOrder, { stage: 70 });
    h.on(placeCommit, settleFree, { stage: 96 });
    h.on(placeCommit, holdPlaced, { stage: 97 });
    h.on(settleCommit, settleTap, { stage: 70 });
    h.on(cancelCommit, cancelTap, { stage: 70 });
    h.on(shipCommit, shipTap, { stage: 70 });
    h.on(refundCommit, refundTap, { stage: 70 });
    h.on(currencyUsesHook, currencyUses);
    h.on(quotaUsage, orderUsage);
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: { emits, on: handlers },
  jobs: { ...work(queued.complete, completeJob), ...work(queued.mail, mailJob) },
  provides: [ordersProvider, orderExportProvider],
  permissions: {
    'orders.order.cancel': 'Cancel orders',
    'orders.fulfillment.force': 'Hand over goods that are not paid',
  },
  errors,
  locales: { ro, en },
});
