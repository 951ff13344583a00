import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installation, type SmallInstallation, serving } from './support/installation.ts';
import { run, startApi } from './support/processes.ts';

interface Finding {
  check: string;
  state: string;
  message: string;
}
let database: TestDatabase;
let home: SmallInstallation;
const options = (env: Record<string, string> = {}) => ({ dir: home.dir, dataDir: home.dataDir, databaseUrl: database.url, env });
async function doctor(
  env?: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number | null; of(check: string): Finding[] }> {
  const { code, stdout, stderr } = await run(['doctor', '--json', ...args], options(env));
  expect(stdout, stderr).not.toBe('');
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return { code, of: (check) => findings.filter((finding) => finding.check === check) };
}

beforeAll(async () => {
  database = await createDatabase();
  home = installation({ fine: { module: serving('fine', true), migration: 'create table fine_thing (id int);' } });
});
afterAll(async () => {
  await database?.drop();
  home?.remove();
});

it('says what is missing before the first migration, and finds no error once the installation serves', async () => {
  const before = await doctor();
  expect([before.code, before.of('data')[0]?.state]).toEqual([0, 'warning']);
  expect((await run(['migrate'], options())).code).toBe(0);
  const api = await startApi(options());
  try {
    const { code, of } = await doctor(undefined, ['--port', String(api.port)]);
    expect(code).toBe(0);
    for (const check of [
      'node',
      'configuration',
      'packages',
      'data',
      'database',
      'roles',
      'migrations',
      'plugins',
      'licence',
      'api',
    ])
      expect(of(check), check).toMatchObject([{ state: 'ok' }]);
    expect(of('snapshots')).toMatchObject([{ state: 'warning' }]);
  } finally {
    await api.stop();
  }
});

it('names pending migrations, broken plugins, an open data directory, and a service that is down', async () => {
  home.write('fine', { module: `throw new Error('the engine room is on fire');` });
  writeFileSync(join(home.dir, 'plugins/fine/migrations/0001_start.sql'), 'create table fine_thing (id int);');
  chmodSync(home.dataDir, 0o755);
  const { code, of } = await doctor({ PORT: '1' });
  expect(code).toBe(3);
  expect(of('plugins')).toMatchObject([{ state: 'error', message: expect.stringContaining('the engine room is on fire') }]);
  expect(of('data')).toMatchObject([{ state: 'error' }]);
  expect(of('api')).toMatchObject([{ state: 'warning' }]);
});

it('ends with 2 for an invalid configuration, and with 5 where the database is away', async () => {
  expect((await doctor({ STORELOOM_ENV: 'somewhere' })).code).toBe(2);
  const away = await run(['doctor', '--json'], { ...options(), databaseUrl: 'postgres://nobody@127.0.0.1:1/none' });
  expect(away.code).toBe(5);
});
