import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

describe('a plugin that was ready, and is temporarily not', () => {
  /** Publishes an event, with `POST /api/storefront/announcer/{n}`; declares another that a job of the listener handles. */
  const announcer = `
import { definePlugin, event, f, route, uuidv7 } from '@storeloom/plugin-sdk';
const said = event('announcer.thing.said', { data: { n: f.int() } });
const counted = event('announcer.thing.counted', { data: { id: f.text() } });
export default definePlugin({
  name: 'announcer',
  events: { emits: [said, counted] },
  storefront: [route('POST', '/announcer/{n}', { summary: 'Say', params: { n: f.text() }, status: 204 }, async (ctx, req) => {
    const n = Number(req.params.n);
    await ctx.emit(said, { id: uuidv7(), data: { n } });
    await ctx.emit(counted, { id: uuidv7(), data: { id: req.params.n } });
  })],
  locales: { ro: {}, en: {} },
});
`;
  const listening = (name: string): string => `
import { definePlugin, f, inbound, job, migrations, on, onMany, route, sql } from '@storeloom/plugin-sdk';
const note = (ctx, what) => ctx.db.run(sql\`insert into ${name}_heard (tenant_id, what) values (\${ctx.tenant.id}, \${what})\`);
export default definePlugin({
  name: '${name}',
  migrations: migrations(import.meta.url, ['0001_start.sql']),
  events: {
    on: [on({ id: 'announcer.thing.said' }, (ctx, event) => note(ctx, 'said ' + event.data.n))],
    onMany: [onMany({ id: 'announcer.thing.counted' }, job('count'), ({ id }) => id)],
  },
  jobs: { count: { async run(ctx, { ids }) { for (const id of ids) await note(ctx, 'counted ' + id); } } },
  storefront: [route('GET', '/${name}/{id}', { summary: 'Here', response: { here: f.bool() } }, async () => ({ here: true }))],
  admin: [route('GET', '/${name}/', { permission: '${name}.thing.read', summary: 'Here', response: { here: f.bool() } }, async () => ({ here: true }))],
  webhooks: { '${name}/{tenantId}': inbound({
    provider: '${name}',
    tenant: async (ctx, req) => req.params.tenantId,
    verify: async () => true,
    eventId: () => 'one',
    handle: async () => undefined,
  }) },
  permissions: { '${name}.thing.read': 'Read' },
  locales: { ro: {}, en: {} },
});
`;
  const heardTable = (name: string): string => `
create table ${name}_heard (tenant_id uuid not null, what text not null);
alter table ${name}_heard enable row level security; alter table ${name}_heard force row level security;
create policy tenant on ${name}_heard using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy maint on ${name}_heard using (current_setting('app.maintenance', true) = 'on');
grant select, insert on ${name}_heard to storeloom_app;`;
  const listener = { module: listening('listener'), migration: heardTable('listener') };
  const broken = `throw new Error('a bad release');`;
  const uuid = '01920000-0000-7000-8000-000000000000';

  let place: SmallInstallation;
  let db: TestDatabase;
  let owner: { email: string; password: string };
  const how = (env: Record<string, string> = {}) => ({ dir: place.dir, dataDir: place.dataDir, databaseUrl: db.url, env });
  const query = async (text: string): Promise<Json[]> => {
    const client = new pg.Client({ connectionString: db.url, options: '-c app.maintenance=on' });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const heard = async (): Promise<string[]> =>
    (await query('select what from listener_heard order by what')).map(({ what }) => what);
  const say = async (base: string, n: number): Promise<void> => {
    const said = await new TestClient(base, 'small.localhost').post(`/api/storefront/announcer/${n}`);
    expect(said.status, said.text).toBe(204);
  };
  const adminOf = async (base: string): Promise<TestClient> => {
    const guest = new TestClient(base, 'small.localhost');
    const login = await guest.post<Json>('/api/auth/login', { ...owner, audience: 'admin' });
    return guest.with({ authorization: `Bearer ${login.body.accessToken}` });
  };
  /** Status and code of its routes: storefront, admin, and the copy of the first. */
  const answers = async (base: string, name = 'listener'): Promise<unknown[]> => {
    const guest = new TestClient(base, 'small.localhost');
    const admin = await adminOf(base);
    const found = [
      await guest.get<Json>(`/api/storefront/${name}/${uuid}`),
      await guest.get<Json>(`/api/v1/storefront/${name}/${uuid}`),
      await admin.get<Json>(`/api/admin/${name}/`),
    ];
    return found.map(({ status, body }) => [status, body.code, body.state ?? body.why]);
  };
  const switchListener = async (base: string, enabled: boolean): Promise<void> => {
    const admin = await adminOf(base);
    const saved = await admin.put<Json>('/api/admin/plugins/listener/settings', { enabled });
    expect(saved.status, saved.text).toBe(200);
  };
  beforeAll(async () => {
    db = await createDatabase();
    place = installation({ announcer: { module: announcer }, listener });
  });
  afterAll(async () => {
    await db?.drop();
    place?.remove();
  });

  it('handles events and serves its routes while it is ready', async () => {
    const dev = await startDev(how());
    owner = dev.ready.tenants[0]!.owner;
    try {
      await say(dev.ready.api, 1);
      await expect.poll(heard).toEqual(['counted 1', 'said 1']);
      expect(await answers(dev.ready.api)).toEqual(Array.from({ length: 3 }, () => [200, undefined, undefined]));
    } finally {
      expect(await dev.stop()).toBe(0);
    }
  });

  it('answers 503 with its state while it can’t be imported, and 404 or 403 where the shop has it off', async () => {
    place.write('listener', { ...listener, module: broken });
    const api = await startApi(how());
    try {
      expect(await answers(api.base)).toEqual(Array.from({ length: 3 }, () => [503, 'plugin_unavailable', 'failed']));
      // Providers notify again.
      expect((await new TestClient(api.base, 'small.localhost').post<Json>(`/api/webhooks/listener/${uuid}`)).body).toMatchObject(
        {
          status: 503,
          code: 'plugin_unavailable',
          plugin: 'listener',
        },
      );
      // Without a token the caller is asked for one first.
      expect(await served(api.base, '/api/admin/listener/')).toEqual([401, 'unauthenticated']);
      expect(JSON.stringify((await new TestClient(api.base, 'small.localhost').get('/openapi.json')).body)).not.toContain(
        '/listener/',
      );
      await say(api.base, 2);
      await switchListener(api.base, false);
      expect(await answers(api.base)).toEqual([
        [404, 'not_found', undefined],
        [404, 'not_found', undefined],
        [403, 'plugin_not_enabled', 'failed'],
      ]);
      // It is off: what happens now isn't for it.
      await say(api.base, 3);
      await switchListener(api.base, true);
      await say(api.base, 4);
    } finally {
      expect(await api.stop()).toBe(0);
    }
  });

  it('answers 503 while a migration has not run, also before it ever ran', async () => {
    place.write('listener', {
      module: listening('listener').replace("'0001_start.sql'", "'0001_start.sql', '0002_more.sql'"),
      migration: listener.migration,
    });
    writeFileSync(
      join(place.dir, 'plugins/listener/migrations/0002_more.sql'),
      'alter table listener_heard add column at timestamptz;',
    );
    const api = await startApi(how());
    try {
      expect(await answers(api.base)).toEqual(Array.from({ length: 3 }, () => [503, 'plugin_unavailable', 'failed']));
      await say(api.base, 5);
    } finally {
      expect(await api.stop()).toBe(0);
    }
  });

  it('answers 404 and 403 without a licence, and gets no events', async () => {
    const api = await startApi(how({ STORELOOM_ENV: 'production' }));
    try {
      expect(await answers(api.base)).toEqual([
        [404, 'not_found', undefined],
        [404, 'not_found', undefined],
        [403, 'plugin_not_enabled', 'unlicensed'],
      ]);
    } finally {
      expect(await api.stop()).toBe(0);
    }
  });

  it('gets the events that it missed once it is ready, each once', async () => {
    expect(await heard()).toEqual(['counted 1', 'said 1']);
    const waiting = await query(`select count(*)::int as n from core_event_delivery where handled_at is null`);
    expect(waiting).toEqual([{ n: 6 }]);
    expect((await run(['migrate', '--json'], how())).code).toBe(0);
    // The next attempt is minutes away.
    await query(`update core_event_delivery set retry_at = null`);
    await query(`update jobs.job_common set start_after = now() where name = 'events' and state = 'created'`);
    const processes = await Promise.all([startApi(how()), startApi(how())]);
    try {
      const missed = [2, 4, 5].flatMap((n) => [`counted ${n}`, `said ${n}`]);
      await expect.poll(heard, { timeout: 20_000 }).toEqual(['counted 1', 'said 1', ...missed].sort());
      await say(processes[0].base, 6);
      await expect.poll(heard).toContain('counted 6');
      expect((await heard()).sort()).toEqual(['counted 1', 'counted 6', 'said 1', 'said 6', ...missed].sort());
      expect(await query(`select count(*)::int as n from core_event_delivery where handled_at is null`)).toEqual([{ n: 0 }]);
    } finally {
      for (const api of processes) expect(await api.stop()).toBe(0);
    }
  });

  it('collects nothing before it was ever ready', async () => {
    place.write('newcomer', { module: broken });
    const config = join(place.dir, 'storeloom.config.mjs');
    writeFileSync(
      config,
      readFileSync(config, 'utf8').replace('"./plugins/listener"', '"./plugins/listener","./plugins/newcomer"'),
    );
    const api = await startApi(how());
    try {
      await say(api.base, 7);
      await expect.poll(heard).toContain('said 7');
      expect(await degradedOf(api.base)).toEqual([['newcomer', 'failed', 'import_failed']]);
      expect(await query(`select distinct plugin from core_event_delivery`)).toEqual([{ plugin: 'listener' }]);
      // Its routes are unknown.
      expect(await served(api.base, '/api/storefront/newcomer/')).toEqual([404, 'not_found']);
    } finally {
      expect(await api.stop()).toBe(0);
    }
    // Its code is there, only its migration hasn't run: its routes are known.
    place.write('newcomer', { module: listening('newcomer'), migration: heardTable('newcomer') });
    const again = await startApi(how());
    try {
      await say(again.base, 8);
      await expect.poll(heard).toContain('said 8');
      expect(await query(`select distinct plugin from core_event_delivery`)).toEqual([{ plugin: 'listener' }]);
      expect(await served(again.base, `/api/storefront/newcomer/${uuid}`)).toEqual([503, 'plugin_unavailable']);
    } finally {
      expect(await again.stop()).toBe(0);
    }
  });
});
