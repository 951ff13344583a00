import type { Listener, MigrationSet } from '@storeloom/data';
import { createOrm, type Database, databaseClock } from '@storeloom/data';
import type { DataDir, Keyring } from '@storeloom/keys';
import { createLicenceKeeper, type InstallationLicence, type IssuerKeys } from '@storeloom/licence';
import type { Actor, Ctx, PlatformCtx, ThemeRecord } from '@storeloom/plugin-sdk';
import type { Config } from './config.ts';
import { type ContextHost, contextOf, inTransaction, type ServiceProvider } from './context/context.ts';
import { createUnits, scopeFor } from './context/create-units.ts';
import { createSubscriptions } from './events/subscriptions.ts';
import type { FileStore } from './files/store.ts';
import { isTrusted } from './http/address.ts';
import type { MountedRoute } from './http/routes.ts';
import { type HttpServer, listen } from './http/server.ts';
import type { InstallationSetupToken } from './installation/setup-token.ts';
import { version } from './installation/version.ts';
import { areJobsPaused, followPause } from './jobs/pause.ts';
import { type QueueName, queueNames } from './jobs/queues.ts';
import { createSender } from './jobs/sender.ts';
import { createBackground } from './kernel/background.ts';
import { createBeforeCommit } from './kernel/before-commit.ts';
import { listenToChanges } from './kernel/changes.ts';
import { createContextHost } from './kernel/context-host.ts';
import { createHealth } from './kernel/health.ts';
import { checkLedger } from './kernel/ledger.ts';
import { observeKernel } from './kernel/observe.ts';
import { openDatabase } from './kernel/open-database.ts';
import { createOwnServices } from './kernel/own-services.ts';
import { kernelServices } from './kernel/services.ts';
import { createTenantMemory } from './kernel/tenant-memory.ts';
import { createWeb } from './kernel/web.ts';
import type { MailTransport } from './mail/transport.ts';
import { createLog, type KernelLog } from './observability/log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { inTrace } from './observability/trace.ts';
import { type Contributions, collectContributions } from './plugins/contributions.ts';
import type { PluginRegistry } from './plugins/load.ts';
import { saveStates } from './plugins/states.ts';
import type { TenantDirectory } from './tenancy/directory.ts';

export interface KernelOptions {
  config: Config;
  dataDir: DataDir;
  keyring: Keyring;
  licence: InstallationLicence;
  licenceIssuer: IssuerKeys;
  themes: readonly ThemeRecord[];
  /** Where uploaded files are kept. */
  fileStore: FileStore;
  /** Undefined: e-mails stay in their jobs. */
  mailTransport: MailTransport | undefined;
  registry: PluginRegistry;
  setupToken: InstallationSetupToken;
  /** URL of the runtime login, which has no privileges of its own. */
  databaseUrl: string;
  /** URL of the server itself, for LISTEN and workers, if `databaseUrl` is that of PgBouncer in transaction mode. Default: the same. */
  directUrl?: string;
  /** Migrations of core and plugins, to compare with the ledger: the boot never migrates. */
  migrations: { core: MigrationSet; plugins: readonly MigrationSet[] };
  log?: KernelLog;
  clock?: { ms(): number; now(): string };
  /** Address to listen on. Default: all. */
  host?: string;
  pool?: number;
  /** Milliseconds to wait for a connection of the pool. */
  poolWait?: number;
  /** Lock timeout and statement timeout in milliseconds. */
  timeouts?: { lockTimeout: number; statementTimeout: number };
  /** Whether this process serves schedules. Default true. */
  schedules?: boolean;
  /** False: the process runs jobs and listens on no port. Default true. */
  listens?: boolean;
  /** Called for each property that a handler returned but the response doesn't declare. Default: a warning in development. */
  onUndeclared?: (route: string, property: string) => void;
  /** Called when all but the socket is ready: a predecessor on the same port closes its own. */
  beforeListen?: () => Promise<void>;
}

