import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedCluster, runningEmbedded } from '@storeloom/embedded-postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { end, type PackedReleases, type PackedShop, packedReleases, packedShop } from './support/packed-shop.ts';
import { ended } from './support/processes.ts';

const nightly = process.env.STORELOOM_NIGHTLY === '1';

// Packed releases from a registry, on the embedded database. By day, upgrade-refused.db.test.ts runs one fault.
describe.runIf(nightly)('an upgrade of packed packages', { timeout: 600_000 }, () => {
  let releases: PackedReleases;
  let shop: PackedShop;
  let api: ReturnType<PackedShop['spawn']>;
  let base: string;
  let owner: { email: string; password: string };
  let minor = 0;

  const startApi = async (): Promise<void> => {
    api = shop.spawn('start', '--workers', '2');
    base = `http://127.0.0.1:${(await api.says(/listening on port (\d+)/))[1]}`;
  };
  beforeAll(async () => {
    releases = await packedReleases();
    releases.publish('1.0.0');
    shop = await packedShop(releases.registry, '1.0.0');
    const dev = shop.spawn('dev', '--json');
    const [line] = await dev.says(/^\{"api".*$/m);
    owner = (JSON.parse(line) as { tenants: { owner: typeof owner }[] }).tenants[0]!.owner;
    await end(dev.child);
    await startApi();
  }, 180_000);
  afterAll(async () => {
    if (api) await end(api.child);
    await releases?.close();
    shop?.remove();
  });

  const query = async <T>(text: string): Promise<T[]> => {
    const options = '-c app.maintenance=on';
    const client = new pg.Client({ connectionString: runningEmbedded(shop.dataDir), options });
    await client.connect();
    try {
      return (await client.query(text)).rows as T[];
    } finally {
      await client.end();
    }
  };
  /** Columns of all tables and the applied migrations: the schema before or after. */
  const schema = async (): Promise<string> => {
    const columns = await query(
      `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2`,
    );
    const ledger = await query('select plugin, name, checksum, status from core_migration order by 1, 2');
    return createHash('sha256')
      .update(JSON.stringify([columns, ledger]))
      .digest('hex');
  };
  const products = (): Promise<{ hash: string }[]> =>
    query(`select md5(string_agg(p::text, '' order by id)) as hash from catalog_product p`);
  const version = async (): Promise<string> => ((await (await fetch(`${base}/health`)).json()) as { version: string }).version;
  const isPaused = async (): Promise<boolean> =>
    (await query(`select 1 from core_installation where key = 'jobs.paused'`)).length > 0;
  /** Publishes the next minor version. */
  const next = (change: Parameters<PackedReleases['publish']>[1] = {}): string => {
    const wanted = `1.${++minor}.0`;
    releases.publish(wanted, change);
    return wanted;
  };
  const table = (name: string) => ({
    name: `9${String(minor + 1).padStart(3, '0')}_${name}.sql`,
    sql: `create table ${name} (id int)`,
  });

  /** Visitors, and an owner who creates categories, on connections that are kept alive. `stop` returns what failed. */
  async function load() {
    const agent = new Agent({ keepAlive: true });
    const send = (
      method: string,
      path: string,
      body?: object,
      token?: string,
    ): Promise<{ status: number | string; body: string }> =>
      new Promise((resolve) => {
        const headers = {
          host: 'nord.localhost',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        };
        const sent = request(`${base}${path}`, { method, agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        });
        sent.once('error', (error: NodeJS.ErrnoException) => resolve({ status: error.code ?? error.message, body: '' }));
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      });
    const login = await send('POST', '/api/auth/login', { ...owner, audience: 'admin' });
    const { accessToken } = JSON.parse(login.body) as { accessToken: string };
    const failed: string[] = [];
    const created: string[] = [];
    let answered = 0;
    let running = true;
    const repeat = async (one: () => Promise<void>): Promise<void> => {
      while (running) {
        await one();
        answered++;
        await sleep(10);
      }
    };
    const visitor = (path: string) => async (): Promise<void> => {
      const { status } = await send('GET', path);
      if (status !== 200) failed.push(`${path} ${status}`);
    };
    // Not /health: a draining process answers 503, so that a load balancer sends it nothing more.
    const paths = ['/', '/api/storefront/categories/', '/api/storefront/products/?limit=5'];
    const loops = [
      ...[...paths, ...paths].map((path) => repeat(visitor(path))),
      repeat(async () => {
        const name = `Category ${randomUUID()}`;
        const { status, body } = await send('POST', '/api/admin/categories/', { name: { ro: name, en: name } }, accessToken);
        if (status === 201) created.push((JSON.parse(body) as { id: string }).id);
        else failed.push(`category ${status} ${body}`);
      }),
    ];
    return {
      async stop() {
        running = false;
        await Promise.all(loops);
        agent.destroy();
        const rows = await query<{ id: string }>('select id from catalog_category');
        const present = new Set(rows.map(({ id }) => id));
        return { failed, answered, created: created.length, lost: created.filter((id) => !present.has(id)) };
      },
    };
  }

  it('serves every request while it replaces the processes, and rolls back', async () => {
    const before = [await schema(), await products()];
    const target = next({ migrations: { core: table('core_first'), catalog: table('catalog_first') } });
    const loading = await load();
    const { code, stderr } = await shop.run('upgrade', 'apply', '--to', target);
    const { failed, answered, created, lost } = await loading.stop();
    expect([code, failed, lost], stderr).toEqual([0, [], []]);
    console.log(`${answered} requests during the upgrade, ${created} of them wrote: none failed`);
    expect(answered).toBeGreaterThan(500);
    expect(created).toBeGreaterThan(50);
    expect(await version()).toBe(target);
    expect(await isPaused()).toBe(false);
    expect(readlinkSync(join(shop.dir, 'current'))).toBe(`releases/${target}`);
    expect(readFileSync(join(shop.dir, 'package.json'), 'utf8')).toContain(target);
    expect(stderr).toContain('GET /api/admin/products/?limit=1');
    expect((await shop.run('upgrade', 'verify')).code).toBe(0);

    expect((await shop.run('rollback')).code).toBe(1);
    const back = await shop.run('rollback', '--accept-loss');
    expect(back.code, back.stderr).toBe(0);
    await ended(api.child);
    expect(existsSync(join(shop.dir, 'current'))).toBe(false);
    await startApi();
    expect(await version()).toBe('1.0.0');
    expect([await schema(), await products()]).toEqual(before);
  });

  it('a full disk leaves the present release', async ({ skip }) => {
    const releasesFolder = join(shop.dir, 'releases');
    mkdirSync(releasesFolder, { recursive: true });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', releasesFolder]).status === 0;
    // Only root can mount. The project folder serves, so the mount hides no serving release.
    if (!mounted) skip();
    try {
      const before = await schema();
      const target = next({ migrations: { core: table('core_full') } });
      const { code, stderr } = await shop.run('upgrade', 'apply', '--to', target);
      expect(code, stderr).toBe(1);
      expect(stderr).toMatch(/ENOSPC|no space left/i);
      expect([await schema(), await isPaused()]).toEqual([before, false]);
      expect((await fetch(`${base}/health`)).status).toBe(200);
    } finally {
      spawnSync('umount', [releasesFolder]);
    }
  });

  it('a failing migration of the core leaves the schema as it was, named with its reason', async () => {
    const before = await schema();
    const broken = { name: '9900_broken.sql', sql: 'create table core_broken (id int); select 1 / 0' };
    const target = next({ migrations: { core: broken } });
    const loading = await load();
    const { code, stderr } = await shop.run('upgrade', 'apply', '--to', target);
    expect(await loading.stop()).toMatchObject({ failed: [], lost: [] });
    expect(code).toBe(1);
    expect(stderr).toMatch(/core 9900_broken\.sql: .*division by zero/s);
    expect(await schema()).toBe(before);
    expect([await version(), await isPaused()]).toEqual(['1.0.0', false]);
  });

  it('a release whose modules can’t be loaded isn’t migrated to', async () => {
    const before = await schema();
    const target = next({
      migrations: { core: table('core_unbuilt') },
      edit: (name, folder) => {
        if (name === '@storeloom/plugin-catalog') releases.breakModule(folder);
      },
    });
    const { code, stderr } = await shop.run('upgrade', 'apply', '--to', target);
    expect(code).toBe(1);
    expect(stderr).toContain('The build ended');
    expect([await schema(), await version()]).toEqual([before, '1.0.0']);
  });

  it('after a failing migration of a plugin the others serve, with exit code 3', async () => {
    const broken = { name: '9901_broken.sql', sql: 'select broken' };
    const target = next({ migrations: { core: table('core_second'), catalog: broken } });
    const { code, stderr } = await shop.run('upgrade', 'apply', '--to', target);
    expect(code, stderr).toBe(3);
    expect(stderr).toContain('catalog 9901_broken.sql');
    expect(await version()).toBe(target);
    const back = await shop.run('rollback', '--accept-loss');
    expect(back.code, back.stderr).toBe(0);
    await ended(api.child);
    await startApi();
  });

  const stepNames =
    'health notes snapshot plugin-list workers-off maintenance-window files install build core-migrations plugin-migrations boot reload workers-on verify acknowledge project-files';
  it.each(stepNames.split(' '))('killed at the step %s it is put back or completed, never in between', async (step) => {
    const before = await schema();
    const present = await version();
    const target = next({ migrations: { core: table(`core_${step.replaceAll('-', '_')}`) } });
    const apply = shop.spawn('upgrade', 'apply', '--to', target, '--json');
    await apply.says(new RegExp(`"step":"${step}","event":"begin"`));
    await end(apply.child, 'SIGKILL');
    expect((await fetch(`${base}/health`)).status).toBe(200);
    expect([present, target]).toContain(await version());
    const refused = await shop.run('upgrade', 'apply', '--to', target);
    // The last steps take milliseconds: the signal can come after the end.
    if (refused.stderr.includes('is not newer')) {
      expect(['acknowledge', 'project-files']).toContain(step);
      expect([await version(), await isPaused()]).toEqual([target, false]);
      return;
    }
    expect(refused.stderr).toContain('unfinished');
    const abort = await shop.run('upgrade', 'apply', '--abort');
    if (abort.code === 0) {
      expect([await schema(), await version(), await isPaused()]).toEqual([before, present, false]);
      expect(existsSync(join(shop.dir, 'releases', target))).toBe(false);
      return;
    }
    // The schema is changed: only the snapshot could put it back.
    expect(abort.stderr).toContain('--accept-loss');
    const resumed = await shop.run('upgrade', 'apply', '--resume');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect([await version(), await isPaused()]).toEqual([target, false]);
    expect(await schema()).not.toBe(before);
  });

  it('interrupted by Ctrl-C it puts everything back', async () => {
    const before = await schema();
    const present = await version();
    const target = next({ migrations: { core: table('core_interrupted') } });
    const apply = shop.spawn('upgrade', 'apply', '--to', target, '--json');
    await apply.says(/"step":"install","event":"begin"/);
    await end(apply.child, 'SIGINT');
    expect(apply.child.exitCode).toBe(130);
    expect([await schema(), await version(), await isPaused()]).toEqual([before, present, false]);
  });

  it('a key that the release no longer reads stops it before the migrations', async () => {
    const before = await schema();
    const present = await version();
    const target = next({
      migrations: { core: table('core_key') },
      edit: (name, folder) => {
        if (name !== '@storeloom/core') return;
        const removed = [{ key: 'LEGACY_KEY', since: '2.0.0', replacement: 'NEW_KEY', guide: '/migrating/2' }];
        writeFileSync(join(folder, 'configuration.json'), JSON.stringify({ deprecated: [], removed }));
      },
    });
    shop.env.LEGACY_KEY = '1';
    const { code, stderr } = await shop.run('upgrade', 'apply', '--to', target);
    delete shop.env.LEGACY_KEY;
    expect(code).toBe(1);
    expect(stderr).toContain('LEGACY_KEY was removed in 2.0.0');
    expect([await schema(), await version(), await isPaused()]).toEqual([before, present, false]);
  });

  it('after PostgreSQL was killed during a migration, it is put back or completed', async () => {
    const before = await schema();
    const present = await version();
    const target = next({
      migrations: { core: { name: '9990_slow.sql', sql: 'create table core_slow (id int); select pg_sleep(2)' } },
    });
    const apply = shop.spawn('upgrade', 'apply', '--to', target, '--json');
    await apply.says(/"step":"core-migrations","event":"begin"/);
    await expect
      .poll(
        async () =>
          (
            await query(
              `select 1 from pg_stat_activity where query like '%pg_sleep(2)' and state = 'active' and pid <> pg_backend_pid()`,
            )
          ).length,
        { timeout: 20_000 },
      )
      .toBe(1);
    const [pid] = readFileSync(join(embeddedCluster(shop.dataDir).folder, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await ended(apply.child);
    expect(apply.child.exitCode).not.toBe(0);
    await expect
      .poll(
        async () =>
          fetch(`${base}/health`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 30_000 },
      )
      .toBe(200);
    if ((await shop.run('upgrade', 'apply', '--resume')).stderr.includes('no unfinished upgrade')) {
      expect([await schema(), await version(), await isPaused()]).toEqual([before, present, false]);
      return;
    }
    expect([await version(), await isPaused()]).toEqual([target, false]);
  });
});
