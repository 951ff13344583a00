import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runningEmbedded } from '@storeloom/embedded-postgres';
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
    await dev.says(/"api"/);
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
    return JSON.stringify([columns, await query('select plugin, name, checksum, status from core_migration order by 1, 2')]);
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

  /** Requests to both routes of the shop until `stop`, which returns those that failed. */
  function load() {
    const failed: string[] = [];
    let answered = 0;
    let running = true;
    const loops = Array.from({ length: 4 }, async () => {
      while (running) {
        // A node client keeps its connections alive; the host selects the shop.
        const status = await fetch(`${base}/health`).then(
          (response) => response.text().then(() => response.status),
          (error: Error) => error.message,
        );
        if (status !== 200) failed.push(String(status));
        answered++;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
    return {
      async stop() {
        running = false;
        await Promise.all(loops);
        return { failed, answered };
      },
    };
  }

  it('serves every request while it replaces the processes, and rolls back', async () => {
    const before = [await schema(), await products()];
    const target = next({ migrations: { core: table('core_first'), catalog: table('catalog_first') } });
    const loading = load();
    const { code, stderr } = await shop.run('upgrade', 'apply', '--to', target);
    const { failed, answered } = await loading.stop();
    expect([code, failed], stderr).toEqual([0, []]);
    expect(answered).toBeGreaterThan(200);
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

  it('a failing migration of the core leaves the schema as it was, named with its reason', async () => {
    const before = await schema();
    const broken = { name: '9900_broken.sql', sql: 'create table core_broken (id int); select 1 / 0' };
    const target = next({ migrations: { core: broken } });
    const loading = load();
    const { code, stderr } = await shop.run('upgrade', 'apply', '--to', target);
    expect((await loading.stop()).failed).toEqual([]);
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
});
