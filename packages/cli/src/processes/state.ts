import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The serving processes of an installation, in `<data>/processes.json`, for the commands beside them. */
export interface ProcessState {
  /** The primary process. */
  readonly pid: number;
  readonly startedAt: string;
  readonly workers: readonly { readonly pid: number; readonly version: string }[];
  /** Number of requested reloads, and the result of the last one. */
  readonly reloads: number;
  readonly reload: 'none' | 'running' | 'done' | 'failed';
  /** Reason of a failed reload. */
  readonly reason: string | null;
}

const fileOf = (dataDir: string): string => join(dataDir, 'processes.json');

export function writeProcessState(dataDir: string, state: ProcessState): void {
  const file = fileOf(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Returns the state of a live primary process; undefined if none runs with several processes. */
export function readProcessState(dataDir: string): ProcessState | undefined {
  let state: ProcessState;
  try {
    state = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as ProcessState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    process.kill(state.pid, 0);
    return state;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
    throw error;
  }
}
