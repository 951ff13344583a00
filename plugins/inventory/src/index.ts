import {
  cancelCommit,
  editCommit,
  fulfillmentCancelCommit,
  levelEvents,
  orderEvents,
  placeCheck,
  placeCommit,
  productEvents,
  refundCommit,
  refundUndoCommit,
  settleCommit,
  shipCommit,
  stock,
} from '@storeloom/commerce';
import { definePlugin, migrations, on, peopleErase, peopleExport, provide } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { emits } from './events.ts';
import { commitCompletedOrder, removeProductStock } from './flows/leftovers.ts';
import { cancelStock, editStock, refundStock, restoreReservations, settleStock, shipStock } from './flows/order-flows.ts';
import { jobs } from './jobs.ts';
import { adjust } from './level/adjust.ts';
import { level, movement } from './level/level.ts';
import { notifyLowStock } from './level/low-stock.ts';
import { listLevels, listMovements, warehouseReport } from './level/view.ts';
import { checkStock, reserveStock } from './placing/place.ts';
import { reservation } from './placing/reservation.ts';
import { seedStock } from './seed.ts';
import { stockService } from './service.ts';
import { settings } from './settings.ts';
import { backInStock, erasePerson, exportPerson, removeBuyerRequests, requestBackInStock } from './waiting/back-in-stock.ts';
import { unsubscribe } from './waiting/unsubscribe.ts';
import { warehouse } from './warehouse/warehouse.ts';

export default definePlugin({
  name: 'inventory',
  settings,
  tables: [level, movement, reservation, backInStock],
  migrations: migrations(import.meta.url, ['0001_inventory.sql']),
  admin: [warehouse, listLevels, warehouseReport, listMovements, adjust],
  storefront: [requestBackInStock, unsubscribe],
  provides: [provide(stock, stockService)],
  hooks(h) {
    h.on(placeCheck, checkStock, { stage: 20 });
    h.on(placeCommit, reserveStock, { stage: 20 });
    h.on(settleCommit, settleStock, { stage: 20 });
    h.on(cancelCommit, cancelStock, { stage: 20 });
    h.on(editCommit, editStock, { stage: 20 });
    h.on(shipCommit, shipStock, { stage: 20 });
    h.on(refundCommit, refundStock, { stage: 20 });
    h.on(fulfillmentCancelCommit, restoreReservations, { stage: 20 });
    h.on(refundUndoCommit, restoreReservations, { stage: 20 });
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: {
    emits,
    on: [
      on(levelEvents.low, notifyLowStock),
      on(orderEvents.placed, removeBuyerRequests),
      on(orderEvents.completed, commitCompletedOrder),
      on(productEvents.deleted, removeProductStock),
    ],
  },
  jobs,
  errors: {
    stock_below_reserved: { status: 409, title: 'Stock below reserved quantity' },
    warehouse_not_empty: { status: 409, title: 'Warehouse not empty' },
    default_warehouse: { status: 409, title: "Default warehouse can't be removed" },
    in_stock: { status: 409, title: 'In stock' },
  },
  seeds: { demo: seedStock },
  locales: { ro, en },
});
