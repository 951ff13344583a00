// Free times of 31 days for 20 staff with 2,000 appointments, against a raw program that builds the same answer:
// `node bench/booking.ts [--seconds 4] [--connections 4]`. Aims: at most 1.5 times its CPU, and less than 80 ms.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbedded } from '@storeloom/core/embedded';
import pg from 'pg';
import { request } from 'undici';
import { fillShop, from, prepareShop, to, zone } from './booking-shop.ts';
import { type Figures, load } from './load.ts';
import { type Server, startServer } from './processes.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '4' }, connections: { type: 'string', default: '4' } },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'storeloom-bench-'));
const embedded = await startEmbedded({ dataDir: join(folder, 'data'), log: { info: () => undefined, warn: say, error: say } });
const env = {
  STORELOOM_DATA: join(folder, 'data'),
  STORELOOM_ENV: 'development',
  DATABASE_URL: embedded.ownerUrl,
  RATE_LIMIT_FACTOR: '0',
  PORT: '0',
  STORELOOM_WORKERS: 'false',
};
Object.assign(process.env, env);

async function bodyOf(server: Server, path: string): Promise<string> {
  const answer = await request(`${server.base}${path}`, { headers: { host: 'bench.localhost' } });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return text;
}

try {
  const { tenantId, serviceId } = await fillShop(await prepareShop(env));
  const url = new URL(embedded.superuserUrl);
  url.pathname = '/storeloom';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
  const ours = await startServer(['bench/booking-server.ts'], env);
  const raw = await startServer(['bench/raw-booking.ts'], { RAW_DATABASE_URL: url.href, RAW_TENANT: tenantId });
  const query = new URLSearchParams({ serviceId, from, to, timezone: zone });
  const paths = { ours: `/api/storefront/booking/availability?${query}`, raw: `/availability?${query}` };
  const [own, plain] = [await bodyOf(ours, paths.ours), await bodyOf(raw, paths.raw)];
  if (own !== plain) throw new Error(`the two answers differ:\n${own.slice(0, 400)}\n${plain.slice(0, 400)}`);
  say(`the same answer of ${own.length} bytes`);
  const measure = (server: Server, path: string): Promise<Figures> =>
    load(server, {
      connections: Number(values.connections),
      seconds: Number(values.seconds),
      postmaster: embedded.pid,
      host: 'bench.localhost',
      next: () => ({ method: 'GET', path }),
    });
  const figures = { raw: await measure(raw, paths.raw), ours: await measure(ours, paths.ours) };
  for (const [name, { server, database, p50, p99, rps, errors }] of Object.entries(figures))
    say(
      `${name}: CPU ${server.toFixed(2)} + ${database.toFixed(2)} ms, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms, ${rps.toFixed(0)}/s, ${errors} errors`,
    );
  const cost = ({ server, database }: Figures): number => server + database;
  say(`CPU ratio ${(cost(figures.ours) / cost(figures.raw)).toFixed(2)} (aim 1.5)`);
  await ours.stop();
  await raw.stop();
} finally {
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}
