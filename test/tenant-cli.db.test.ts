import { createDatabase, type TestDatabase } from '@storeloom/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installation, type SmallInstallation } from './support/installation.ts';
import { run } from './support/processes.ts';

let database: TestDatabase;
let home: SmallInstallation;
beforeAll(async () => {
  database = await createDatabase();
  home = installation({});
  expect((await storeloom('migrate')).code).toBe(0);
});
afterAll(async () => {
  await database?.drop();
  home?.remove();
});
const storeloom = (...args: string[]) => run(args, { dir: home.dir, dataDir: home.dataDir, databaseUrl: database.url });
const create = (slug: string, ...more: string[]) =>
  storeloom('tenant', 'create', '--slug', slug, '--name', 'Nord Atelier', '--owner', 'ana@nord.example', ...more);
const listed = async (): Promise<{ slug: string; hosts: string[] }[]> => {
  const { stdout } = await storeloom('tenant', 'list', '--json');
  return (JSON.parse(stdout) as { slug: string; hosts: string[] }[]).map(({ slug, hosts }) => ({ slug, hosts }));
};

it('creates shops with the rules of the routes, and changes their hosts', async () => {
  const planless = await create('nord', '--host', 'nord.example');
  expect([planless.code, planless.stderr]).toEqual([1, expect.stringContaining('create one in the super-admin')]);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into core_plan (id, code, name, plugins, created_at, updated_at) values (gen_random_uuid(), 'starter', 'Starter', '["*"]', now(), now())`,
  );
  await client.end();
  // Two simultaneous calls: one shop, and nothing is left of the other.
  const both = await Promise.all([create('nord', '--host', 'nord.example'), create('nord', '--host', 'nord2.example')]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(both.find(({ code }) => code === 0)?.stdout).toContain('ana@nord.example gets an invitation by e-mail');
  expect(both.find(({ code }) => code === 1)?.stderr).not.toMatch(/ at .*\.ts:/);
  const [{ hosts: [host = ''] = [] } = {}] = await listed();
  expect(await listed()).toEqual([{ slug: 'nord', hosts: [host] }]);

  for (const [args, message] of [
    [['sud', '--host', host], /belongs to another tenant/],
    [['Süd', '--host', 'not a host'], /slug: /],
    [['sud', '--host', 'sud.example', '--plan', 'gold'], /no open plan gold; there are starter/],
  ] as const) {
    const { code, stderr } = await create(...(args as unknown as [string, ...string[]]));
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  }
  expect(await listed()).toHaveLength(1);

  expect((await storeloom('tenant', 'domain', 'add', 'nord', 'WWW.nord.example')).code).toBe(0);
  expect((await listed())[0]?.hosts).toEqual([host, 'www.nord.example']);
  expect((await storeloom('tenant', 'domain', 'remove', 'nord', host)).code).toBe(0);
  for (const [args, message] of [
    [['remove', 'nord', 'www.nord.example'], /is the only host of nord/],
    [['remove', 'nord', host], /doesn't have the host/],
    [['add', 'nord', 'http://x'], /hosts.*is no host name/],
  ] as const) {
    const { code, stderr } = await storeloom('tenant', 'domain', ...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  }
  expect((await listed())[0]?.hosts).toEqual(['www.nord.example']);
});
