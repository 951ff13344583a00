import { orderEvents } from '@storeloom/commerce';
import { definePlugin, fileUses, migrations, on, peopleErase, peopleExport, quotaUsage, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { addressesProvider } from './addresses.ts';
import { analyticsConfig } from './analytics-config.ts';
import { auditLogRoutes } from './audit-logs.ts';
import { brandingRoutes, brandingUses, mailFooterProvider, publicBranding } from './branding.ts';
import { tenantConfigHook } from './integrations.ts';
import { metafieldDefinition, removeDefinition } from './metafield-definitions.ts';
import { metafield } from './metafield-table.ts';
import { metafieldRoutes, metafieldsProvider } from './metafields.ts';
import { notification, notificationRoutes, notificationsProvider, tellOrderPlaced, tidy } from './notifications.ts';
import { onboardingRoutes } from './onboarding.ts';
import { erasePerson, exportPerson } from './people.ts';
import { publicKey, pushJob } from './push.ts';
import { subscribe, unsubscribe } from './push-subscribe.ts';
import { pushSubscription } from './push-table.ts';
import { queued } from './queued.ts';
import { workspaceProvider } from './service.ts';
import { settingRoutes } from './settings.ts';
import { storeRoutes } from './store.ts';
import { settings } from './store-fields.ts';
import { storageUsage, uploadsProvider } from './upload-store.ts';
import { directUpload, uploadRoutes } from './uploads.ts';

export default definePlugin({
  name: 'workspace',
  settings,
  tables: [notification, metafield, pushSubscription],
  migrations: migrations(import.meta.url, ['0001_workspace.sql', '0002_workspace.sql', '0003_filterable_metafields.sql']),
  admin: [
    ...storeRoutes,
    ...settingRoutes,
    ...brandingRoutes,
    metafieldDefinition,
    removeDefinition,
    ...metafieldRoutes,
    ...notificationRoutes,
    ...onboardingRoutes,
    ...uploadRoutes,
    ...auditLogRoutes,
  ],
  storefront: [analyticsConfig],
  system: [subscribe, unsubscribe, directUpload],
  hooks(h) {
    h.on(fileUses, brandingUses);
    h.on(quotaUsage, storageUsage);
    h.on(tenantConfigHook, (ctx) => [{ branding: publicBranding(ctx), pushPublicKey: publicKey(ctx) }]);
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
  },
  events: { on: [on(orderEvents.placed, tellOrderPlaced)] },
  jobs: { ...work(queued.push, pushJob), tidy },
  provides: [
    workspaceProvider,
    notificationsProvider,
    addressesProvider,
    mailFooterProvider,
    metafieldsProvider,
    uploadsProvider,
  ],
  errors: { base_currency_locked: { status: 409, title: "Base currency can't be changed" } },
  locales: { ro, en },
});
