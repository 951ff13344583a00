import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { isAlive, sleep } from './processes.ts';
import type { ServerUser } from './user.ts';

/** Takes lines for a person; pino and console fit. */
export type Log = { info(message: string): void; warn(message: string): void; error(message: string): void };

export type Cluster = {
  binaries: Binaries;
  user: ServerUser;
  /** The cluster's own data directory (PGDATA). */
  dataDir: string;
  /** Folder of the unix socket. */
  socketDir: string;
  /** File that takes what the server prints. */
  logFile: string;
  settings: Readonly<Record<string, string | number>>;
};

/** The first lines of postmaster.pid; `status` is `ready` once it takes connections. */
export type Postmaster = { pid: number; socketDir: string; status: string };

const asUser = (user: ServerUser) => (user ? { uid: user.uid, gid: user.gid } : {});
const environment = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };

/** Creates a folder that only the server's user can enter. */
export function makePrivateFolder(path: string, user: ServerUser): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stat = statSync(path);
  const owner = user?.uid ?? process.getuid?.() ?? stat.uid;
  if (user && stat.uid !== user.uid && stat.uid === 0) chownSync(path, user.uid, user.gid);
  else if (stat.uid !== owner)
    throw new Error(`${path} belongs to another user (uid ${stat.uid}); the database would run as uid ${owner}`);
}

/** Runs initdb, unless the cluster is there. A run that is cut short leaves nothing that looks like a cluster. */
export async function initialise(cluster: Cluster, superuserPassword: string, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { binaries, dataDir, user } = cluster;
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;
  const unfinished = `${dataDir}.new`;
  const passwordFile = `${dataDir}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  makePrivateFolder(unfinished, user);
  writeFileSync(passwordFile, superuserPassword, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  // Code-point order everywhere, with Unicode upper and lower case. PostgreSQL 17 brings it along, older ones take libc's.
  const locale =
    binaries.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] : ['--locale=C.UTF-8'];
  const options = [
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--data-checksums',
  ];
  const sync = cluster.settings.fsync === 'off' ? ['--no-sync'] : [];
  try {
    const running = promisify(execFile)(
      join(binaries.bin, 'initdb'),
      [`--pgdata=${unfinished}`, ...options, ...locale, ...sync],
      { ...asUser(user), cwd: '/', env: environment },
    );
    // It removes what it has made so far, and is waited for.
    const end = (): unknown => running.child.kill('SIGINT');
    signal?.addEventListener('abort', end, { once: true });
    try {
      await running;
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', end);
    }
    renameSync(unfinished, dataDir);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** What postmaster.pid says, if its process lives. */
export function readPostmaster(dataDir: string): Postmaster | undefined {
  const postmaster = postmasterLines(dataDir);
  return isAlive(postmaster.pid) && isPostgres(postmaster.pid) ? postmaster : undefined;
}

function postmasterLines(dataDir: string): Postmaster {
  let lines: string[] = [];
  try {
    lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return { pid: Number(lines[0] ?? 0), socketDir: lines[4] ?? '', status: (lines[7] ?? '').trim() };
}

/** A pid may have gone to another program since; where the platform doesn't say, the file is believed. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    return true;
  }
}

export const socketFile = (socketDir: string): string => join(socketDir, '.s.PGSQL.5432');

/** Sends the immediate shutdown signal, which rolls back open transactions, and waits until the server has ended. */
export async function stopPostmaster(pid: number, log: Log): Promise<void> {
  signalPostmaster(pid, 'SIGINT');
  for (let waited = 0; isAlive(pid); waited += 20) {
    if (waited === 30_000) {
      log.warn(`PostgreSQL (pid ${pid}) did not stop within 30 s and is shut down immediately; it recovers at its next start`);
      signalPostmaster(pid, 'SIGQUIT');
    }
    if (waited >= 60_000) throw new Error(`PostgreSQL (pid ${pid}) does not stop`);
    await sleep(20);
  }
}

/** SIGINT: roll back what is open and end; SIGQUIT: end, and recover at the next start. */
export function signalPostmaster(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * For a server that lives and isn't ready: it may be recovering, on a machine that has much else to do. One that gives up ends, which
 * is detected immediately. Milliseconds.
 */
export const startPatience = 600_000;

/**
 * Starts the server and waits until it takes connections. It runs in a process group of its own, so that Ctrl-C in a terminal
 * reaches the application first, and outlives this process unless it is stopped.
 */
export async function startPostmaster(cluster: Cluster, log: Log, signal?: AbortSignal): Promise<ChildProcess & { pid: number }> {
  const deadline = Date.now() + startPatience;
  makePrivateFolder(cluster.socketDir, cluster.user);
  for (let said: string | undefined; ; ) {
    const offset = statSync(cluster.logFile, { throwIfNoEntry: false })?.size ?? 0;
    const server = spawnServer(cluster);
    if (await becameReady(server, cluster.dataDir, deadline, signal)) return server;
    const output = readFileSync(cluster.logFile).subarray(offset).toString('utf8').trim();
    const cause = remnant(output, cluster.dataDir);
    if (!cause || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start on ${cluster.dataDir}:\n${output || `it printed nothing (${cluster.logFile})`}`);
    }
    if (said !== cause) log.warn(`PostgreSQL waits for ${cause} of its killed predecessor to end`);
    said = cause;
    signal?.throwIfAborted();
    await sleep(500);
  }
}

/** Remains of a killed server that end automatically, and until then prevent the next start. */
function remnant(output: string, dataDir: string): string | undefined {
  if (/pre-existing shared memory block/.test(output)) return 'a worker process, which still computes,';
  // Dead, but in the process table until its parent asks for it: PostgreSQL takes it for a live one.
  if (/lock file "postmaster.pid" already exists/.test(output) && !isAlive(postmasterLines(dataDir).pid))
    return 'the process entry';
  return undefined;
}

function spawnServer(cluster: Cluster): ChildProcess & { pid: number } {
  const settings = { ...cluster.settings, unix_socket_directories: cluster.socketDir };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output = openSync(cluster.logFile, 'a', 0o600);
  try {
    const server = spawn(join(cluster.binaries.bin, 'postgres'), ['-D', cluster.dataDir, ...options], {
      ...asUser(cluster.user),
      cwd: '/',
      detached: true,
      env: environment,
      stdio: ['ignore', output, output],
    });
    server.unref();
    return server as ChildProcess & { pid: number };
  } finally {
    closeSync(output);
  }
}

/** False when the process ended before it was ready. */
async function becameReady(
  server: ChildProcess & { pid: number },
  dataDir: string,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let failure: Error | undefined;
  server.once('error', (error) => {
    failure = error;
  });
  for (;;) {
    if (failure) throw failure;
    if (server.exitCode !== null || server.signalCode !== null) return false;
    const postmaster = readPostmaster(dataDir);
    if (postmaster && postmaster.pid === server.pid && postmaster.status === 'ready') return true;
    if (signal?.aborted) {
      server.kill('SIGINT');
      while (isAlive(server.pid)) await sleep(10);
      throw signal.reason;
    }
    if (Date.now() > deadline) {
      server.kill('SIGINT');
      throw new Error(`PostgreSQL (pid ${server.pid}) was not ready within ${startPatience / 1000} s; its data is in ${dataDir}`);
    }
    await sleep(10);
  }
}
