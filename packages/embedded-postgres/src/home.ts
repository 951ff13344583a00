import { createHash, randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makePrivateFolder, socketFile } from './cluster.ts';
import { ClusterError } from './errors.ts';
import { canReach, closedFolders, type ServerUser, serverUser } from './user.ts';

/** Where the embedded database of one data directory lives, and its passwords. */
export type Home = {
  /** Folder of clusters, programs and logs. */
  place: string;
  user: ServerUser;
  superuserPassword: string;
  ownerPassword: string;
};

type Stored = {
  superuserPassword: string;
  ownerPassword: string;
  /** Where it isn't `<dataDir>/postgres`. */
  place?: string;
  /** Major of the PostgreSQL whose cluster is there; not set until that one is complete. */
  cluster?: number;
};

/** Folder for clusters whose data directory the server's user can't enter (root runs a product below /root). */
const sharedState = '/var/lib/storeloom';

/**
 * Reads `<dataDir>/database.json` (mode 0600), or makes it. Call under the launcher's lock.
 * @throws ClusterError when the database that the file knows is gone: an empty one would be taken for it
 */
export function openHome(dataDir: string, log: { warn(message: string): void }): Home {
  const file = join(dataDir, 'database.json');
  const inside = join(dataDir, 'postgres');
  const stored: Partial<Stored> = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stored) : {};
  requireCluster(stored, stored.place ?? inside, file);
  const user = serverUser([...clusters(stored.place ?? inside), dataDir]);
  let place = stored.place ?? inside;
  const closed = closedFolders(join(inside, 'x'), user);
  if (!stored.superuserPassword && closed.length > 0) {
    place = join(sharedState, randomBytes(6).toString('hex'));
    const folders = closed.join(' ');
    log.warn(
      `user ${user?.uid} can't enter ${folders}, and PostgreSQL does not run as root: the database goes to ${place}, which belongs into each backup of ${dataDir} (chmod a+x ${folders} before the first start lets it in)`,
    );
  }
  mkdirSync(place, { recursive: true, mode: 0o711 });
  if (stored.superuserPassword && stored.ownerPassword) {
    return { place, user, superuserPassword: stored.superuserPassword, ownerPassword: stored.ownerPassword };
  }
  if (clusters(place).length > 0)
    throw new Error(`${place} holds a database, but ${file} with its passwords is gone; restore that file`);
  const made: Stored = {
    superuserPassword: randomBytes(24).toString('hex'),
    ownerPassword: randomBytes(24).toString('hex'),
    ...(place === inside ? {} : { place }),
  };
  write(file, made);
  return { ...made, place, user };
}

function write(file: string, stored: Stored): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** A place is made before the file, and a cluster is noted once it is complete: what is missing then was taken away. */
function requireCluster({ superuserPassword, cluster }: Partial<Stored>, place: string, file: string): void {
  if (superuserPassword === undefined) return;
  const missing = cluster === undefined ? place : join(place, String(cluster));
  if (existsSync(cluster === undefined ? missing : join(missing, 'PG_VERSION'))) return;
  throw new ClusterError(
    `the database of ${file} is missing: there is none in ${missing}. Restore that folder from the backup; ` +
      `where it is lost for good, remove ${file}, and the next start makes an empty database`,
  );
}

/**
 * Before a cluster of PostgreSQL `major` is made or started.
 * @throws ClusterError when the place has one of another major, which that one doesn't read
 */
export function requireMajor(place: string, major: number): void {
  const majors = clusters(place).filter((cluster) => existsSync(join(cluster, 'PG_VERSION')));
  if (majors.length === 0 || majors.includes(join(place, String(major)))) return;
  throw new ClusterError(
    `the database in ${majors.join(' and ')} is of another PostgreSQL than the embedded one, which is ${major}: ` +
      'dump it with the version that made it, and restore it into an empty one',
  );
}

/** Notes that the cluster is complete: from now on a start without it is refused. */
export function noteCluster(dataDir: string, major: number): void {
  const file = join(dataDir, 'database.json');
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Stored;
  if (stored.cluster !== major) write(file, { ...stored, cluster: major });
}

/** Where the cluster of a data directory is and how its roles sign in, if it was ever made. Changes nothing. */
export function knownHome(dataDir: string): (Home & { cluster: string }) | undefined {
  const file = join(dataDir, 'database.json');
  if (!existsSync(file)) return undefined;
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Stored;
  const { place = join(dataDir, 'postgres'), superuserPassword, ownerPassword } = stored;
  const [cluster] = clusters(place).sort((a, b) => Number(basename(b)) - Number(basename(a)));
  if (cluster === undefined) return undefined;
  return { place, user: serverUser([cluster]), superuserPassword, ownerPassword, cluster };
}

/** Folders of the clusters in a place, one a PostgreSQL major. */
const clusters = (place: string): string[] =>
  existsSync(place)
    ? readdirSync(place)
        .filter((name) => /^\d+$/.test(name))
        .map((name) => join(place, name))
    : [];

/** Folder in which a folder for a unix socket can be made: its path is short, and the server's user can enter it. */
export const socketHome = (user: ServerUser): string => (canReach(join(tmpdir(), 'x', 'x'), user) ? tmpdir() : '/tmp');

/**
 * Folder for the unix socket, of the server's user alone. A socket's path has a limit of about 100 bytes, so a deep place gets a
 * short folder elsewhere, the same one at each start.
 */
export function openSocketDir(place: string, user: ServerUser): string {
  const name = createHash('sha256').update(realpathSync(place)).digest('hex').slice(0, 16);
  const candidates = [join(place, 'run'), join(tmpdir(), `storeloom-${name}`), `/tmp/storeloom-${name}`];
  const path = candidates.find(
    (candidate) => Buffer.byteLength(socketFile(candidate)) < 100 && canReach(join(candidate, 'x'), user),
  );
  if (!path) throw new Error(`no folder with a path short enough for a socket: tried ${candidates.join(', ')}`);
  makePrivateFolder(path, user);
  const stat = lstatSync(path);
  if (!stat.isDirectory() || (stat.mode & 0o077) !== 0)
    throw new Error(`${path} is not a folder of mode 0700: another user created it`);
  return path;
}
