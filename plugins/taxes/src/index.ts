import {
  cancelCommit,
  contextResolve,
  editCommit,
  orderRefundEvents,
  placeCommit,
  refundCommit,
  taxes,
  taxQuote,
} from '@storeloom/commerce';
import { definePlugin, migrations, on, provide, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { ossEvents, rateEvents } from './events.ts';
import { daily, publishedRatesAge } from './jobs.ts';
import { correctCancel, correctEdit, correctRefund, reduceRefund, restoreRefund } from './oss/flows.ts';
import { ossRoutes } from './oss/routes.ts';
import { commitSale } from './oss/sale.ts';
import { ossEntry, ossYear } from './oss/tables.ts';
import { quoteTax, resolveTax } from './pricing/checkout-taps.ts';
import { queued } from './queued.ts';
import { category } from './rate/category.ts';
import { rate } from './rate/rate.ts';
import { rateUse } from './rate/use.ts';
import { seedTaxes } from './seed.ts';
import { taxService } from './service.ts';
import { settings } from './settings.ts';
import { checkVatJob, vatCheck } from './vat/check.ts';
import { proveVatJob } from './vat/order-proof.ts';
import { vatRoutes } from './vat/storefront.ts';

export default definePlugin({
  name: 'taxes',
  settings,
  tables: [rateUse, vatCheck, ossYear, ossEntry],
  migrations: migrations(import.meta.url, ['0001_taxes.sql', '0002_configuration.sql']),
  admin: [category, rate, ...ossRoutes],
  storefront: vatRoutes,
  hooks(h) {
    h.on(contextResolve, resolveTax, { stage: 60 });
    h.on(taxQuote, quoteTax, { stage: 90 });
    h.on(placeCommit, commitSale, { stage: 15 });
    h.on(refundCommit, correctRefund, { stage: 15 });
    h.on(cancelCommit, correctCancel, { stage: 15 });
    h.on(editCommit, correctEdit, { stage: 15 });
  },
  events: {
    emits: [...Object.values(rateEvents), ...Object.values(ossEvents)],
    on: [on(orderRefundEvents.failed, restoreRefund), on(orderRefundEvents.succeeded, reduceRefund)],
  },
  jobs: { ...work(queued.checkVat, checkVatJob), ...work(queued.proveVat, proveVatJob), daily, publishedRatesAge },
  provides: [provide(taxes, taxService)],
  seeds: { demo: seedTaxes },
  locales: { ro, en },
});
