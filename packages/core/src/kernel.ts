import { readFileSync } from 'node:fs';
import {
  type Actor,
  type Authenticator,
  authenticator,
  type Ctx,
  type PlatformCtx,
  Problem,
  type ThemeRecord,
} from '@storeloom/plugin-sdk';
import { mailFooter } from '@storeloom/plugin-sdk/public';
import type { Config } from './config.ts';
import { type ContextHost, contextOf, inTransaction } from './context.ts';
import type { DataDir } from './data-dir.ts';
import { ConfigurationMemory } from './database/configuration-memory.ts';
import { createDatabase, type Database, databaseClock } from './database/database.ts';
import { type Listener, listenTo } from './database/listener.ts';
import { type MigrationSet, MigrationsPending, pendingMigrations } from './database/migrate.ts';
import { OutsideNeeded } from './database/outside.ts';
import { asRefusal, isConnectionLost } from './database/refused.ts';
import { TenantMoved } from './database/tenant-moved.ts';
import { decide } from './decide.ts';
import { createDelivery } from './events/delivery.ts';
import { emit } from './events/outbox.ts';
import { createSubscriptions } from './events/subscriptions.ts';
import { wantedTypes } from './events/wanted.ts';
import { reasonOf } from './fault.ts';
import { ipOf } from './http/address.ts';
import { coreRoutes } from './http/core-routes.ts';
import { createPipeline } from './http/pipeline.ts';
import { problemTable } from './http/problems.ts';
import { ResponseCache } from './http/response-cache.ts';
import { compileRoutes, type MountedRoute } from './http/routes.ts';
import { type HttpServer, listen } from './http/server.ts';
import { statsRoutes } from './http/stats-routes.ts';
import { webhookRoutes } from './http/webhook-routes.ts';
import { createInboundHandler } from './inbound/handle.ts';
import { receive } from './inbound/receive.ts';
import { outboxLag, queueFigures } from './jobs/figures.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import { queueNames } from './jobs/queues.ts';
import { kernelJobs } from './jobs/retention.ts';
import { collectJobs, createRunner, schedulesOf } from './jobs/run-job.ts';
import type { Keyring } from './keyring.ts';
import type { IssuerKeys } from './licence/issuer.ts';
import { createLicenceKeeper } from './licence/keeper.ts';
import type { InstallationLicence } from './licence/licence.ts';
import { createLog, type KernelLog } from './observability/log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { inTrace } from './observability/trace.ts';
import { type Contributions, collectContributions } from './plugins/contributions.ts';
import type { PluginRegistry } from './plugins/load.ts';
import { createAuditBuffer } from './services/audit.ts';
import { localStore } from './services/file-store.ts';
import { s3Store } from './services/file-store-s3.ts';
import { createFiles } from './services/files.ts';
import { createHttpGuard } from './services/http-guard.ts';
import { kernelServices } from './services/kernel-services.ts';
import { fileTransport, smtpTransport } from './services/mail-transport.ts';
import { createMailer } from './services/mailer.ts';
import { platformAudit } from './services/platform-audit.ts';
import { saveStates } from './services/plugin-states.ts';
import { createRateLimiter } from './services/rate-limit.ts';
import { createSettings } from './services/settings.ts';
import type { InstallationSetupToken } from './setup-token.ts';
import { writeHistory } from './status-history.ts';
import { TenantDirectory } from './tenancy.ts';
import { createUnits, scopeFor } from './units.ts';

export interface KernelOptions {
  config: Config;
  dataDir: DataDir;
  keyring: Keyring;
  licence: InstallationLicence;
  licenceIssuer: IssuerKeys;
  themes: readonly ThemeRecord[];
  registry: PluginRegistry;
  setupToken: InstallationSetupToken;
  /** Runtime login; holds nothing by itself. */
  databaseUrl: string;
  /** The server itself, for LISTEN and workers, where `databaseUrl` leads to PgBouncer in transaction mode; default the same. */
  directUrl?: string;
  /** Core's migrations and those of the plugins, to compare with the ledger: boot never migrates. */
  migrations: { core: MigrationSet; plugins: readonly MigrationSet[] };
  log?: KernelLog;
  clock?: { ms(): number; now(): string };
  /** Address to listen on; default all. */
  host?: string;
  pool?: number;
  /** Milliseconds that somebody waits for a connection of the pool. */
  poolWait?: number;
}

