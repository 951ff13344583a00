import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedBinaries, installedBinaries } from '../binaries.ts';
import { type Cluster, initialise, type Log, readPostmaster, startPostmaster, stopPostmaster } from '../cluster.ts';
import { isAlive, startOf } from '../processes.ts';
import { databaseUrl, ownerRole, prepareDatabase } from '../roles.ts';
import { serverUser } from '../user.ts';

export type TestCluster = {
  /** The owner role on database `storeloom`, as the product gets it. */
  ownerUrl: string;
  superuserUrl: string;
  stop(): Promise<void>;
};

const prefix = 'storeloom-test-';
const password = 'test';

/** Fast and forgetful: no sync to disk, few checkpoints, no log for replicas. Otherwise as the product runs it. */
const settings = {
  listen_addresses: '',
  max_connections: 200,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '1GB',
  checkpoint_timeout: '30min',
  timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

const memory = '/dev/shm';
const memoryNeeded = 4 * 1024 ** 3;

/** A file system in memory, where there is one with room for a whole run: databases are copied there in a quarter of the time. */
export function folderOfClusters(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= memoryNeeded && freemem() >= memoryNeeded ? memory : tmpdir();
}

const log: Log = { info: () => {}, warn: console.warn, error: console.error };

/**
 * Starts one PostgreSQL for a test run in a temporary folder: the embedded 18, or the major that `STORELOOM_TEST_PG` names, from
 * Debian's place for it.
 */
export async function startTestCluster(major = process.env.STORELOOM_TEST_PG): Promise<TestCluster> {
  await sweep();
  const place = mkdtempSync(join(folderOfClusters(), prefix));
  chmodSync(place, 0o711);
  writeFileSync(join(place, 'run.json'), JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
  const user = serverUser([]);
  const binaries =
    major && major !== '18'
      ? installedBinaries(`/usr/lib/postgresql/${major}/bin`, Number(major))
      : embeddedBinaries(place, user);
  const cluster: Cluster = {
    binaries,
    user,
    dataDir: join(place, 'data'),
    socketDir: join(place, 'run'),
    logFile: join(place, 'postgres.log'),
    // Thousands of connections are opened, with passwords that everybody knows.
    settings: binaries.major >= 16 ? { ...settings, scram_iterations: 1 } : settings,
  };
  await initialise(cluster, password);
  const { pid } = await startPostmaster(cluster, log);
  const endWithProcess = () => process.kill(pid, 'SIGQUIT');
  process.once('exit', endWithProcess);
  const superuserUrl = databaseUrl(cluster.socketDir, 'postgres', password, 'postgres');
  await prepareDatabase(superuserUrl, password);
  return {
    superuserUrl,
    ownerUrl: databaseUrl(cluster.socketDir, ownerRole, password, 'storeloom'),
    async stop() {
      process.off('exit', endWithProcess);
      await stopPostmaster(pid, log);
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Ends and deletes what runs that were killed have left. */
async function sweep(): Promise<void> {
  const folders = [tmpdir(), ...(existsSync(memory) ? [memory] : [])];
  for (const place of folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(folder, name)),
  )) {
    const run = readRun(join(place, 'run.json'));
    if (!run || (isAlive(run.pid) && startOf(run.pid) === run.start)) continue;
    const left = readPostmaster(join(place, 'data'));
    if (left) await stopPostmaster(left.pid, log);
    rmSync(place, { recursive: true, force: true });
  }
}

function readRun(file: string): { pid: number; start: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { pid: number; start: string };
  } catch {
    return undefined;
  }
}
