import { chownSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { embeddedBinaries } from './binaries.ts';
import { type Cluster, type Log, makePrivateFolder, readPostmaster, startPostmaster, stopPostmaster } from './cluster.ts';
import { ClusterError } from './errors.ts';
import { knownHome, socketHome } from './home.ts';
import { clusterSettings, lockOf } from './launcher.ts';
import { heldLock, takeLock } from './lock.ts';
import { databaseUrl, ownerRole } from './roles.ts';
import type { ServerUser } from './user.ts';

/** The database cluster of a data directory, for programs that copy or replace it. */
export type EmbeddedCluster = {
  /** The cluster's own data directory (PGDATA). */
  folder: string;
  /** Folder of clusters, programs and logs. */
  place: string;
  /** User that owns the files and runs the server; undefined: the user of this process. */
  user: ServerUser;
  /** The superuser on database `postgres` and the owner on `storeloom`, while a server runs on it. */
  running?: { superuserUrl: string; ownerUrl: string };
};

/** Returns the cluster of a data directory. @throws ClusterError if there is none */
export function embeddedCluster(folder: string): EmbeddedCluster {
  const dataDir = resolve(folder);
  const home = knownHome(dataDir);
  if (!home)
    throw new ClusterError(`${dataDir} has no embedded database: set DATABASE_URL, or name the data directory with --data`);
  const server = readPostmaster(home.cluster);
  return {
    folder: home.cluster,
    place: home.place,
    user: home.user,
    ...(server?.status === 'ready' ? { running: urls(server.socketDir, home) } : {}),
  };
}

const urls = (socketDir: string, home: { superuserPassword: string; ownerPassword: string }) => ({
  superuserUrl: databaseUrl(socketDir, 'postgres', home.superuserPassword, 'postgres'),
  ownerUrl: databaseUrl(socketDir, ownerRole, home.ownerPassword, 'storeloom'),
});

/**
 * Starts a server on a copy of the data directory's cluster, with a socket of its own. The copy recovers and changes; the original is
 * not touched. The caller stops the server and deletes the copy.
 */
export async function serveCopy(
  folder: string,
  copy: string,
  log: Log,
  signal?: AbortSignal,
): Promise<{ superuserUrl: string; ownerUrl: string; stop(): Promise<void> }> {
  const home = knownHome(resolve(folder));
  if (!home) throw new ClusterError(`${folder} has no embedded database`);
  const { place, user } = home;
  const socketDir = mkdtempSync(join(socketHome(user), 'storeloom-copy-'));
  if (user) chownSync(socketDir, user.uid, user.gid);
  const cluster: Cluster = {
    binaries: embeddedBinaries(place, user),
    user,
    dataDir: copy,
    socketDir,
    logFile: join(socketDir, 'postgres.log'),
    settings: clusterSettings,
  };
  try {
    makePrivateFolder(copy, user);
    const { pid } = await startPostmaster(cluster, log, signal);
    return {
      ...urls(socketDir, home),
      async stop() {
        await stopPostmaster(pid, log);
        rmSync(socketDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(socketDir, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Puts a prepared cluster in place of the data directory's, which is renamed to `keptAs`. No server may run on either.
 * @throws DataDirInUse if a process holds the data directory; Error if a server that a killed process left is still running
 */
export async function replaceCluster(folder: string, prepared: string, keptAs: string): Promise<void> {
  const dataDir = resolve(folder);
  const unlock = await takeLock(lockOf(dataDir));
  try {
    const cluster = embeddedCluster(dataDir);
    const left = readPostmaster(cluster.folder);
    if (left) await stopPostmaster(left.pid, { info: () => undefined, warn: () => undefined, error: () => undefined });
    renameSync(cluster.folder, keptAs);
    try {
      renameSync(prepared, cluster.folder);
    } catch (error) {
      renameSync(keptAs, cluster.folder);
      throw error;
    }
  } finally {
    unlock();
  }
}

/** True if a live process holds the data directory. */
export const isDataDirHeld = (folder: string): boolean => heldLock(lockOf(resolve(folder)));
