import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedDatabase, runningEmbedded, startEmbedded } from './launcher.ts';
import { DataDirInUse } from './lock.ts';
import { isAlive, sleep } from './processes.ts';
import { folderOfClusters } from './testing/cluster.ts';

const said: string[] = [];
const note = (message: string) => void said.push(message);
const log = { info: note, warn: note, error: note };

let folder: string;
let dataDir: string;
const open = new Set<EmbeddedDatabase>();
const children = new Set<number>();

// A new cluster takes seconds; the tests start on copies of one.
let prepared: string;
beforeAll(async () => {
  prepared = mkdtempSync(join(folderOfClusters(), 'storeloom-embedded-'));
  chmodSync(prepared, 0o711);
  await (await startEmbedded({ dataDir: join(prepared, 'data'), log })).stop();
});
afterAll(() => rmSync(prepared, { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(folderOfClusters(), 'storeloom-embedded-'));
  // The server's user passes through; a temporary folder is closed to it otherwise.
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'data');
  execFileSync('cp', ['-a', join(prepared, 'data'), dataDir]);
  said.length = 0;
});

afterEach(async () => {
  for (const pid of children) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  children.clear();
  for (const database of open) await database.stop();
  open.clear();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ dataDir, log });
  open.add(database);
  return database;
}