export interface Kernel {
  /** 0 if the process listens on no port. */
  readonly port: number;
  readonly contributions: Contributions;
  readonly registry: PluginRegistry;
  readonly database: Database;
  readonly tenants: TenantDirectory;
  readonly metrics: Metrics;
  readonly routes: readonly MountedRoute[];
  readonly clock: { ms(): number; now(): string };
  /** Runs work in a tenant's transaction as actor `system` (or another), with the context of a plugin. */
  inTenant<T>(
    tenantId: string,
    plugin: string,
    fn: (ctx: Ctx) => Promise<T>,
    options?: { actor?: Actor; readOnly?: boolean; transaction?: 'none' },
  ): Promise<T>;
  /** Runs work without a tenant, with the context of a plugin; no transaction is open. */
  asPlatform<T>(plugin: string, fn: (ctx: PlatformCtx) => Promise<T>): Promise<T>;
  openapi(): Promise<Record<string, unknown>>;
  health(): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Makes the workers poll now, for jobs that became due without this process. */
  wake(): void;
  /**
   * Stops gracefully: open requests and running jobs finish. `immediately` closes open connections. `restarts` closes the port last and
   * doesn't wait for idle connections, since the same port is opened again soon.
   */
  stop(options?: { immediately?: boolean; restarts?: boolean }): Promise<void>;
}

