import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { processStart } from '@storeloom/embedded-postgres';
import { UpgradeError } from './upgrade-error.ts';

type StepEvent = 'begin' | 'done' | 'failed' | 'undone';

/** A line of `journal.jsonl`. */
type Entry =
  | { readonly at: string; readonly step: string; readonly event: StepEvent; readonly data?: unknown }
  | { readonly at: string; readonly end: 'finished' | 'aborted' };

/** The record of one upgrade in `var/upgrade/<time>/`: each line is on disk before the next action. */
export class Journal {
  readonly dir: string;
  readonly #file: string;
  readonly #entries: Entry[];
  /** Length of the complete lines. */
  #length: number;

  constructor(dir: string) {
    this.dir = dir;
    this.#file = join(dir, 'journal.jsonl');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.#entries = readEntries(this.#file);
    this.#length = existsSync(this.#file) ? statSync(this.#file).size : 0;
  }

  begin(step: string): void {
    this.#append({ at: new Date().toISOString(), step, event: 'begin' });
  }
  done(step: string, data?: unknown): void {
    this.#append({ at: new Date().toISOString(), step, event: 'done', ...(data === undefined ? {} : { data }) });
  }
  failed(step: string, message: string): void {
    this.#append({ at: new Date().toISOString(), step, event: 'failed', data: { message } });
  }
  undone(step: string): void {
    this.#append({ at: new Date().toISOString(), step, event: 'undone' });
  }
  end(end: 'finished' | 'aborted'): void {
    this.#append({ at: new Date().toISOString(), end });
  }

  /** How the upgrade ended; undefined if it can be resumed. */
  get ended(): 'finished' | 'aborted' | undefined {
    return this.#entries.flatMap((entry) => ('end' in entry ? [entry.end] : [])).at(-1);
  }
  /** The last event of a step. */
  stateOf(step: string): StepEvent | undefined {
    return this.#entries.flatMap((entry) => ('step' in entry && entry.step === step ? [entry.event] : [])).at(-1);
  }
  /** What a step that is done recorded. */
  dataOf<T>(step: string): T | undefined {
    const entry = this.#entries.findLast((each) => 'step' in each && each.step === step && each.event === 'done');
    return entry && 'data' in entry ? (entry.data as T) : undefined;
  }

  #append(entry: Entry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    const file = openSync(this.#file, 'a', 0o600);
    try {
      // A full disk can have cut off the line before.
      ftruncateSync(file, this.#length);
      appendFileSync(file, line);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#length += line.length;
    this.#entries.push(entry);
  }
}

/** Reads the complete lines. A last line that a full disk or a killed process cut off never happened; it is removed. */
function readEntries(file: string): Entry[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  if (complete !== text) truncateSync(file, Buffer.byteLength(complete));
  return complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}

export const upgradesOf = (project: string): string => join(project, 'var', 'upgrade');

/** The journals of an installation, the newest first. */
export function journals(project: string): Journal[] {
  const folder = upgradesOf(project);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'journal.jsonl')))
    .sort()
    .reverse()
    .map((name) => new Journal(join(folder, name)));
}

/** Lets one upgrade at a time run on an installation. Returns what gives the lock back. @throws UpgradeError */
export function lockUpgrades(project: string): () => void {
  const folder = upgradesOf(project);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'lock');
  const own = `${file}.${process.pid}`;
  const mine = JSON.stringify({ pid: process.pid, start: processStart(process.pid) });
  writeFileSync(own, mine, { mode: 0o600 });
  try {
    for (;;) {
      try {
        // Appears with its content, or not.
        linkSync(own, file);
        return () => {
          if (readFileSync(file, 'utf8') === mine) rmSync(file);
        };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = readHolder(file);
      if (holder && processStart(holder.pid) === holder.start)
        throw new UpgradeError(`The process ${holder.pid} upgrades this installation. Wait until it has ended.`);
      takeStale(file, `${own}.stale`);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes the lock of a process that was killed; puts back one that another process took meanwhile. */
function takeStale(file: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const holder = readHolder(aside);
  if (holder && processStart(holder.pid) === holder.start) renameSync(aside, file);
  else rmSync(aside);
}

function readHolder(file: string): { pid: number; start: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { pid: number; start: string };
  } catch {
    return undefined;
  }
}
