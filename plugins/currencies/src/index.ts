import { contextResolve, fx } from '@storeloom/commerce';
import { definePlugin, migrations, provide } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { currency, putCurrency, removeCurrency } from './currency.ts';
import { currencyEvents } from './events.ts';
import { fixRate, fxService } from './fx.ts';
import { createRate, fxRate, listRates } from './fx-rate.ts';
import { fxRefresh, refresh, refreshAll, refreshLog } from './refresh.ts';
import { seedCurrencies } from './seed.ts';
import { settings } from './settings.ts';

export default definePlugin({
  name: 'currencies',
  settings,
  tables: [fxRate, fxRefresh],
  migrations: migrations(import.meta.url, ['0001_currencies.sql']),
  admin: [currency, putCurrency, removeCurrency, listRates, createRate, refresh, refreshLog],
  hooks(h) {
    h.on(contextResolve, fixRate, { stage: 30 });
  },
  events: {
    emits: Object.values(currencyEvents),
  },
  jobs: {
    refresh: {
      cron: '30 14 * * 1-5',
      perTenant: true,
      transaction: 'none',
      async run(ctx) {
        await refreshAll(ctx);
      },
    },
  },
  provides: [provide(fx, fxService)],
  seeds: { demo: seedCurrencies },
  locales: { ro, en },
});
