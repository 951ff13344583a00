// Cost of logs and metrics: `npm run build -- --js-only && node bench/observability.ts [--seconds 2] [--rounds 5] [--connections 8]`.
// Two API processes over one database, one with and one without logging, receive requests alternately. Metrics can't be disabled, so their
// recording is measured separately and added. Target (G6): at most 8 % of the throughput; otherwise the exit code is 1.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createMetrics } from '../packages/core/src/observability/metrics.ts';
import { type Call, cost, load, uncached } from './load.ts';
import { startBench } from './processes.ts';
import { seed } from './seed.ts';
import { host } from './shop.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '8' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** Over one request of each kind: for a cached response alone, writing the log line would dominate. */
const aim = 0.08;

/** CPU milliseconds for the metrics of one request: its start, its end, one transaction, one hook. */
function figuresOfARequest(): number {
  const metrics = createMetrics({ version: '0.0.0' });
  const observe = metrics.route('GET', '/api/storefront/products', 'storefront');
  const rounds = 200_000;
  const once = (): void => {
    metrics.requestStarted();
    metrics.tx('read', 0.002);
    metrics.hook('search', 'product.list', 0.001);
    observe(200, 0.003);
    metrics.requestEnded();
  };
  for (let i = 0; i < rounds; i++) once();
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) once();
  const { user, system } = process.cpuUsage(before);
  metrics.close();
  return (user + system) / 1000 / rounds;
}

// For the process that fills the shop.
process.env.LOG_LEVEL = 'warn';
const bench = await startBench();
try {
  const { variantIds } = await seed({ from: 0, to: 200 });
  const [logging, silent] = [await bench.ours({ LOG_LEVEL: 'info' }), await bench.ours({ LOG_LEVEL: 'silent' })];
  const figures = figuresOfARequest();
  const pick = (): string => variantIds[Math.floor(Math.random() * variantIds.length)] as string;
  const calls: Record<string, () => Call> = {
    'list, cached': () => ({ method: 'GET', path: '/api/storefront/products/?limit=20' }),
    'list, first page': () => ({
      method: 'GET',
      path: uncached(host, '/api/storefront/products/?limit=20'),
    }),
    'cart add': () => ({
      method: 'POST',
      path: '/api/storefront/cart/items',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({ variantId: pick(), quantity: 1 }),
    }),
  };
  const options = {
    connections: Number(values.connections),
    seconds: Number(values.seconds),
    postmaster: bench.postmaster,
    host,
  };
  const middle = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] as number;
  say(`figures of a request: ${(figures * 1000).toFixed(1)} µs`);
  const sum = { logged: 0, quiet: 0 };
  for (const [name, next] of Object.entries(calls)) {
    const rps: [number[], number[]] = [[], []];
    const cpu: [number[], number[]] = [[], []];
    for (let round = 0; round < Number(values.rounds); round++)
      // The second process benefits from warm caches, so the order alternates.
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const found = await load(which === 0 ? logging : silent, { ...options, next });
        if (found.errors > 0) throw new Error(`${name}: ${found.errors} of ${found.requests} answers were no success`);
        rps[which].push(found.rps);
        cpu[which].push(cost(found));
      }
    const [logged, quiet] = [middle(cpu[0]), middle(cpu[1])];
    sum.logged += logged + figures;
    sum.quiet += quiet;
    say(
      `${name}: ${logged.toFixed(3)} ms of CPU a request with the log, ${quiet.toFixed(3)} without (${middle(rps[0]).toFixed(0)}/s, ${middle(rps[1]).toFixed(0)}/s)`,
    );
  }
  const share = (sum.logged - sum.quiet) / (sum.quiet - figures * Object.keys(calls).length);
  if (share > aim) process.exitCode = 1;
  say(`log and figures, one of each: ${(share * 100).toFixed(1)} % (aim ${aim * 100})`);
  await logging.stop();
  await silent.stop();
} finally {
  await bench.stop();
}
