import { chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { embeddedBinaries } from './binaries.ts';
import {
  type Cluster,
  initialise,
  type Log,
  readPostmaster,
  signalPostmaster,
  socketFile,
  startPatience,
  startPostmaster,
  stopPostmaster,
} from './cluster.ts';
import { knownHome, noteCluster, openHome, openSocketDir, requireMajor } from './home.ts';
import { heldLock, takeLock } from './lock.ts';
import { isAlive, sleep } from './processes.ts';
import { databaseUrl, ownerRole, prepareDatabase } from './roles.ts';
import type { ServerUser } from './user.ts';

export type EmbeddedOptions = {
  /** The installation's data directory; made when missing. One process at a time runs on it. */
  dataDir: string;
  log: Log;
  /** Called once the directory is this process's, before anything is started. */
  before?: () => Promise<void>;
  /** Ends a start that is under way; what it has begun is stopped. */
  signal?: AbortSignal;
};

export type EmbeddedDatabase = {
  /** The owner role on database `storeloom`, over the unix socket. */
  ownerUrl: string;
  /** For the launcher and the command line only. */
  superuserUrl: string;
  /** Folder of the cluster, in the data directory or where the server's user can enter. */
  place: string;
  /** The server's process id; another one after it was restarted. */
  readonly pid: number;
  /** True when a server that its launcher had left behind was taken over. */
  adopted: boolean;
  /** Stops the server (also an adopted one) and gives the data directory back. Callable twice. */
  stop(): Promise<void>;
};

/** Where root starts the server, PostgreSQL runs as another user, who has to enter the folder. */
const folderMode = (): number => (process.getuid?.() === 0 ? 0o711 : 0o700);

/** No TCP at all; quiet logs without values. Durability (fsync, synchronous_commit, full_page_writes) stays on. */
export const clusterSettings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: 200,
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/**
 * Starts the embedded PostgreSQL of a data directory and keeps it running: makes the cluster and the owner role at first start,
 * adopts a server whose launcher was killed, restarts one that dies.
 * @throws DataDirInUse when another live process holds the directory; its `pid` names it
 * @throws ClusterError when the cluster is missing or belongs to another PostgreSQL major
 */
export async function startEmbedded({ dataDir: folder, log, before, signal }: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(folder);
  mkdirSync(dirname(dataDir), { recursive: true });
  if (!existsSync(dataDir)) mkdirSync(dataDir, { mode: folderMode() });
  const unlock = await takeLock(lockOf(dataDir));
  try {
    await before?.();
    return await launch(dataDir, log, unlock, signal);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Owner URL of the server that another process keeps running on the data directory; undefined where none is ready. Changes nothing. */
export function runningEmbedded(folder: string): string | undefined {
  const home = knownHome(resolve(folder));
  if (!home) return undefined;
  const server = readPostmaster(home.cluster);
  if (server?.status !== 'ready' || !existsSync(socketFile(server.socketDir))) return undefined;
  return databaseUrl(server.socketDir, ownerRole, home.ownerPassword, 'storeloom');
}

export const lockOf = (dataDir: string): string => join(resolve(dataDir), 'database.lock');

/** The kernel's database driver. */
export const embeddedPostgres = {
  /** True if a live process holds the data directory. */
  isLocked: (dataDir: string): boolean => heldLock(lockOf(dataDir)),
  running: runningEmbedded,
  start: startEmbedded,
} as const;

async function launch(dataDir: string, log: Log, unlock: () => void, signal: AbortSignal | undefined): Promise<EmbeddedDatabase> {
  const home = openHome(dataDir, log);
  const { place, user } = home;
  const binaries = embeddedBinaries(place, user);
  requireMajor(place, binaries.major);
  const cluster: Cluster = {
    binaries,
    user,
    dataDir: join(place, String(binaries.major)),
    socketDir: openSocketDir(place, user),
    logFile: openLogFile(place, user),
    settings: clusterSettings,
  };
  await initialise(cluster, home.superuserPassword, signal);
  noteCluster(dataDir, binaries.major);
  const orphan = await adopt(cluster, log, signal);
  const server = orphan ?? { pid: await startServer(cluster, log, signal), socketDir: cluster.socketDir };
  const keeper = keepRunning(server.pid, cluster, log);
  // A process that exits immediately, for any reason, still signals its server, which then stops on its own.
  const endWithProcess = (): void => {
    keeper.end();
    unlock();
  };
  process.once('exit', endWithProcess);
  const superuserUrl = databaseUrl(server.socketDir, 'postgres', home.superuserPassword, 'postgres');
  try {
    await prepareDatabase(superuserUrl, home.ownerPassword);
    signal?.throwIfAborted();
  } catch (error) {
    process.off('exit', endWithProcess);
    await keeper.stop();
    throw error;
  }
  let stopped: Promise<void> | undefined;
  return {
    ownerUrl: databaseUrl(server.socketDir, ownerRole, home.ownerPassword, 'storeloom'),
    superuserUrl,
    place,
    get pid() {
      return keeper.pid();
    },
    adopted: orphan !== undefined,
    stop: () => {
      stopped ??= keeper
        .stop()
        .then(() => {
          // A socket folder outside the data directory exists while the server runs, no longer.
          if (!cluster.socketDir.startsWith(place)) rmSync(cluster.socketDir, { recursive: true, force: true });
        })
        .finally(() => {
          process.off('exit', endWithProcess);
          unlock();
        });
      return stopped;
    },
  };
}

const startServer = async (cluster: Cluster, log: Log, signal?: AbortSignal): Promise<number> =>
  (await startPostmaster(cluster, log, signal)).pid;

/** The server of a killed launcher, once it is ready. One that is going down, or has lost its socket, is waited for until it is gone. */
async function adopt(
  cluster: Cluster,
  log: Log,
  signal: AbortSignal | undefined,
): Promise<{ pid: number; socketDir: string } | undefined> {
  const deadline = Date.now() + startPatience;
  for (let found = readPostmaster(cluster.dataDir); found; found = readPostmaster(cluster.dataDir)) {
    if (found.status === 'ready') {
      if (existsSync(socketFile(found.socketDir))) {
        log.info(`took over PostgreSQL (pid ${found.pid}), which an earlier process left running`);
        return found;
      }
      log.warn(`PostgreSQL (pid ${found.pid}) lost its socket in ${found.socketDir}; it is started again`);
      await stopPostmaster(found.pid, log);
    }
    if (Date.now() > deadline)
      throw new Error(
        `PostgreSQL (pid ${found.pid}) is neither ready nor gone after ${startPatience / 1000} s (${found.status})`,
      );
    signal?.throwIfAborted();
    await sleep(50);
  }
  return undefined;
}

/** Starts the server again whenever it is gone without having been stopped. */
function keepRunning(firstPid: number, cluster: Cluster, log: Log) {
  let pid = firstPid;
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();
  const restart = async (): Promise<void> => {
    log.error(`PostgreSQL (pid ${pid}) is gone; starting it again`);
    while (!stopping) {
      try {
        pid = await startServer(cluster, log);
        log.info(`PostgreSQL runs again (pid ${pid})`);
        watch();
        return;
      } catch (error) {
        log.error(`${(error as Error).message}\nnext try in 5 s`);
        await sleep(5000);
      }
    }
  };
  const watch = (): void => {
    const timer = setInterval(() => {
      if (stopping) return clearInterval(timer);
      if (isAlive(pid)) return;
      clearInterval(timer);
      restarting = restart();
    }, 200);
    timer.unref();
  };
  watch();
  return {
    pid: () => pid,
    async stop(): Promise<void> {
      stopping = true;
      await restarting;
      await stopPostmaster(pid, log);
    },
    /** Tells it to stop and waits for nothing. */
    end(): void {
      stopping = true;
      signalPostmaster(pid, 'SIGINT');
    },
  };
}

/** The file that takes what the server prints; the last one is kept when it has grown. */
function openLogFile(place: string, user: ServerUser): string {
  const file = join(place, 'postgres.log');
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 10_000_000) renameSync(file, `${file}.1`);
  writeFileSync(file, '', { flag: 'a', mode: 0o600 });
  if (user) chownSync(file, user.uid, user.gid);
  return file;
}
