import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { sleep } from '../processes.ts';
import { withDatabase } from '../roles.ts';
import { dropDatabase, dropLogins, type LoginOf } from './server.ts';

export type TestDatabase = {
  /** The owner role on the new database. */
  url: string;
  /** Deletes the database, ending connections that are still open. */
  drop(): Promise<void>;
};

export type Template = {
  /** Names what `prepare` makes; one database a key is prepared in a run. */
  key: string;
  /** What it starts from; an empty database by default. */
  from?: Template;
  /** Fills an empty database, and has closed every connection to it when it resolves. */
  prepare(url: string): Promise<void>;
  /** Milliseconds that its closed connections may take to be gone. Default 20,000: the machine may be busy. */
  patience?: number;
};

export interface TestDatabaseOptions {
  /** What the database is a copy of. Default: an empty database. */
  template?: Template;
  /** Name of the login that belongs to the database of an owner URL, dropped with it on a server that outlives the run. */
  loginOf?: LoginOf;
}

/** Marks the databases of this run on a server that isn't the run's own. */
const prefix = (): string => process.env.TEST_DATABASE_PREFIX ?? '';

/**
 * Makes a database on the run's PostgreSQL (`TEST_DATABASE_URL`, set by the global set-up), empty or as a copy of a template,
 * which the first caller of a run prepares while the others wait.
 */
export async function createDatabase({ template, loginOf }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const name = `${prefix()}test_${randomBytes(8).toString('hex')}`;
  await withServer(async (server) => {
    const source = template ? await ensureTemplate(server, template) : 'template0';
    await copy(server, source, name);
  });
  return {
    url: withDatabase(serverUrl(), name),
    // As superuser where there is one: an autovacuum worker may still be in the database, and the owner may not end it.
    drop: () =>
      withServer(async (server) => {
        await dropDatabase(server, name);
        if (prefix() && loginOf) await dropLogins(server, serverUrl(), name, loginOf);
      }, process.env.TEST_SUPERUSER_URL),
  };
}

/** Copies files: faster than through the WAL, because nothing is synced to disk. */
async function copy(server: pg.Client, source: string, name: string): Promise<void> {
  await server.query(`create database ${name} template ${source} strategy file_copy`);
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url)
    throw new Error(
      "there is no PostgreSQL for this test: vitest needs globalSetup: ['@storeloom/testing/setup'] (in Storeloom's repository the files *.db.test.ts have it)",
    );
  return url;
}

async function withServer<T>(work: (server: pg.Client) => Promise<T>, url: string = serverUrl()): Promise<T> {
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

/** Name of the template database of a key, prepared by one caller at a time. */
async function ensureTemplate(server: pg.Client, { key, from, prepare, patience = 20_000 }: Template): Promise<string> {
  const digest = createHash('sha256').update(key).digest();
  const name = `${prefix()}template_${digest.toString('hex').slice(0, 16)}`;
  const lock = digest.readInt32BE(0);
  await server.query('select pg_advisory_lock(7302, $1)', [lock]);
  try {
    const { rowCount } = await server.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      // It gets its name when it is complete, so that a failed preparation is tried again.
      const unfinished = `${name}_new`;
      await server.query(`drop database if exists ${unfinished} with (force)`);
      await copy(server, from ? await ensureTemplate(server, from) : 'template0', unfinished);
      await prepare(withDatabase(serverUrl(), unfinished));
      await waitUntilUnused(server, unfinished, patience);
      await server.query(`alter database ${unfinished} rename to ${name}`);
    }
  } finally {
    await server.query('select pg_advisory_unlock(7302, $1)', [lock]);
  }
  return name;
}

/** A closed connection stays on the server's list for a moment; one that stays longer was never closed. */
async function waitUntilUnused(server: pg.Client, database: string, patience: number): Promise<void> {
  for (let waited = 0; ; waited += 20) {
    const { rows } = await server.query<{ application_name: string; query: string }>(
      'select application_name, query from pg_stat_activity where datname = $1',
      [database],
    );
    if (rows.length === 0) return;
    if (waited >= patience) {
      throw new Error(
        `the template's prepare() left ${rows.length} connections open; last query of the first: ${rows[0]?.query}`,
      );
    }
    await sleep(20);
  }
}
