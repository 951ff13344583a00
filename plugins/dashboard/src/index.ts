import { definePlugin, migrations, peopleErase, peopleExport } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { dashboardRoutes } from './dashboard.ts';
import { erasePerson, exportPerson, layout, layoutRoutes } from './layouts.ts';
import { presetRoutes } from './preset.ts';

export default definePlugin({
  name: 'dashboard',
  tables: [layout],
  migrations: migrations(import.meta.url, ['0001_dashboard.sql']),
  admin: [...dashboardRoutes, ...layoutRoutes, ...presetRoutes],
  hooks(h) {
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  locales: { ro, en },
});
