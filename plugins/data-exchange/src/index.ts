import { definePlugin, migrations, provide, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { dataExchange } from './contract.ts';
import { exportCustomers, exportOrders, exportProducts } from './export.ts';
import { imagesJob } from './images.ts';
import { dataExchangeService, importJob, importProducts, importResult, importRun } from './import-products.ts';
import { queued } from './queued.ts';

export default definePlugin({
  name: 'data-exchange',
  tables: [importRun],
  migrations: migrations(import.meta.url, ['0001_data_exchange.sql', '0002_progress.sql']),
  admin: [importProducts, importResult, exportProducts, exportOrders, exportCustomers],
  jobs: { ...work(queued.import, importJob), ...work(queued.images, imagesJob) },
  provides: [provide(dataExchange, dataExchangeService)],
  locales: { ro, en },
});
