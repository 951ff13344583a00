import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { ProcessState } from './state.ts';

/** Message of a serving process to its primary, once it accepts requests. */
export interface Ready {
  readonly storeloom: 'ready';
  readonly port: number;
  readonly version: string;
}

export interface CrewOptions {
  readonly count: number;
  /** Returns program and arguments of a serving process. Called at each start, so a reload serves a new release. */
  readonly command: () => { readonly exec: string; readonly args: readonly string[] };
  /** Working directory. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
  /** Called after each change. */
  readonly onChange: (state: Omit<ProcessState, 'pid' | 'start'>) => void;
}

/** A serving process ended before it accepted requests. Its output has the reason. */
class BootFailed extends Error {
  override readonly name = 'BootFailed';
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`a serving process ended with exit code ${exitCode} before it accepted requests`);
    this.exitCode = exitCode === 0 ? 1 : exitCode;
  }
}

/** Failed starts of a reload after which the present processes keep serving. */
const bootAttempts = 3;
/** Drain of a process: five seconds of keep-alive, up to 30 for open requests, jobs. Milliseconds. */
const drainLimit = 90_000;

/** A process that served this long is no part of a crash loop. Milliseconds. */
const steadyAfter = 30_000;
const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000).unref());

interface Member {
  readonly worker: Worker;
  readonly ready: Ready;
  /** When it began to serve, in milliseconds of `performance.now()`. */
  readonly since: number;
}

/**
 * Serving processes that share a port. A process that ends unexpectedly is replaced; a reload replaces one after the other, each after
 * its successor accepts requests, so no request is lost.
 */
export class Crew {
  readonly #options: CrewOptions;
  readonly #members = new Set<Member>();
  /** Members that were asked to end. */
  readonly #leaving = new Set<Member>();
  #reloads = 0;
  #reload: ProcessState['reload'] = 'none';
  #reason: string | null = null;
  #stopping = false;
  #reloading: Promise<void> | undefined;
  /** Processes that failed to start, or ended soon after it, one after the other. */
  #failures = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** Starts all processes, the first one alone. @throws BootFailed if that one can't start */
  async start(): Promise<number> {
    const { count } = this.#options;
    const first = await this.#boot();
    await Promise.all(Array.from({ length: count - 1 }, () => this.#boot()));
    return first.ready.port;
  }

  /** Replaces all processes. Concurrent requests are one reload more, after the present one. */
  async reload(): Promise<void> {
    this.#reloads++;
    const before = this.#reloading;
    const mine = (async () => {
      await before;
      await this.#replaceAll();
    })();
    this.#reloading = mine;
    await mine;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#members].map((member) => this.#retire(member)));
  }

  #changed(): void {
    const members = [...this.#members];
    this.#options.onChange({
      port: members[0]?.ready.port ?? 0,
      workers: members.map(({ worker, ready }) => ({ pid: worker.process.pid ?? 0, version: ready.version })),
      reload: this.#reload,
      reloads: this.#reloads,
      reason: this.#reason,
    });
  }

  async #replaceAll(): Promise<void> {
    if (this.#stopping) return;
    this.#reload = 'running';
    this.#reason = null;
    this.#changed();
    try {
      for (const old of [...this.#members]) {
        // It ended meanwhile, and has a successor already.
        if (!this.#members.has(old)) continue;
        await this.#bootAgain();
        await this.#retire(old);
      }
      this.#reload = 'done';
    } catch (error) {
      this.#reload = 'failed';
      this.#reason = (error as Error).message;
      this.#options.say(`the reload failed: ${this.#reason}; the present processes keep serving`);
    }
    this.#changed();
  }

  async #bootAgain(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#boot();
        return;
      } catch (error) {
        if (attempt === bootAttempts || this.#stopping) throw error;
      }
    }
  }

  /** Starts a process and waits until it accepts requests. */
  async #boot(): Promise<Member> {
    const { dir, env } = this.#options;
    const { exec, args } = this.#options.command();
    cluster.setupPrimary({ exec, args: [...args], cwd: dir });
    const worker = cluster.fork(env);
    const ready = await new Promise<Ready>((resolve, reject) => {
      worker.on('message', (message: unknown) => {
        if ((message as Partial<Ready> | null)?.storeloom === 'ready') resolve(message as Ready);
      });
      worker.once('exit', (code) => reject(new BootFailed(code ?? 1)));
    });
    const member = { worker, ready, since: performance.now() };
    this.#members.add(member);
    worker.once('exit', (code, signal) => this.#ended(member, code, signal));
    this.#changed();
    return member;
  }

  #ended(member: Member, code: number | null, signal: string | null): void {
    this.#members.delete(member);
    this.#changed();
    if (this.#stopping || this.#leaving.delete(member)) return;
    this.#failures = performance.now() - member.since < steadyAfter ? this.#failures + 1 : 0;
    this.#options.say(`the process ${member.worker.process.pid} ended (${signal ?? code}); another one is started`);
    void this.#replace();
  }

  async #replace(): Promise<void> {
    while (!this.#stopping && this.#members.size < this.#options.count) {
      // A process that ends as soon as it serves would take the machine.
      if (this.#failures > 0) await pause(Math.min(30, 2 ** (this.#failures - 1)));
      if (this.#stopping) return;
      try {
        await this.#boot();
        return;
      } catch (error) {
        this.#failures++;
        this.#options.say(`${(error as Error).message}; another attempt follows`);
      }
    }
  }

  /** Asks a process to drain, and waits until it has ended. */
  async #retire(member: Member): Promise<void> {
    const { worker } = member;
    if (worker.isDead()) return;
    this.#leaving.add(member);
    const gone = once(worker, 'exit');
    worker.process.kill('SIGTERM');
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), drainLimit);
    await gone;
    clearTimeout(timer);
  }
}
