import { spawnSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { createMetrics, mergeMetrics } from './metrics.ts';

const metrics = createMetrics({ version: '1.2.3' });
afterAll(() => metrics.close());

function feed(): void {
  const product = metrics.route('GET', '/api/admin/products/{id}', 'admin');
  product(200, 0.004);
  product(404, 0.02);
  metrics.route('GET', 'unmatched', 'system')(404, 0.001);
  metrics.tx('read', 0.002);
  metrics.txRetry('40001');
  metrics.hook('promotions', 'checkout:discounts.collect', 0.01);
  metrics.pluginError('promotions');
  metrics.webhookDelivery('dead');
  metrics.watch({
    pool: () => ({ size: 4, idle: 1, waiting: 2 }),
    jobs: async () => [{ queue: 'events', ready: 3, running: 1, failed: 0, dead: 0, oldestReadySeconds: 1.5 }],
    outbox: async () => 0.25,
    plugins: () => [{ name: 'catalog', state: 'ready' }],
    licence: () => 86_400,
  });
}

test('every recorder and source shows, by template and never by tenant', async () => {
  feed();
  const text = await metrics.text();
  for (const line of [
    'http_requests_total{method="GET",route="/api/admin/products/{id}",family="admin",status_class="2xx"} 1',
    'http_requests_total{method="GET",route="/api/admin/products/{id}",family="admin",status_class="4xx"} 1',
    'http_request_duration_seconds_bucket{le="0.005",method="GET",route="/api/admin/products/{id}",family="admin",status_class="2xx"} 1',
    'db_pool_size 4',
    'db_pool_waiting 2',
    'db_tx_duration_seconds_count{kind="read"} 1',
    'db_tx_retries_total{sqlstate="40001"} 1',
    'jobs_ready{queue="events"} 3',
    'jobs_oldest_ready_seconds{queue="events"} 1.5',
    'outbox_lag_seconds 0.25',
    'plugin_hook_duration_seconds_count{plugin="promotions",hook="checkout:discounts.collect"} 1',
    'plugin_errors_total{plugin="promotions"} 1',
    'webhook_deliveries_total{outcome="dead"} 1',
    'plugin_state{plugin="catalog",state="ready"} 1',
    'plugin_state{plugin="catalog",state="failed"} 0',
    'license_seconds_to_expiry 86400',
    'tenant_context_missing_total 0',
    'rls_violations_total 0',
    'rls_zero_row_writes_total 0',
    'build_info{version="1.2.3"} 1',
  ])
    expect(text).toContain(`${line}\n`);
  expect(text).toMatch(/^event_loop_lag_seconds \d/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  expect(text).not.toContain('tenant=');
});

test('every metric has a help text, and only counters end in _total', async () => {
  const text = await metrics.text();
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)];
  for (const [, name, type] of names) {
    expect(text).toContain(`# HELP ${name} `);
    expect(name?.endsWith('_total')).toBe(type === 'counter');
  }
});

const promtool = spawnSync('promtool', ['--version']).error === undefined;
test.runIf(promtool)('promtool has no complaint', async () => {
  const check = spawnSync('promtool', ['check', 'metrics'], { input: await metrics.text(), encoding: 'utf8' });
  expect(check.stderr + check.stdout).toBe('');
  expect(check.status).toBe(0);
});

test('a source that fails leaves its own figures out and is counted', async () => {
  const told: unknown[] = [];
  const own = createMetrics({ version: '1', onSourceError: (source, error) => told.push([source, (error as Error).message]) });
  own.watch({ outbox: () => Promise.reject(new Error('database away')), licence: () => null });
  const text = await own.text();
  own.close();
  expect(text).toContain('metrics_source_errors_total{source="outbox"} 1');
  expect(told).toEqual([['outbox', 'database away']]);
  expect(text).not.toMatch(/^outbox_lag_seconds \d/m);
  expect(text).not.toMatch(/^license_seconds_to_expiry \d/m);
  expect(text).toContain('http_requests_in_flight 0');
});

test('a blocked event loop shows as lag, and requests in flight are counted', async () => {
  const own = createMetrics({ version: '1' });
  own.requestStarted();
  own.requestStarted();
  own.requestEnded();
  await new Promise((resolve) => setTimeout(resolve, 40));
  const until = performance.now() + 120;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(own.eventLoopLag()).toBeGreaterThan(0.08);
  expect(await own.text()).toContain('http_requests_in_flight 1\n');
  own.close();
});

test('snapshots of two processes add up, and facts about the build do not', async () => {
  const [a, b] = [createMetrics({ version: '1' }), createMetrics({ version: '1' })];
  a.route('GET', '/health', 'system')(200, 0.001);
  b.route('GET', '/health', 'system')(200, 0.001);
  const text = await mergeMetrics([await a.snapshot(), await b.snapshot()]);
  a.close();
  b.close();
  expect(text).toContain('http_requests_total{method="GET",route="/health",family="system",status_class="2xx"} 2');
  expect(text).toContain('build_info{version="1"} 1');
});

test('one answer costs a few microseconds', () => {
  const record = metrics.route('GET', '/api/storefront/products', 'storefront');
  for (let i = 0; i < 20_000; i++) record(200, 0.003);
  const started = process.threadCpuUsage();
  for (let i = 0; i < 50_000; i++) record(200, 0.003);
  const micros = process.threadCpuUsage(started).user / 50_000;
  // Generous: the processor may be a slow one. Measured alone: about 1.
  expect(micros).toBeLessThan(25);
});
