import type { IncomingMessage } from 'node:http';
import { StaleTenantError } from '@storeloom/data';
import { Problem } from '@storeloom/plugin-sdk';
import { initialState, noPlugins, type Scope } from '../context/scope.ts';
import { normalizeHost, type TenantEntry } from '../tenancy/directory.ts';
import { callerOf } from './caller.ts';
import type { Exchange } from './exchange.ts';
import { isOriginOf } from './origin.ts';
import type { PipelineHost } from './pipeline-host.ts';
import type { CompiledRoute } from './routes.ts';
import { parseCookies, pickLocale } from './target.ts';

const writeMethods = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** An exchange whose caller may use the route. */
export interface Admitted extends Omit<Exchange, 'params'> {
  readonly scope: Scope;
  readonly entry: TenantEntry | undefined;
  /** Validated. */
  readonly params: Record<string, string>;
  readonly cookies: Record<string, string>;
}

/** Everything before the body is read: authentication, tenant, gate, permission, CSRF. */
export async function admit(exchange: Exchange): Promise<Admitted> {
  const { host, route, requestId, disconnect, checkRevision } = exchange;
  const { req } = exchange.koa;
  const cookies = parseCookies(req.headers.cookie);
  const caller = await callerOf(exchange, cookies);
  const { entry, actor } = caller;
  if (entry) {
    try {
      if (entry.tenant.status === 'terminated')
        throw route.family === 'admin' ? new Problem('unauthenticated') : new Problem('tenant_not_found');
      if (entry.tenant.status === 'suspended' && (route.family === 'storefront' || route.writes))
        throw new Problem('tenant_suspended', { retryAfter: 3600 });
      gate(route, entry);
    } catch (refusal) {
      // No later step reads the database, so a refusal from memory is checked here.
      if (checkRevision && (await host.tenants.moved(entry))) throw new StaleTenantError(entry.tenant.id);
      throw refusal;
    }
  } else if (route.plugin !== null) {
    const state = host.stateOf(route.plugin);
    if (state !== undefined && state !== 'ready')
      throw new Problem('plugin_unavailable', { plugin: route.plugin, state, retryAfter: 60 });
  }
  const { permission } = route.route.options;
  if (route.family === 'admin' && permission !== undefined && actor.type === 'staff' && !actor.can(permission))
    throw new Problem('forbidden', { permission, detail: `This needs the permission ${permission}.` });
  if (caller.byCookie && writeMethods.has(route.route.method)) checkCsrf(host, req, cookies);
  const tenant = entry?.tenant ?? null;
  const language = tenant ?? caller.hostTenant;
  const scope: Scope = {
    tenant,
    hostTenant: caller.hostTenant,
    actor,
    // A response from the cache is the same for every guest, with and without tokens.
    tokens: route.route.options.cache && actor.type === 'guest' ? {} : caller.tokens,
    ip: host.ipOf(req),
    userAgent: req.headers['user-agent']?.slice(0, 300) ?? null,
    locale: language ? pickLocale(req.headers['accept-language'], language.locales, language.defaultLocale) : 'en',
    requestId,
    get signal() {
      return disconnect.signal;
    },
    on: entry ? (plugin) => entry.decisions.get(plugin)?.on === true : () => true,
    unavailable: entry?.unavailable ?? noPlugins,
    action: permission ?? null,
    ...initialState(),
  };
  return { ...exchange, scope, entry, params: route.parseParams(exchange.params), cookies };
}

function gate(route: CompiledRoute, entry: TenantEntry): void {
  if (route.plugin === null) return;
  const decision = entry.decisions.get(route.plugin);
  if (decision?.on) return;
  // A plugin that is off for the tenant is off, ready or not.
  if (decision?.unavailable)
    throw new Problem('plugin_unavailable', { plugin: route.plugin, state: decision.why, retryAfter: 60 });
  if (route.family === 'admin')
    throw new Problem('plugin_not_enabled', { plugin: route.plugin, why: decision?.why ?? 'not_installed' });
  throw new Problem('not_found');
}

function checkCsrf(host: PipelineHost, req: IncomingMessage, cookies: Record<string, string>): void {
  const { origin } = req.headers;
  const header = req.headers['x-csrf-token'];
  const sameOrigin =
    origin === undefined
      ? req.headers['sec-fetch-site'] === undefined || req.headers['sec-fetch-site'] === 'same-origin'
      : isOriginOf(origin, [normalizeHost(req.headers.host) ?? ''], req, host.schemeOf(req));
  if (!sameOrigin || !host.authenticator()?.checkCsrf(cookies, typeof header === 'string' ? header : undefined))
    throw new Problem('csrf_failed', {
      detail: 'Writes with cookies need X-CSRF-Token from /api/csrf-token and the same origin.',
    });
}
