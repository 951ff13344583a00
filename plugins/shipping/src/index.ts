import { placeCheck, shippingQuote, surchargesCollect } from '@storeloom/commerce';
import type { integrationsCollect } from '@storeloom/plugin-platform/contract';
import { definePlugin, migrations, token, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { awb, awbEvent } from './awb/awb.ts';
import { createAwb } from './awb/create.ts';
import { unknownEvent } from './awb/event.ts';
import { awbEvents } from './awb/events.ts';
import { label, tracking } from './awb/read.ts';
import { awbRequest } from './awb/request.ts';
import { carrier, getCarrier, listCarriers, putCarrier, removeCarrier } from './carrier/carrier.ts';
import { errors } from './carrier/declarations.ts';
import { carrierIntegrations } from './carrier/integrations.ts';
import { listUnknown } from './carrier/unknown-list.ts';
import { webhooks } from './carrier/webhooks.ts';
import { cancelJob, trackJob } from './jobs.ts';
import { method } from './method/method.ts';
import { createRate, listRates, rate, removeRate, updateRate } from './method/rate.ts';
import { checkCountry, codFee, quoteMethods } from './pricing/checkout-taps.ts';
import { queued } from './queued.ts';
import { seedDemo } from './seeds.ts';
import { lookUpTracking, shippingService, trackingLookup } from './service.ts';
import { settings } from './settings.ts';
import { aliasZoneRoutes, zone } from './zone/zone.ts';

export default definePlugin({
  name: 'shipping',
  settings,
  tables: [rate, carrier, awb, awbRequest, awbEvent, unknownEvent],
  migrations: migrations(import.meta.url, ['0001_shipping.sql', '0002_configuration.sql', '0003_value_basis.sql']),
  admin: [
    method,
    zone,
    ...aliasZoneRoutes,
    listRates,
    createRate,
    updateRate,
    removeRate,
    listCarriers,
    getCarrier,
    putCarrier,
    removeCarrier,
    listUnknown,
    createAwb,
    label,
    tracking,
  ],
  webhooks,
  hooks(h) {
    h.on(shippingQuote, quoteMethods, { stage: 10 });
    h.on(surchargesCollect, codFee, { stage: 20 });
    h.on(placeCheck, checkCountry, { stage: 30 });
    h.on(token<typeof integrationsCollect>('platform:integrations.collect'), carrierIntegrations);
    h.on(trackingLookup, lookUpTracking);
  },
  events: { emits: Object.values(awbEvents) },
  jobs: { ...work(queued.cancelAwb, cancelJob), track: trackJob },
  provides: [shippingService],
  errors,
  seeds: { demo: seedDemo },
  locales: { ro, en },
});
