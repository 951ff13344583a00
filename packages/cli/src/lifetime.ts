import { constants } from 'node:os';

/** A signal interrupted the command. Work in progress was rolled back, or continues on the next start. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;
  constructor(signal: NodeJS.Signals) {
    super('stopped before it was done');
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Signals of the process for a command, and the cleanup at its end. */
export interface Lifetime {
  /** Aborted with an `Interrupted` by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Resolves on the first such signal. */
  readonly asked: Promise<void>;
  /** Registers a cleanup that runs at the end of the command, successful or not; last registered first. */
  onEnd(undo: () => Promise<unknown>): void;
}

/**
 * Runs a command and stops everything it started at its end, on failure or on a signal; errors caused by that are ignored. A second
 * signal ends the process immediately, unless it follows within a second: the terminal and the parent process both send one Ctrl-C.
 */
export async function withLifetime(work: (life: Lifetime) => Promise<number>): Promise<number> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const undo: (() => Promise<unknown>)[] = [];
  let at = 0;
  const handle = (name: NodeJS.Signals): void => {
    if (signal.aborted) {
      if (performance.now() - at > 1000) process.exit(128 + constants.signals[name]);
      return;
    }
    at = performance.now();
    process.stderr.write('stopping …\n');
    stopping.abort(new Interrupted(name));
  };
  const asked = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, handle);
  const stopWatching = watchParent(() => handle('SIGTERM'));
  try {
    return await work({ signal, asked, onEnd: (fn) => undo.push(fn) });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    for (const fn of undo.reverse()) await fn();
    for (const name of signals) process.off(name, handle);
    stopWatching();
  }
}

/** npm and npx don't always forward a signal, and a killed one can't: their command must not outlive them. */
function watchParent(onGone: () => void): () => void {
  if (process.env.npm_command === undefined && process.env.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, 500).unref();
  return () => clearInterval(timer);
}
