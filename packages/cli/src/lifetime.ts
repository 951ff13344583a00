import { constants } from 'node:os';

/** The process was asked to end before its work was done. Nothing is half done: what it had begun was undone or goes on at the next start. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;
  constructor(signal: NodeJS.Signals) {
    super('stopped before it was done');
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** What a command has of its process: when it is asked to end, and what is undone when it does. */
export interface Lifetime {
  /** Aborted with an `Interrupted` by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Resolves when the process is asked to end. */
  readonly asked: Promise<void>;
  /** Runs when the command is over, however it ended; the last that was named first. */
  onEnd(undo: () => Promise<unknown>): void;
}

/**
 * Runs a command. What it started is stopped when it is done, fails or is asked to end; what fails because of that is no failure.
 * A second signal ends the process at once, unless it follows within a second: one Ctrl-C comes from the terminal and again from the
 * parent that passes signals on.
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
  try {
    return await work({ signal, asked, onEnd: (fn) => undo.push(fn) });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    for (const fn of undo.reverse()) await fn();
    for (const name of signals) process.off(name, handle);
  }
}
