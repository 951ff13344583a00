import { processStart } from '@storeloom/embedded-postgres';
import { type ProcessGroup, type ProcessState, readProcessState, removeProcessState, writeProcessState } from './state.ts';

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
export function registerSingle({ dataDir, group, port, version }: SingleOptions): {
  restart: Promise<void>;
  /** Says that it restarts: until it serves again, a signal would end it. */
  restarting(): void;
  remove(): void;
} {
  // A second signal during the drain changes nothing; without a handler it would end the process.
  const restart = new Promise<void>((resolve) => process.on('SIGUSR2', () => resolve()));
  const { pid } = process;
  // A restart keeps the id of the process: its successor counts on.
  const before = readProcessState(dataDir, group);
  const isSuccessor = before?.pid === pid;
  const reloads = isSuccessor ? before.reloads + 1 : 0;
  const write = (reload: ProcessState['reload']): void => {
    const workers = [{ pid, version }];
    writeProcessState(dataDir, group, { pid, start: processStart(pid) ?? '', port, workers, reload, reloads, reason: null });
  };
  write(isSuccessor ? 'done' : 'none');
  return { restart, restarting: () => write('running'), remove: () => removeProcessState(dataDir, group) };
}
