import { definePlugin, migrations } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { addressesProvider } from './addresses.ts';
import { auditLogRoutes } from './audit-logs.ts';
import { notification, notificationRoutes, tellOrderPlaced, tidy, workspaceProvider } from './notifications.ts';
import { settingRoutes } from './settings.ts';
import { storeRoutes } from './store.ts';
import { settings } from './store-fields.ts';

export default definePlugin({
  name: 'workspace',
  settings,
  tables: [notification],
  migrations: migrations(import.meta.url, ['0001_workspace.sql']),
  admin: [...storeRoutes, ...settingRoutes, ...notificationRoutes, ...auditLogRoutes],
  events: { on: { 'orders.order.placed': tellOrderPlaced } },
  jobs: { tidy },
  provides: [workspaceProvider, addressesProvider],
  errors: { base_currency_locked: { status: 409, title: 'The currency is fixed by the first order' } },
  locales: { ro, en },
});
