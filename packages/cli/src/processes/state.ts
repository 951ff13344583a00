import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStart } from '@storeloom/embedded-postgres';

/** The serving processes of an installation, in `<data>/processes.json`, for the commands beside them. */
export interface ProcessState {
  /** The primary process. */
  readonly pid: number;
  /** When the primary process started, in a unit of the platform: a pid alone can be that of a later process. */
  readonly start: string;
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

/** Removes the file of this process. */
export function removeProcessState(dataDir: string): void {
  if (readProcessState(dataDir)?.pid === process.pid) rmSync(fileOf(dataDir), { force: true });
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
  return processStart(state.pid) === state.start ? state : undefined;
}
