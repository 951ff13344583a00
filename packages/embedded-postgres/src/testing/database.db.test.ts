import pg from 'pg';
import { expect, test } from 'vitest';
import { createDatabase } from './database.ts';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('an empty database belongs to the owner role and has no tables', async () => {
  const database = await createDatabase();
  expect(await query(database.url, 'select current_user::text as role, session_user = current_user as same')).toEqual([
    { role: 'storeloom_owner', same: true },
  ]);
  expect(await query(database.url, "select count(*)::int as n from pg_tables where schemaname = 'public'")).toEqual([{ n: 0 }]);
  await database.drop();
  await expect(query(database.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
});

test('a template is prepared once for parallel callers, and each gets a copy of its own', async () => {
  let prepared = 0;
  const template = {
    key: `once ${crypto.randomUUID()}`,
    prepare: async (url: string) => {
      prepared++;
      await query(url, 'create table t as select generate_series(1, 3) as n');
    },
  };
  const databases = await Promise.all(Array.from({ length: 8 }, () => createDatabase({ template })));
  expect(prepared).toBe(1);
  await query(databases[0]!.url, 'delete from t');
  expect(await query(databases[0]!.url, 'select count(*)::int as n from t')).toEqual([{ n: 0 }]);
  expect(await query(databases[1]!.url, 'select count(*)::int as n from t')).toEqual([{ n: 3 }]);
  await Promise.all(databases.map((database) => database.drop()));
});

test('a template may start from another one, which stays as it is', async () => {
  const from = {
    key: `first ${crypto.randomUUID()}`,
    prepare: (url: string) => query(url, 'create table first as select 1 as n').then(() => {}),
  };
  const template = {
    key: `second ${crypto.randomUUID()}`,
    from,
    prepare: (url: string) => query(url, 'update first set n = 2').then(() => {}),
  };
  const databases = [await createDatabase({ template }), await createDatabase({ template: from })] as const;
  expect(await Promise.all(databases.map(({ url }) => query(url, 'select n from first')))).toEqual([[{ n: 2 }], [{ n: 1 }]]);
  await Promise.all(databases.map((database) => database.drop()));
});

test('a preparation that fails is tried again by the next caller', async () => {
  const key = `again ${crypto.randomUUID()}`;
  const failing = createDatabase({ template: { key, prepare: () => Promise.reject(new Error('no luck')) } });
  await expect(failing).rejects.toThrow('no luck');
  const database = await createDatabase({ template: { key, prepare: (url) => query(url, 'create table u ()').then(() => {}) } });
  expect(await query(database.url, 'select * from u')).toEqual([]);
  await database.drop();
});

test('a preparation that leaves a connection open is named', async () => {
  const left: pg.Client[] = [];
  const template = {
    key: `open ${crypto.randomUUID()}`,
    patience: 200,
    prepare: async (url: string) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query('select 42');
      left.push(client);
    },
  };
  await expect(createDatabase({ template })).rejects.toThrow(/left 1 connections open.*select 42/);
  await left[0]!.end();
});
