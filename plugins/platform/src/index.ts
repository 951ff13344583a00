import { definePlugin, migrations } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { installationRoutes } from './installation.ts';
import { nicheRoutes } from './niche-packages.ts';
import { planRoutes } from './plans.ts';
import { pluginRoutes } from './plugins.ts';
import { tenantConfig } from './tenant-config.ts';
import { tenantPluginRoutes } from './tenant-plugins.ts';
import { tenantSideRoutes } from './tenant-side.ts';
import { ownerJob, tenantRoutes } from './tenants.ts';

export default definePlugin({
  name: 'platform',
  migrations: migrations(import.meta.url, ['0001_platform.sql']),
  superAdmin: [...tenantRoutes, ...tenantPluginRoutes, ...planRoutes, ...nicheRoutes, ...installationRoutes],
  admin: [...pluginRoutes, ...tenantSideRoutes],
  storefront: [tenantConfig],
  jobs: { owner: ownerJob },
  locales: { ro, en },
});
