import { processStart } from '@storeloom/embedded-postgres';
import { type ProcessGroup, readProcessState, removeProcessState, writeProcessState } from './state.ts';

export interface SingleOptions {
  readonly dataDir: string;
  readonly group: ProcessGroup;
  readonly port: number;
  readonly version: string;
}

/**
 * Registers the only process of `storeloom start` for the commands beside it. Returns a promise that resolves when SIGUSR2 asks it to
 * restart in the release that serves then.
 */
export function registerSingle({ dataDir, group, port, version }: SingleOptions): { restart: Promise<void>; remove(): void } {
  const restart = new Promise<void>((resolve) => process.once('SIGUSR2', () => resolve()));
  const { pid } = process;
  // A restart keeps the id of the process: its successor counts on.
  const before = readProcessState(dataDir, group);
  const isSuccessor = before?.pid === pid;
  writeProcessState(dataDir, group, {
    pid,
    start: processStart(pid) ?? '',
    port,
    workers: [{ pid, version }],
    reload: isSuccessor ? 'done' : 'none',
    reloads: isSuccessor ? before.reloads + 1 : 0,
    reason: null,
  });
  return { restart, remove: () => removeProcessState(dataDir, group) };
}
