import { definePlugin, migrations, peopleErase, peopleExport, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { themeEvents } from './events.ts';
import { flagRoutes, flagsProvider } from './flag/flags.ts';
import { installationRoutes } from './installation.ts';
import { licenceDeskProvider } from './licence/desk.ts';
import { licenceRoutes } from './licence/licences.ts';
import { licensingRoutes } from './licence/licensing.ts';
import { licenceMailJob } from './licence/mail.ts';
import { ownLicenceRoutes } from './licence/own-licence.ts';
import { soldLicence, soldLicenceJob } from './licence/sales.ts';
import { licenceJob } from './licence/watch.ts';
import { operatorSettingRoutes } from './operator-settings.ts';
import { erasePerson, exportPerson } from './people.ts';
import { nicheRoutes } from './plan/niche-packages.ts';
import { planRoutes } from './plan/plans.ts';
import { quotaRoutes, quotasProvider } from './plan/quotas.ts';
import { pluginRoutes } from './plugins.ts';
import { queued } from './queued.ts';
import { registryRoutes } from './registry/registry.ts';
import { registryTokensProvider } from './registry/tokens.ts';
import { tenantChangeRoutes } from './tenant/change.ts';
import { tenantConfig } from './tenant/config.ts';
import { tenantOperationsProvider } from './tenant/operations.ts';
import { tenantPluginRoutes } from './tenant/plugins.ts';
import { tenantSideRoutes } from './tenant/side.ts';
import { ownerJob, tenantRoutes } from './tenant/tenants.ts';
import { themesProvider } from './theme/settings.ts';
import { theme } from './theme/theme.ts';
import { activeThemeRoute, themeRoutes } from './theme/themes.ts';

export default definePlugin({
  name: 'platform',
  tables: [theme],
  migrations: migrations(import.meta.url, [
    '0001_platform.sql',
    '0002_licences.sql',
    '0003_flags_quotas.sql',
    '0004_themes.sql',
    '0005_registry_tokens.sql',
    '0006_function_privileges.sql',
  ]),
  superAdmin: [
    ...tenantRoutes,
    ...tenantChangeRoutes,
    ...tenantPluginRoutes,
    ...planRoutes,
    ...nicheRoutes,
    ...licenceRoutes,
    ...operatorSettingRoutes,
    ...installationRoutes,
  ],
  system: [...licensingRoutes, ...registryRoutes],
  webhooks: { 'payment-c-license': soldLicence },
  admin: [...pluginRoutes, ...ownLicenceRoutes, ...tenantSideRoutes, ...themeRoutes, ...flagRoutes, ...quotaRoutes],
  storefront: [tenantConfig, activeThemeRoute],
  hooks(h) {
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  provides: [
    flagsProvider,
    quotasProvider,
    themesProvider,
    registryTokensProvider,
    tenantOperationsProvider,
    licenceDeskProvider,
  ],
  events: {
    emits: Object.values(themeEvents),
  },
  jobs: {
    ...work(queued.owner, ownerJob),
    ...work(queued.licenceMail, licenceMailJob),
    ...work(queued.soldLicence, soldLicenceJob),
    licence: licenceJob,
  },
  errors: {
    activation_limit: { status: 409, title: 'Activation limit reached' },
    theme_incompatible: { status: 409, title: 'Incompatible theme' },
    no_activation: { status: 409, title: 'No activated licence' },
  },
  locales: { ro, en },
});