async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed says so on its connections.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Another process that launches the database and then waits. Resolves with what it printed first. */
function launchInAnotherProcess(): Promise<{ pid: number; line: string; exit: Promise<number | null> }> {
  const program = `
    import { startEmbedded } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const log = { info() {}, warn() {}, error() {} };
    const began = performance.now();
    try {
      const database = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log });
      console.log(JSON.stringify({ pid: database.pid, adopted: database.adopted, ownerUrl: database.ownerUrl }));
      setInterval(() => {}, 1000);
    } catch (error) {
      console.log(JSON.stringify({ code: error.code, pid: error.pid, message: error.message, took: performance.now() - began }));
      process.exit(1);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--conditions=storeloom-source', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = child.pid!;
  children.add(pid);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return new Promise((resolve) => child.stdout.once('data', (data: Buffer) => resolve({ pid, line: data.toString(), exit })));
}

async function until(what: () => Promise<boolean> | boolean, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; !(await what()); await sleep(25)) if (Date.now() > end) throw new Error('waited in vain');
}

test('starts twice in a row on one data directory, with the same URL and the rows of the first run', async () => {
  const first = await start();
  await query(first.ownerUrl, 'create table kept as select 7 as n');
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);
  expect(runningEmbedded(dataDir)).toBeUndefined();
  const second = await start();
  expect(second.ownerUrl).toBe(first.ownerUrl);
  // A command beside it finds the server, and starts none.
  expect(runningEmbedded(dataDir)).toBe(second.ownerUrl);
  expect(second.adopted).toBe(false);
  expect(await query(second.ownerUrl, 'select n from kept')).toEqual([{ n: 7 }]);
  await second.stop();
  await second.stop();
});

test('the owner is no superuser, may make roles and databases, and reaches its database through pg, Kysely and URL', async () => {
  const { ownerUrl } = await start();
  const db = new Kysely<Record<string, never>>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: ownerUrl }) }),
  });
  const { rows } = await sql`select current_user::text as role, current_database()::text as database, rolsuper, rolbypassrls,
    rolcreaterole, rolcreatedb from pg_roles where rolname = current_user`.execute(db);
  expect(rows).toEqual([
    {
      role: 'storeloom_owner',
      database: 'storeloom',
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: true,
      rolcreatedb: true,
    },
  ]);
  await sql`create role storeloom_app nologin`.execute(db);
  await sql`create role storeloom_platform nologin`.execute(db);
  await sql`create role storeloom_runtime login noinherit password 'x' in role storeloom_app, storeloom_platform`.execute(db);
  await db.destroy();
  expect(new URL(ownerUrl).pathname).toBe('/storeloom');
  const runtime = new URL(ownerUrl);
  runtime.username = 'storeloom_runtime';
  runtime.password = 'x';
  expect(
    await query(runtime.href, "select set_config('role', 'storeloom_app', false), current_user::text as role"),
  ).toMatchObject([{ role: 'storeloom_app' }]);
});

test('has the settings of a shop: no TCP, durable writes, checksums, secrets readable by the owner only', async () => {
  const { superuserUrl } = await start();
  const settings = await query<{ name: string; setting: string }>(
    superuserUrl,
    `select name, setting from pg_settings where name in
      ('listen_addresses', 'fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums') order by name`,
  );
  expect(settings.map(({ name, setting }) => `${name}=${setting}`)).toEqual([
    'data_checksums=on',
    'fsync=on',
    'full_page_writes=on',
    'listen_addresses=',
    'synchronous_commit=on',
  ]);
  const socketDir = new URL(superuserUrl).searchParams.get('host')!;
  expect(statSync(socketDir).mode & 0o777).toBe(0o700);
  expect(readdirSync(dataDir)).toContain('database.json');
  expect(statSync(join(dataDir, 'database.json')).mode & 0o777).toBe(0o600);
  const wrong = new URL(superuserUrl);
  wrong.password = 'guess';
  await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
});

test('text of every language orders by code point and changes case', async () => {
  const { ownerUrl } = await start();
  expect(await query(ownerUrl, "select lower('ȘĂÎ') as low, upper('țâ') as high, 'Z' < 'a' as ordered")).toEqual([
    { low: 'șăî', high: 'ȚÂ', ordered: true },
  ]);
});

test('a second launcher is refused within 2 s and told the pid of the first; no row is lost', async () => {
  const { ownerUrl } = await start();
  await query(ownerUrl, 'create table kept as select generate_series(1, 100) as n');
  const second = await launchInAnotherProcess();
  const answer = JSON.parse(second.line);
  expect(answer).toMatchObject({ code: 'data_dir_in_use', pid: process.pid });
  expect(answer.message).toContain(`pid ${process.pid}`);
  expect(await second.exit).toBe(1);
  // Of its own time: how long a process takes to start says nothing here.
  expect(answer.took).toBeLessThan(2000);
  await expect(startEmbedded({ dataDir, log })).rejects.toThrow(DataDirInUse);
  expect(await query(ownerUrl, 'select count(*)::int as n from kept')).toEqual([{ n: 100 }]);
});

test('exactly one of ten concurrent launchers on a new data directory wins', async () => {
  rmSync(dataDir, { recursive: true });
  const all = await Promise.all(Array.from({ length: 10 }, () => launchInAnotherProcess()));
  const answers = all.map(({ line }) => JSON.parse(line));
  const winners = all.filter((_, index) => answers[index].ownerUrl);
  expect(winners).toHaveLength(1);
  for (const answer of answers.filter(({ ownerUrl }) => !ownerUrl))
    expect(answer).toMatchObject({ code: 'data_dir_in_use', pid: winners[0]!.pid });
  process.kill(winners[0]!.pid, 'SIGKILL');
  await winners[0]!.exit;
  // afterEach deletes the folder; its server has to be down by then.
  await (await start()).stop();
});

test('a server whose launcher was killed is adopted, with its connections and rows', async () => {
  const launcher = await launchInAnotherProcess();
  const { pid, ownerUrl } = JSON.parse(launcher.line);
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query('create table kept as select 1 as n');
  process.kill(launcher.pid, 'SIGKILL');
  await launcher.exit;
  expect(isAlive(pid)).toBe(true);
  const database = await start();
  expect(database).toMatchObject({ adopted: true, pid, ownerUrl });
  expect((await client.query('select n from kept')).rows).toEqual([{ n: 1 }]);
  await database.stop();
  expect(isAlive(pid)).toBe(false);
  await client.end().catch(() => {});
});

test('an adopted server that lost its socket is started again', async () => {
  const launcher = await launchInAnotherProcess();
  const { pid, ownerUrl } = JSON.parse(launcher.line);
  process.kill(launcher.pid, 'SIGKILL');
  await launcher.exit;
  rmSync(new URL(ownerUrl).searchParams.get('host')!, { recursive: true });
  const database = await start();
  expect(database.adopted).toBe(false);
  expect(database.pid).not.toBe(pid);
  expect(await query(database.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('recovers from kill -9 of launcher and server under writes: every acknowledged row is there', async () => {
  const launcher = await launchInAnotherProcess();
  const { pid, ownerUrl } = JSON.parse(launcher.line);
  await query(ownerUrl, 'create table rows (n int primary key)');
  const acknowledged: number[] = [];
  const writer = (async () => {
    const client = new pg.Client({ connectionString: ownerUrl });
    client.on('error', () => {});
    await client.connect();
    for (let n = 0; ; n++) {
      await client.query('insert into rows values ($1)', [n]);
      acknowledged.push(n);
    }
  })().catch((error: Error) => error.message);
  await until(() => acknowledged.length > 50);
  process.kill(launcher.pid, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
  await launcher.exit;
  expect(await writer).toEqual(expect.any(String));
  const database = await start();
  const stored = new Set((await query<{ n: number }>(database.ownerUrl, 'select n from rows')).map(({ n }) => n));
  expect(acknowledged.filter((n) => !stored.has(n))).toEqual([]);
});

test('waits for a worker process that outlives its killed server, saying why', async () => {
  const launcher = await launchInAnotherProcess();
  const { pid, ownerUrl } = JSON.parse(launcher.line);
  // A loop that computes does not look whether its server still lives.
  const busy = query(
    ownerUrl,
    `do $$ declare stop timestamptz := clock_timestamp() + interval '5 min'; begin
      while clock_timestamp() < stop loop perform md5(random()::text); end loop; end $$`,
  ).catch((error: Error) => error.message);
  const computing = `select pid from pg_stat_activity where state = 'active' and query like 'do %' and pid <> pg_backend_pid()`;
  let worker = 0;
  await until(async () => {
    worker = (await query<{ pid: number }>(ownerUrl, computing))[0]?.pid ?? 0;
    return worker > 0;
  });
  try {
    process.kill(launcher.pid, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    await launcher.exit;
    await until(() => !isAlive(pid));
    let started = false;
    const starting = start().finally(() => (started = true));
    const waits = 'waits for a worker process, which still computes, of its killed predecessor';
    await until(() => started || said.some((line) => line.includes(waits)));
    expect(started).toBe(false);
    process.kill(worker, 'SIGKILL');
    const database = await starting;
    await busy;
    expect(await query(database.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  } finally {
    if (isAlive(worker)) process.kill(worker, 'SIGKILL');
  }
});

test('a server that dies is started again under the same URL', async () => {
  const database = await start();
  const { pid } = database;
  process.kill(pid, 'SIGKILL');
  await until(() =>
    query(database.ownerUrl, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  expect(database.pid).not.toBe(pid);
  expect(said.join('\n')).toContain(`PostgreSQL (pid ${pid}) is gone`);
  await database.stop();
  expect(isAlive(database.pid)).toBe(false);
});

test('a lock of a process that is gone is taken over, also when its pid has come again', async () => {
  const first = await start();
  await first.stop();
  for (const holder of [{ pid: process.pid, start: 'another boot:1' }, { pid: 4_194_000, start: 'x:1' }, 'cut sh']) {
    writeFileSync(join(dataDir, 'database.lock'), typeof holder === 'string' ? holder : JSON.stringify(holder));
    const database = await start();
    expect(JSON.parse(readFileSync(join(dataDir, 'database.lock'), 'utf8')).pid).toBe(process.pid);
    await database.stop();
  }
  expect(readdirSync(dataDir).filter((name) => name.startsWith('database.lock'))).toEqual([]);
});

describe('a database outside of the data directory', () => {
  let place: string;
  const file = () => join(dataDir, 'database.json');
  const stored = () => JSON.parse(readFileSync(file(), 'utf8')) as Record<string, unknown>;
  const store = (change: object) => writeFileSync(file(), JSON.stringify({ ...stored(), ...change }));
  const major = () => String(stored().cluster);
  beforeEach(() => {
    place = join(folder, 'elsewhere');
    renameSync(join(dataDir, 'postgres'), place);
    store({ place });
  });

  test('is found again, and no empty one takes its place once it is missing', async () => {
    const first = await start();
    expect(first.place).toBe(place);
    await query(first.ownerUrl, 'create table kept as select 7 as n');
    await first.stop();
    const backup = join(folder, 'backup');
    renameSync(place, backup);
    const missing = { name: 'ClusterError', exitCode: 2, message: expect.stringContaining(`none in ${join(place, major())}.`) };
    await expect(start()).rejects.toMatchObject(missing);
    expect(existsSync(place)).toBe(false);
    // Also where the folder is there, or what is in it is no cluster.
    for (const made of [place, join(place, major())]) {
      mkdirSync(made);
      await expect(start()).rejects.toMatchObject(missing);
      expect(readdirSync(made)).toEqual([]);
    }
    rmSync(place, { recursive: true });
    renameSync(backup, place);
    expect(await query((await start()).ownerUrl, 'select n from kept')).toEqual([{ n: 7 }]);
  });

  test('is missed also where the file was written before it said that there is one', async () => {
    store({ cluster: undefined });
    await (await start()).stop();
    expect(stored()).toMatchObject({ cluster: expect.any(Number) });
    store({ cluster: undefined });
    rmSync(place, { recursive: true });
    await expect(start()).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(`none in ${place}.`) });
  });

  test('of another PostgreSQL is refused', async () => {
    const name = major();
    renameSync(join(place, name), join(place, '12'));
    store({ cluster: 12 });
    const refused = { exitCode: 2, message: expect.stringContaining(`${join(place, '12')} is of another PostgreSQL`) };
    await expect(start()).rejects.toMatchObject(refused);
    expect(readdirSync(place)).not.toContain(name);
  });

  test('is made where the first start was cut short', async () => {
    const name = major();
    for (const left of [[], [`${name}.new`]]) {
      store({ cluster: undefined });
      rmSync(place, { recursive: true });
      for (const each of ['.', ...left]) mkdirSync(join(place, each), { mode: 0o711 });
      const { ownerUrl, stop } = await start();
      expect(await query(ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
      await stop();
      expect(major()).toBe(name);
    }
  });
});

test('a deep data directory gets a short socket path', async () => {
  dataDir = join(dataDir, 'deep-'.repeat(20), 'deeper-'.repeat(12));
  const { ownerUrl } = await start();
  expect(new URL(ownerUrl).searchParams.get('host')!.length).toBeLessThan(86);
  expect(await query(ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});
