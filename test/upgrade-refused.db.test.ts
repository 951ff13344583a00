import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runningEmbedded } from '@storeloom/embedded-postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { releaseManifest } from '../packages/cli/test/release-manifest.ts';
import { installation, type SmallInstallation, serving } from './support/installation.ts';
import { type Api, run, startApi } from './support/processes.ts';
import { type StaticRegistry, staticRegistry } from './support/static-registry.ts';

let home: SmallInstallation;
let registry: StaticRegistry;
let api: Api;
// On the embedded database.
const options = () => ({ dir: home.dir, dataDir: home.dataDir, databaseUrl: '' });

beforeAll(async () => {
  registry = await staticRegistry();
  home = installation({ fine: { module: serving('fine') } });
  const write = (name: string, value: object): void => writeFileSync(join(home.dir, name), JSON.stringify(value));
  const shop = { name: 'shop', private: true, type: 'module', dependencies: { '@storeloom/core': '1.0.0' } };
  write('package.json', shop);
  write('package-lock.json', { name: 'shop', lockfileVersion: 3, packages: { '': shop } });
  const installed = readdirSync(join(home.dir, 'node_modules/@storeloom'));
  write('release.json', releaseManifest('1.1.0', Object.fromEntries(installed.map((name) => [`@storeloom/${name}`, '1.1.0']))));
  writeFileSync(join(home.dir, '.npmrc'), `@storeloom:registry=${registry.url}/\nfetch-retries=0\n`);
  expect((await run(['migrate'], options())).code).toBe(0);
  api = await startApi(options());
});
afterAll(async () => {
  await api?.stop();
  await registry?.close();
  home?.remove();
});

const apply = (...args: string[]) => run(['upgrade', 'apply', ...args], options());
const rows = async <T>(text: string): Promise<T[]> => {
  const client = new pg.Client({ connectionString: runningEmbedded(home.dataDir) });
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
};
const ledger = () => rows(`select plugin, name, status from core_migration order by 1, 2`);

it('an upgrade that the registry refuses says why and puts everything back, while the shop serves', async () => {
  registry.refusal = 'The licence ended on 1 May: renew it at shop.example';
  const before = await ledger();
  const { code, stderr } = await apply('--to', '1.1.0', '--manifest', join(home.dir, 'release.json'));
  expect(code, stderr).toBe(4);
  expect(stderr).toContain('The licence ended on 1 May');
  expect(stderr).toContain('Everything was put back: 1.0.0 serves.');
  expect(existsSync(join(home.dir, 'releases', '1.1.0'))).toBe(false);
  expect(existsSync(join(home.dir, 'current'))).toBe(false);
  expect(JSON.parse(readFileSync(join(home.dir, 'package.json'), 'utf8'))).toMatchObject({
    dependencies: { '@storeloom/core': '1.0.0' },
  });
  expect(await ledger()).toEqual(before);
  expect(await rows(`select key from core_installation where key = 'jobs.paused'`)).toEqual([]);
  expect(
    await rows(`select value ->> 'acknowledgedAt' is not null as over from core_installation where key = 'maintenance'`),
  ).toEqual([{ over: true }]);
  expect((await fetch(`${api.base}/health`)).status).toBe(200);
  // The snapshot stays.
  expect(readdirSync(join(home.dir, 'var', 'snapshots')).some((name) => name.endsWith('.json'))).toBe(true);
});

it('a wrong call or an impossible target changes nothing', async () => {
  expect((await apply()).code).toBe(2);
  expect((await apply('--to', '1.1.0', '--resume')).code).toBe(2);
  expect((await apply('--resume')).stderr).toContain('no unfinished upgrade');
  const file = join(home.dir, 'release.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...manifest, version: '3.0.0', upgradesFrom: '>=2.0.0' }));
  const skipped = await apply('--to', '3.0.0', '--manifest', file);
  expect([skipped.code, skipped.stderr]).toEqual([1, expect.stringContaining("can't be installed over 1.0.0")]);
  writeFileSync(file, JSON.stringify({ ...manifest, version: '0.9.0', upgradesFrom: '>=0.1.0' }));
  expect((await apply('--to', '0.9.0', '--manifest', file)).stderr).toContain('storeloom rollback');
  writeFileSync(file, JSON.stringify({ ...manifest, postgres: '>=99' }));
  const old = await apply('--to', '1.1.0', '--manifest', file);
  expect([old.code, old.stderr]).toEqual([1, expect.stringContaining('needs PostgreSQL >=99')]);
  const compared = await run(['plugin', 'diff', '--json'], options());
  expect([compared.code, JSON.parse(compared.stdout)]).toMatchObject([0, { changes: [] }]);
  const checked = await run(['upgrade', 'check', '--json'], options());
  expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([0, { ok: true }]);
});
