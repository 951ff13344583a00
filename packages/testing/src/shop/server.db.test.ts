import { ensureRoles, runtimeRole } from '@storeloom/data';
import { withDatabase } from '@storeloom/embedded-postgres';
import { startTestServer } from '@storeloom/embedded-postgres/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

// The run's server is used as an external server here, by a role without superuser.
const roles = { able: 'tester_able', unable: 'tester_unable' };
let superuser: pg.Client;
const urlOf = (role: string): string => {
  const url = new URL(process.env.TEST_SUPERUSER_URL as string);
  url.username = role;
  url.password = 'test';
  return url.href;
};
const count = async (text: string, value: string): Promise<number> => (await superuser.query(text, [value])).rowCount ?? 0;
const databases = (prefix: string): Promise<number> => count('select from pg_database where starts_with(datname, $1)', prefix);

async function use<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  superuser = new pg.Client({ connectionString: process.env.TEST_SUPERUSER_URL });
  await superuser.connect();
  await superuser.query(`create role ${roles.able} login password 'test' createdb createrole`);
  await superuser.query(`create role ${roles.unable} login password 'test' createdb`);
  // On a server of one's own this role makes the roles of requests itself; here another one has made them.
  await ensureRoles(process.env.TEST_DATABASE_URL as string, 'unused');
  await superuser.query(`grant storeloom_app, storeloom_platform to ${roles.able} with admin option`);
});
afterAll(async () => {
  await superuser.query(`drop owned by ${roles.able}`);
  for (const role of Object.values(roles)) await superuser.query(`drop role ${role}`);
  await superuser.end();
});

it('leaves nothing of a run on an external server', async () => {
  const { env, stop } = await startTestServer({ url: urlOf(roles.able), loginOf: runtimeRole });
  const name = `${env.TEST_DATABASE_PREFIX}test_1`;
  expect(env).not.toHaveProperty('TEST_SUPERUSER_URL');
  await use(urlOf(roles.able), (client) => client.query(`create database ${name}`));
  const url = withDatabase(urlOf(roles.able), name);
  await ensureRoles(url, 'secret');
  const login = (): Promise<number> => count('select from pg_roles where rolname = $1', runtimeRole(url));
  expect([await databases(name), await login()]).toEqual([1, 1]);
  await stop();
  expect([await databases(name), await login()]).toEqual([0, 0]);
});

it('deletes what a killed run has left, and nothing of one that still runs', async () => {
  const running = await startTestServer({ url: urlOf(roles.able), loginOf: runtimeRole });
  const kept = `${running.env.TEST_DATABASE_PREFIX}test_1`;
  const left = 'storeloom_test_00000000_test_1';
  await use(urlOf(roles.able), async (client) => {
    await client.query(`create database ${kept}`);
    await client.query(`create database ${left}`);
  });
  const next = await startTestServer({ url: urlOf(roles.able), loginOf: runtimeRole });
  expect([await databases(kept), await databases(left)]).toEqual([1, 0]);
  await next.stop();
  await running.stop();
  expect(await databases(kept)).toBe(0);
});

it('says what its role lacks', async () => {
  await expect(startTestServer({ url: urlOf(roles.unable), loginOf: runtimeRole })).rejects.toThrow(
    /alter role "tester_unable" createdb createrole/,
  );
});
