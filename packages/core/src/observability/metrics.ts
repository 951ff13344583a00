import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { PluginStateRecord } from '@storeloom/plugin-sdk';
import prom from 'prom-client';

interface PoolFigures {
  size: number;
  idle: number;
  waiting: number;
}
export interface QueueFigures {
  queue: string;
  ready: number;
  running: number;
  failed: number;
  dead: number;
  /** Age of the oldest due job in seconds; 0 if there is none. */
  oldestReadySeconds: number;
}
type TxKind = 'read' | 'write' | 'platform' | 'job';
/** Sources of a scrape. If one throws, its figures are left out and the error is counted. */
interface MetricSources {
  /** Summed over all given pools. */
  pool?(): PoolFigures;
  jobs?(): Promise<QueueFigures[]>;
  /** Age of the oldest undelivered event in seconds. */
  outbox?(): Promise<number>;
  plugins?(): readonly Pick<PluginStateRecord, 'name' | 'state'>[];
  /** Seconds to the end of the licence; null without one. */
  licence?(): number | null;
}
export interface Metrics {
  /** Returns the recorder of a route, called for each response. Created when routes are compiled, so that requests build no labels. */
  route(method: string, template: string, family: string): (status: number, seconds: number) => void;
  requestStarted(): void;
  requestEnded(): void;
  requestsInFlight(): number;
  tx(kind: TxKind, seconds: number): void;
  txRetry(sqlstate: string): void;
  hook(plugin: string, hook: string, seconds: number): void;
  pluginError(plugin: string): void;
  /** Counts a delivery attempt of a webhook: `succeeded`, `retrying`, `dead`. */
  webhookDelivery(outcome: string): void;
  /** Counts a query without a tenant scope (42501): a bug of the kernel. */
  tenantContextMissing(): void;
  /** Counts a row rejected by a policy (42501 by WITH CHECK). */
  rlsViolation(): void;
  /** Counts a write that affected no row of the tenant. */
  rlsZeroRowWrite(): void;
  /** Returns the 99th percentile of the event loop delay since the last reset, in seconds. For load shedding. */
  eventLoopLag(): number;
  watch(sources: MetricSources): void;
  /** Returns the exposition text and its media type. */
  text(): Promise<string>;
  readonly contentType: string;
  /** Returns a snapshot for `mergeMetrics` in the primary process. */
  snapshot(): Promise<unknown>;
  close(): void;
}

export interface MetricsOptions {
  version: string;
  /** Called for each source that failed. */
  onSourceError?(source: keyof MetricSources, error: unknown): void;
}

const states: readonly PluginStateRecord['state'][] = [
  'not_installed',
  'incompatible',
  'unlicensed',
  'blocked',
  'failed',
  'ready',
];
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const resolution = 10;

