import { randomUUID } from 'node:crypto';
import type { Actor, Ctx, PlatformCtx } from '@storeloom/plugin-sdk';
import type { TenantDirectory, TenantEntry } from '../tenancy/directory.ts';
import { type ContextHost, contextOf, inTransaction } from './context.ts';
import { initialState, noPlugins, type Scope } from './scope.ts';
import type { Units, Work } from './units.ts';

/** Returns a scope without a request: for a job, an event, a seed, or a platform route that enters a tenant. */
export function scopeFor(entry: TenantEntry | undefined, work: Partial<Work> & { actor: Actor }, from?: Scope): Scope {
  const tenant = entry?.tenant ?? null;
  return {
    tenant,
    hostTenant: from?.hostTenant ?? null,
    actor: work.actor,
    tokens: from?.tokens ?? {},
    ip: work.ip ?? from?.ip ?? null,
    userAgent: from?.userAgent ?? null,
    locale: tenant?.defaultLocale ?? from?.locale ?? 'en',
    requestId: work.requestId ?? from?.requestId ?? randomUUID(),
    signal: work.signal ?? from?.signal ?? new AbortController().signal,
    on: entry ? (plugin) => entry.decisions.get(plugin)?.on === true : () => true,
    unavailable: entry?.unavailable ?? noPlugins,
    action: from?.action ?? null,
    ...initialState(),
  };
}

/** Creates the units of work of background tasks. */
export function createUnits(host: () => ContextHost, tenants: TenantDirectory): Units {
  return {
    async scope(tenantId, work) {
      const entry = await tenants.get(tenantId);
      return entry && entry.tenant.status !== 'terminated' ? scopeFor(entry, work) : undefined;
    },
    platformScope: (work) => scopeFor(undefined, work),
    transaction: (scope, fn, options) =>
      inTransaction(host(), scope, () => fn((scope.tx as NonNullable<Scope['tx']>).db), options),
    context: (plugin, scope) => contextOf(host(), plugin, scope) as Ctx,
    platformContext: (plugin, scope) => contextOf(host(), plugin, scope) as PlatformCtx,
  };
}
