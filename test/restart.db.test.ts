import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type TestDatabase } from '@storeloom/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installation, type SmallInstallation, serving } from './support/installation.ts';
import { type Api, ended, run, startApi, storeloom } from './support/processes.ts';

let database: TestDatabase;
let home: SmallInstallation;
let api: Api;
let owner: pg.Client;
const options = () => ({ dir: home.dir, dataDir: home.dataDir, databaseUrl: database.url });
const titled = (title: string): string => serving('fine').replace('Whether it is here', title);
const title = async (): Promise<string | undefined> => {
  const { paths } = (await (await fetch(`${api.base}/openapi.json`)).json()) as {
    paths: Record<string, { get?: { summary: string } }>;
  };
  return Object.entries(paths).find(([path]) => path.startsWith('/api/storefront/fine'))?.[1].get?.summary;
};
/** Connections that claim jobs. */
const workers = async (): Promise<number> => {
  const { rows } = await owner.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where application_name = 'storeloom-jobs' and datname = current_database()`,
  );
  return rows[0]!.n;
};

beforeAll(async () => {
  database = await createDatabase();
  home = installation({ fine: { module: titled('First release') } });
  expect((await run(['migrate'], options())).code).toBe(0);
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  // A free port of its own: a restart opens the same one again.
  api = await startApi(options());
  const { port } = api;
  await api.stop();
  api = await startApi(options(), ['--port', String(port)]);
});
afterAll(async () => {
  await owner?.end();
  await api?.stop();
  await database?.drop();
  home?.remove();
});

it('a paused installation runs no jobs, also in processes that start meanwhile', async () => {
  await expect.poll(workers).toBeGreaterThan(0);
  await owner.query(`insert into core_installation (key, value) values ('jobs.paused', '{}')`);
  await owner.query('notify storeloom_jobs');
  await expect.poll(workers).toBe(0);
  const worker = storeloom(['start', '--service', 'worker'], options());
  let said = '';
  worker.stderr?.on('data', (chunk) => (said += chunk));
  await expect.poll(() => said, { timeout: 20_000 }).toContain('running jobs');
  expect(await workers()).toBe(0);
  await owner.query(`delete from core_installation where key = 'jobs.paused'`);
  await owner.query('notify storeloom_jobs');
  await expect.poll(workers).toBeGreaterThan(0);
  worker.kill('SIGTERM');
  expect(await ended(worker)).toBe(0);
});

it('a single process restarts in the new code on its port, at night within two seconds', async () => {
  home.write('fine', { module: titled('Second release') });
  const failedAt: number[] = [];
  let running = true;
  const probing = (async () => {
    while (running) {
      const answered = await fetch(`${api.base}/health`, { headers: { connection: 'close' } }).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (!answered) failedAt.push(performance.now());
      await sleep(20);
    }
  })();
  const { code, stderr } = await run(['reload'], options());
  await sleep(200);
  running = false;
  await probing;
  expect(code, stderr).toBe(0);
  expect(await title()).toBe('Second release');
  const outage = (failedAt.at(-1) ?? 0) - (failedAt[0] ?? 0);
  console.log(`an outage of ${Math.round(outage)} ms`);
  // By day other tests use the processors too, and the code is loaded from sources.
  expect(outage).toBeLessThan(process.env.STORELOOM_NIGHTLY === '1' ? 2000 : 10_000);
});

it('an API alone runs no jobs', async () => {
  const { port } = api;
  expect(await api.stop()).toBe(0);
  api = await startApi(options(), ['--port', String(port), '--service', 'api']);
  expect(await workers()).toBe(0);
  expect((await run(['start', '--service', 'shop'], options())).code).toBe(2);
});
