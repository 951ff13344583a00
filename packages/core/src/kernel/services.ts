import type { Database, Tx } from '@storeloom/data';
import type { Keyring } from '@storeloom/keys';
import { checkLimits } from '@storeloom/licence';
import {
  auditLog,
  type Clock,
  type Ctx,
  decisions,
  eventLog,
  files,
  http,
  keyring,
  type Licence,
  type LicenceIssuer,
  licence,
  licenceIssuer,
  mailer,
  permissions,
  personalData,
  pluginMetrics,
  pluginStates,
  queues,
  rateLimits,
  type Service,
  settingsRegistry,
  setupToken,
  statsCatalogue,
  type ThemeRecord,
  tenants,
  themeCatalogue,
} from '@storeloom/plugin-sdk';
import { auditReader } from '../audit/audit.ts';
import { personalData as kernelPersonalData } from '../audit/personal-data.ts';
import type { PluginContext } from '../context/context.ts';
import type { Subscriptions } from '../events/subscriptions.ts';
import type { FileService } from '../files/files.ts';
import { createStatsCatalogue } from '../http/stats-routes.ts';
import { withoutPaths } from '../installation/fault.ts';
import type { InstallationSetupToken } from '../installation/setup-token.ts';
import { queueTotals, tenantQueues } from '../jobs/figures.ts';
import type { MailService } from '../mail/mailer.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Contributions } from '../plugins/contributions.ts';
import type { Registry } from '../plugins/registry.ts';
import type { SettingsService } from '../settings/settings.ts';
import { createDecisions } from '../tenancy/decisions.ts';
import { createTenants } from '../tenancy/tenants.ts';

export interface KernelServicesDeps {
  /** Drops a tenant from this process's caches. */
  forget(tenantId: string): void;
  database: Database;
  clock: Clock;
  contributions: Contributions;
  registry: Registry;
  licence: Licence;
  issuer: LicenceIssuer;
  themes: readonly ThemeRecord[];
  keyring: Keyring;
  settings: SettingsService;
  subscriptions: Subscriptions;
  setupToken: InstallationSetupToken;
  rateLimitFactor: number;
  metrics: Pick<Metrics, 'webhookDelivery'>;
  mail: MailService;
  files: FileService;
  guard: import('@storeloom/plugin-sdk').GuardedHttp;
  decide(tenantId: string, tx?: Tx): Promise<ReadonlyMap<string, { on: boolean; why: string }>>;
}

/** Returns the services of the kernel, created for each context. Services of the installation are for foundation plugins only. */
export function kernelServices(deps: KernelServicesDeps): [Service<unknown>, (ctx: PluginContext) => unknown][] {
  const { database, clock, contributions, registry, keyring: keys } = deps;
  const foundation = <T>(
    token: Service<T>,
    make: (ctx: PluginContext) => T,
  ): [Service<unknown>, (ctx: PluginContext) => unknown] => [
    token,
    (ctx) => {
      if (!registry.byName.get(ctx.plugin)?.manifest.foundation)
        throw new Error(`${token.id} is for foundation plugins only, not for ${ctx.plugin}`);
      return make(ctx);
    },
  ];
  const open = <T>(token: Service<T>, make: (ctx: PluginContext) => T): [Service<unknown>, (ctx: PluginContext) => unknown] => [
    token,
    make,
  ];
  /** Runs in the caller's platform transaction if one is open, otherwise in a new one. */
  const platform =
    (ctx: PluginContext) =>
    <T>(fn: (tx: Tx) => Promise<T>): Promise<T> =>
      ctx.scope.tenant === null && ctx.scope.tx && database.isInside(ctx.scope.tx) ? fn(ctx.scope.tx) : database.withPlatform(fn);
  const stats = createStatsCatalogue(contributions, registry);
  return [
    open(mailer, (ctx) => deps.mail.for(ctx as Ctx)),
    open(files, (ctx) => deps.files.for(ctx as Ctx)),
    open(http, () => deps.guard),
    foundation(tenants, (ctx) =>
      createTenants({
        platform: platform(ctx),
        now: clock.now,
        forget: deps.forget,
        checkLimits: (rooms) => checkLimits(deps.licence.view(), rooms),
      }),
    ),
    foundation(decisions, (ctx) =>
      createDecisions({ platform: platform(ctx), decide: deps.decide, now: clock.now, forget: deps.forget }),
    ),
    foundation(pluginStates, () => ({
      // Paths of the server are only in the log and on the command line.
      all: () =>
        registry.states().map((record) => ({
          ...record,
          reason: record.reason && { ...record.reason, message: withoutPaths(record.reason.message) },
        })),
      screens: (plugin) => registry.byName.get(plugin)?.plugin.screens ?? [],
    })),
    foundation(settingsRegistry, () => deps.settings.registry),
    foundation(permissions, () => ({ all: () => contributions.permissions })),
    foundation(auditLog, () => auditReader),
    foundation(eventLog, () => ({ all: () => deps.subscriptions.catalogue() })),
    foundation(personalData, () => kernelPersonalData),
    foundation(statsCatalogue, () => stats),
    foundation(queues, (ctx) => ({
      totals: () => platform(ctx)((tx) => queueTotals(tx.db)),
      all: (tenantId) => database.withPlatform((tx) => tenantQueues(tx.db, tenantId), { readOnly: true }),
    })),
    foundation(licence, () => deps.licence),
    foundation(themeCatalogue, () => ({ all: () => deps.themes })),
    foundation(licenceIssuer, () => deps.issuer),
    foundation(keyring, () => keys),
    foundation(setupToken, () => deps.setupToken),
    foundation(pluginMetrics, () => ({ webhookDelivery: deps.metrics.webhookDelivery })),
    foundation(rateLimits, () => ({ factor: deps.rateLimitFactor })),
  ];
}
