import { createDatabase, TestClient, type TestDatabase } from '@storeloom/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../plugins/checkout/test/goods.ts';
import { installation, type SmallInstallation, serving } from './support/installation.ts';
import { run, startApi, startDev } from './support/processes.ts';

/** Plugins that can't run, each for a reason of its own, beside one that can. */
const plugins = {
  fine: { module: serving('fine', true), migration: 'create table fine_thing (id int);' },
  throws: { module: `throw new Error('the engine room is on fire');` },
  'needs-throws': { module: serving('needs-throws'), peers: { '@storeloom/plugin-throws': '^1.0.0' } },
  misfit: { module: serving('misfit'), peers: { '@storeloom/plugin-sdk': '^99.0.0' } },
  stuck: { module: serving('stuck', true), migration: 'create table stuck_thing (id int); select 1 / 0;' },
};
const states = [
  ['throws', 'failed', 'import_failed'],
  ['needs-throws', 'blocked', 'requires_failed'],
  ['misfit', 'incompatible', 'plugin_incompatible'],
  ['stuck', 'failed', 'migration_failed'],
];

let database: TestDatabase;
let home: SmallInstallation;
const options = (env: Record<string, string> = {}) => ({ dir: home.dir, dataDir: home.dataDir, databaseUrl: database.url, env });
beforeAll(async () => {
  database = await createDatabase();
  home = installation(plugins);
});
afterAll(async () => {
  await database?.drop();
  home?.remove();
});

async function rows(sql: string): Promise<Json[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
const degradedOf = async (base: string): Promise<unknown[][]> => {
  const health = await new TestClient(base, 'small.localhost').get<Json>('/health');
  expect([health.status, health.body.ok]).toEqual([200, true]);
  return health.body.degraded.map((entry: Json) => [entry.plugin, entry.state, entry.code]);
};
async function listed(base: string, owner: { email: string; password: string }): Promise<Map<string, Json>> {
  const guest = new TestClient(base, 'small.localhost');
  const login = await guest.post<Json>('/api/auth/login', { ...owner, audience: 'admin' });
  expect(login.status, login.text).toBe(200);
  const list = await guest.with({ authorization: `Bearer ${login.body.accessToken}` }).get<Json>('/api/admin/plugins/');
  expect(list.status, list.text).toBe(200);
  return new Map(list.body.data.map((entry: Json) => [entry.name, entry]));
}
const served = async (base: string, path: string): Promise<[number, string | undefined]> => {
  const answer = await new TestClient(base, 'small.localhost').get<Json>(path);
  return [answer.status, answer.body.code];
};

describe('an installation with broken plugins', () => {
  let owner: { email: string; password: string };

  it('migrates the others, names what failed, and exits 3', async () => {
    const { code, stdout } = await run(['migrate', '--json'], options());
    const report = JSON.parse(stdout) as Json;
    expect(code).toBe(3);
    expect(report.failed).toEqual([{ owner: 'stuck', name: '0001_start.sql', message: 'division by zero' }]);
    expect(report.applied).toContainEqual({ owner: 'fine', name: '0001_start.sql' });
    const unready = new Map(report.plugins.map((entry: Json) => [entry.name, entry]));
    for (const [name, state, code] of states)
      if (name !== 'stuck') expect(unready.get(name), name).toMatchObject({ state, reason: { code } });
    // Nothing of the failed one is left behind.
    expect(await rows(`select to_regclass('stuck_thing') as stuck, to_regclass('fine_thing') as fine`)).toEqual([
      { stuck: null, fine: 'fine_thing' },
    ]);
  });

  it('serves, and says of each at /health and in the plugin list why it does not run', async () => {
    const dev = await startDev(options());
    try {
      const { api } = dev.ready;
      owner = dev.ready.tenants[0]!.owner;
      expect(await served(api, '/api/storefront/fine/')).toEqual([200, undefined]);
      expect(await degradedOf(api)).toEqual(expect.arrayContaining(states));
      expect(await degradedOf(api)).toHaveLength(states.length);
      const list = await listed(api, owner);
      for (const [name, state, code] of states)
        expect(list.get(name as string), name).toMatchObject({ state, on: false, reason: { code, message: expect.any(String) } });
      const says = (name: string): string => list.get(name)?.reason.message;
      expect(says('throws')).toContain('the engine room is on fire');
      expect(says('needs-throws')).toContain('throws');
      expect(says('misfit')).toContain('^99.0.0');
      expect(says('stuck')).toContain('division by zero');
      expect(list.get('fine')).toMatchObject({ state: 'ready', on: true, reason: null });
    } finally {
      expect(await dev.stop()).toBe(0);
    }
  });

  it('runs them once they are mended: exit 0', async () => {
    home.write('throws', { module: serving('throws') });
    home.write('misfit', { module: serving('misfit') });
    home.write('stuck', { module: serving('stuck', true), migration: 'create table stuck_thing (id int);' });
    const migrated = await run(['migrate', '--json'], options());
    expect([migrated.code, JSON.parse(migrated.stdout)]).toMatchObject([
      0,
      { applied: [{ owner: 'stuck', name: '0001_start.sql' }], failed: [], plugins: [] },
    ]);
    const api = await startApi(options());
    try {
      expect(await degradedOf(api.base)).toEqual([]);
      for (const name of Object.keys(plugins))
        expect(await served(api.base, `/api/storefront/${name}/`)).toEqual([200, undefined]);
    } finally {
      expect(await api.stop()).toBe(0);
    }
  });

  it('is in production without a licence: its plugins are off and say so, the shop serves', async () => {
    const production = options({ STORELOOM_ENV: 'production' });
    const migrated = await run(['migrate', '--json'], production);
    expect(migrated.code).toBe(3);
    const api = await startApi(production);
    try {
      const names = Object.keys(plugins);
      const degraded = await degradedOf(api.base);
      for (const name of names) expect(degraded.find(([plugin]) => plugin === name)?.slice(1)).not.toEqual(['ready', null]);
      expect(degraded).toContainEqual(['fine', 'unlicensed', 'not_licensed']);
      expect(await served(api.base, '/api/storefront/fine/')).toEqual([404, 'not_found']);
      const list = await listed(api.base, owner);
      expect(list.get('fine')).toMatchObject({ state: 'unlicensed', on: false, reason: { code: 'not_licensed' } });
      expect(list.get('workspace')).toMatchObject({ state: 'ready', on: true });
    } finally {
      expect(await api.stop()).toBe(0);
    }
  });

  it('stops at a failure of the core: exit 1, nothing further ran', async () => {
    const other = await createDatabase();
    const client = new pg.Client({ connectionString: other.url });
    await client.connect();
    try {
      await client.query('create table core_tenant (id int)');
      const { code, stdout } = await run(['migrate', '--json'], { ...options(), databaseUrl: other.url });
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ exitCode: 1, applied: [], failed: [{ owner: 'core', name: '0001_core.sql' }] });
      expect((await client.query(`select to_regclass('fine_thing') as fine`)).rows).toEqual([{ fine: null }]);
      const started = await run(['start', '--port', '0'], { ...options(), databaseUrl: other.url });
      expect(started.code).toBe(1);
    } finally {
      await client.end();
      await other.drop();
    }
  });
});
