import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from '@storeloom/embedded-postgres';
import { binOf } from '../current.ts';

export interface ChildResult {
  readonly code: number | null;
  readonly stdout: string;
  /** The last lines of what it wrote to standard error. */
  readonly tail: string;
}

export interface ChildOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Receives standard error; on disk, so that it survives this process. Its folder also names the running program. */
  readonly log: string;
  readonly signal?: AbortSignal | undefined;
}

const tailLines = 20;

/** Runs a program to its end. @throws the signal's reason if it is aborted, after the program has ended */
export async function runChild(program: string, args: readonly string[], options: ChildOptions): Promise<ChildResult> {
  const { cwd, env, log, signal } = options;
  signal?.throwIfAborted();
  const errors = openSync(log, 'a');
  let stdout = '';
  try {
    // A process group of its own: npm starts further processes.
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', errors], detached: true });
    const { pid } = child;
    if (pid !== undefined)
      try {
        writeRunning(dirname(log), pid);
      } catch (error) {
        // Without the file, no later command could end it.
        signalGroup(pid, 'SIGKILL');
        throw error;
      }
    const end = (): void => signalGroup(pid, 'SIGTERM');
    signal?.addEventListener('abort', end, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }).finally(() => signal?.removeEventListener('abort', end));
    rmSync(runningFile(dirname(log)), { force: true });
    signal?.throwIfAborted();
    return { code, stdout, tail: tailOf(log) };
  } finally {
    closeSync(errors);
  }
}

const runningFile = (folder: string): string => join(folder, 'running.json');

function writeRunning(folder: string, pid: number): void {
  const file = runningFile(folder);
  writeFileSync(`${file}.new`, JSON.stringify({ pid, start: processStart(pid) }));
  renameSync(`${file}.new`, file);
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    // It has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ends the program that an upgrade left running when it was killed: it would write into the folder of the release. */
export async function endOrphan(folder: string): Promise<void> {
  const file = runningFile(folder);
  if (!existsSync(file)) return;
  const { pid, start } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; start: string };
  const isRunning = (): boolean => processStart(pid) === start;
  if (isRunning()) signalGroup(pid, 'SIGTERM');
  for (const deadline = Date.now() + 15_000; isRunning(); await sleep(50)) if (Date.now() > deadline) signalGroup(pid, 'SIGKILL');
  rmSync(file, { force: true });
}

const tailOf = (log: string): string => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-tailLines).join('\n');

/** Runs a command of a release, in the project folder and on its data. */
export function runRelease(folder: string, args: readonly string[], options: ChildOptions): Promise<ChildResult> {
  return runChild(process.execPath, [binOf(folder), ...args, '--dir', folder], options);
}
