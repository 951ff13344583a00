import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStart } from '@storeloom/embedded-postgres';
import { say } from '../output.ts';

/**
 * The serving processes of an installation, for the commands beside them: in `<data>/processes.json`, those of `start --service worker` in
 * `<data>/processes-worker.json`.
 */
export interface ProcessState {
  /** The primary process, or the only one. */
  readonly pid: number;
  /** Port of the API; 0 if it listens on none. */
  readonly port: number;
  /** When the primary process started, in a unit of the platform: a pid alone can be that of a later process. */
  readonly start: string;
  readonly workers: readonly { readonly pid: number; readonly version: string }[];
  /** Number of requested reloads, and the result of the last one. */
  readonly reloads: number;
  readonly reload: 'none' | 'running' | 'done' | 'failed';
  /** Reason of a failed reload. */
  readonly reason: string | null;
}

/** `worker` only for processes without the API. */
export type ProcessGroup = 'api' | 'worker';
export const processGroups: readonly ProcessGroup[] = ['api', 'worker'];
export const groupOf = (service: string | undefined): ProcessGroup => (service === 'worker' ? 'worker' : 'api');

const fileOf = (dataDir: string, group: ProcessGroup): string =>
  join(dataDir, group === 'api' ? 'processes.json' : 'processes-worker.json');

/** Writes the state. A full disk must not end the shop: the failure is only reported. */
export function writeProcessState(dataDir: string, group: ProcessGroup, state: ProcessState): void {
  const file = fileOf(dataDir, group);
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    say(`the state of the processes can't be written: ${(error as Error).message}`);
  }
}

/** Removes the file of this process. */
export function removeProcessState(dataDir: string, group: ProcessGroup): void {
  if (readProcessState(dataDir, group)?.pid === process.pid) rmSync(fileOf(dataDir, group), { force: true });
}

/** Returns the state of live processes; undefined if none run. */
export function readProcessState(dataDir: string, group: ProcessGroup = 'api'): ProcessState | undefined {
  let state: ProcessState;
  try {
    state = JSON.parse(readFileSync(fileOf(dataDir, group), 'utf8')) as ProcessState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return processStart(state.pid) === state.start ? state : undefined;
}