/**
 * Boots the kernel after the plugins were checked and imported (`plugins/load.ts`):
 *  1 database  2 migration ledger  3 contributions  4 tenants and settings  5 services, hooks, events, jobs  6 route table  7 listen  8 workers.
 * An error of the core stops the boot; an error of a plugin makes it `failed` and its dependants `blocked`, and the others are served.
 */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const opened: (() => unknown)[] = [];
  try {
    return await boot(options, (close) => opened.push(close));
  } catch (error) {
    // Close what a failed boot has opened: otherwise it would keep the process alive.
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

async function boot(options: KernelOptions, opened: (close: () => unknown) => void): Promise<Kernel> {
  const { config, dataDir, registry, keyring, licence } = options;
  const directUrl = options.directUrl ?? options.databaseUrl;
  const log = options.log ?? createLog();
  const metrics = createMetrics({
    version,
    onSourceError: (source, error) => log.error({ err: error, source }, 'a metric source failed'),
  });
  let stopping: Promise<void> | undefined;
  opened(() => options.mailTransport?.close?.());

  // 1 Database.
  const { database, stopSampling } = await openDatabase({
    connection: {
      url: options.databaseUrl,
      pooled: options.directUrl !== undefined,
      max: options.pool ?? 12,
      ...(options.poolWait === undefined ? {} : { wait: options.poolWait }),
      ...options.timeouts,
    },
    log,
    metrics,
    ending: () => stopping !== undefined,
    opened,
  });
  const clock = options.clock ?? databaseClock(database);
  licence.useClock(clock);

  // 2 Migration ledger.
  await checkLedger(database, registry, options.migrations);

  // 3 Contributions.
  const contributions = collectContributions(registry);
  const unready = await saveStates(database, registry, contributions);
  const orm = createOrm([...contributions.entities.values()].map(({ table }) => table));

  // 4 Tenants and settings.
  const memory = createTenantMemory({ database, registry, keyring, licence, log });
  const { tenants, settings, forget } = memory;
  const keeper = createLicenceKeeper({
    licence,
    database,
    clock,
    env: config.env,
    installation: dataDir.secrets.installation,
    sign: (text) => keyring.sign('licence', text),
    seal: keyring.seal,
    unseal: keyring.unseal,
    log,
    // Decisions may have changed for every tenant.
    onChange: () => forget(undefined),
  });

  // 5 Services, hooks, events, jobs.
  const subscriptions = createSubscriptions(registry, contributions.events);
  const sender = createSender();
  // Called when work runs, not during the boot: host and workers are created last, since they depend on everything below.
  const units = createUnits(() => host, tenants);
  const wake = (queue: QueueName, tenantId?: string): void => background.wake(queue, tenantId);
  const own = createOwnServices({
    config,
    fileStore: options.fileStore,
    mailTransport: options.mailTransport,
    database,
    registry,
    keyring,
    units,
    sender,
    wake,
    log,
  });
  const services = new Map<string, ServiceProvider>(contributions.services);
  for (const [token, make] of kernelServices({
    database,
    clock,
    contributions,
    registry,
    licence: keeper,
    issuer: options.licenceIssuer,
    themes: options.themes,
    keyring,
    settings,
    subscriptions,
    setupToken: options.setupToken,
    rateLimitFactor: config.rateLimitFactor,
    metrics,
    mail: own.mail,
    files: own.files,
    guard: own.guard,
    decide: (tenantId, tx) => tenants.fresh(tenantId, tx),
    forget,
  }))
    services.set(token.id, { plugin: null, make });
  const background = createBackground({
    url: directUrl,
    registry,
    contributions,
    subscriptions,
    tenants,
    own,
    units,
    sender,
    log,
  });
  const host: ContextHost = createContextHost({
    database,
    clock,
    log,
    metrics,
    keyring,
    contributions,
    subscriptions,
    memory,
    orm,
    services,
    definitions: background.definitions,
    sender,
    wake,
    unready,
    beforeCommit: createBeforeCommit({
      registry,
      contributions,
      subscriptions,
      unready,
      cache: memory.cache,
      clock,
      units,
      sender,
      wake,
    }),
  });

  // 6 Route table.
  let http: HttpServer | undefined;
  let listener: Listener | undefined;
  const draining = (): boolean => http?.draining() ?? false;
  const health = createHealth({ database, registry, licence, log, draining });
  const { routes, pipeline, openapi } = createWeb({
    config,
    registry,
    contributions,
    unready,
    host,
    memory,
    own,
    units,
    sender,
    wake,
    clock,
    log,
    metrics,
    health,
    draining,
    receivesChanges: () => listener?.hears ?? true,
    ...(options.onUndeclared ? { onUndeclared: options.onUndeclared } : {}),
  });
  observeKernel(metrics, { database, registry, licence: keeper, clock });

  // 7 Listen: for changes of other processes, then for requests.
  const jobs = followPause({
    isPaused: () => areJobsPaused(database),
    start: () => background.start({ schedules: options.schedules ?? true }),
    stop: () => background.stop({ graceful: true }),
    failed: (error) => log.error({ err: error }, 'the workers could not be started or stopped'),
  });
  let hasWorkers = false;
  const onJobs = (): void => {
    if (hasWorkers) jobs.check().catch(() => setTimeout(onJobs, 5000).unref());
  };
  listener = await listenToChanges(directUrl, { memory, licence: keeper, log, onJobs });
  opened(() => listener?.close());
  // Another process may have changed the licence during the boot.
  await keeper.reload();
  await options.beforeListen?.();
  if (options.listens !== false) {
    const server = await listen(
      (koa, next) => inTrace(koa.req.headers.traceparent, () => pipeline(koa, next)),
      config.port,
      options.host,
      () => undefined,
      { isProxy: (address) => isTrusted(address, config.trustedProxies) },
    );
    http = server;
    opened(() => server.close());
  }

  // 8 Workers.
  if (config.workers) {
    opened(() => background.stop({ graceful: false }));
    await jobs.check();
    hasWorkers = true;
    // A pause that began since the check.
    onJobs();
  }

  return {
    port: http?.port ?? 0,
    contributions,
    registry,
    database,
    tenants,
    metrics,
    routes: routes.routes,
    clock,
    async inTenant(tenantId, plugin, fn, { actor, readOnly = false, transaction } = {}) {
      const scope = await host.scopeOf(tenantId, actor ?? { type: 'system', reason: plugin });
      const ctx = contextOf(host, plugin, scope) as Ctx;
      return transaction === 'none' ? fn(ctx) : inTransaction(host, scope, () => fn(ctx), { readOnly });
    },
    asPlatform: (plugin, fn) =>
      fn(contextOf(host, plugin, scopeFor(undefined, { actor: { type: 'system', reason: plugin } })) as PlatformCtx),
    openapi,
    health,
    wake() {
      for (const queue of queueNames) wake(queue);
    },
    stop({ immediately = false, restarts = false } = {}) {
      stopping ??= (async () => {
        const stopJobs = async (): Promise<void> => {
          hasWorkers = false;
          await jobs.end();
          await background.stop({ graceful: !immediately });
        };
        if (restarts) await stopJobs();
        if (immediately) await http?.close();
        else await http?.drain({ idle: restarts ? 'close' : 'wait' });
        stopSampling();
        if (!restarts) await stopJobs();
        await options.mailTransport?.close?.();
        await listener?.close();
        metrics.close();
        await database.close({ immediately });
      })();
      return stopping;
    },
  };
}