/** Creates the Prometheus metrics of one process. Labels are templates and names from code, never values of requests. */
export function createMetrics({ version, onSourceError }: MetricsOptions): Metrics {
  const registry = new prom.Registry();
  const registers = [registry];
  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    aggregator: prom.Aggregator = 'sum',
  ): prom.Gauge<L> => new prom.Gauge({ name, help, labelNames, aggregator, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): prom.Counter<L> =>
    new prom.Counter({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): prom.Histogram<L> =>
    new prom.Histogram({ name, help, labelNames, buckets: seconds, registers });

  gauge('build_info', 'Version of the running build; the value is always 1.', ['version'], 'first').set({ version }, 1);
  const requests = counter('http_requests_total', 'HTTP requests answered.', ['method', 'route', 'family', 'status_class']);
  const durations = histogram(
    'http_request_duration_seconds',
    'Time from the first byte read to the answer, by route template.',
    ['method', 'route', 'family', 'status_class'],
  );
  const inFlight = gauge('http_requests_in_flight', 'HTTP requests being answered.');
  const pool = {
    size: gauge('db_pool_size', 'Open database connections.'),
    idle: gauge('db_pool_idle', 'Open, unused database connections.'),
    waiting: gauge('db_pool_waiting', 'Callers that wait for a database connection.'),
  };
  const transactions = histogram('db_tx_duration_seconds', 'Time of database transactions, waiting for a connection included.', [
    'kind',
  ]);
  const retries = counter('db_tx_retries_total', 'Transactions run again after a conflict.', ['sqlstate']);
  const jobs = {
    ready: gauge('jobs_ready', 'Jobs that may run now.', ['queue'], 'max'),
    running: gauge('jobs_running', 'Jobs that a worker has taken.', ['queue'], 'max'),
    failed: gauge('jobs_failed', 'Jobs that failed and are kept.', ['queue'], 'max'),
    dead: gauge('jobs_dead', 'Jobs in the dead-letter queue.', ['queue'], 'max'),
    oldest: gauge('jobs_oldest_ready_seconds', 'Age of the oldest job that may run now.', ['queue'], 'max'),
  };
  const outbox = gauge('outbox_lag_seconds', 'Age of the oldest event that is not delivered.', [], 'max');
  const hooks = histogram('plugin_hook_duration_seconds', 'Time of the taps of one plugin on one hook.', ['plugin', 'hook']);
  /** Cached by name: hashing the labels on each call takes measurable time. */
  const hookTimes = new Map<string, ReturnType<typeof hooks.labels>>();
  const errors = counter('plugin_errors_total', 'Unexpected errors in the code of a plugin.', ['plugin']);
  const pluginState = gauge('plugin_state', 'State of a plugin: 1 for the present one.', ['plugin', 'state'], 'first');
  const licence = gauge('license_seconds_to_expiry', 'Time until the licence ends; negative afterwards.', [], 'min');
  const deliveries = counter('webhook_deliveries_total', 'Tries of webhooks, by what came of them.', ['outcome']);
  const missing = counter('tenant_context_missing_total', 'Queries made outside any tenant scope. Must stay 0.');
  const violations = counter('rls_violations_total', 'Rows refused by row-level security. Must stay 0.');
  const zeroRows = counter('rls_zero_row_writes_total', 'Writes that met no row of their tenant.');
  const sourceErrors = counter('metrics_source_errors_total', 'Sources that could not be read in a scrape.', ['source']);
  const lag = gauge('event_loop_lag_seconds', 'Delay of the event loop since the last scrape, 99th percentile.', [], 'max');
  addProcessMetrics(registry);

  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const currentLag = (): number => Math.max(0, delay.percentile(99) / 1e9 - resolution / 1000);

  const watched: MetricSources[] = [];
  let flying = 0;
  /** Returns the values of the sources that didn't fail. */
  const all = async <T>(
    source: keyof MetricSources,
    pick: (sources: MetricSources) => (() => T | Promise<T>) | undefined,
  ): Promise<T[]> => {
    const reads = watched.map(async (sources): Promise<T[]> => {
      const fn = pick(sources);
      try {
        return fn ? [await fn()] : [];
      } catch (error) {
        sourceErrors.inc({ source });
        onSourceError?.(source, error);
        return [];
      }
    });
    return (await Promise.all(reads)).flat(1) as T[];
  };
  async function collect(): Promise<void> {
    inFlight.set(flying);
    lag.set(currentLag());
    delay.reset();
    const pools = await all('pool', (s) => s.pool?.bind(s));
    for (const key of ['size', 'idle', 'waiting'] as const) pool[key].set(pools.reduce((sum, figures) => sum + figures[key], 0));
    const [queues, lags, plugins, ends] = await Promise.all([
      all('jobs', (s) => s.jobs?.bind(s)),
      all('outbox', (s) => s.outbox?.bind(s)),
      all('plugins', (s) => s.plugins?.bind(s)),
      all('licence', (s) => s.licence?.bind(s)),
    ]);
    for (const one of Object.values(jobs)) one.reset();
    for (const { queue, ready, running, failed, dead, oldestReadySeconds } of queues.flat()) {
      jobs.ready.set({ queue }, ready);
      jobs.running.set({ queue }, running);
      jobs.failed.set({ queue }, failed);
      jobs.dead.set({ queue }, dead);
      jobs.oldest.set({ queue }, oldestReadySeconds);
    }
    outbox.remove();
    if (lags.length > 0) outbox.set(Math.max(...lags));
    pluginState.reset();
    for (const { name, state } of plugins.flat())
      for (const one of states) pluginState.set({ plugin: name, state: one }, one === state ? 1 : 0);
    licence.remove();
    const end = ends.find((value) => value !== null);
    if (end !== undefined && end !== null) licence.set(end);
  }

  return {
    route(method, route, family) {
      const labels = [1, 2, 3, 4, 5].map((hundred) => ({ method, route, family, status_class: `${hundred}xx` }));
      return (status, took) => {
        const own = labels[Math.floor(status / 100) - 1] ?? labels[4]!;
        requests.inc(own);
        durations.observe(own, took);
      };
    },
    requestStarted: () => void flying++,
    requestEnded: () => void flying--,
    requestsInFlight: () => flying,
    tx: (kind, took) => transactions.observe({ kind }, took),
    txRetry: (sqlstate) => retries.inc({ sqlstate }),
    hook(plugin, hook, took) {
      const name = `${plugin} ${hook}`;
      let own = hookTimes.get(name);
      if (!own) hookTimes.set(name, (own = hooks.labels({ plugin, hook })));
      own.observe(took);
    },
    pluginError: (plugin) => errors.inc({ plugin }),
    webhookDelivery: (outcome) => deliveries.inc({ outcome }),
    tenantContextMissing: () => missing.inc(),
    rlsViolation: () => violations.inc(),
    rlsZeroRowWrite: () => zeroRows.inc(),
    eventLoopLag: currentLag,
    watch: (sources) => void watched.push(sources),
    async text() {
      await collect();
      return registry.metrics();
    },
    contentType: registry.contentType,
    async snapshot() {
      await collect();
      return registry.getMetricsAsJSON();
    },
    close: () => void delay.disable(),
  };
}

/** Merges the snapshots of several processes. */
export async function mergeMetrics(snapshots: readonly unknown[]): Promise<string> {
  return prom.AggregatorRegistry.aggregate(snapshots as object[]).metrics();
}

/** Adds the library's process metrics, except those with invalid names (a gauge that ends in `_total`). */
function addProcessMetrics(registry: prom.Registry): void {
  const own = new prom.Registry();
  prom.collectDefaultMetrics({ register: own });
  for (const { name } of own.getMetricsAsArray()) {
    if (/^nodejs_active_.*_total$/.test(name) || name.startsWith('nodejs_eventloop_')) continue;
    const metric = own.getSingleMetric(name);
    if (metric) registry.registerMetric(metric);
  }
}
