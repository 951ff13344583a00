import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { sleep, startOf } from './processes.ts';

/** The data directory belongs to a live process. `pid` is that process. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse';
  readonly code = 'data_dir_in_use';
  readonly pid: number;
  constructor(file: string, pid: number) {
    super(
      `another storeloom process (pid ${pid}) runs on this data directory (lock: ${file}); stop it, or choose another with --data`,
    );
    this.pid = pid;
  }
}

type Holder = { pid: number; start: string };

function read(file: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' && typeof holder.start === 'string' ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a live process holds it. */
export const heldLock = (file: string): boolean => {
  const holder = read(file);
  return holder !== undefined && lives(holder);
};

const lives = (holder: Holder): boolean => startOf(holder.pid) === holder.start;

/**
 * Takes the launcher's lock, a file that names its process, and returns what gives it back. A lock whose process is gone is
 * taken over; one of a live process never is.
 * @throws DataDirInUse
 */
export async function takeLock(file: string): Promise<() => void> {
  const me: Holder = { pid: process.pid, start: startOf(process.pid) ?? '' };
  const mine = `${file}.${process.pid}`;
  const guard = `${file}.takeover`;
  writeFileSync(mine, JSON.stringify(me), { mode: 0o600 });
  try {
    // A link appears with its content or not at all, so no process reads a partial lock.
    for (let tries = 0; tries < 40; tries++) {
      if (link(mine, file)) return () => release(file, me);
      const holder = read(file);
      if (holder && lives(holder)) throw new DataDirInUse(file, holder.pid);
      // Of several that find a dead lock, one replaces it while it holds the guard; the others look again.
      if (link(mine, guard)) {
        try {
          const still = read(file);
          if (still && lives(still)) throw new DataDirInUse(file, still.pid);
          renameSync(mine, file);
          return () => release(file, me);
        } finally {
          rmSync(guard, { force: true });
        }
      }
      const guarding = read(guard);
      if (guarding && !lives(guarding) && Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 1000) {
        rmSync(guard, { force: true });
      }
      await sleep(40);
    }
    throw new Error(`could not take the lock ${file}: ${guard} stays; delete it if no storeloom process runs here`);
  } finally {
    rmSync(mine, { force: true });
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function release(file: string, me: Holder): void {
  const holder = read(file);
  if (holder?.pid === me.pid && holder.start === me.start) rmSync(file, { force: true });
}
