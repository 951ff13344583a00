import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withDatabase } from '../roles.ts';
import { startTestCluster } from './cluster.ts';

/** The PostgreSQL of a test run. */
export interface TestServer {
  /** What the tests find in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops what was started and deletes the databases of the run. */
  stop(): Promise<void>;
}

export interface TestServerOptions {
  /** URL of a server that exists. Default: `TEST_DATABASE_URL`. */
  url?: string | undefined;
  /** Name of the login that belongs to the database of an owner URL. On a server that exists it is dropped with its database. */
  loginOf?: LoginOf;
}

export type LoginOf = (ownerUrl: string) => string;

const oldest = 15;
const lead = 'storeloom_test_';
const runName = (run: string): string => `storeloom test run ${run}`;

/**
 * The server that `TEST_DATABASE_URL` names, else an embedded one that lives as long as the run.
 * @throws when the given server is too old, or its role may not make databases and roles
 */
export async function startTestServer({
  url = process.env.TEST_DATABASE_URL,
  loginOf,
}: TestServerOptions = {}): Promise<TestServer> {
  if (url) return useServer(url, loginOf);
  const cluster = await startTestCluster();
  return {
    env: { TEST_DATABASE_URL: cluster.ownerUrl, TEST_SUPERUSER_URL: cluster.superuserUrl },
    stop: () => cluster.stop(),
  };
}

/** An external server: databases and logins of the run carry its mark in their names, and are removed with it. */
async function useServer(url: string, loginOf: LoginOf | undefined): Promise<TestServer> {
  const run = randomBytes(4).toString('hex');
  // Open while the run lasts: by its name the next run sees which databases have lost theirs.
  const client = new pg.Client({ connectionString: url, application_name: runName(run) });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const isSuperuser = await checkServer(client);
    await sweep(client, url, loginOf);
    return {
      env: {
        TEST_DATABASE_URL: url,
        TEST_DATABASE_PREFIX: `${lead}${run}_`,
        ...(isSuperuser ? { TEST_SUPERUSER_URL: url } : {}),
      },
      async stop() {
        try {
          await dropDatabases(client, url, run, loginOf);
        } finally {
          await client.end();
        }
      },
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function checkServer(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ major: number; role: string; super: boolean; makes: boolean }>(
    `select current_setting('server_version_num')::int / 10000 as major, rolname as role, rolsuper as super,
       rolsuper or (rolcreatedb and rolcreaterole) as makes from pg_roles where rolname = current_user`,
  );
  const [found] = rows;
  if (!found) throw new Error('TEST_DATABASE_URL: the server does not say who is connected');
  if (found.major < oldest)
    throw new Error(`TEST_DATABASE_URL: the server is PostgreSQL ${found.major}; Storeloom needs ${oldest} or newer`);
  if (!found.makes)
    throw new Error(
      `TEST_DATABASE_URL: each test makes a database and a login, which ${found.role} may not do. As a superuser: alter role ${client.escapeIdentifier(found.role)} createdb createrole`,
    );
  return found.super;
}

/** Deletes what runs that were killed have left. */
async function sweep(client: pg.Client, url: string, loginOf: LoginOf | undefined): Promise<void> {
  const { rows } = await client.query<{ run: string }>(
    `select run from (
       select distinct substr(datname, ${lead.length + 1}, 8) as run from pg_database
       where datname ~ '^${lead}[0-9a-f]{8}_' and datdba = current_user::regrole) left_by
     where not exists (select from pg_stat_activity where application_name = '${runName('')}' || run)`,
  );
  for (const { run } of rows) await dropDatabases(client, url, run, loginOf);
}

async function dropDatabases(client: pg.Client, url: string, run: string, loginOf: LoginOf | undefined): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1)',
    [`${lead}${run}_`],
  );
  for (const { name } of rows) {
    await dropDatabase(client, name);
    if (loginOf) await dropLogins(client, url, name, loginOf);
  }
}

/**
 * Drops a database. An autovacuum worker may be in it, and only a superuser may end that: without FORCE the server itself asks the
 * worker to leave and waits.
 */
export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query(`drop database if exists ${name}${tries % 2 === 1 ? ' with (force)' : ''}`);
      return;
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (tries === 10 || (code !== '42501' && code !== '55006')) throw error;
    }
  }
}

/** A template got its login under the name that it had while it was filled. */
const unfinished = (name: string): string => `${name}_new`;

export async function dropLogins(client: pg.Client, url: string, name: string, loginOf: LoginOf): Promise<void> {
  for (const database of [name, unfinished(name)])
    await client.query(`drop role if exists ${loginOf(withDatabase(url, database))}`);
}
