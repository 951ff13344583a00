import type { Database } from '@storeloom/data';
import type { LicenceKeeper } from '@storeloom/licence';
import type { Clock } from '@storeloom/plugin-sdk';
import type { PipelineHost } from '../http/pipeline-host.ts';
import type { RouteTable } from '../http/routes.ts';
import { outboxLag, queueFigures } from '../jobs/figures.ts';
import type { KernelLog } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Registry } from '../plugins/registry.ts';

/** Counts every response by route, and logs those of plugin routes. */
export function observeRequests(routes: RouteTable, metrics: Metrics, log: KernelLog): PipelineHost['observe'] {
  const recorders = new Map(
    routes.routes.map((route) => [route, metrics.route(route.route.method, route.path, route.family)] as const),
  );
  const unmatched = metrics.route('*', 'unmatched', 'none');
  return (route, method, status, seconds, { requestId, tenantId }) => {
    (route ? (recorders.get(route) as typeof unmatched) : unmatched)(status, seconds);
    // Probes and scrapes are not logged.
    if (route?.plugin === null) return;
    log.request({
      request_id: requestId,
      tenant_id: tenantId,
      method,
      route: route?.path ?? 'unmatched',
      plugin: route?.plugin,
      status,
      ms: Math.round(seconds * 10_000) / 10,
    });
  };
}

/** Registers the kernel's metric sources. */
export function observeKernel(
  metrics: Metrics,
  { database, registry, licence, clock }: { database: Database; registry: Registry; licence: LicenceKeeper; clock: Clock },
): void {
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
}
