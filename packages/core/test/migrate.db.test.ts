import { pathToFileURL } from 'node:url';
import { type MigrationSet, migrate } from '@storeloom/data';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CoreDatabase, coreDatabase } from './core-database.ts';

let core: CoreDatabase;
beforeAll(async () => {
  core = await coreDatabase();
});
afterAll(() => core?.close());

const set = (owner: string, ...migrations: MigrationSet['migrations']): MigrationSet => ({
  owner,
  version: '1.0.0',
  migrations,
  requires: [],
});
const nothing = set('core');

describe('a migration that fails', () => {
  test('because its file is missing makes its plugin fail, named, and the others go on', async () => {
    const lines: string[] = [];
    const missing = { name: '0001_lost.sql', url: pathToFileURL('/nowhere/migrations/0001_lost.sql') };
    const plugins = [
      set('first', { name: '0001_first.sql', sql: 'create table first_thing (id int)' }),
      set('lost', missing),
      { ...set('dependent', { name: '0001_dependent.sql', sql: 'select 1' }), requires: ['lost'] },
      set('second', { name: '0001_second.sql', sql: 'create table second_thing (id int)' }),
    ];
    const report = await migrate(core.ownerUrl, nothing, plugins, (line) => lines.push(line));
    expect(report).toEqual({
      exitCode: 3,
      applied: [
        { owner: 'first', name: '0001_first.sql' },
        { owner: 'second', name: '0001_second.sql' },
      ],
      failed: [
        {
          owner: 'lost',
          name: '0001_lost.sql',
          message:
            "The file /nowhere/migrations/0001_lost.sql is missing. Create it, or take it off the plugin's `migrations`; of an installed package, its publisher left the folder out.",
        },
      ],
      blocked: [{ owner: 'dependent', because: 'lost' }],
    });
    // The caller prints failures from the report: once.
    expect(lines).toEqual(['applied first 0001_first.sql', 'applied second 0001_second.sql']);
    // An applied migration whose file is lost later fails too, and stays applied.
    const lost = { name: '0001_first.sql', url: missing.url };
    expect((await migrate(core.ownerUrl, nothing, [set('first', lost)])).failed).toHaveLength(1);
    expect((await migrate(core.ownerUrl, nothing, plugins.slice(0, 1))).failed).toEqual([]);
  });

  test.each([
    [
      'a syntax error',
      '-- ăîâ 🛍️: longer in bytes\ncreate table bad_a (id int);\n\n-- the next\ncreate tabel bad_b (id int);\n',
      'line 5: syntax error at or near "tabel"\n  create tabel bad_b (id int)',
    ],
    [
      'a missing column',
      'create table bad_c (id int);\ncreate index on bad_c (lost);\nselect 1;',
      'column "lost" does not exist',
    ],
    ['a missing table', 'select 1;\nalter table no_such_table\n  add column x int;', 'relation "no_such_table" does not exist'],
  ])('because of %s says so once, with what PostgreSQL tells of the place', async (what, sql, message) => {
    const report = await migrate(core.ownerUrl, nothing, [set(`bad ${what}`, { name: '0001_bad.sql', sql })]);
    expect(report.failed).toEqual([{ owner: `bad ${what}`, name: '0001_bad.sql', message: expect.stringContaining(message) }]);
    expect(report.applied).toEqual([]);
  });
});

test('migrations of the core that are applied together leave nothing when one fails, and the plugins wait', async () => {
  const names = async (): Promise<string[]> => {
    const client = new pg.Client({ connectionString: core.ownerUrl });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relname like 'atomic_%' union all select name from core_migration where name like 'atomic_%' order by 1`,
    );
    await client.end();
    return rows.map(({ name }) => name);
  };
  const first = { name: 'atomic_1.sql', sql: 'create table atomic_one (id int)' };
  const plugin = set('waits', { name: 'atomic_plugin.sql', sql: 'create table atomic_plugin (id int)' });
  const broken = set('core', first, { name: 'atomic_2.sql', sql: 'create table atomic_two (id int); select 1/0' });
  const report = await migrate(core.ownerUrl, broken, [plugin], undefined, undefined, { atomicCore: true });
  expect(report).toEqual({
    exitCode: 1,
    applied: [],
    failed: [{ owner: 'core', name: 'atomic_2.sql', message: expect.stringContaining('division by zero') }],
    blocked: [],
  });
  expect(await names()).toEqual([]);
  const mended = set('core', first, { name: 'atomic_2.sql', sql: 'create table atomic_two (id int)' });
  expect(
    (await migrate(core.ownerUrl, mended, [plugin], undefined, undefined, { phase: 'core', atomicCore: true })).exitCode,
  ).toBe(0);
  expect(await names()).toEqual(['atomic_1.sql', 'atomic_2.sql', 'atomic_one', 'atomic_two']);
  expect((await migrate(core.ownerUrl, mended, [plugin], undefined, undefined, { phase: 'plugins' })).applied).toEqual([
    { owner: 'waits', name: 'atomic_plugin.sql' },
  ]);
});

test('a migration waits for a lock longer than the lock timeout by trying again', async () => {
  const blocker = new pg.Client({ connectionString: core.ownerUrl });
  await blocker.connect();
  await blocker.query('create table locked_thing (id int)');
  await blocker.query('begin');
  await blocker.query('lock table locked_thing in access exclusive mode');
  const sleeping = setTimeout(() => void blocker.query('commit'), 4000);
  const waiting = set('locks', { name: '0001_locks.sql', sql: 'alter table locked_thing add column more int' });
  try {
    expect((await migrate(core.ownerUrl, nothing, [waiting])).failed).toEqual([]);
  } finally {
    clearTimeout(sleeping);
    await blocker.end();
  }
});