export interface Kernel {
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
  /** The same without a tenant: no transaction is open. */
  asPlatform<T>(plugin: string, fn: (ctx: PlatformCtx) => Promise<T>): Promise<T>;
  openapi(): Promise<Record<string, unknown>>;
  health(): Promise<{ status: number; body: Record<string, unknown> }>;
  /** The workers look for jobs now, as after a job of this process: for jobs that became due otherwise. */
  wake(): void;
  /** Drains: no request is lost, running jobs end. `immediately`: open connections are cut. */
  stop(options?: { immediately?: boolean }): Promise<void>;
}

/** Version of the kernel, from its package. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/**
 * Boot, after the manifests were judged and the plugins imported (`plugins/load.ts`):
 *  1 database  2 migration ledger  3 contributions  4 tenants and settings  5 services, hooks, events, jobs  6 route table  7 listen  8 workers.
 * A core fault stops the boot; a plugin's fault makes that plugin `failed`, its dependants `blocked`, and the rest serve.
 */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const opened: (() => unknown)[] = [];
  try {
    return await boot(options, (close) => opened.push(close));
  } catch (error) {
    // What a boot that fails has opened would keep the process, and reconnect for ever.
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

async function boot(options: KernelOptions, opened: (close: () => unknown) => void): Promise<Kernel> {
  const { config, registry, keyring, licence } = options;
  const log = options.log ?? createLog();
  const metrics = createMetrics({
    version,
    onSourceError: (source, error) => log.error({ err: error, source }, 'a metric source failed'),
  });

  let stopping: Promise<void> | undefined;

  // 1 Database.
  const database = createDatabase({
    url: options.databaseUrl,
    pooled: options.directUrl !== undefined,
    max: options.pool ?? 12,
    ...(options.poolWait === undefined ? {} : { wait: options.poolWait }),
    onError(error) {
      // While everything is ending, that a connection ends is no news.
      if (!stopping) log.warn({ err: error }, 'a database connection was lost');
    },
    onTx: (kind, seconds) => metrics.tx(kind, seconds),
    onRetry: (sqlstate) => metrics.txRetry(sqlstate),
  });
  opened(() => database.close());
  await patiently(() => database.sampleClock()).catch((error: unknown) => {
    throw asRefusal(error, options.databaseUrl);
  });
  const clock = options.clock ?? databaseClock(database);
  const sampling = setInterval(
    () => void database.sampleClock().catch((error: Error) => log.warn({ err: error }, 'the database clock could not be read')),
    30_000,
  );
  sampling.unref();
  opened(() => clearInterval(sampling));

  licence.useClock(clock);

  // 2 Migration ledger.
  const pending = await database.withPlatform(
    (tx) =>
      pendingMigrations({ query: (text) => tx.execute({ text, values: [] }) }, [
        options.migrations.core,
        ...options.migrations.plugins,
      ]),
    { readOnly: true },
  );
  const corePending = pending.get('core');
  if (corePending) throw new MigrationsPending(`the core migration ${corePending.message}`);
  for (const [plugin, { code, message }] of pending)
    registry.markFailed(plugin, reasonOf({ code, what: message, fix: 'storeloom migrate' }));

  // 3 Contributions.
  const contributions = collectContributions(registry);

  // 4 Tenants and settings.
  const cache = new ResponseCache();
  const settings = createSettings({
    registry,
    seal: keyring.seal,
    unseal: keyring.unseal,
    onChange: (tenantId) => forget(tenantId),
    warn: (fields, message) => log.warn(fields, message),
  });
  const tenants: TenantDirectory = new TenantDirectory(
    database,
    (facts) => decide(registry.states(), licence, facts),
    async (tenantId) => {
      // Read after the tenant's stamp, so that they are never older than it says.
      settings.invalidate(tenantId);
      await database.withTenant(tenantId, (tx) => settings.load(tx.db, tenantId), { readOnly: true });
    },
  );
  const forget = (tenantId: string | undefined): void => {
    settings.invalidate(tenantId);
    tenants.invalidate(tenantId);
    cache.drop(tenantId ?? null, []);
  };

  const keeper = createLicenceKeeper({
    licence,
    database,
    clock,
    env: config.env,
    installation: options.dataDir.secrets.installation,
    sign: (text) => keyring.sign('licence', text),
    seal: keyring.seal,
    unseal: keyring.unseal,
    log,
    // What is on may have changed for everybody.
    onChange: () => forget(undefined),
  });

  // 5 Services, hooks, events, jobs.
  const subscriptions = createSubscriptions(registry, contributions.events);
  const units = createUnits(() => host, tenants);
  const services = new Map<string, { plugin: string | null; make: (ctx: never) => unknown }>();
  let jobs!: Jobs;
  const host: ContextHost = {
    database,
    memory: new ConfigurationMemory(),
    clock,
    log,
    taps: contributions.taps,
    services,
    entities: (scope) => ({
      find: (name) => {
        const found = contributions.entities.get(name);
        return found && { name, plugin: found.plugin, table: found.table, on: scope.on(found.plugin) };
      },
      referrers: (name) => contributions.referrers.get(name) ?? [],
    }),
    settingsOf: (tenantId, plugin, shape, db) => settings.of(tenantId, plugin, shape, db),
    saveSettings: (ctx, plugin, values) => settings.save(ctx, plugin, values),
    checkEvent: (plugin, type) => void subscriptions.of(plugin, type),
    async enqueue(scope, plugin, job, data, wanted) {
      if (!scope.tx) throw new Error('jobs are sent inside a transaction');
      const { startAfter, key, retryLimit = definitions.get(plugin)?.[job]?.retryLimit } = wanted;
      await jobs.send(scope.tx.db, {
        queue: 'jobs',
        plugin,
        name: job,
        tenantId: scope.tenant?.id ?? null,
        requestId: scope.requestId,
        data,
        ...(startAfter === undefined ? {} : { startAfter }),
        ...(key === undefined ? {} : { key }),
        ...(retryLimit === undefined ? {} : { retryLimit }),
      });
      scope.tx.onCommit.push(() => jobs.wake('jobs'));
    },
    seal: keyring.seal,
    unseal: keyring.unseal,
    sign: keyring.sign,
    async scopeOf(tenantId, actor, from) {
      const entry = await tenants.get(tenantId);
      if (!entry) throw new Problem('not_found');
      return scopeFor(entry, { actor }, from);
    },
    async beforeCommit(scope, tx) {
      if (scope.tenant) {
        const { tenant } = scope;
        // Here at once, so that a writer's next request sees its own work; the other processes hear of it by the notification.
        if (tx.dropTags.size > 0) tx.onCommit.push(() => cache.drop(tenant.id, [...tx.dropTags]));
        if (scope.history.length > 0) writeHistory(tx.db, tenant.id, scope.actor, scope.history);
        if (scope.events.length > 0) {
          const wanted = await wantedTypes(scope, subscriptions, registry, (plugin) => contextOf(host, plugin, scope));
          const sent = await emit(
            jobs,
            tx.db,
            scope.events.map(({ plugin, type, aggregate, data }) => {
              const subscription = subscriptions.of(plugin, type);
              return {
                tenantId: tenant.id,
                type,
                aggregate,
                data,
                requestId: scope.requestId,
                now: clock.now(),
                public: subscription.public,
                subscribers: [
                  ...subscription.plugins.filter((name) => scope.on(name)),
                  ...subscription.asked.filter((name) => wanted.get(name)?.includes(type)),
                ],
              };
            }),
          );
          if (sent > 0) tx.onCommit.push(() => jobs.wake('events'));
        }
        // The head of the audit chain is locked last: it orders all audited writes of the tenant.
        if (scope.audit.length > 0) {
          const buffer = createAuditBuffer({ shapeOf: (entity) => contributions.entities.get(entity)?.table.fields });
          for (const entry of scope.audit)
            buffer.add(entry, {
              actor: scope.actor,
              action: scope.action ?? entry.entity,
              ip: scope.ip,
              requestId: scope.requestId,
              at: clock.now(),
            });
          await buffer.flush(tx.db, tenant.id);
        }
      } else if (scope.audit.length > 0) await platformAudit(tx.db, scope, clock.now());
    },
    isExpected: (error) =>
      error instanceof Problem ||
      error instanceof TenantMoved ||
      error instanceof OutsideNeeded ||
      isConnectionLost(error) ||
      (typeof error === 'object' &&
        error !== null &&
        'code' in error &&
        typeof error.code === 'string' &&
        /^[0-9A-Z]{5}$/.test(error.code)),
    onHookFault(plugin, hook, error) {
      metrics.pluginError(plugin);
      log.error({ err: error, plugin, hook }, 'a tap failed');
    },
    onHookCall: (plugin, hook, seconds) => metrics.hook(plugin, hook, seconds),
  };
  const transport = config.mailUrl
    ? smtpTransport(config.mailUrl)
    : config.env === 'production'
      ? undefined
      : fileTransport(options.dataDir.file('mail'));
  const catalogue = (plugin: string) => registry.byName.get(plugin)?.plugin.locales;
  const sender: Pick<Jobs, 'send' | 'settleInside' | 'nextTime'> = {
    send: (...given) => jobs.send(...given),
    settleInside: (...given) => jobs.settleInside(...given),
    nextTime: (...given) => jobs.nextTime(...given),
  };
  const mail = createMailer({
    units,
    sender,
    log,
    transport,
    catalogue,
    footer: (ctx, locale) => ctx.use(mailFooter)?.text(locale) ?? null,
    wake: () => jobs.wake('mail'),
  });
  const files = createFiles({
    units,
    store: config.filesUrl === undefined ? localStore(options.dataDir.file('files')) : s3Store(config.filesUrl, log),
  });
  const guard = createHttpGuard({ allowLocal: config.env === 'development', log });
  const limiter = createRateLimiter({
    query: ({ text, values = [] }) =>
      database.withPlatform(async (tx) => {
        const { rows, count } = await tx.execute({ text, values });
        return { rows, rowCount: count };
      }),
    factor: config.rateLimitFactor,
    sign: keyring.sign,
  });
  const definitions = collectJobs(
    registry.loaded,
    kernelJobs({
      units,
      sender,
      sweepFiles: (tenantId, signal) => files.sweep(tenantId, signal),
      purgeRates: () => limiter.purge(),
    }),
  );
  jobs = createJobs({
    url: options.directUrl ?? options.databaseUrl,
    log,
    units,
    schedules: schedulesOf(definitions),
    isOn: async (tenantId, plugin) => (await tenants.get(tenantId))?.decisions.get(plugin)?.on === true,
  });
  const stateOf = (name: string): string | undefined => registry.states().find((record) => record.name === name)?.state;
  const runner = createRunner({
    units,
    sender,
    log,
    jobs: definitions,
    registry,
    handlers: {
      events: createDelivery({
        units,
        sender,
        log,
        subscriptions,
        pluginState: (name) => (registry.byName.has(name) ? 'ready' : stateOf(name) === undefined ? 'absent' : 'waiting'),
      }),
      mail: (job) => mail.deliver(job),
      inbound: createInboundHandler({
        units,
        sender,
        log,
        find: (plugin, path) => contributions.inbound.find((entry) => entry.plugin === plugin && entry.path === path)?.inbound,
      }),
    },
  });
  for (const [id, provided] of contributions.services) services.set(id, provided);
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
    mail,
    files,
    guard,
    decide: (tenantId, tx) => tenants.fresh(tenantId, tx),
    forget,
  }))
    services.set(token.id, { plugin: null, make: make as (ctx: never) => unknown });

  // 6 Route table.
  const mounted: MountedRoute[] = [
    ...contributions.routes,
    ...statsRoutes(contributions),
    ...webhookRoutes(contributions),
    ...coreRoutes(),
  ];
  const routes = compileRoutes(mounted);
  const observers = new Map(routes.routes.map((route) => [route, metrics.route(route.route.method, route.path, route.family)]));
  const unmatched = metrics.route('*', 'unmatched', 'none');
  const platform = scopeFor(undefined, { actor: { type: 'system', reason: 'kernel' } });
  const identity = (): Authenticator | undefined => {
    const provider = services.get(authenticator.id);
    return provider?.plugin
      ? (contextOf(host, provider.plugin, platform).use(authenticator) as Authenticator | undefined)
      : undefined;
  };
  let http: HttpServer | undefined;
  let listener: Listener | undefined;
  let healthy = true;
  const health = async (): Promise<{ status: number; body: Record<string, unknown> }> => {
    const degraded = registry
      .states()
      .filter((record) => record.state !== 'ready' && !(record.foundation && record.state === 'not_installed'))
      .map((record) => ({ plugin: record.name, state: record.state, code: record.reason?.code ?? null }));
    try {
      await database.ping();
      healthy = true;
    } catch (error) {
      if (healthy) log.error({ err: error }, 'the database is away');
      healthy = false;
    }
    const draining = http?.draining() ?? false;
    if (!healthy || draining) return { status: 503, body: { ok: false, checks: { database: healthy, draining } } };
    return { status: 200, body: { ok: true, version, degraded, licence: licence.state() } };
  };
  // Built when somebody asks: it costs as much as the rest of the boot.
  let document: Promise<Record<string, unknown>> | undefined;
  const openapi = (): Promise<Record<string, unknown>> =>
    (document ??= import('./openapi/index.ts').then(({ buildOpenApi }) =>
      buildOpenApi({ routes: mounted, contributions, version, errors: problemTable(contributions.errors) }),
    ));
  const problems = problemTable(contributions.errors);
  const pipeline = createPipeline({
    context: host,
    tenants,
    routes,
    problems,
    cache,
    forget,
    hears: () => listener?.hears ?? true,
    authenticator: identity,
    stateOf,
    limit: (route, scope, request) =>
      limiter.consume(
        route.limits,
        {
          route: `${route.route.method} ${route.path}`,
          family: route.family,
          tenantId: (scope.tenant ?? scope.hostTenant)?.id ?? null,
          actor: scope.actor,
          ip: scope.ip,
        },
        request,
      ),
    async webhook(route, input) {
      const receiver = contributions.inbound.find((entry) => entry.path === route.path);
      if (!receiver) throw new Problem('not_found');
      const method = route.route.method === 'GET' ? 'GET' : 'POST';
      const answer = await receive({ units, sender, wake: () => jobs.wake('inbound') }, receiver, {
        request: { ...input, now: Math.floor(clock.ms() / 1000) },
        method,
        requestId: input.requestId,
        signal: new AbortController().signal,
      });
      const text = typeof answer.body === 'string' ? answer.body : answer.body === undefined ? null : JSON.stringify(answer.body);
      const headers: Record<string, string> =
        text === null
          ? {}
          : {
              'content-type':
                answer.type ??
                (typeof answer.body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8'),
            };
      return { status: answer.status, headers, body: text };
    },
    core: (route, req) =>
      route.route.handler(
        { health, metrics, metricsToken: config.metricsToken, openapi, version, files, tenants, problems } as never,
        req as never,
      ) as Promise<never>,
    allowedOrigins: (tenantId) => settings.allowedOrigins(tenantId),
    ipOf: (req) => ipOf(req, config.trustedProxies),
    draining: () => http?.draining() ?? false,
    observe(route, method, status, seconds, { requestId, tenantId }) {
      (route ? (observers.get(route) as typeof unmatched) : unmatched)(status, seconds);
      // Probes and scrapes are no news.
      if (route?.plugin === null) return;
      log.info(
        {
          request_id: requestId,
          tenant_id: tenantId,
          method,
          route: route?.path ?? 'unmatched',
          plugin: route?.plugin,
          status,
          ms: Math.round(seconds * 10_000) / 10,
        },
        'request',
      );
    },
    onError(error, fields) {
      if (typeof fields.plugin === 'string') metrics.pluginError(fields.plugin);
      log.error({ err: error, ...fields }, 'a request failed');
    },
  });
  metrics.watch({
    pool: () => ({ size: database.pool.totalCount, idle: database.pool.idleCount, waiting: database.pool.waitingCount }),
    jobs: () => database.withPlatform((tx) => queueFigures(tx.db), { readOnly: true }),
    outbox: () => database.withPlatform((tx) => outboxLag(tx.db), { readOnly: true }),
    plugins: () => registry.states(),
    licence: () => {
      const { expiresAt } = licence.view();
      return expiresAt === null ? null : (Date.parse(expiresAt) - clock.ms()) / 1000;
    },
  });

  // 7 Listen: for changes that other processes make, then for requests.
  const reloadLicence = (): void =>
    void keeper.reload().catch((error: Error) => log.warn({ err: error }, 'the licence could not be read again'));
  listener = await listenTo(
    options.directUrl ?? options.databaseUrl,
    {
      storeloom_tenant: (id) => forget(id || undefined),
      storeloom_licence: () => reloadLicence(),
      storeloom_cache: (payload) => {
        const { tenant, tags } = JSON.parse(payload) as { tenant: string | null; tags: string[] };
        cache.drop(tenant, tags);
      },
    },
    () => {
      forget(undefined);
      reloadLicence();
    },
    (error) => log.warn({ err: error }, 'the listening connection was lost'),
  );
  opened(() => listener?.close());
  // Another process may have changed it while this one was starting.
  await keeper.reload();
  await saveStates(database, registry);
  const server = await listen(
    (koa, next) => inTrace(koa.req.headers.traceparent, () => pipeline(koa, next)),
    config.port,
    options.host,
    () => undefined,
  );
  http = server;
  opened(() => server.close());

  // 8 Workers.
  if (config.workers) {
    opened(() => jobs.stop({ graceful: false }));
    await jobs.start(runner);
  }

  return {
    port: http.port,
    contributions,
    registry,
    database,
    tenants,
    metrics,
    routes: routes.routes,
    async inTenant(tenantId, plugin, fn, { actor, readOnly = false, transaction } = {}) {
      const scope = await host.scopeOf(tenantId, actor ?? { type: 'system', reason: plugin });
      const ctx = contextOf(host, plugin, scope) as unknown as Ctx;
      return transaction === 'none' ? fn(ctx) : inTransaction(host, scope, () => fn(ctx), { readOnly });
    },
    clock,
    asPlatform: (plugin, fn) =>
      fn(contextOf(host, plugin, scopeFor(undefined, { actor: { type: 'system', reason: plugin } })) as unknown as PlatformCtx),
    openapi,
    health,
    wake() {
      for (const queue of queueNames) jobs.wake(queue);
    },
    stop({ immediately = false } = {}) {
      stopping ??= (async () => {
        if (immediately) await http?.close();
        else await http?.drain();
        clearInterval(sampling);
        await jobs.stop({ graceful: !immediately });
        await listener?.close();
        metrics.close();
        await database.close();
      })();
      return stopping;
    },
  };
}

/** The first connection of a process that has much to read beside it: a wait that was too short is begun again. */
async function patiently<T>(fn: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + 60_000; ; ) {
    try {
      return await fn();
    } catch (error) {
      if (performance.now() > end || !/timeout/i.test((error as Error).message)) throw error;
    }
  }
}
