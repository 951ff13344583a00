import {
  cancelCommit,
  contextResolve,
  discountsCollect,
  editCommit,
  linesResolve,
  placeCheck,
  placeCommit,
  pricesVary as pricesVaryHook,
  promotions,
} from '@storeloom/commerce';
import { definePlugin, migrations, peopleErase, peopleExport, provide, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { seedDemo } from './demo.ts';
import { errors } from './errors.ts';
import { promotionEvents } from './events.ts';
import { cancelOrder, editOrder } from './flows/order-taps.ts';
import { erasePerson, exportPerson } from './people.ts';
import { checkPromotions, commitPromotions } from './placing/place.ts';
import { usage } from './placing/usage.ts';
import { applyCatalogPromotions, collectDiscounts, setPercentStacking } from './pricing/taps.ts';
import { pricesVary } from './pricing/vary.ts';
import { promotionCode } from './promotion/code.ts';
import { promotion } from './promotion/promotion.ts';
import { promotionRoutes } from './promotion/routes.ts';
import { queued } from './queued.ts';
import { promotionsService } from './service.ts';
import { settings } from './settings.ts';

export default definePlugin({
  name: 'promotions',
  settings,
  tables: [promotion, promotionCode, usage],
  migrations: migrations(import.meta.url, ['0001_promotions.sql', '0002_configuration.sql']),
  admin: promotionRoutes,
  hooks(h) {
    h.on(contextResolve, setPercentStacking, { stage: 35 });
    h.on(linesResolve, applyCatalogPromotions, { stage: 30 });
    h.on(discountsCollect, collectDiscounts, { stage: 10 });
    h.on(pricesVaryHook, pricesVary);
    h.on(placeCheck, checkPromotions, { stage: 60 });
    h.on(placeCommit, commitPromotions, { stage: 10 });
    h.on(cancelCommit, cancelOrder, { stage: 10 });
    h.on(editCommit, editOrder, { stage: 10 });
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  provides: [provide(promotions, promotionsService)],
  events: { emits: Object.values(promotionEvents) },
  // A catalogue promotion starts or ends: cached pages with its prices are dropped.
  jobs: work(queued.shelfDue, { run: async (ctx) => ctx.dropCache('catalog') }),
  errors,
  seeds: { demo: seedDemo },
  locales: { en, ro },
});
