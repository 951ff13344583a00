import type { OpenApiDocument } from '@storeloom/openapi';
import { type Authenticator, authenticator, type Clock } from '@storeloom/plugin-sdk';
import type Koa from 'koa';
import type { Config } from '../config.ts';
import { type ContextHost, contextOf } from '../context/context.ts';
import { scopeFor } from '../context/create-units.ts';
import type { Units } from '../context/units.ts';
import { ipOf, schemeOf } from '../http/address.ts';
import { type CoreRoute, type CoreState, coreRoutes } from '../http/core-routes.ts';
import { createPipeline } from '../http/pipeline.ts';
import type { PipelineHost } from '../http/pipeline-host.ts';
import { problemTable } from '../http/problems.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { compileRoutes, type RouteTable, type UndeclaredListener } from '../http/routes.ts';
import { unreadyRoutes } from '../http/unready-routes.ts';
import { createWebhookResponse } from '../http/webhook-response.ts';
import { version } from '../installation/version.ts';
import type { Sender } from '../jobs/sender.ts';
import type { KernelLog } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Contributions } from '../plugins/contributions.ts';
import type { Registry } from '../plugins/registry.ts';
import type { UnreadyPlugins } from '../plugins/states.ts';
import { documentOf, mountedRoutes } from './document.ts';
import { observeRequests } from './observe.ts';
import type { OwnServices } from './own-services.ts';
import type { TenantMemory } from './tenant-memory.ts';

export interface WebOptions {
  config: Config;
  registry: Registry;
  contributions: Contributions;
  unready: Pick<UnreadyPlugins, 'routes'>;
  host: ContextHost;
  memory: TenantMemory;
  own: OwnServices;
  units: Units;
  sender: Sender;
  wake(queue: 'inbound'): void;
  clock: Clock;
  log: KernelLog;
  metrics: Metrics;
  health: CoreState['health'];
  draining: PipelineHost['draining'];
  receivesChanges: PipelineHost['receivesChanges'];
  onUndeclared?: UndeclaredListener;
}

/** The routes of kernel and plugins. */
export interface Web {
  readonly routes: RouteTable;
  readonly pipeline: Koa.Middleware;
  readonly openapi: CoreState['openapi'];
}

export function createWeb(options: WebOptions): Web {
  const { config, registry, contributions, host, own, units, sender, wake, clock, log, metrics, health } = options;
  const { tenants, settings, cache, forget } = options.memory;
  const mounted = mountedRoutes(contributions);
  const routes = compileRoutes(
    [...mounted, ...unreadyRoutes(options.unready.routes, mounted)],
    options.onUndeclared ?? (config.env === 'development' ? warnOf(log) : undefined),
  );
  const problems = problemTable(contributions.errors);
  // Built on first request: it takes as long as the rest of the boot.
  let document: OpenApiDocument | undefined;
  const openapi: CoreState['openapi'] = async () => (document ??= documentOf(registry, contributions, mounted));
  const { metricsToken } = config;
  const core: CoreState = { health, metrics, metricsToken, openapi, version, files: own.files, tenants, problems };
  const ownAnswers = new Map(coreRoutes().map(({ path, answer }) => [path, answer]));
  const pipeline = createPipeline({
    context: host,
    tenants,
    routes,
    problems,
    cache,
    forget,
    receivesChanges: options.receivesChanges,
    authenticator: authenticatorOf(host),
    stateOf: (name) => registry.states().find((record) => record.name === name)?.state,
    limit: limitBy(own.limiter),
    webhook: createWebhookResponse(contributions.inbound, clock, { units, sender, wake: () => wake('inbound') }),
    core: ({ path }, req) => (ownAnswers.get(path) as CoreRoute['answer'])(core, req),
    allowedOrigins: (tenantId) => settings.allowedOrigins(tenantId),
    ipOf: (req) => ipOf(req, config.trustedProxies),
    schemeOf: (req) => schemeOf(req, config.trustedProxies),
    draining: options.draining,
    observe: observeRequests(routes, metrics, log),
    onError(error, fields) {
      if (typeof fields.plugin === 'string') metrics.pluginError(fields.plugin);
      log.error({ err: error, ...fields }, 'a request failed');
    },
  });
  return { routes, pipeline, openapi };
}

/** Warns once of each property that a response doesn't declare, so that it is missing from the response. */
function warnOf(log: KernelLog): UndeclaredListener {
  const known = new Set<string>();
  return (route, property) => {
    if (known.size === known.add(`${route} ${property}`).size) return;
    log.warn({ route, property }, `the handler returned ${property}, which the response doesn't declare: it was not sent`);
  };
}

/** Returns the authenticator of the plugin that provides one. It is called without a tenant. */
function authenticatorOf(host: ContextHost): () => Authenticator | undefined {
  const scope = scopeFor(undefined, { actor: { type: 'system', reason: 'kernel' } });
  return () => {
    const plugin = host.services.get(authenticator.id)?.plugin;
    return plugin ? contextOf(host, plugin, scope).use(authenticator) : undefined;
  };
}

function limitBy(limiter: RateLimiter): PipelineHost['limit'] {
  return ({ limits, route, path, family }, scope, req) =>
    limiter.consume(
      limits,
      {
        route: `${route.method} ${path}`,
        family,
        tenantId: (scope.tenant ?? scope.hostTenant)?.id ?? null,
        actor: scope.actor,
        ip: scope.ip,
      },
      req,
    );
}
