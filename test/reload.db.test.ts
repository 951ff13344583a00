import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type TestDatabase } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installation, type SmallInstallation, serving } from './support/installation.ts';
import { type Api, run, startApi } from './support/processes.ts';

let database: TestDatabase;
let home: SmallInstallation;
let api: Api;
const options = () => ({ dir: home.dir, dataDir: home.dataDir, databaseUrl: database.url });
const titled = (title: string): string => serving('fine').replace('Whether it is here', title);

beforeAll(async () => {
  database = await createDatabase();
  home = installation({ fine: { module: titled('First release') } });
  expect((await run(['migrate'], options())).code).toBe(0);
  api = await startApi(options(), ['--workers', '2']);
});
afterAll(async () => {
  await api?.stop();
  await database?.drop();
  home?.remove();
});

interface State {
  pid: number;
  workers: { pid: number; version: string }[];
  reloads: number;
  reload: string;
}
const state = (): State => JSON.parse(readFileSync(join(home.dataDir, 'processes.json'), 'utf8')) as State;
const pids = (): number[] => state().workers.map(({ pid }) => pid);
const title = async (): Promise<string> => {
  const document = (await (await fetch(`${api.base}/openapi.json`)).json()) as {
    paths: Record<string, { get: { summary: string } }>;
  };
  const path = Object.keys(document.paths).find((name) => name.startsWith('/api/storefront/fine'));
  return document.paths[path ?? '']?.get.summary ?? `none of ${Object.keys(document.paths).length} paths`;
};

/** Requests on connections that are kept alive, until `stop`: returns how many had another answer than 200, and why. */
function load(connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const failed: string[] = [];
  let answered = 0;
  let running = true;
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const request = get(`${api.base}/`, { agent }, (response) => {
        if (response.statusCode !== 200) failed.push(String(response.statusCode));
        response.resume().once('end', resolve).once('error', resolve);
        answered++;
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        failed.push(error.code ?? error.message);
        resolve();
      });
    });
  const loops = Array.from({ length: connections }, async () => {
    while (running) {
      await one();
      await sleep(20);
    }
  });
  return {
    async stop() {
      running = false;
      await Promise.all(loops);
      agent.destroy();
      return { failed, answered };
    },
  };
}

it('serves with several processes on one port; one that is killed is replaced', async () => {
  const before = pids();
  expect(before).toHaveLength(2);
  expect(state().pid).toBe(api.pid);
  process.kill(before[0]!, 'SIGKILL');
  await expect.poll(pids).not.toContain(before[0]);
  await expect.poll(pids).toHaveLength(2);
  expect((await fetch(`${api.base}/health`)).status).toBe(200);
});

it('a reload replaces the processes with those of the new code, without a lost request', async () => {
  expect(await title()).toBe('First release');
  const before = pids();
  const loading = load(8);
  home.write('fine', { module: titled('Second release') });
  const { code, stderr } = await run(['reload'], options());
  const { failed, answered } = await loading.stop();
  expect([code, failed], stderr).toEqual([0, []]);
  expect(answered).toBeGreaterThan(100);
  expect(pids()).toHaveLength(2);
  for (const pid of before) expect(pids()).not.toContain(pid);
  expect(await title()).toBe('Second release');
});

it('a release that can’t start changes nothing: the present processes keep serving', async () => {
  const before = pids();
  const loading = load(4);
  const { code, stderr, stdout } = await run(['reload', '--json'], options());
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ reload: 'done', reason: null });
  const present = pids();
  expect(present).not.toEqual(before);
  const file = join(home.dir, 'storeloom.config.mjs');
  const config = readFileSync(file, 'utf8');
  writeFileSync(file, 'throw new Error("not a configuration");\n');
  const refused = await run(['reload'], options());
  writeFileSync(file, config);
  const { failed } = await loading.stop();
  expect([refused.code, failed]).toEqual([1, []]);
  expect(refused.stderr).toContain('the present processes keep serving');
  expect(pids()).toEqual(present);
});

it('a wrong number of processes is refused, and a reload where none run', async () => {
  expect((await run(['start', '--workers', '0'], options())).code).toBe(2);
  const elsewhere = { ...options(), dataDir: join(home.dataDir, 'none') };
  expect((await run(['reload'], elsewhere)).code).toBe(1);
});

it('a signal drains all processes', async () => {
  const before = pids();
  expect(await api.stop()).toBe(0);
  for (const pid of before) expect(() => process.kill(pid, 0)).toThrow();
  const file = join(home.dataDir, 'processes.json');
  expect(existsSync(file)).toBe(false);
  // A file that a killed process left names a pid that another process may have now: it gets no signal.
  writeFileSync(
    file,
    JSON.stringify({ pid: process.pid, start: 'earlier', workers: [], reloads: 0, reload: 'none', reason: null }),
  );
  expect((await run(['reload'], options())).code).toBe(1);
});
